// What Tab and Esc mean. Which keys reach us at all is said by the `when` clauses in package.json.
import type { Position } from "./text";

/** What is on the screen, and where the cursor is. */
export interface Situation {
  /** Something is shown. */
  readonly shown: boolean;
  /** In the document that the cursor is in. */
  readonly sameDocument: boolean;
  /** The first and the last line of its edits; undefined: it only says where to go. */
  readonly lines: readonly [number, number] | undefined;
  readonly cursor: Position;
  /** The text of the cursor's line. */
  readonly line: string;
  /** The cursor is where a jump or an accept put it, and nothing was typed since. */
  readonly placed: boolean;
}

export type TabAction = "nothing" | "open" | "jump" | "apply";

/** Whether the cursor is not on a line of the edits, so that Tab goes there first. */
export function isElsewhere(situation: Situation): boolean {
  if (!situation.sameDocument || situation.lines === undefined) return true;
  const [first, last] = situation.lines;
  return situation.cursor.line < first || situation.cursor.line > last;
}

export function tabDoes(situation: Situation): TabAction {
  if (!situation.shown) return "nothing";
  if (!situation.sameDocument) return "open";
  return isElsewhere(situation) ? "jump" : "apply";
}

/**
 * Whether Tab is for indenting: nothing but blanks before the cursor. Not so where Tab itself has brought the cursor,
 * and not before the code of a line that would be changed.
 */
export function isForIndenting(situation: Situation): boolean {
  if (situation.placed || situation.line.slice(0, situation.cursor.character).trim() !== "") return false;
  return situation.line.trim() === "" || isElsewhere(situation);
}

/** Whether Tab can go on from one edit to the next where the cursor stands. */
export interface Contexts {
  readonly shown: boolean;
  /** The cursor is on a line of the edits. */
  readonly here: boolean;
  readonly indents: boolean;
}

export function contextsOf(situation: Situation): Contexts {
  const action = tabDoes(situation);
  return { shown: situation.shown, here: action === "apply", indents: situation.shown && isForIndenting(situation) };
}
