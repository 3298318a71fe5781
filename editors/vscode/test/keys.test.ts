import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { contextKeysFor, followKey, linesOf, NO_KEYS, tabIndents, tabAction, type KeyContext } from "../src/core/keys";

const here: KeyContext = {
  isShown: true,
  isInActiveDocument: true,
  hasEdits: true,
  isInSight: true,
  isPreviewed: false,
  jumpsFirst: false,
  lineRange: [3, 4],
  cursor: { line: 3, character: 6 },
  cursorLineText: "    x = 1",
  isCursorPlaced: false,
  hasSelection: false,
  isTabTaken: false,
};
const away = { ...here, cursor: { line: 9, character: 6 } };

test("Tab accepts an edit in sight", () => {
  assert.equal(tabAction(away), "accept");
  assert.equal(tabAction({ ...here, isCursorPlaced: true }), "accept");
  assert.equal(tabAction({ ...here, cursor: { line: 4, character: 0 } }), "accept");
});

test("Tab does nothing while nothing is shown", () => {
  assert.equal(tabAction({ ...here, isShown: false }), "none");
  assert.deepEqual(contextKeysFor({ ...here, isShown: false }), NO_KEYS);
});

test("Tab goes to a place without an edit", () => {
  const place = { ...here, lineRange: undefined, hasEdits: false };
  assert.equal(tabAction({ ...place, isInActiveDocument: false }), "open");
  assert.equal(tabAction(place), "jump");
});

test("Tab shows the code of an edit out of sight, then accepts it", () => {
  const hidden = { ...away, isInSight: false };
  assert.equal(tabAction(hidden), "preview");
  assert.equal(tabAction({ ...hidden, isPreviewed: true }), "accept");
  const other = { ...here, isInActiveDocument: false, isInSight: false };
  assert.equal(tabAction(other), "preview");
  assert.equal(tabAction({ ...other, isPreviewed: true }), "open");
});

test("with the setting, Tab jumps first, then accepts", () => {
  const first = { ...away, jumpsFirst: true };
  assert.equal(tabAction(first), "jump");
  assert.equal(tabAction({ ...first, isInSight: false }), "jump");
  assert.equal(tabAction({ ...first, isInActiveDocument: false }), "open");
  assert.equal(tabAction({ ...here, jumpsFirst: true }), "accept");
});

test("Tab indents a blank line, and code while the edit is elsewhere", () => {
  const blank = { ...away, cursorLineText: "    ", cursor: { line: 9, character: 4 } };
  assert.ok(tabIndents(blank));
  assert.ok(tabIndents({ ...blank, cursorLineText: "    x = 1" }));
  assert.ok(tabIndents({ ...here, cursorLineText: "", cursor: { line: 3, character: 0 } }));
});

test("Tab does not indent where a jump placed the cursor, nor after code", () => {
  assert.ok(!tabIndents({ ...away, cursorLineText: "", cursor: { line: 9, character: 0 }, isCursorPlaced: true }));
  assert.ok(!tabIndents({ ...here, cursor: { line: 3, character: 4 } }), "before the code that the edit changes");
  assert.ok(!tabIndents(away));
});

test("Tab is drawn only where Tab follows the edit; the other key always does", () => {
  assert.equal(followKey(here), "Tab");
  assert.equal(followKey({ ...here, isTabTaken: true }), "Alt+Enter");
  assert.equal(followKey({ ...here, hasSelection: true }), "Alt+Enter");
  assert.equal(followKey({ ...away, cursorLineText: "", cursor: { line: 9, character: 0 } }), "Alt+Enter");
});

test("after the last accepted edit Tab does nothing, but in indentation", () => {
  const last = { ...here, isShown: false, isCursorPlaced: true };
  assert.deepEqual(contextKeysFor(last), { ...NO_KEYS, done: true });
  assert.deepEqual(contextKeysFor({ ...last, cursor: { line: 3, character: 4 } }), NO_KEYS);
});

interface Binding {
  command: string;
  key: string;
  when: string;
}
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { contributes: { keybindings: Binding[] } };

// Evaluate a clause of the form `a && !b && c != 'd'`.
function holds(when: string, context: Readonly<Record<string, unknown>>): boolean {
  return when.split(" && ").every((term) => {
    const unequal = /^([\w.]+) != '(\w+)'$/.exec(term);
    if (unequal !== null) return context[unequal[1] ?? ""] !== unequal[2];
    assert.match(term, /^!?[\w.]+$/);
    return term.startsWith("!") ? !context[term.slice(1)] : Boolean(context[term]);
  });
}

