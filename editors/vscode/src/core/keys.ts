// The meaning of Tab and Esc. The `when` clauses in package.json decide which key presses reach the extension at all.
import type { Position } from "./text";

/** The shown prediction and the cursor, as far as keys depend on them. */
export interface KeyContext {
  /** Whether a prediction is shown. */
  readonly isShown: boolean;
  /** Whether the prediction is for the active document. */
  readonly isInActiveDocument: boolean;
  /** The first and the last line of the edits; undefined for a prediction that is only a place to go to. */
  readonly lineRange: readonly [number, number] | undefined;
  readonly cursor: Position;
  /** The text of the cursor's line. */
  readonly cursorLineText: string;
  /** Whether a jump or an accepted edit placed the cursor, and nothing was typed since. */
  readonly isCursorPlaced: boolean;
}

export type TabAction = "none" | "open" | "jump" | "accept";

function isCursorElsewhere(context: KeyContext): boolean {
  if (!context.isInActiveDocument || context.lineRange === undefined) return true;
  const [first, last] = context.lineRange;
  return context.cursor.line < first || context.cursor.line > last;
}

/** Return what Tab does: open the document, go to the edit, or accept the edit. */
export function tabAction(context: KeyContext): TabAction {
  if (!context.isShown) return "none";
  if (!context.isInActiveDocument) return "open";
  return isCursorElsewhere(context) ? "jump" : "accept";
}

/**
 * Return whether Tab indents: only blanks precede the cursor.
 *
 * Tab does not indent where an earlier Tab placed the cursor, nor before the code of a line that the edits change.
 */
export function tabIndents(context: KeyContext): boolean {
  if (context.isCursorPlaced || context.cursorLineText.slice(0, context.cursor.character).trim() !== "") return false;
  return context.cursorLineText.trim() === "" || isCursorElsewhere(context);
}

/** The context keys `editahead.*` of the `when` clauses. */
export interface ContextKeys {
  readonly shown: boolean;
  /** The cursor is on a line of the edits. */
  readonly here: boolean;
  readonly indents: boolean;
}

/** Return the values of the context keys. */
export function contextKeysFor(context: KeyContext): ContextKeys {
  return { shown: context.isShown, here: tabAction(context) === "accept", indents: context.isShown && tabIndents(context) };
}
