// The edit that was accepted last, and whether the user has undone the edit: nothing goes on from there.
import type { ContentChange } from "./trackedEdit";

export class AcceptedEdit {
  private undone = false;

  /**
   * @param uri The document.
   * @param before The document's text before the edit.
   * @param after The document's text after the edit.
   */
  constructor(
    readonly uri: string,
    private readonly before: string,
    private readonly after: string,
  ) {}

  /** Return the edit that consists of these changes; undefined when they did more than insert. */
  static fromInsertions(uri: string, after: string, changes: readonly ContentChange[]): AcceptedEdit | undefined {
    let before = after;
    for (const { offset, length, text } of [...changes].reverse()) {
      if (length > 0) return undefined;
      before = before.slice(0, offset) + before.slice(offset + text.length);
    }
    return new AcceptedEdit(uri, before, after);
  }

  /** Whether the user has undone the edit, and has changed nothing else since. */
  get isUndone(): boolean {
    return this.undone;
  }

  /**
   * Handle a change of the document.
   *
   * @param reason What the user did; undefined for anything but undo and redo.
   * @param text Returns the document's text after the change.
   */
  onChange(reason: "undo" | "redo" | undefined, text: () => string): void {
    if (reason === "undo") this.undone ||= text() === this.before;
    else if (reason === "redo") this.undone &&= text() !== this.after;
    else this.undone = false;
  }
}
