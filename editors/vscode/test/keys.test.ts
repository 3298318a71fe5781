import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { contextsOf, isForIndenting, tabDoes, type Situation } from "../src/core/keys";

const here: Situation = {
  shown: true,
  sameDocument: true,
  lines: [3, 4],
  cursor: { line: 3, character: 6 },
  line: "    x = 1",
  placed: false,
};
const away = { ...here, cursor: { line: 9, character: 6 } };

test("Tab jumps, then applies", () => {
  assert.equal(tabDoes(away), "jump");
  assert.equal(tabDoes({ ...here, placed: true }), "apply");
  assert.equal(tabDoes({ ...here, cursor: { line: 4, character: 0 } }), "apply");
});

test("with nothing shown Tab does nothing", () => {
  assert.equal(tabDoes({ ...here, shown: false }), "nothing");
  assert.deepEqual(contextsOf({ ...here, shown: false }), { shown: false, here: false, indents: false });
});

test("Tab opens another document, and only goes to a place without an edit", () => {
  assert.equal(tabDoes({ ...here, sameDocument: false }), "open");
  assert.equal(tabDoes({ ...here, lines: undefined }), "jump");
});

test("Tab indents a blank line, and before a line's code while the edit is elsewhere", () => {
  const blank = { ...away, line: "    ", cursor: { line: 9, character: 4 } };
  assert.ok(isForIndenting(blank));
  assert.ok(isForIndenting({ ...blank, line: "    x = 1" }));
  assert.ok(isForIndenting({ ...here, line: "", cursor: { line: 3, character: 0 } }));
});

test("Tab does not indent where Tab brought the cursor, or behind code", () => {
  assert.ok(!isForIndenting({ ...away, line: "", cursor: { line: 9, character: 0 }, placed: true }));
  assert.ok(!isForIndenting({ ...here, cursor: { line: 3, character: 4 } }), "before the code that would be changed");
  assert.ok(!isForIndenting(away));
});

interface Binding {
  command: string;
  key: string;
  when: string;
}
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { contributes: { keybindings: Binding[] } };

// `a && !b && c != 'd'`, as far as our clauses go.
function holds(when: string, context: Readonly<Record<string, unknown>>): boolean {
  return when.split(" && ").every((term) => {
    const unequal = /^([\w.]+) != '(\w+)'$/.exec(term);
    if (unequal !== null) return context[unequal[1] ?? ""] !== unequal[2];
    assert.match(term, /^!?[\w.]+$/);
    return term.startsWith("!") ? !context[term.slice(1)] : Boolean(context[term]);
  });
}

function takes(key: string, context: Readonly<Record<string, unknown>>): string[] {
  return manifest.contributes.keybindings.filter((one) => one.key === key && holds(one.when, context)).map((one) => one.command);
}

const shown = { "editahead.shown": true, editorTextFocus: true };

test("Tab and Esc are ours while something is shown, and only then", () => {
  assert.deepEqual(takes("tab", shown), ["editahead.tab"]);
  assert.deepEqual(takes("escape", shown), ["editahead.dismiss"]);
  assert.deepEqual(takes("tab", { editorTextFocus: true }), []);
  assert.deepEqual(takes("escape", { editorTextFocus: true }), []);
});

const OTHERS = ["inSnippetMode", "suggestWidgetVisible", "inlineChatVisible", "inlineSuggestionVisible", "inlineEditIsVisible"];
const TAB_OTHERS = [...OTHERS, "editahead.indents", "editorTabMovesFocus", "editorHasSelection", "editorHasMultipleSelections"];
for (const other of [...TAB_OTHERS, "editorReadonly"]) {
  test(`Tab is left to others: ${other}`, () => assert.deepEqual(takes("tab", { ...shown, [other]: true }), []));
}
for (const other of [...OTHERS, "findWidgetVisible", "parameterHintsVisible", "editorHasSelection"]) {
  test(`Esc is left to others: ${other}`, () => assert.deepEqual(takes("escape", { ...shown, [other]: true }), []));
}

test("Esc refuses our ghost text, and not somebody else's; in Vim's insert mode it ends that", () => {
  const ghost = { "editahead.ghost": true, editorTextFocus: true, inlineSuggestionVisible: true };
  assert.deepEqual(takes("escape", ghost), ["editahead.dismiss"]);
  assert.deepEqual(takes("escape", { ...ghost, "editahead.ghost": false }), []);
  assert.deepEqual(takes("escape", { ...ghost, "vim.mode": "Insert" }), []);
  assert.deepEqual(takes("escape", { ...shown, "vim.mode": "Insert" }), []);
});
