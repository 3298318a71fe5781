// What is edited while an answer comes. An answer for an earlier version of a document moves along, as it does in the server.
import { splitLines, type Range } from "./text";
import type { FileChange } from "./workspaceEdit";

/** The part of `vscode.TextDocumentContentChangeEvent` that is recorded. */
interface RangeChange {
  readonly range: Range;
  readonly text: string;
}

interface VersionChange {
  /** The document's version after the changes. */
  readonly version: number;
  readonly changes: readonly RangeChange[];
}

export class ChangeLog {
  private readonly files = new Map<string, VersionChange[]>();

  /** Record the changes of one event, in the event's order. `version` is the document's version after them. */
  add(uri: string, version: number, changes: readonly RangeChange[]): void {
    this.files.set(uri, [...(this.files.get(uri) ?? []), { version, changes }]);
  }

  /**
   * Return the planned changes of a file over the present version of its document.
   *
   * Returns undefined when a line that they change was edited meanwhile, or when the document was edited unrecorded.
   */
  moveAlong(uri: string, planned: FileChange, present: number): FileChange | undefined {
    const { version } = planned;
    if (version === undefined || version === present) return planned;
    const later = (this.files.get(uri) ?? []).filter((event) => event.version > version);
    if (later.at(-1)?.version !== present) return undefined;
    const changes = later.flatMap((event) => event.changes);
    const edits = planned.edits.map((edit) => ({ ...edit, range: changes.reduce<Range | undefined>(moveRange, edit.range) }));
    const moved = edits.flatMap(({ range, ...edit }) => (range === undefined ? [] : [{ ...edit, range }]));
    return moved.length === edits.length ? { ...planned, version: present, edits: moved } : undefined;
  }
}

// An edit is valid only for unchanged lines, so that no column changes.
function moveRange(range: Range | undefined, change: RangeChange): Range | undefined {
  const { start, end } = change.range;
  if (range === undefined || (start.line <= range.end.line && range.start.line <= end.line)) return undefined;
  if (start.line > range.end.line) return range;
  const added = splitLines(change.text).length - 1 - (end.line - start.line);
  const move = ({ line, character }: Range["start"]) => ({ line: line + added, character });
  return { start: move(range.start), end: move(range.end) };
}
