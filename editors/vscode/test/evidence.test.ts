import assert from "node:assert/strict";
import { test } from "node:test";
import { evidenceOf, withinBudget } from "../src/core/evidence";

const range = { start: { line: 3, character: 4 }, end: { line: 3, character: 8 } };
const asked = { textDocument: { uri: "file:///a.py", version: 2 }, symbol: { range, old: "load", new: "load_editahead" } };
const place = { uri: "file:///b.py", range };

test("the answer repeats the question, and says whether all places are known", () => {
  const both = evidenceOf(asked, "python", [[{ ...place, newText: "load_editahead" }], [place]]);
  assert.deepEqual(both, { ...asked, renames: [{ ...place, newText: "load_editahead" }], references: [place], source: "python", complete: true });
  assert.equal(evidenceOf(asked, "python", [[{ ...place, newText: "x" }], undefined])?.complete, false);
});

test("without a place there is no answer", () => {
  assert.equal(evidenceOf(asked, "python", [undefined, undefined]), undefined);
  assert.equal(evidenceOf(asked, "python", [[], []]), undefined);
});

test("a late answer, and a failed one, are none", async () => {
  assert.equal(await withinBudget(new Promise(() => undefined), 1), undefined);
  assert.equal(await withinBudget(Promise.reject(new Error("no")), 50), undefined);
  assert.equal(await withinBudget(Promise.resolve(7), 50), 7);
});
