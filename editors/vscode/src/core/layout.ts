// What a prediction looks like, in terms of lines and columns: words struck and words put in, new lines in a column to
// the right of the old ones, a mark, and a hint where the eye is when the place is out of sight.
import { diffItems, diffWords } from "./diff";
import { linesOf, widthOf, type Position, type Range, type Text } from "./text";
import { linesOfEdits, there, type Edit } from "./trackedEdit";

/** A line with more changed places than this is shown as a whole beside the old one. */
const LEGIBLE = 3;
/** So many new lines are shown at most; hovering shows all. */
const MOST_LINES = 12;
/** Columns between the longest old line and the new ones. */
const GAP = 3;

/** Text put in before what stands at a position. */
export interface Insertion {
  readonly at: Position;
  readonly text: string;
}

/** Text behind the end of a line, so many columns from it. */
export interface Beside {
  readonly line: number;
  readonly gap: number;
  readonly text: string;
}

export interface Drawing {
  readonly strikes: readonly Range[];
  readonly insertions: readonly Insertion[];
  readonly besides: readonly Beside[];
  readonly hints: readonly { readonly line: number; readonly text: string }[];
  /** The first and the last line of the place, if it is in this document. */
  readonly mark: readonly [number, number] | undefined;
}

export interface Scene {
  readonly text: Text;
  /** Undefined: it is for another document, which `elsewhere` names. */
  readonly edits: readonly Edit[] | undefined;
  /** A line that only has to be gone to, when there are no edits. */
  readonly jump: number | undefined;
  readonly elsewhere: string;
  readonly label: string;
  /** "2/3" when one of several was chosen. */
  readonly number: string | undefined;
  readonly cursor: number;
  /** The first and the last line on the screen. */
  readonly visible: readonly [number, number];
  readonly tabSize: number;
  /** Tab is ours here, and not for indenting: the hint names it. */
  readonly tab: boolean;
}

class Sketch {
  readonly strikes: Range[] = [];
  readonly insertions: Insertion[] = [];
  readonly besides: Beside[] = [];
  /** Columns that insertions add to a line. */
  private readonly added = new Map<number, number>();

  constructor(
    private readonly text: Text,
    private readonly tabSize: number,
  ) {}

  strike(line: number, from: number, to: number): void {
    this.strikes.push({ start: { line, character: from }, end: { line, character: to } });
  }

  insert(line: number, character: number, text: string): void {
    this.insertions.push({ at: { line, character }, text });
    this.added.set(line, (this.added.get(line) ?? 0) + widthOf(text, this.tabSize));
  }

  /** New lines in one column, beginning beside a line, or so far above that all have a line to stand beside. */
  column(line: number, lines: readonly string[]): void {
    const kept = lines.slice(0, lines.length > MOST_LINES ? MOST_LINES - 1 : MOST_LINES);
    if (kept.length < lines.length) kept.push(`… ${lines.length - kept.length} more lines`);
    const first = Math.max(0, Math.min(line, this.text.lineCount - kept.length));
    const room = kept.slice(0, this.text.lineCount - first);
    if (room.length < kept.length) {
      room[room.length - 1] = `${room[room.length - 1] ?? ""}  … ${kept.length - room.length} more lines`;
    }
    const widths = room.map((_, i) => this.width(first + i));
    const edge = Math.max(...widths) + GAP;
    room.forEach((text, i) => this.besides.push({ line: first + i, gap: edge - (widths[i] ?? 0), text: expanded(text, this.tabSize) }));
  }

  private width(line: number): number {
    return widthOf(this.text.line(line), this.tabSize) + (this.added.get(line) ?? 0);
  }
}

function expanded(text: string, tabSize: number): string {
  let out = "";
  for (const part of text.split(/(\t)/)) {
    out += part === "\t" ? " ".repeat(tabSize - (widthOf(out, tabSize) % tabSize)) : part;
  }
  return out;
}

// One line that becomes another. Returns the new one when it is to be shown as a whole.
function changeLine(sketch: Sketch, line: number, old: string, now: string): string | undefined {
  const words = diffWords(old, now);
  const beside = words.length > LEGIBLE;
  for (const word of words) {
    if (word.oldEnd > word.oldStart) sketch.strike(line, word.oldStart, word.oldEnd);
    if (!beside && word.newEnd > word.newStart) {
      sketch.insert(line, word.oldEnd, now.slice(word.newStart, word.newEnd));
    }
  }
  return beside ? now : undefined;
}

