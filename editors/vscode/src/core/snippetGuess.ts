// Whether a snippet's placeholders probably use Tab. VS Code tells extensions nothing of snippets, but a change that leaves the
// cursor, or a selection, inside of the inserted text is nearly always one.
import type { ContentChange } from "./trackedEdit";

/** An auto-closed pair, such as `()`, is no snippet. */
const MIN_INSERTED = 3;

export interface OffsetSelection {
  readonly start: number;
  readonly end: number;
}

export class SnippetGuess {
  /** The text that was inserted last, and whether its placeholders are being filled in. */
  private inserted: { start: number; end: number; isActive: boolean } | undefined;

  get isActive(): boolean {
    return this.inserted?.isActive === true;
  }

  onChange(changes: readonly ContentChange[]): void {
    const [change, ...others] = changes;
    const { inserted } = this;
    if (change === undefined) return;
    const end = change.offset + change.length;
    if (inserted?.isActive === true && change.offset >= inserted.start && end <= inserted.end) {
      const growth = changes.reduce((sum, { text, length }) => sum + text.length - length, 0);
      this.inserted = { ...inserted, end: inserted.end + growth };
    } else if (others.length === 0 && change.text.length >= MIN_INSERTED) {
      this.inserted = { start: change.offset, end: change.offset + change.text.length, isActive: false };
    } else {
      this.inserted = undefined;
    }
  }

  /** Handle the selection after a change, or a movement of the cursor by the user. */
  onSelect({ start, end }: OffsetSelection): void {
    const { inserted } = this;
    if (inserted === undefined) return;
    const isInside = start >= inserted.start && end <= inserted.end;
    const isBeforeEnd = isInside && (start < end || end < inserted.end);
    this.inserted = (inserted.isActive ? isInside : isBeforeEnd) ? { ...inserted, isActive: true } : undefined;
  }

  end(): void {
    this.inserted = undefined;
  }
}
