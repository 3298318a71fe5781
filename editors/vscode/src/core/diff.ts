// Differences between an old and a new text, by word and by line.

/** A changed range, as offsets with exclusive ends: old[oldStart, oldEnd) becomes new[newStart, newEnd). */
export interface Hunk {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
}

/** Item pairs in the comparison table. Larger inputs become a single hunk, so that a keystroke never waits for a diff. */
const MAX_COMPARED_PAIRS = 250_000;

/** Return the hunks between two lists, with offsets in items. */
export function diffItems(oldItems: readonly string[], newItems: readonly string[]): Hunk[] {
  let head = 0;
  while (head < oldItems.length && head < newItems.length && oldItems[head] === newItems[head]) head++;
  let tail = 0;
  const maxTail = Math.min(oldItems.length, newItems.length) - head;
  while (tail < maxTail && oldItems[oldItems.length - 1 - tail] === newItems[newItems.length - 1 - tail]) tail++;
  const rows = oldItems.length - head - tail;
  const columns = newItems.length - head - tail;
  if (rows === 0 && columns === 0) return [];
  const middle = { oldStart: head, oldEnd: head + rows, newStart: head, newEnd: head + columns };
  if (rows === 0 || columns === 0 || rows * columns > MAX_COMPARED_PAIRS) return [middle];
  return diffMiddle(oldItems, newItems, middle);
}

// Compare by the longest common subsequence.
function diffMiddle(oldItems: readonly string[], newItems: readonly string[], middle: Hunk): Hunk[] {
  const rows = middle.oldEnd - middle.oldStart;
  const columns = middle.newEnd - middle.newStart;
  const width = columns + 1;
  const common = new Uint32Array((rows + 1) * width);
  const isEqual = (row: number, column: number) => oldItems[middle.oldStart + row] === newItems[middle.newStart + column];
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      common[row * width + column] = isEqual(row, column)
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const hunks: Hunk[] = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    const [fromRow, fromColumn] = [row, column];
    while ((row < rows || column < columns) && !(row < rows && column < columns && isEqual(row, column))) {
      if (column >= columns || (row < rows && at(row + 1, column) >= at(row, column + 1))) row++;
      else column++;
    }
    if (row > fromRow || column > fromColumn) {
      hunks.push({
        oldStart: middle.oldStart + fromRow,
        oldEnd: middle.oldStart + row,
        newStart: middle.newStart + fromColumn,
        newEnd: middle.newStart + column,
      });
    }
    while (row < rows && column < columns && isEqual(row, column)) {
      row++;
      column++;
    }
  }
  return hunks;
}

// A word, a line end, a run of blanks, or any other single character.
const TOKEN = /[\p{L}\p{N}\p{M}_$]+|\r\n|[\n\r]|[^\S\r\n]+|./gsu;

function tokenOffsets(tokens: readonly string[]): number[] {
  const offsets = [0];
  for (const token of tokens) offsets.push((offsets[offsets.length - 1] ?? 0) + token.length);
  return offsets;
}

/** Return the hunks between two texts, in UTF-16 units. A word that only grows at its end is an insertion. */
export function diffWords(oldText: string, newText: string): Hunk[] {
  const oldTokens = oldText.match(TOKEN) ?? [];
  const newTokens = newText.match(TOKEN) ?? [];
  const [oldOffsets, newOffsets] = [tokenOffsets(oldTokens), tokenOffsets(newTokens)];
  return diffItems(oldTokens, newTokens).map((hunk) => {
    let oldStart = oldOffsets[hunk.oldStart] ?? 0;
    const oldEnd = oldOffsets[hunk.oldEnd] ?? 0;
    let newStart = newOffsets[hunk.newStart] ?? 0;
    const newEnd = newOffsets[hunk.newEnd] ?? 0;
    const removed = oldText.slice(oldStart, oldEnd);
    if (hunk.oldEnd - hunk.oldStart === 1 && newText.slice(newStart, newEnd).startsWith(removed)) {
      newStart += removed.length;
      oldStart = oldEnd;
    }
    return { oldStart, oldEnd, newStart, newEnd };
  });
}
