// The edits of one prediction, rebased over every change of their document: their ranges move with the text, typing an
// insertion's characters consumes them, and any other change of the replaced text invalidates the edits.
import { diffWords, type Hunk } from "./diff";
import type { TextEdit } from "./protocol";
import { splitLines, type Text } from "./text";

/** An edit at its present range, in UTF-16 offsets. */
export interface TrackedEdit {
  readonly start: number;
  readonly end: number;
  readonly oldText: string;
  readonly newText: string;
  /** The prefix of `newText` that the document has already; only insertions have one. */
  readonly typed?: string;
}

/** A change of the document, from a `vscode.TextDocumentContentChangeEvent`. */
export interface ContentChange {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** Start to track the edits of a prediction made for `text`. */
export function trackEdits(edits: readonly TextEdit[], text: Text): TrackedEdit[] {
  return edits.map(({ range, newText }) => {
    const start = text.offsetAt(range.start);
    const end = text.offsetAt(range.end);
    const oldText = text.slice(start, end);
    return oldText === "" ? { start, end, oldText, newText, typed: "" } : { start, end, oldText, newText };
  });
}

/** Return the document's text in the range of an edit. */
export function currentText(edit: TrackedEdit): string {
  return edit.typed ?? edit.oldText;
}

/** Rebase an offset over a change. Text inserted exactly at the offset moves the offset. */
export function rebaseOffset(offset: number, change: ContentChange): number {
  if (change.offset > offset) return offset;
  if (change.offset + change.length <= offset) return offset + change.text.length - change.length;
  return change.offset + change.text.length;
}

interface OffsetRange {
  readonly start: number;
  readonly end: number;
}

// Insertions at either end of the range extend the range.
function rebaseRange(range: OffsetRange, change: ContentChange): OffsetRange {
  const changeEnd = change.offset + change.length;
  const delta = change.text.length - change.length;
  const touches =
    change.length === 0 ? changeEnd >= range.start && change.offset <= range.end : changeEnd > range.start && change.offset < range.end;
  if (!touches) {
    return change.offset >= range.end ? range : { start: range.start + delta, end: range.end + delta };
  }
  return { start: Math.min(range.start, change.offset), end: Math.max(range.end, changeEnd) + delta };
}

/**
 * Rebase edits over the changes of one event.
 *
 * Returns undefined when the edits no longer apply: the text in a range was changed, or all insertions were typed.
 *
 * @param changes In the order of the event.
 * @param text The document after all changes.
 */
export function rebaseEdits(edits: readonly TrackedEdit[], changes: readonly ContentChange[], text: Text): TrackedEdit[] | undefined {
  const rebased: TrackedEdit[] = [];
  let isOpen = false;
  for (const edit of edits) {
    const { start, end } = changes.reduce<OffsetRange>(rebaseRange, edit);
    const present = text.slice(start, end);
    if (edit.oldText === "") {
      if (!edit.newText.startsWith(present)) return undefined;
      isOpen ||= present !== edit.newText;
      rebased.push({ ...edit, start, end, typed: present });
    } else if (present === edit.oldText) {
      isOpen = true;
      rebased.push({ ...edit, start, end });
    } else {
      return undefined;
    }
  }
  return isOpen ? rebased : undefined;
}

/** Return the first and the last line that the edits touch. */
export function lineRangeOf(edits: readonly TrackedEdit[], text: Text): [number, number] | undefined {
  if (edits.length === 0) return undefined;
  const start = Math.min(...edits.map((edit) => edit.start));
  const end = Math.max(...edits.map((edit) => edit.end));
  return [text.positionAt(start).line, text.positionAt(end).line];
}

/** Whole lines that an edit changes, without their ends. */
export interface ChangedLines {
  /** The first line, from 0. */
  readonly line: number;
  readonly old: readonly string[];
  readonly new: readonly string[];
}

/** Return the lines that each edit changes, before and after. */
export function changedLines(edits: readonly TrackedEdit[], text: Text): ChangedLines[] {
  return edits.map((edit) => {
    const [first, last] = lineRangeOf([edit], text) ?? [0, 0];
    const before = text.slice(text.offsetAt({ line: first, character: 0 }), edit.start);
    const after = text.slice(edit.end, text.offsetAt({ line: last, character: text.line(last).length }));
    return { line: first, old: splitLines(before + currentText(edit) + after), new: splitLines(before + edit.newText + after) };
  });
}

/** Return the text to insert at the cursor, if inserting that text is all that the edits do. */
export function ghostTextAt(edits: readonly TrackedEdit[], cursor: number): string | undefined {
  const [edit, ...others] = edits;
  if (edit === undefined || others.length > 0) return undefined;
  const present = currentText(edit);
  const before = cursor - edit.start;
  if (before < 0 || cursor > edit.end || edit.newText.length <= present.length) return undefined;
  const insertion = edit.newText.slice(before, edit.newText.length - (present.length - before));
  const result = present.slice(0, before) + insertion + present.slice(before);
  return result === edit.newText ? insertion : undefined;
}

export type PartKind = "word" | "line";

// A word includes the blanks before it. A line includes the line end before it; where it would join other text,
// it includes that behind it.
const PART_PATTERNS = {
  word: /^\s*(?:[\p{L}\p{N}\p{M}_$]+|[^\p{L}\p{N}\p{M}_$\s]+)?/u,
  line: /^(?:\r\n|[\n\r])?[^\n\r]*/,
  wholeLine: /^[^\n\r]*(?:\r\n|[\n\r])?/,
};

/** The next word or line of a prediction, to accept on its own. */
export interface EditPart {
  /** Index of the edit that the part belongs to. */
  readonly editIndex: number;
  /** The text in the edit's range once the part is accepted. */
  readonly text: string;
  /** Length of the prefix of `text` that is final. */
  readonly finalLength: number;
  /** `acceptedLength` of the outcome: new text of all edits up to here, in UTF-16 units. */
  readonly acceptedLength: number;
  /** Whether the part completes the prediction. */
  readonly isLast: boolean;
}

// The typed text of an insertion is its prefix, although a diff could align the text elsewhere.
function remainingHunks(edit: TrackedEdit): Hunk[] {
  if (edit.typed === undefined) return diffWords(edit.oldText, edit.newText);
  const typed = edit.typed.length;
  return [{ oldStart: typed, oldEnd: typed, newStart: typed, newEnd: edit.newText.length }];
}

// Return whether a line that is accepted up to `finalLength` would join what its line goes on with.
function joinsLine(edit: TrackedEdit, [finalLength, replacedEnd]: readonly [number, number], from: number, text: Text): boolean {
  const isLineStart = from === 0 ? text.positionAt(edit.start).character === 0 : /[\n\r]/.test(edit.newText.charAt(from - 1));
  const behind = currentText(edit).slice(replacedEnd) + text.slice(edit.end, edit.end + 1);
  return isLineStart && /^[\n\r]/.test(edit.newText.slice(finalLength)) && /^[^\n\r]/.test(behind);
}

// Return how much of the new text is final once a part is accepted, and where the text that the part leaves begins.
function endOfPart(edit: TrackedEdit, [first, ...others]: readonly [Hunk, ...Hunk[]], pattern: keyof typeof PART_PATTERNS): [number, number] {
  const stop = first.newStart + (PART_PATTERNS[pattern].exec(edit.newText.slice(first.newStart))?.[0].length ?? 0);
  let end: [number, number] = [Math.min(first.newEnd, stop), first.oldEnd];
  for (const hunk of pattern === "word" ? [] : others) {
    if (hunk.newStart < stop) end = [Math.min(hunk.newEnd, stop), hunk.oldEnd];
  }
  return end;
}

/** Return the next word or line, with the removals before that word or within that line. `text` is the present document. */
export function nextPart(edits: readonly TrackedEdit[], kind: PartKind, text: Text): EditPart | undefined {
  let acceptedLength = 0;
  for (const [editIndex, edit] of edits.entries()) {
    const present = currentText(edit);
    const [first, ...others] = remainingHunks(edit);
    if (present === edit.newText || first === undefined) {
      acceptedLength += edit.newText.length;
      continue;
    }
    let end = endOfPart(edit, [first, ...others], kind);
    if (kind === "line" && joinsLine(edit, end, first.newStart, text)) end = endOfPart(edit, [first, ...others], "wholeLine");
    const [finalLength, replacedEnd] = end;
    const accepted = edit.newText.slice(0, finalLength) + present.slice(replacedEnd);
    const isLast = editIndex === edits.length - 1 && accepted === edit.newText;
    return { editIndex, text: accepted, finalLength, acceptedLength: acceptedLength + finalLength, isLast };
  }
  return undefined;
}

/** Return so many words or lines at once, as one part for each edit that they touch. `text` is the present document. */
export function nextParts(edits: readonly TrackedEdit[], kind: PartKind, text: Text, count: number): EditPart[] {
  const parts: EditPart[] = [];
  let present = edits; // their ranges stay those of the present document
  for (let left = count; left > 0; left--) {
    const part = nextPart(present, kind, text);
    if (part === undefined) break;
    if (parts.at(-1)?.editIndex === part.editIndex) parts.pop();
    parts.push(part);
    if (part.isLast) break;
    present = present.map((edit, index) => (index === part.editIndex ? afterPart(edit, part) : edit));
  }
  return parts;
}

// Return what is left of an edit once a part is accepted, at its range before. With only insertions left, it can be typed.
function afterPart({ start, end, newText }: TrackedEdit, { text, finalLength }: EditPart): TrackedEdit {
  return finalLength === text.length ? { start, end, newText, oldText: "", typed: text } : { start, end, newText, oldText: text };
}

/** Rebase the edits over an accepted part. */
export function rebaseOverPart(edits: readonly TrackedEdit[], part: EditPart): TrackedEdit[] {
  const edit = edits[part.editIndex];
  if (edit === undefined) return [...edits];
  const delta = part.text.length - (edit.end - edit.start);
  return edits.map((other, index) => {
    if (index === part.editIndex) return { ...afterPart(edit, part), end: edit.start + part.text.length };
    return other.start >= edit.end ? { ...other, start: other.start + delta, end: other.end + delta } : other;
  });
}