function boundCommands(key: string, context: Readonly<Record<string, unknown>>): string[] {
  return manifest.contributes.keybindings.filter((one) => one.key === key && holds(one.when, context)).map((one) => one.command);
}

/** The context in which the extension draws: the context keys that it sets, and those of VS Code. */
function contextOf(keys: Partial<KeyContext>, others: readonly string[] = []): Record<string, unknown> {
  const ours = Object.entries(contextKeysFor({ ...here, ...keys })).map(([name, value]) => [`editahead.${name}`, value]);
  return { ...Object.fromEntries(ours), editorTextFocus: true, ...Object.fromEntries(others.map((name) => [name, true])) };
}
const shown = contextOf({});

test("Tab and Esc are bound only while something is shown", () => {
  assert.deepEqual(boundCommands("tab", shown), ["editahead.tab"]);
  assert.deepEqual(boundCommands("escape", shown), ["editahead.dismiss"]);
  assert.deepEqual(boundCommands("tab", { editorTextFocus: true }), []);
  assert.deepEqual(boundCommands("escape", { editorTextFocus: true }), []);
});

const LIST = "suggestWidgetVisible";
const OWNERS = ["inSnippetMode", "inlineChatVisible", "inlineSuggestionVisible", "inlineEditIsVisible"];
const TAB_OWNERS = [...OWNERS, "editorTabMovesFocus", "editorHasSelection", "editorHasMultipleSelections", "editorReadonly"];
for (const owner of TAB_OWNERS) {
  test(`Tab is not bound: ${owner}`, () => assert.deepEqual(boundCommands("tab", contextOf({}, [owner])), []));
}
for (const owner of [...OWNERS, LIST, "findWidgetVisible", "parameterHintsVisible", "editorHasSelection"]) {
  test(`Esc is not bound: ${owner}`, () => assert.deepEqual(boundCommands("escape", contextOf({}, [owner])), []));
}

test("what is drawn as Tab is what Tab does, whether VS Code has just opened its list or not", () => {
  const bools = [false, true];
  for (const isTabTaken of bools) {
    for (const listIsOpen of bools) {
      for (const cursorLineText of ["", "    x = 1"]) {
        for (const isCursorPlaced of bools) {
          const keys = { isTabTaken, cursorLineText, isCursorPlaced, lineRange: [0, 0] as const };
          const context = contextOf(keys, listIsOpen ? [LIST] : []);
          const label = JSON.stringify({ ...keys, listIsOpen });
          if (followKey({ ...here, ...keys }) === "Tab") assert.deepEqual(boundCommands("tab", context), ["editahead.tab"], label);
          assert.deepEqual(boundCommands("alt+enter", context), ["editahead.tab"], label);
          if (isTabTaken && listIsOpen) assert.deepEqual(boundCommands("tab", context), [], label);
        }
      }
    }
  }
});

test("after the last accepted edit Tab is bound, but not in a list that was opened then", () => {
  const done = { isShown: false, isCursorPlaced: true };
  assert.deepEqual(boundCommands("tab", contextOf(done)), ["editahead.tab"]);
  assert.deepEqual(boundCommands("tab", contextOf(done, [LIST])), []);
  assert.deepEqual(boundCommands("alt+enter", contextOf(done)), []);
});

test("Esc rejects only the extension's ghost text, and never in Vim's insert mode", () => {
  const ghost = { "editahead.ghost": true, editorTextFocus: true, inlineSuggestionVisible: true };
  assert.deepEqual(boundCommands("escape", ghost), ["editahead.dismiss"]);
  assert.deepEqual(boundCommands("escape", { ...ghost, "editahead.ghost": false }), []);
  assert.deepEqual(boundCommands("escape", { ...ghost, "vim.mode": "Insert" }), []);
  assert.deepEqual(boundCommands("escape", { ...shown, "vim.mode": "Insert" }), []);
});

test("a key can name a number of lines", () => {
  assert.equal(linesOf({ lines: 3 }), 3);
  for (const wrong of [undefined, null, 3, "3", {}, { lines: "3" }, { lines: 0 }, { lines: 1.5 }]) assert.equal(linesOf(wrong), 1);
});
