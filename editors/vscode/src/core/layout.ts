// The layout of a prediction's decorations in lines and columns: removed words struck out, inserted words inline, new lines
// in a column to the right of the old lines, and a hint near the cursor when the edit is outside the visible lines.
import { diffItems, diffWords } from "./diff";
import type { FollowKey } from "./keys";
import type { LinePreview } from "./protocol";
import { displayWidth, splitLines, type Position, type Range, type Text } from "./text";
import { changedLines, lineRangeOf, type TrackedEdit } from "./trackedEdit";

/** Changed words shown inline on one line. A line with more is shown as a whole beside the old line. */
const MAX_INLINE_CHANGES = 3;
/** New lines shown beside the old lines. Hovering shows the whole edit. */
const MAX_NEW_LINES = 12;
/** Columns between the longest old line and the new lines, and between a line and a hint. */
const COLUMN_GAP = 3;
/** Columns of text that are in sight in a window of 1100 pixels with the explorer open: a hint's key and label fit in them. */
const COLUMNS_IN_SIGHT = 70;
/** Lines above and below the cursor's among which a hint may look for room. */
const MAX_HINT_DISTANCE = 6;
/** A longer path is shown without its first folders. */
const MAX_PATH_LENGTH = 24;

/** Text shown before the character at a position. */
export interface InlineText {
  readonly at: Position;
  readonly text: string;
}

/** Text shown after the end of a line. */
export interface TrailingText {
  readonly line: number;
  /** Columns between the end of the line and the text. */
  readonly gap: number;
  readonly text: string;
}

export interface DecorationLayout {
  readonly deletions: readonly Range[];
  readonly insertions: readonly InlineText[];
  readonly newLines: readonly TrailingText[];
  readonly hints: readonly { readonly line: number; readonly text: string }[];
  /** The code of an edit out of sight, behind the hint of its line: the old text struck out, and the new text. */
  readonly code: { readonly line: number; readonly old: string; readonly new: string } | undefined;
  /** The first and the last line of the edits; undefined when the edits are in another document. */
  readonly lineRange: readonly [number, number] | undefined;
}

export interface LayoutInput {
  readonly text: Text;
  /** Undefined when the edits are in another document, at `otherPath` and `otherLine` (from 1). */
  readonly edits: readonly TrackedEdit[] | undefined;
  /** The line to go to, for a prediction without edits. */
  readonly jumpLine: number | undefined;
  readonly otherPath: string;
  readonly otherLine: number;
  /** The first line that changes, for an edit elsewhere. */
  readonly preview: LinePreview | undefined;
  /** Whether a Tab has asked for the code of the edit, which is out of sight. */
  readonly isPreviewed: boolean;
  readonly label: string;
  /** For example "2/3", once the user has chosen among several predictions. */
  readonly ordinal: string | undefined;
  readonly cursorLine: number;
  /** The first and the last visible line. */
  readonly visibleLines: readonly [number, number];
  readonly tabSize: number;
  /** The key that the hint names. */
  readonly key: FollowKey;
  /** Whether a list below the cursor's line may cover the edit, so that the hint stays on that line. */
  readonly isListOpen: boolean;
}

class LayoutBuilder {
  readonly deletions: Range[] = [];
  readonly insertions: InlineText[] = [];
  readonly newLines: TrailingText[] = [];
  /** Columns that insertions add to each line. */
  private readonly insertedWidth = new Map<number, number>();

  constructor(
    private readonly text: Text,
    private readonly tabSize: number,
  ) {}

  delete(line: number, from: number, to: number): void {
    this.deletions.push({ start: { line, character: from }, end: { line, character: to } });
  }

  insert(line: number, character: number, text: string): void {
    this.insertions.push({ at: { line, character }, text });
    this.insertedWidth.set(line, (this.insertedWidth.get(line) ?? 0) + displayWidth(text, this.tabSize));
  }

  /** Place new lines in one column from `line` down, or further up near the end of the document. */
  addColumn(line: number, lines: readonly string[]): void {
    const shown = lines.slice(0, lines.length > MAX_NEW_LINES ? MAX_NEW_LINES - 1 : MAX_NEW_LINES);
    if (shown.length < lines.length) shown.push(`… ${lines.length - shown.length} more lines`);
    const first = Math.max(0, Math.min(line, this.text.lineCount - shown.length));
    const fitting = shown.slice(0, this.text.lineCount - first);
    if (fitting.length < shown.length) {
      fitting[fitting.length - 1] = `${fitting[fitting.length - 1] ?? ""}  … ${shown.length - fitting.length} more lines`;
    }
    const widths = fitting.map((_, i) => this.lineWidth(first + i));
    const column = Math.max(...widths) + COLUMN_GAP;
    fitting.forEach((text, i) =>
      this.newLines.push({ line: first + i, gap: column - (widths[i] ?? 0), text: expandTabs(text, this.tabSize) }),
    );
  }