// The lines from the first of these edits to the last: how they are and how they would be.
function drawGroup(sketch: Sketch, edits: readonly Edit[], text: Text): void {
  const span = linesOfEdits(edits, text);
  if (span === undefined) return;
  const [first, last] = span;
  const old = Array.from({ length: last - first + 1 }, (_, i) => text.line(first + i));
  let at = text.offsetAt({ line: first, character: 0 });
  let whole = "";
  for (const edit of edits) {
    whole += text.slice(at, edit.start) + edit.now;
    at = edit.end;
  }
  const now = linesOf(whole + text.slice(at, text.offsetAt({ line: last, character: old[old.length - 1]?.length ?? 0 })));
  for (const hunk of diffItems(old, now)) {
    const both = Math.min(hunk.oldEnd - hunk.oldStart, hunk.newEnd - hunk.newStart);
    const column: string[] = [];
    let columnAt = first + hunk.oldStart + both - 1;
    for (let i = 0; i < both; i++) {
      const line = first + hunk.oldStart + i;
      const shown = changeLine(sketch, line, old[hunk.oldStart + i] ?? "", now[hunk.newStart + i] ?? "");
      if (shown !== undefined) {
        if (column.length === 0) columnAt = line;
        column.push(shown);
      }
    }
    for (let i = hunk.oldStart + both; i < hunk.oldEnd; i++) {
      sketch.strike(first + i, 0, old[i]?.length ?? 0);
    }
    column.push(...now.slice(hunk.newStart + both, hunk.newEnd));
    if (column.length > 0) sketch.column(Math.max(0, columnAt), column);
  }
}

function counted(lines: number): string {
  return lines === 1 ? "1 line" : `${lines} lines`;
}

// Where the eye is: the cursor's line, or the edge of the window that is nearest to the place.
function hintLine(scene: Scene, up: boolean): number {
  const [top, bottom] = scene.visible;
  return scene.cursor >= top && scene.cursor <= bottom ? scene.cursor : up ? top : bottom;
}

/** With what VS Code shows as ghost text left to it: call this for the other predictions. */
export function draw(scene: Scene): Drawing {
  const label = scene.number === undefined ? scene.label : `${scene.label}  ${scene.number}`;
  const key = scene.tab ? "⇥ Tab" : "⇥";
  const nothing = { strikes: [], insertions: [], besides: [] };
  if (scene.edits === undefined) {
    const text = `${key} ${scene.elsewhere}: ${label}`;
    return { ...nothing, hints: [{ line: hintLine(scene, false), text }], mark: undefined };
  }
  const lines = linesOfEdits(scene.edits, scene.text) ?? [scene.jump ?? scene.cursor, scene.jump ?? scene.cursor];
  const [target] = lines;
  const [top, bottom] = scene.visible;
  const up = lines[1] < top;
  if (up || target > bottom) {
    const away = Math.abs(target - scene.cursor);
    const text = `${up ? "↑" : "↓"} ${key} ${counted(away)} ${up ? "up" : "down"}: ${label}`;
    return { ...nothing, hints: [{ line: hintLine(scene, up), text }], mark: lines };
  }
  const sketch = new Sketch(scene.text, scene.tabSize);
  let group: Edit[] = [];
  let groupEnd = -1;
  for (const edit of [...scene.edits].sort((a, b) => a.start - b.start)) {
    if (group.length > 0 && scene.text.positionAt(edit.start).line > groupEnd) {
      drawGroup(sketch, group, scene.text);
      group = [];
    }
    group.push(edit);
    groupEnd = scene.text.positionAt(edit.end).line;
  }
  drawGroup(sketch, group, scene.text);
  const hint = scene.edits.length === 0 ? `${key}  ${label}` : `${key}${scene.number === undefined ? "" : `  ${scene.number}`}`;
  return {
    strikes: sketch.strikes,
    insertions: sketch.insertions,
    besides: sketch.besides,
    hints: [{ line: target, text: hint }],
    mark: lines,
  };
}

/** The edits as a diff, for hovering. */
export function asDiff(edits: readonly Edit[], text: Text): string {
  const out: string[] = [];
  for (const edit of edits) {
    const [first, last] = linesOfEdits([edit], text) ?? [0, 0];
    const before = text.slice(text.offsetAt({ line: first, character: 0 }), edit.start);
    const after = text.slice(edit.end, text.offsetAt({ line: last, character: text.line(last).length }));
    out.push(...linesOf(before + there(edit) + after).map((line) => `- ${line}`));
    out.push(...linesOf(before + edit.now + after).map((line) => `+ ${line}`));
  }
  return out.join("\n");
}
