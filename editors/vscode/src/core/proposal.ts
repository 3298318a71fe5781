// A change of one or more files as the server plans it, file by file, and what has come of it once a person has looked at it.
import { diffItems } from "./diff";
import type { Range, Text } from "./text";
import type { TextEdit } from "./protocol";

/** Of one file: edits in any order, none overlapping, for the text that the file has now. */
export interface Proposed {
  readonly uri: string;
  readonly action: "edit" | "create" | "delete" | "move";
  /** Where it goes, when it is moved. */
  readonly movedTo: string | undefined;
  /** Of the text that it is for; undefined: the file was not open. */
  readonly version: number | undefined;
  readonly edits: readonly AnnotatedEdit[];
}

export interface AnnotatedEdit extends TextEdit {
  /** What a person should read first of it. */
  readonly flag: string | undefined;
}

/** A `WorkspaceEdit` of LSP, as far as the server uses it. */
export interface WireEdit {
  readonly documentChanges?: readonly WireChange[];
  readonly changeAnnotations?: Readonly<Record<string, { readonly label: string; readonly description?: string }>>;
}

type WireChange =
  | { readonly kind: "create" | "delete"; readonly uri: string }
  | { readonly kind: "rename"; readonly oldUri: string; readonly newUri: string }
  | {
      readonly kind?: undefined;
      readonly textDocument: { readonly uri: string; readonly version?: number | null };
      readonly edits: readonly (TextEdit & { readonly annotationId?: string })[];
    };

/** File by file, in the order in which they come first. */
export function proposedOf(edit: WireEdit): Proposed[] {
  const files = new Map<string, Proposed>();
  const change = (uri: string, what: Partial<Proposed>) => {
    const plain: Proposed = { uri, action: "edit", movedTo: undefined, version: undefined, edits: [] };
    files.set(uri, { ...(files.get(uri) ?? plain), ...what });
  };
  for (const one of edit.documentChanges ?? []) {
    if (one.kind === "rename") change(one.oldUri, { action: "move", movedTo: one.newUri });
    else if (one.kind !== undefined) change(one.uri, { action: one.kind });
    else {
      const edits = one.edits.map(({ range, newText, annotationId }) => {
        const flag = annotationId === undefined ? undefined : edit.changeAnnotations?.[annotationId]?.description;
        return { range, newText, flag: flag || undefined };
      });
      change(one.textDocument.uri, { version: one.textDocument.version ?? undefined, edits });
    }
  }
  return [...files.values()];
}

/** The text with the edits made, and where in it what should be read first is. */
export function madeOf(proposed: Proposed, text: Text): { text: string; flags: { offset: number; length: number; said: string }[] } {
  let out = "";
  let at = 0;
  const end = text.offsetAt({ line: text.lineCount, character: 0 });
  const flags = [];
  const places = proposed.edits.map((edit) => ({ ...edit, start: text.offsetAt(edit.range.start), end: text.offsetAt(edit.range.end) }));
  for (const edit of places.sort((a, b) => a.start - b.start || a.end - b.end)) {
    out += text.slice(at, edit.start);
    if (edit.flag !== undefined) flags.push({ offset: out.length, length: edit.newText.length, said: edit.flag });
    out += edit.newText;
    at = edit.end;
  }
  return { text: proposed.action === "delete" ? "" : out + text.slice(at, end), flags };
}

const WITH_END = /[^\r\n]*(?:\r\n|[\r\n])|[^\r\n]+$/g;

/** The lines of a text, with their ends. */
function whole(text: string): string[] {
  return text.match(WITH_END) ?? [];
}

/** Whole lines that differ: those from `first` up to `last`, not included, become `newText`. */
export interface LineHunk {
  readonly first: number;
  readonly last: number;
  readonly newText: string;
}

/** What turns one text into another, in whole lines. */
export function lineHunks(before: string, after: string): LineHunk[] {
  const [old, now] = [whole(before), whole(after)];
  return diffItems(old, now).map((hunk) => ({
    first: hunk.oldStart,
    last: hunk.oldEnd,
    newText: now.slice(hunk.newStart, hunk.newEnd).join(""),
  }));
}

/** The hunk that a line is in, or next to when it only takes lines away. */
export function hunkAt(hunks: readonly LineHunk[], line: number): LineHunk | undefined {
  return hunks.find((hunk) => (hunk.first === hunk.last ? line === hunk.first || line === hunk.first - 1 : line >= hunk.first && line < hunk.last));
}

/** The range of whole lines; a text ends where its last line does. */
export function rangeOfLines(hunk: LineHunk, text: Text): Range {
  const last = { line: text.lineCount - 1, character: text.line(text.lineCount - 1).length };
  const start = (line: number) => (line < text.lineCount ? { line, character: 0 } : last);
  return { start: start(hunk.first), end: start(hunk.last) };
}
