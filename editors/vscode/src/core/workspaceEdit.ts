// A planned workspace edit, file by file, and the hunks between a file's text and the text that the user approved.
import { diffItems } from "./diff";
import type { TextEdit } from "./protocol";
import type { Range, Text } from "./text";

/** The planned changes of one file. */
export interface FileChange {
  readonly uri: string;
  readonly action: "edit" | "create" | "delete" | "move";
  /** The new URI of a moved file. */
  readonly movedTo: string | undefined;
  /** The document version that the edits are for; undefined when the file was not open. */
  readonly version: number | undefined;
  /** Edits of the present text, in any order, without overlaps. */
  readonly edits: readonly AnnotatedEdit[];
}

export interface AnnotatedEdit extends TextEdit {
  /** A change that the user should review first. */
  readonly warning: string | undefined;
  /** What a change does that only renames, moves, imports, comments or formats, such as "Changes imports". */
  readonly mechanical: string | undefined;
}

/** The part of LSP's `WorkspaceEdit` that the server uses. */
export interface WorkspaceEdit {
  readonly documentChanges?: readonly DocumentChange[];
  readonly changeAnnotations?: Readonly<Record<string, ChangeAnnotation>>;
}

interface ChangeAnnotation {
  /** What the change does, and where, such as "Changes imports, line 3". */
  readonly label: string;
  readonly description?: string;
  readonly needsConfirmation?: boolean;
}

type DocumentChange =
  | { readonly kind: "create" | "delete"; readonly uri: string }
  | { readonly kind: "rename"; readonly oldUri: string; readonly newUri: string }
  | {
      readonly kind?: undefined;
      readonly textDocument: { readonly uri: string; readonly version?: number | null };
      readonly edits: readonly (TextEdit & { readonly annotationId?: string })[];
    };

/** Group a workspace edit by file, in the order of first mention. */
export function groupByFile(workspaceEdit: WorkspaceEdit): FileChange[] {
  const files = new Map<string, FileChange>();
  const merge = (uri: string, fields: Partial<FileChange>) => {
    const initial: FileChange = { uri, action: "edit", movedTo: undefined, version: undefined, edits: [] };
    files.set(uri, { ...(files.get(uri) ?? initial), ...fields });
  };
  for (const change of workspaceEdit.documentChanges ?? []) {
    if (change.kind === "rename") merge(change.oldUri, { action: "move", movedTo: change.newUri });
    else if (change.kind !== undefined) merge(change.uri, { action: change.kind });
    else {
      const edits = change.edits.map(({ range, newText, annotationId }) => {
        const annotation = annotationId === undefined ? undefined : workspaceEdit.changeAnnotations?.[annotationId];
        const mechanical = annotation?.needsConfirmation === false ? annotation.label.replace(/, lines? [\d-]+$/, "") : undefined;
        return { range, newText, warning: annotation?.description || undefined, mechanical };
      });
      merge(change.textDocument.uri, { version: change.textDocument.version ?? undefined, edits });
    }
  }
  return [...files.values()];
}

/** A mark of a hunk, from `start` to `end`: in the new text, and for what is mechanical in the old text, too. */
export interface Mark {
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly isMechanical: boolean;
}

export interface EditedText {
  readonly text: string;
  readonly marks: readonly Mark[];
  readonly oldMarks: readonly Mark[];
}

/** Apply a file's edits; return the new text, and the marks of its hunks. */
export function applyEdits(change: FileChange, text: Text): EditedText {
  let edited = "";
  let at = 0;
  const end = text.offsetAt({ line: text.lineCount, character: 0 });
  const marks: Mark[] = [];
  const oldMarks: Mark[] = [];
  const edits = change.edits.map((edit) => ({ ...edit, start: text.offsetAt(edit.range.start), end: text.offsetAt(edit.range.end) }));
  for (const edit of edits.sort((a, b) => a.start - b.start || a.end - b.end)) {
    edited += text.slice(at, edit.start);
    const message = edit.warning ?? edit.mechanical;
    if (message !== undefined) {
      const isMechanical = edit.mechanical !== undefined;
      marks.push({ start: edited.length, end: edited.length + edit.newText.length, message, isMechanical });
      if (isMechanical) oldMarks.push({ start: edit.start, end: edit.end, message, isMechanical });
    }
    edited += edit.newText;
    at = edit.end;
  }
  return { text: change.action === "delete" ? "" : edited + text.slice(at, end), marks, oldMarks };
}

const LINE = /[^\r\n]*(?:\r\n|[\r\n])|[^\r\n]+$/g;

function linesWithEnds(text: string): string[] {
  return text.match(LINE) ?? [];
}

/** Changed whole lines: the lines from `start` to `end`, exclusive, become `newText`. */
export interface LineHunk {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
}

/** Return the line hunks that turn one text into another. */
export function lineHunks(before: string, after: string): LineHunk[] {
  const [oldLines, newLines] = [linesWithEnds(before), linesWithEnds(after)];
  return diffItems(oldLines, newLines).map((hunk) => ({
    start: hunk.oldStart,
    end: hunk.oldEnd,
    newText: newLines.slice(hunk.newStart, hunk.newEnd).join(""),
  }));
}

/** Return the hunk that contains a line, or the pure insertion next to the line. */
export function hunkAt(hunks: readonly LineHunk[], line: number): LineHunk | undefined {
  return hunks.find(({ start, end }) => (start === end ? line === start || line === start - 1 : line >= start && line < end));
}

/** Return the range of a hunk, clamped to the end of the text. */
export function rangeOfHunk(hunk: LineHunk, text: Text): Range {
  const end = { line: text.lineCount - 1, character: text.line(text.lineCount - 1).length };
  const startOfLine = (line: number) => (line < text.lineCount ? { line, character: 0 } : end);
  return { start: startOfLine(hunk.start), end: startOfLine(hunk.end) };
}
