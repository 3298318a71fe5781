// What differs between an old and a new text, by words and by lines.

/** Offsets, the ends exclusive: old[oldStart, oldEnd) becomes new[newStart, newEnd). */
export interface Hunk {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** With more pairs to compare than this, all between the common ends is one hunk. */
const MOST = 250_000;

/** Hunks of two lists, counted in items. */
export function diffItems(old: readonly string[], now: readonly string[]): Hunk[] {
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  const most = Math.min(old.length, now.length) - head;
  while (tail < most && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const rows = old.length - head - tail;
  const columns = now.length - head - tail;
  if (rows === 0 && columns === 0) return [];
  const whole = { oldStart: head, oldEnd: head + rows, newStart: head, newEnd: head + columns };
  if (rows === 0 || columns === 0 || rows * columns > MOST) return [whole];
  return between(old, now, whole);
}

// By the longest common subsequence of what lies between the common ends.
function between(old: readonly string[], now: readonly string[], within: Hunk): Hunk[] {
  const rows = within.oldEnd - within.oldStart;
  const columns = within.newEnd - within.newStart;
  const width = columns + 1;
  const common = new Uint32Array((rows + 1) * width);
  const same = (row: number, column: number) => old[within.oldStart + row] === now[within.newStart + column];
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      common[row * width + column] = same(row, column)
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const hunks: Hunk[] = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    const [fromRow, fromColumn] = [row, column];
    while ((row < rows || column < columns) && !(row < rows && column < columns && same(row, column))) {
      if (column >= columns || (row < rows && at(row + 1, column) >= at(row, column + 1))) row++;
      else column++;
    }
    if (row > fromRow || column > fromColumn) {
      hunks.push({
        oldStart: within.oldStart + fromRow,
        oldEnd: within.oldStart + row,
        newStart: within.newStart + fromColumn,
        newEnd: within.newStart + column,
      });
    }
    while (row < rows && column < columns && same(row, column)) {
      row++;
      column++;
    }
  }
  return hunks;
}

// Words, line ends, runs of blanks, and single other characters.
const TOKEN = /[\p{L}\p{N}\p{M}_$]+|\r\n|[\n\r]|[^\S\r\n]+|./gsu;

function starts(tokens: readonly string[]): number[] {
  const out = [0];
  for (const token of tokens) out.push((out[out.length - 1] ?? 0) + token.length);
  return out;
}

/** Hunks of two texts, in UTF-16 units; a word that is only continued is an insertion. */
export function diffWords(old: string, now: string): Hunk[] {
  const oldTokens = old.match(TOKEN) ?? [];
  const newTokens = now.match(TOKEN) ?? [];
  const [oldAt, newAt] = [starts(oldTokens), starts(newTokens)];
  return diffItems(oldTokens, newTokens).map((hunk) => {
    let oldStart = oldAt[hunk.oldStart] ?? 0;
    const oldEnd = oldAt[hunk.oldEnd] ?? 0;
    let newStart = newAt[hunk.newStart] ?? 0;
    const newEnd = newAt[hunk.newEnd] ?? 0;
    const gone = old.slice(oldStart, oldEnd);
    if (hunk.oldEnd - hunk.oldStart === 1 && now.slice(newStart, newEnd).startsWith(gone)) {
      newStart += gone.length;
      oldStart = oldEnd;
    }
    return { oldStart, oldEnd, newStart, newEnd };
  });
}
