import assert from "node:assert/strict";
import { test } from "node:test";
import { ComingEdit, type ComingHunk } from "../src/core/comingEdit";

const at = { line: 0, character: 0 };
const hunk = (uri: string, newText: string, origin: ComingHunk["origin"] = "model"): ComingHunk => ({
  uri,
  range: { start: at, end: at },
  newText,
  origin,
});

// The new texts of each file.
const textsOf = (coming: ComingEdit) =>
  coming.edit?.documentChanges?.map((change) => ("edits" in change ? change.edits.map(({ newText }) => newText) : []));

test("hunks are shown once a model has written one", () => {
  const coming = new ComingEdit();
  coming.add({ hunks: [hunk("file:///a", "1", "matched")] });
  assert.equal(textsOf(coming), undefined);
  coming.add({ hunks: [hunk("file:///b", "2")] });
  coming.add({ hunks: [hunk("file:///b", "3")] });
  assert.deepEqual(textsOf(coming), [["1"], ["2", "3"]]);
});

test("a void partial result takes the hunks of its file away", () => {
  const coming = new ComingEdit();
  coming.add({ hunks: [hunk("file:///b", "2")] });
  coming.add({ hunks: [], withdrawn: "file:///b" });
  assert.equal(coming.edit, undefined);
});