  private lineWidth(line: number): number {
    return displayWidth(this.text.line(line), this.tabSize) + (this.insertedWidth.get(line) ?? 0);
  }
}

function expandTabs(text: string, tabSize: number): string {
  let expanded = "";
  for (const part of text.split(/(\t)/)) {
    expanded += part === "\t" ? " ".repeat(tabSize - (displayWidth(expanded, tabSize) % tabSize)) : part;
  }
  return expanded;
}

// Returns the new line when it is to be shown as a whole.
function layOutChangedLine(builder: LayoutBuilder, line: number, oldLine: string, newLine: string): string | undefined {
  const words = diffWords(oldLine, newLine);
  const asWhole = words.length > MAX_INLINE_CHANGES;
  for (const word of words) {
    if (word.oldEnd > word.oldStart) builder.delete(line, word.oldStart, word.oldEnd);
    if (!asWhole && word.newEnd > word.newStart) {
      builder.insert(line, word.oldEnd, newLine.slice(word.newStart, word.newEnd));
    }
  }
  return asWhole ? newLine : undefined;
}

// Lay out edits that share lines, by comparing those lines before and after the edits.
function layOutGroup(builder: LayoutBuilder, edits: readonly TrackedEdit[], text: Text): void {
  const lineRange = lineRangeOf(edits, text);
  if (lineRange === undefined) return;
  const [first, last] = lineRange;
  const oldLines = Array.from({ length: last - first + 1 }, (_, i) => text.line(first + i));
  let at = text.offsetAt({ line: first, character: 0 });
  let edited = "";
  for (const edit of edits) {
    edited += text.slice(at, edit.start) + edit.newText;
    at = edit.end;
  }
  const end = text.offsetAt({ line: last, character: oldLines[oldLines.length - 1]?.length ?? 0 });
  const newLines = splitLines(edited + text.slice(at, end));
  for (const hunk of diffItems(oldLines, newLines)) {
    const paired = Math.min(hunk.oldEnd - hunk.oldStart, hunk.newEnd - hunk.newStart);
    const column: string[] = [];
    let columnLine = first + hunk.oldStart + paired - 1;
    for (let i = 0; i < paired; i++) {
      const line = first + hunk.oldStart + i;
      const whole = layOutChangedLine(builder, line, oldLines[hunk.oldStart + i] ?? "", newLines[hunk.newStart + i] ?? "");
      if (whole !== undefined) {
        if (column.length === 0) columnLine = line;
        column.push(whole);
      }
    }
    for (let i = hunk.oldStart + paired; i < hunk.oldEnd; i++) {
      builder.delete(first + i, 0, oldLines[i]?.length ?? 0);
    }
    column.push(...newLines.slice(hunk.newStart + paired, hunk.newEnd));
    if (column.length > 0) builder.addColumn(Math.max(0, columnLine), column);
  }
}

function formatLineCount(lines: number): string {
  return lines === 1 ? "1 line" : `${lines} lines`;
}

/** Return a path without as many of its first folders as make it short. */
function shortenPath(path: string): string {
  let rest = path;
  while (rest.length > MAX_PATH_LENGTH && rest.includes("/")) rest = rest.slice(rest.indexOf("/") + 1);
  return rest === path ? path : `…/${rest}`;
}

/**
 * Return the line of a hint: the cursor's while visible, else the visible line nearest to the edit; of the lines around it,
 * the first one that leaves the hint in sight.
 *
 * @param texts What is to be in sight, best first.
 */
function hintLine(input: LayoutInput, isAbove: boolean, ...texts: readonly string[]): number {
  const [top, bottom] = input.visibleLines;
  const isCursorVisible = input.cursorLine >= top && input.cursorLine <= bottom;
  const wanted = isCursorVisible ? input.cursorLine : isAbove ? top : bottom;
  const last = Math.min(bottom, input.text.lineCount - 1);
  const width = (line: number) => displayWidth(input.text.line(line), input.tabSize);
  for (const text of input.isListOpen ? [] : texts) {
    const room = COLUMNS_IN_SIGHT - COLUMN_GAP - displayWidth(text, input.tabSize);
    for (let distance = 0; distance <= MAX_HINT_DISTANCE; distance++) {
      const lines = [wanted + distance, wanted - distance];
      const found = lines.find((line) => line >= top && line <= last && width(line) <= room);
      if (found !== undefined) return found;
    }
  }
  return wanted;
}

