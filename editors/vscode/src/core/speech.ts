// What a screen reader says and reads of the next edit, in plain words.
import type { FollowKey, TabAction } from "./keys";
import type { LinePreview } from "./protocol";
import type { ChangedLines } from "./trackedEdit";

/** The prediction on the screen, in words. */
export interface SpokenEdit {
  /** The place and the label, such as "line 12, price -> cost". */
  readonly description: string;
  readonly key: FollowKey;
  /** What the key does; "reveal" where only the mark is shown. */
  readonly action: TabAction | "reveal";
  /** Whether the first line that changes is drawn at the cursor, because the edit is out of sight. */
  readonly isPreviewed: boolean;
  readonly preview: LinePreview | undefined;
}

const KEY_DOES: Readonly<Record<SpokenEdit["action"], string>> = {
  accept: "makes it",
  preview: "shows its code",
  open: "goes there",
  jump: "goes there",
  reveal: "shows it",
  none: "does nothing",
};

/** Return what is said when an edit appears, such as "Next edit: line 12, price -> cost. Tab makes it.". */
export function announcementOf({ description, key, action, isPreviewed, preview }: SpokenEdit): string {
  const code = isPreviewed && preview !== undefined ? ` ${codeOf(preview)}` : "";
  return `Next edit: ${description}.${code} ${key} ${KEY_DOES[action]}.`;
}

function codeOf({ old, new: changed, more = 0 }: LinePreview): string {
  const rest = more === 0 ? "" : ` And ${more} more ${more === 1 ? "line" : "lines"}.`;
  return old === "" ? `New: ${changed}.${rest}` : `Old: ${old}. New: ${changed}.${rest}`;
}

/**
 * Return a whole edit as a text to read.
 *
 * @param about The label, the confidence and the source of the prediction.
 * @param changes The changed lines; undefined for a file that is not open, of which only the first line is known.
 */
export function editAsText(edit: SpokenEdit, about: string, changes: readonly ChangedLines[] | undefined): string {
  const code =
    changes?.flatMap(({ line, old, new: changed }) => [`Line ${line + 1}, old:`, ...old, "New:", ...changed, ""]) ??
    (edit.preview === undefined || edit.isPreviewed ? [] : [codeOf(edit.preview), ""]);
  const keys = `Close this text to go back. There, ${edit.key} ${KEY_DOES[edit.action]}, and Escape rejects it.`;
  return [announcementOf(edit), about, "", ...code, keys, ""].join("\n");
}
