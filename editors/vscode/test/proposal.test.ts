import assert from "node:assert/strict";
import { test } from "node:test";
import { hunkAt, lineHunks, madeOf, proposedOf, rangeOfLines, type WireEdit } from "../src/core/proposal";
import { lines } from "./lines";

const at = (line: number, character: number) => ({ line, character });
const edit = (line: number, from: number, to: number, newText: string, annotationId?: string) => ({
  range: { start: at(line, from), end: at(line, to) },
  newText,
  ...(annotationId === undefined ? {} : { annotationId }),
});

test("a workspace edit, file by file", () => {
  const wire: WireEdit = {
    documentChanges: [
      { kind: "create", uri: "file:///c" },
      { textDocument: { uri: "file:///c", version: null }, edits: [edit(0, 0, 0, "u\n")] },
      { textDocument: { uri: "file:///a", version: 3 }, edits: [edit(1, 4, 5, "2", "1"), edit(0, 0, 1, "y", "2")] },
      { kind: "rename", oldUri: "file:///a", newUri: "file:///b" },
      { kind: "delete", uri: "file:///d" },
    ],
    changeAnnotations: { "1": { label: "x", description: "Changes 1 to 2." }, "2": { label: "y" } },
  };
  const [c, a, d, ...others] = proposedOf(wire);
  assert.deepEqual(others, []);
  assert.deepEqual([c?.uri, c?.action, c?.edits.length, c?.version], ["file:///c", "create", 1, undefined]);
  assert.deepEqual([a?.action, a?.movedTo, a?.version], ["move", "file:///b", 3]);
  assert.deepEqual([d?.uri, d?.action], ["file:///d", "delete"]);
  const made = madeOf(a!, lines("x\nz = 1\n"));
  assert.equal(made.text, "y\nz = 2\n");
  assert.deepEqual(made.flags, [{ offset: 6, length: 1, said: "Changes 1 to 2." }]);
  assert.equal(madeOf(d!, lines("gone\n")).text, "");
});

// What hunks make of a text, from the last to the first.
function after(text: string, hunks: ReturnType<typeof lineHunks>): string {
  const all = lines(text);
  return [...hunks].reverse().reduce((out, hunk) => {
    const { start, end } = rangeOfLines(hunk, all);
    return out.slice(0, all.offsetAt(start)) + hunk.newText + out.slice(all.offsetAt(end));
  }, text);
}

test("hunks of whole lines turn one text into the other", () => {
  const texts = ["", "a", "a\n", "a\nb", "a\nb\n", "a\r\nb\r\n", "b\n\na\n", "\n", "x\na\nb\nc\n", "a\nc\nb"];
  for (const one of texts) for (const other of texts) assert.equal(after(one, lineHunks(one, other)), other);
});

test("the hunk at a line", () => {
  const hunks = lineHunks("a\nb\nc\nd\n", "a\nB\nc\nd\ne\n");
  assert.equal(hunkAt(hunks, 1)?.newText, "B\n");
  assert.equal(hunkAt(hunks, 2), undefined);
  assert.equal(hunkAt(hunks, 3)?.newText, "e\n"); // next to where it comes
});
