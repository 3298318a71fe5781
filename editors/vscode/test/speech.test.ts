import assert from "node:assert/strict";
import { test } from "node:test";
import { announcementOf, editAsText, type SpokenEdit } from "../src/core/speech";
import { changedLines, trackEdits } from "../src/core/trackedEdit";
import { textInMemory } from "./textInMemory";

const edit: SpokenEdit = { description: "line 2, price -> cost", key: "Tab", action: "accept", isPreviewed: false, preview: undefined };

test("an announcement names the place, the edit, and what the key does", () => {
  assert.equal(announcementOf(edit), "Next edit: line 2, price -> cost. Tab makes it.");
  assert.match(announcementOf({ ...edit, key: "Alt+Enter", action: "preview" }), /cost\. Alt\+Enter shows its code\.$/);
  assert.match(announcementOf({ ...edit, action: "reveal" }), /Tab shows it\.$/);
});

test("what Tab has drawn of an edit out of sight is announced", () => {
  const preview = { old: "print(price)", new: "print(cost)", more: 2 };
  assert.doesNotMatch(announcementOf({ ...edit, preview }), /print/);
  const shown = announcementOf({ ...edit, preview, isPreviewed: true });
  assert.equal(shown, "Next edit: line 2, price -> cost. Old: print(price). New: print(cost). And 2 more lines. Tab makes it.");
  assert.match(announcementOf({ ...edit, preview: { old: "", new: "x = 1" }, isPreviewed: true }), /cost\. New: x = 1\. Tab/);
});

test("a whole edit is read with its old and its new lines", () => {
  const text = textInMemory("a = 1\nprint(price)\n");
  const range = { start: { line: 1, character: 6 }, end: { line: 1, character: 11 } };
  const changes = changedLines(trackEdits([{ range, newText: "\n    cost\n" }], text), text);
  const lines = editAsText(edit, "Editahead: price -> cost. Confidence 90 %: why.", changes).split("\n");
  assert.deepEqual(lines.slice(0, 9), [
    "Next edit: line 2, price -> cost. Tab makes it.",
    "Editahead: price -> cost. Confidence 90 %: why.",
    "",
    "Line 2, old:",
    "print(price)",
    "New:",
    "print(",
    "    cost",
    ")",
  ]);
  assert.match(lines.at(-2) ?? "", /^Close this text to go back\. There, Tab makes it, and Escape rejects it\.$/);
});

test("of a file that is not open, the first line is read", () => {
  const preview = { old: "print(price)", new: "print(cost)" };
  assert.match(editAsText({ ...edit, action: "preview", preview }, "why", undefined), /\nOld: print\(price\)\. New: print\(cost\)\.\n/);
  assert.doesNotMatch(editAsText(edit, "why", undefined), /Old/);
});
