// The edits of one prediction, kept true to the document: their places move with the text, typing their own characters
// uses them up, and they end as soon as the text at them is no longer the one that they were made for.
import { diffWords, type Hunk } from "./diff";
import type { Text } from "./text";
import type { TextEdit } from "./protocol";

/** One edit where it stands now. Offsets in UTF-16 units; `typed`: the part of `now` that is there already. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly old: string;
  readonly now: string;
  readonly typed?: string;
}

/** A change of the document, as `vscode.TextDocumentContentChangeEvent` tells it. */
export interface Change {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** Edits as they came, for the text that they were made for. */
export function track(edits: readonly TextEdit[], text: Text): Edit[] {
  return edits.map(({ range, newText }) => {
    const start = text.offsetAt(range.start);
    const end = text.offsetAt(range.end);
    const old = text.slice(start, end);
    return old === "" ? { start, end, old, now: newText, typed: "" } : { start, end, old, now: newText };
  });
}

/** What stands at an edit's place. */
export function there(edit: Edit): string {
  return edit.typed ?? edit.old;
}

/** An offset after a change; what is put in right there comes before it. */
export function movedOffset(offset: number, change: Change): number {
  if (change.offset > offset) return offset;
  if (change.offset + change.length <= offset) return offset + change.text.length - change.length;
  return change.offset + change.text.length;
}

// The edit's place grows with what is typed at either end of it or within.
function grown(edit: Edit, change: Change): { start: number; end: number } {
  const end = change.offset + change.length;
  const by = change.text.length - change.length;
  const touches = change.length === 0 ? end >= edit.start && change.offset <= edit.end : end > edit.start && change.offset < edit.end;
  if (!touches) {
    return change.offset >= edit.end ? edit : { start: edit.start + by, end: edit.end + by };
  }
  return { start: Math.min(edit.start, change.offset), end: Math.max(edit.end, end) + by };
}

/**
 * The edits after changes, in the order in which the editor tells them; `text` is the text after all of them. Undefined
 * when the text at one is another now, or when all has been typed.
 */
export function moved(edits: readonly Edit[], changes: readonly Change[], text: Text): Edit[] | undefined {
  const out: Edit[] = [];
  let open = false;
  for (const edit of edits) {
    let place: { start: number; end: number } = edit;
    for (const change of changes) place = grown({ ...edit, ...place }, change);
    const now = text.slice(place.start, place.end);
    if (edit.old === "") {
      if (!edit.now.startsWith(now)) return undefined;
      open ||= now !== edit.now;
      out.push({ ...edit, ...placeOf(place), typed: now });
    } else if (now === edit.old) {
      open = true;
      out.push({ ...edit, ...placeOf(place) });
    } else {
      return undefined;
    }
  }
  return open ? out : undefined;
}

function placeOf(place: { start: number; end: number }): { start: number; end: number } {
  return { start: place.start, end: place.end };
}

/** The lines of all edits, the first and the last. */
export function linesOfEdits(edits: readonly Edit[], text: Text): [number, number] | undefined {
  if (edits.length === 0) return undefined;
  const start = Math.min(...edits.map((edit) => edit.start));
  const end = Math.max(...edits.map((edit) => edit.end));
  return [text.positionAt(start).line, text.positionAt(end).line];
}

/** What would be put in at the cursor, when that is all there is to the prediction. */
export function ghostAt(edits: readonly Edit[], cursor: number): string | undefined {
  const [edit, ...others] = edits;
  if (edit === undefined || others.length > 0) return undefined;
  const old = there(edit);
  const before = cursor - edit.start;
  if (before < 0 || cursor > edit.end || edit.now.length <= old.length) return undefined;
  const insertion = edit.now.slice(before, edit.now.length - (old.length - before));
  const result = old.slice(0, before) + insertion + old.slice(before);
  return result === edit.now ? insertion : undefined;
}

// A word with the blanks before it; a line with the line end before it.
const PIECES = {
  word: /^\s*(?:[\p{L}\p{N}\p{M}_$]+|[^\p{L}\p{N}\p{M}_$\s]+)?/u,
  line: /^(?:\r\n|[\n\r])?[^\n\r]*/,
};

export type PieceKind = keyof typeof PIECES;

export interface Piece {
  /** Of the edit that it is of, among all. */
  readonly index: number;
  /** What stands at the edit's place then. */
  readonly made: string;
  /** So much of `made` is as it will be in the end. */
  readonly done: number;
  /** Of all new text from the first edit on that is there then, in UTF-16 units. */
  readonly length: number;
  /** Nothing is left then. */
  readonly whole: boolean;
}

// What was typed of an insertion is its beginning, whatever else it may look like.
function missing(edit: Edit): Hunk[] {
  if (edit.typed === undefined) return diffWords(edit.old, edit.now);
  const typed = edit.typed.length;
  return [{ oldStart: typed, oldEnd: typed, newStart: typed, newEnd: edit.now.length }];
}

/** The next word or line: what goes before that word, or on the way to that line's end, goes with it. */
export function pieceOf(edits: readonly Edit[], kind: PieceKind): Piece | undefined {
  let length = 0;
  for (const [index, edit] of edits.entries()) {
    const old = there(edit);
    const [first, ...others] = missing(edit);
    if (old === edit.now || first === undefined) {
      length += edit.now.length;
      continue;
    }
    const stop = first.newStart + (PIECES[kind].exec(edit.now.slice(first.newStart))?.[0].length ?? 0);
    let [done, kept] = [Math.min(first.newEnd, stop), first.oldEnd];
    for (const hunk of kind === "line" ? others : []) {
      if (hunk.newStart < stop) [done, kept] = [Math.min(hunk.newEnd, stop), hunk.oldEnd];
    }
    const made = edit.now.slice(0, done) + old.slice(kept);
    return { index, made, done, length: length + done, whole: index === edits.length - 1 && made === edit.now };
  }
  return undefined;
}

/** The edits once a piece is made; what is left of its edit may only insert now: then it can be typed. */
export function afterPiece(edits: readonly Edit[], piece: Piece): Edit[] {
  const edit = edits[piece.index];
  if (edit === undefined) return [...edits];
  const by = piece.made.length - (edit.end - edit.start);
  return edits.map((other, index) => {
    if (index !== piece.index) {
      return other.start >= edit.end ? { ...other, start: other.start + by, end: other.end + by } : other;
    }
    const place = { start: edit.start, end: edit.start + piece.made.length, now: edit.now };
    return piece.done === piece.made.length ? { ...place, old: "", typed: piece.made } : { ...place, old: piece.made };
  });
}
