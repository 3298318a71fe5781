import assert from "node:assert/strict";
import { test } from "node:test";
import { applyEdits, groupByFile, hunkAt, lineHunks, rangeOfHunk, type WorkspaceEdit } from "../src/core/workspaceEdit";
import { textInMemory } from "./textInMemory";

const at = (line: number, character: number) => ({ line, character });
const edit = (line: number, from: number, to: number, newText: string, annotationId?: string) => ({
  range: { start: at(line, from), end: at(line, to) },
  newText,
  ...(annotationId === undefined ? {} : { annotationId }),
});

test("a workspace edit is grouped by file", () => {
  const workspaceEdit: WorkspaceEdit = {
    documentChanges: [
      { kind: "create", uri: "file:///c" },
      { textDocument: { uri: "file:///c", version: null }, edits: [edit(0, 0, 0, "u\n")] },
      { textDocument: { uri: "file:///a", version: 3 }, edits: [edit(1, 4, 5, "2", "1"), edit(0, 0, 1, "y", "2")] },
      { kind: "rename", oldUri: "file:///a", newUri: "file:///b" },
      { kind: "delete", uri: "file:///d" },
    ],
    changeAnnotations: { "1": { label: "x", description: "Changes 1 to 2." }, "2": { label: "Changes imports, line 1", needsConfirmation: false } },
  };
  const [c, a, d, ...others] = groupByFile(workspaceEdit);
  assert.deepEqual(others, []);
  assert.deepEqual([c?.uri, c?.action, c?.edits.length, c?.version], ["file:///c", "create", 1, undefined]);
  assert.deepEqual([a?.action, a?.movedTo, a?.version], ["move", "file:///b", 3]);
  assert.deepEqual([d?.uri, d?.action], ["file:///d", "delete"]);
  const edited = applyEdits(a!, textInMemory("x\nz = 1\n"));
  assert.equal(edited.text, "y\nz = 2\n");
  const imports = { start: 0, end: 1, message: "Changes imports", isMechanical: true };
  assert.deepEqual(edited.marks, [imports, { start: 6, end: 7, message: "Changes 1 to 2.", isMechanical: false }]);
  assert.deepEqual(edited.oldMarks, [imports]);
  assert.equal(applyEdits(d!, textInMemory("gone\n")).text, "");
});

// Apply hunks from the last to the first.
function applyHunks(text: string, hunks: ReturnType<typeof lineHunks>): string {
  const view = textInMemory(text);
  return [...hunks].reverse().reduce((out, hunk) => {
    const { start, end } = rangeOfHunk(hunk, view);
    return out.slice(0, view.offsetAt(start)) + hunk.newText + out.slice(view.offsetAt(end));
  }, text);
}

test("line hunks turn any text into any other", () => {
  const texts = ["", "a", "a\n", "a\nb", "a\nb\n", "a\r\nb\r\n", "b\n\na\n", "\n", "x\na\nb\nc\n", "a\nc\nb"];
  for (const one of texts) for (const other of texts) assert.equal(applyHunks(one, lineHunks(one, other)), other);
});

test("the hunk at a line, and next to an insertion", () => {
  const hunks = lineHunks("a\nb\nc\nd\n", "a\nB\nc\nd\ne\n");
  assert.equal(hunkAt(hunks, 1)?.newText, "B\n");
  assert.equal(hunkAt(hunks, 2), undefined);
  assert.equal(hunkAt(hunks, 3)?.newText, "e\n"); // the line before the insertion
});