/** Return the decorations of the code of an edit that is out of sight, near the cursor. */
function layOutPreview(input: LayoutInput, key: string, isAbove: boolean): Pick<DecorationLayout, "hints" | "code"> {
  const { old = "", new: changed = "", more = 0 } = input.preview ?? {};
  const place = `${key}  ${shortenPath(input.otherPath)}:${input.otherLine}`;
  const rest = more === 0 ? "" : `  … ${formatLineCount(more)} more`;
  const line = hintLine(input, isAbove, `${place}  ${old} ${changed}${rest}`, place);
  return { hints: [{ line, text: place }], code: { line, old, new: changed + rest } };
}

/** Return the decorations of a prediction that VS Code does not show as ghost text. */
export function layOutDecorations(input: LayoutInput): DecorationLayout {
  const label = input.ordinal === undefined ? input.label : `${input.label}  ${input.ordinal}`;
  const key = input.key === "Tab" ? "⇥ Tab" : `↵ ${input.key}`;
  const nothing = { deletions: [], insertions: [], newLines: [], code: undefined };
  if (input.edits === undefined) {
    if (input.isPreviewed && input.preview !== undefined) return { ...nothing, ...layOutPreview(input, key, false), lineRange: undefined };
    const hint = `${key} ${label}`;
    const withPlace = `${hint}  ${shortenPath(input.otherPath)}:${input.otherLine}`;
    const line = input.preview?.new || input.preview?.old || "";
    const text = line === "" ? withPlace : `${withPlace}  ${line}`;
    return { ...nothing, hints: [{ line: hintLine(input, false, withPlace, hint), text }], lineRange: undefined };
  }
  const jumpLine = input.jumpLine ?? input.cursorLine;
  const lineRange = lineRangeOf(input.edits, input.text) ?? [jumpLine, jumpLine];
  const [target] = lineRange;
  const [top, bottom] = input.visibleLines;
  const isAbove = lineRange[1] < top;
  if (isAbove || target > bottom) {
    if (input.isPreviewed && input.preview !== undefined) return { ...nothing, ...layOutPreview(input, key, isAbove), lineRange };
    const distance = formatLineCount(Math.abs(target - input.cursorLine));
    const text = `${isAbove ? "↑" : "↓"} ${key} ${distance} ${isAbove ? "up" : "down"}: ${label}`;
    return { ...nothing, hints: [{ line: hintLine(input, isAbove, text), text }], lineRange };
  }
  const builder = new LayoutBuilder(input.text, input.tabSize);
  let group: TrackedEdit[] = [];
  let groupEnd = -1;
  for (const edit of [...input.edits].sort((a, b) => a.start - b.start)) {
    if (group.length > 0 && input.text.positionAt(edit.start).line > groupEnd) {
      layOutGroup(builder, group, input.text);
      group = [];
    }
    group.push(edit);
    groupEnd = input.text.positionAt(edit.end).line;
  }
  layOutGroup(builder, group, input.text);
  const hint = input.edits.length === 0 ? `${key}  ${label}` : `${key}${input.ordinal === undefined ? "" : `  ${input.ordinal}`}`;
  return {
    deletions: builder.deletions,
    insertions: builder.insertions,
    newLines: builder.newLines,
    code: undefined,
    hints: [input.isListOpen ? { line: hintLine(input, false, hint), text: `${key}  ${label}` } : { line: target, text: hint }],
    lineRange,
  };
}

/** Format the edits as a diff of whole lines, for the hover. */
export function formatDiff(edits: readonly TrackedEdit[], text: Text): string {
  const hunks = changedLines(edits, text);
  return hunks.flatMap((hunk) => [...hunk.old.map((line) => `- ${line}`), ...hunk.new.map((line) => `+ ${line}`)]).join("\n");
}

/** Return the layout without everything but the mark of the lines; for edits in another document, a mark at the cursor's line. */
export function markOnly({ lineRange }: DecorationLayout, cursorLine: number): DecorationLayout {
  const nothing = { deletions: [], insertions: [], newLines: [], hints: [], code: undefined };
  return { ...nothing, lineRange: lineRange ?? [cursorLine, cursorLine] };
}
