// The meaning of Tab and Esc. The `when` clauses in package.json decide which key presses reach the extension at all.
import type { Position } from "./text";

/** The shown prediction and the cursor, as far as keys depend on them. */
export interface KeyContext {
  /** Whether a prediction is shown. */
  readonly isShown: boolean;
  /** Whether the prediction is for the active document. */
  readonly isInActiveDocument: boolean;
  /** Whether the prediction has edits, and is not only a place to go to. */
  readonly hasEdits: boolean;
  /** Whether one of the edits' lines is visible. */
  readonly isInSight: boolean;
  /** Whether an earlier Tab showed the code of the edits at the cursor, because they are out of sight. */
  readonly isPreviewed: boolean;
  /** Whether Tab goes to edits off the cursor's line before it makes them. */
  readonly jumpsFirst: boolean;
  /** The first and the last line of the edits; undefined for a prediction that is only a place to go to. */
  readonly lineRange: readonly [number, number] | undefined;
  readonly cursor: Position;
  /** The text of the cursor's line. */
  readonly cursorLineText: string;
  /** Whether a jump or an accepted edit placed the cursor, and nothing was typed since. */
  readonly isCursorPlaced: boolean;
  /** Whether text is selected, which Tab replaces or indents. */
  readonly hasSelection: boolean;
  /** Whether Tab takes an item of the suggestion list, or goes on in a snippet. */
  readonly isTabTaken: boolean;
}

export type TabAction = "none" | "preview" | "open" | "jump" | "accept";

/** The key that follows the shown prediction: Tab, or where Tab means something else, one that always does. */
export type FollowKey = "Tab" | "Alt+Enter";

/** Return whether the cursor is on a line of the edits of the shown prediction. */
export function isCursorHere(context: KeyContext): boolean {
  return context.isShown && !isCursorElsewhere(context);
}

function isCursorElsewhere(context: KeyContext): boolean {
  if (!context.isInActiveDocument || context.lineRange === undefined) return true;
  const [first, last] = context.lineRange;
  return context.cursor.line < first || context.cursor.line > last;
}

/** Return how the cursor gets to the prediction. */
export function jumpAction(context: KeyContext): "open" | "jump" {
  return context.isInActiveDocument ? "jump" : "open";
}

/** Return what Tab does: show the code of an edit out of sight, open the document, go to the edit, or accept the edit. */
export function tabAction(context: KeyContext): TabAction {
  if (!context.isShown) return "none";
  if (!isCursorElsewhere(context)) return "accept";
  if (context.jumpsFirst || !context.hasEdits) return jumpAction(context);
  if (context.isInActiveDocument && context.isInSight) return "accept";
  if (!context.isPreviewed) return "preview";
  return context.isInActiveDocument ? "accept" : "open";
}

function isInIndentation({ cursor, cursorLineText }: KeyContext): boolean {
  return cursorLineText.slice(0, cursor.character).trim() === "";
}

/**
 * Return whether Tab indents: only blanks precede the cursor.
 *
 * Tab does not indent where an earlier Tab placed the cursor, nor before the code of a line that the edits change.
 */
export function tabIndents(context: KeyContext): boolean {
  if (context.isCursorPlaced || !isInIndentation(context)) return false;
  return context.cursorLineText.trim() === "" || isCursorElsewhere(context);
}

/** Return the key that is drawn beside the prediction. */
export function followKey(context: KeyContext): FollowKey {
  return context.hasSelection || context.isTabTaken || tabIndents(context) ? "Alt+Enter" : "Tab";
}

/** The context keys `editahead.*` of the `when` clauses. */
export interface ContextKeys {
  readonly shown: boolean;
  /** The cursor is on a line of the edits. */
  readonly here: boolean;
  readonly indents: boolean;
  /** Another key is drawn, because Tab belongs to the suggestion list or a snippet as long as one is open. */
  readonly yields: boolean;
  /** Tab does nothing: it has just accepted the last edit, or has gone to one that no longer applies. */
  readonly done: boolean;
}

export const NO_KEYS: ContextKeys = { shown: false, here: false, indents: false, yields: false, done: false };

/** Return the values of the context keys. */
export function contextKeysFor(context: KeyContext): ContextKeys {
  if (!context.isShown) return { ...NO_KEYS, done: context.isCursorPlaced && !isInIndentation(context) };
  return {
    shown: true,
    here: isCursorHere(context),
    indents: tabIndents(context),
    yields: context.isTabTaken,
    done: false,
  };
}

/** Return the number of lines in the arguments of a key, such as `{ "lines": 3 }`; 1 for any others. */
export function linesOf(args: unknown): number {
  if (typeof args !== "object" || args === null || !("lines" in args)) return 1;
  const { lines } = args;
  return typeof lines === "number" && Number.isInteger(lines) && lines > 0 ? lines : 1;
}
