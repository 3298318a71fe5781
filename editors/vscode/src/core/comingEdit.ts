// An edit that a model still writes: its settled hunks, as partial results bring them.
import type { TextEdit } from "./protocol";
import type { WorkspaceEdit } from "./workspaceEdit";

export interface ComingHunk extends TextEdit {
  readonly uri: string;
  readonly origin: "matched" | "model";
}

/** The value of a partial result of `editahead.apply`. */
export interface PartialHunks {
  readonly hunks: readonly ComingHunk[];
  /** A file whose hunks so far are void. */
  readonly withdrawn?: string;
}

export class ComingEdit {
  private readonly files = new Map<string, ComingHunk[]>();

  add({ hunks, withdrawn }: PartialHunks): void {
    if (withdrawn !== undefined) this.files.delete(withdrawn);
    for (const hunk of hunks) this.files.set(hunk.uri, [...(this.files.get(hunk.uri) ?? []), hunk]);
  }

  /** The edit of all hunks so far; undefined until a model has written one: anything else comes at once, with the result. */
  get edit(): WorkspaceEdit | undefined {
    if (![...this.files.values()].flat().some(({ origin }) => origin === "model")) return undefined;
    const changes = [...this.files].map(([uri, hunks]) => ({
      textDocument: { uri },
      edits: hunks.map(({ range, newText }) => ({ range, newText })),
    }));
    return { documentChanges: changes };
  }
}
