import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { contextKeysFor, tabIndents, tabAction, type KeyContext } from "../src/core/keys";

const here: KeyContext = {
  isShown: true,
  isInActiveDocument: true,
  lineRange: [3, 4],
  cursor: { line: 3, character: 6 },
  cursorLineText: "    x = 1",
  isCursorPlaced: false,
};
const away = { ...here, cursor: { line: 9, character: 6 } };

test("Tab jumps, then accepts", () => {
  assert.equal(tabAction(away), "jump");
  assert.equal(tabAction({ ...here, isCursorPlaced: true }), "accept");
  assert.equal(tabAction({ ...here, cursor: { line: 4, character: 0 } }), "accept");
});

test("Tab does nothing while nothing is shown", () => {
  assert.equal(tabAction({ ...here, isShown: false }), "none");
  assert.deepEqual(contextKeysFor({ ...here, isShown: false }), { shown: false, here: false, indents: false });
});

test("Tab opens another document, and jumps to a place without an edit", () => {
  assert.equal(tabAction({ ...here, isInActiveDocument: false }), "open");
  assert.equal(tabAction({ ...here, lineRange: undefined }), "jump");
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

const shown = { "editahead.shown": true, editorTextFocus: true };

test("Tab and Esc are bound only while something is shown", () => {
  assert.deepEqual(boundCommands("tab", shown), ["editahead.tab"]);
  assert.deepEqual(boundCommands("escape", shown), ["editahead.dismiss"]);
  assert.deepEqual(boundCommands("tab", { editorTextFocus: true }), []);
  assert.deepEqual(boundCommands("escape", { editorTextFocus: true }), []);
});

const OWNERS = ["inSnippetMode", "suggestWidgetVisible", "inlineChatVisible", "inlineSuggestionVisible", "inlineEditIsVisible"];
const TAB_OWNERS = [...OWNERS, "editahead.indents", "editorTabMovesFocus", "editorHasSelection", "editorHasMultipleSelections"];
for (const owner of [...TAB_OWNERS, "editorReadonly"]) {
  test(`Tab is not bound: ${owner}`, () => assert.deepEqual(boundCommands("tab", { ...shown, [owner]: true }), []));
}
for (const owner of [...OWNERS, "findWidgetVisible", "parameterHintsVisible", "editorHasSelection"]) {
  test(`Esc is not bound: ${owner}`, () => assert.deepEqual(boundCommands("escape", { ...shown, [owner]: true }), []));
}

test("Esc rejects only the extension's ghost text, and never in Vim's insert mode", () => {
  const ghost = { "editahead.ghost": true, editorTextFocus: true, inlineSuggestionVisible: true };
  assert.deepEqual(boundCommands("escape", ghost), ["editahead.dismiss"]);
  assert.deepEqual(boundCommands("escape", { ...ghost, "editahead.ghost": false }), []);
  assert.deepEqual(boundCommands("escape", { ...ghost, "vim.mode": "Insert" }), []);
  assert.deepEqual(boundCommands("escape", { ...shown, "vim.mode": "Insert" }), []);
});
