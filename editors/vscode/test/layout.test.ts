import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDiff, layOutDecorations, type LayoutInput } from "../src/core/layout";
import { trackEdits } from "../src/core/trackedEdit";
import type { TextEdit } from "../src/core/protocol";
import { textInMemory } from "./textInMemory";

const LINES = Array.from({ length: 60 }, (_, i) => `line${i} = ends`);
const TEXT = LINES.join("\n") + "\n";

function layoutInput(edits: TextEdit[] | undefined, more: Partial<LayoutInput> = {}, text = TEXT): LayoutInput {
  const document = textInMemory(text);
  return {
    text: document,
    edits: edits && trackEdits(edits, document),
    jumpLine: undefined,
    otherPath: "b.py",
    otherLine: 3,
    label: "rename",
    preview: undefined,
    isPreviewed: false,
    ordinal: undefined,
    cursorLine: 0,
    visibleLines: [0, 20],
    tabSize: 4,
    key: "Tab",
    isListOpen: false,
    ...more,
  };
}

function edit(line: number, from: number, to: number, newText: string, endLine = line): TextEdit {
  return { range: { start: { line, character: from }, end: { line: endLine, character: to } }, newText };
}

test("a replaced word is struck out, and the new word follows", () => {
  const layout = layOutDecorations(layoutInput([edit(5, 8, 12, "leaves")]));
  assert.deepEqual(layout.deletions, [{ start: { line: 5, character: 8 }, end: { line: 5, character: 12 } }]);
  assert.deepEqual(layout.insertions, [{ at: { line: 5, character: 12 }, text: "leaves" }]);
  assert.deepEqual(layout.hints, [{ line: 5, text: "⇥ Tab" }]);
  assert.deepEqual(layout.lineRange, [5, 5]);
});

test("of a replaced line, only the changed words are marked", () => {
  const layout = layOutDecorations(layoutInput([edit(5, 0, 12, "line5 = leaves")]));
  assert.equal(layout.deletions.length, 1);
  assert.deepEqual(layout.insertions.map((one) => one.text), ["leaves"]);
});

test("an edit outside the visible lines has a hint at the cursor", () => {
  const down = layOutDecorations(layoutInput([edit(40, 8, 12, "leaves")]));
  assert.deepEqual(down.hints, [{ line: 0, text: "↓ ⇥ Tab 40 lines down: rename" }]);
  assert.deepEqual(down.deletions, []);
  const up = layOutDecorations(layoutInput([edit(1, 8, 12, "leaves")], { cursorLine: 2, visibleLines: [30, 50] }));
  assert.deepEqual(up.hints, [{ line: 30, text: "↑ ⇥ Tab 1 line up: rename" }], "at the edge of the window");
});

test("the code of an edit out of sight is shown at the cursor once a Tab has asked for it", () => {
  const preview = { old: "x = ends", new: "x = leaves", more: 2 };
  const far = layOutDecorations(layoutInput([edit(40, 8, 12, "leaves")], { preview, isPreviewed: true, otherPath: "a.py", otherLine: 41 }));
  assert.deepEqual(far.hints, [{ line: 0, text: "⇥ Tab  a.py:41" }]);
  assert.deepEqual(far.code, { line: 0, old: "x = ends", new: "x = leaves  … 2 lines more" });
  const other = layOutDecorations(layoutInput(undefined, { preview: { old: "", new: "import x" }, isPreviewed: true }));
  assert.deepEqual([other.hints[0]?.text, other.code?.old, other.code?.new], ["⇥ Tab  b.py:3", "", "import x"]);
  const seen = layOutDecorations(layoutInput([edit(5, 8, 12, "leaves")], { preview, isPreviewed: true }));
  assert.equal(seen.code, undefined, "it is drawn in its place");
});

test("an edit in another document has a hint with its place", () => {
  const layout = layOutDecorations(layoutInput(undefined));
  assert.deepEqual(layout.hints, [{ line: 0, text: "⇥ Tab rename  b.py:3" }]);
  assert.equal(layout.lineRange, undefined);
});

test("what is cut by a narrow window comes last: the line as it will be, and folders", () => {
  const far = { otherPath: "packages/pinia/src/stores/store.ts", otherLine: 120, preview: { old: "", new: "x = 1" } };
  assert.equal(layOutDecorations(layoutInput(undefined, far)).hints[0]?.text, "⇥ Tab rename  …/src/stores/store.ts:120  x = 1");
  const long = { otherPath: "a_long_name_of_a_folder/and_a_file_with_a_long_name.py" };
  assert.equal(layOutDecorations(layoutInput(undefined, long)).hints[0]?.text, "⇥ Tab rename  …/and_a_file_with_a_long_name.py:3");
});

test("a hint is on a line that leaves it in sight", () => {
  const long = "x".repeat(60);
  const line = (text: string, more: Partial<LayoutInput> = {}) =>
    layOutDecorations(layoutInput(undefined, { cursorLine: 4, ...more }, text)).hints[0]?.line;
  assert.equal(line([long, long, long, "short", long, "short", long].join("\n")), 5, "below first");
  assert.equal(line([long, long, long, "short", long, long].join("\n")), 3);
  assert.equal(line([long, long, long, "x".repeat(50), long, long].join("\n"), { label: "r".repeat(8) }), 3, "the place is cut");
  assert.equal(line(Array(20).fill(long).join("\n")), 4, "there is no room");
  assert.equal(line([long, long, long, long, long, "short"].join("\n"), { visibleLines: [0, 4] }), 4, "out of sight");
  assert.equal(line([long, long, long, long, long, "short"].join("\n"), { isListOpen: true }), 4, "under the list");
});

test("a prediction without edits has a hint with its label", () => {
  assert.deepEqual(layOutDecorations(layoutInput([], { jumpLine: 7 })).hints, [{ line: 7, text: "⇥ Tab  rename" }]);
});

test("new lines form one column beside the old lines", () => {
  const layout = layOutDecorations(layoutInput([edit(2, 12, 12, "\nif x:\n\treturn")]));
  assert.deepEqual(layout.newLines.map(({ line, text }) => [line, text]), [
    [2, "if x:"],
    [3, "    return"],
  ]);
  assert.deepEqual(new Set(layout.newLines.map(({ line, gap }) => (LINES[line]?.length ?? 0) + gap)).size, 1);
});

test("removed lines are struck out", () => {
  const layout = layOutDecorations(layoutInput([edit(3, 0, 0, "", 5)]));
  assert.deepEqual(layout.deletions.map((one) => one.start.line), [3, 4]);
});

test("a line with many changed places is shown as a whole", () => {
  const text = "f(a, b, c, d, e)\n";
  const layout = layOutDecorations(layoutInput([edit(0, 0, 16, "f(1, 2, 3, 4, 5)")], {}, text));
  assert.deepEqual(layout.insertions, []);
  assert.deepEqual(layout.newLines.map((one) => one.text), ["f(1, 2, 3, 4, 5)"]);
});

test("many new lines are truncated, and move up at the end of the document", () => {
  const many = Array.from({ length: 30 }, (_, i) => `new${i}`).join("\n") + "\n";
  const cut = layOutDecorations(layoutInput([edit(2, 0, 0, many)]));
  assert.equal(cut.newLines.length, 12);
  assert.match(cut.newLines[11]?.text ?? "", /19 more lines/);
  const end = layOutDecorations(layoutInput([edit(1, 1, 1, "\nb\nc\nd")], {}, "x\ny"));
  assert.deepEqual(end.newLines.map((one) => one.line), [0, 1]);
  assert.match(end.newLines[1]?.text ?? "", /more/);
});

test("the hint names another key where Tab means something else", () => {
  assert.deepEqual(layOutDecorations(layoutInput([edit(5, 8, 12, "leaves")], { key: "Alt+Enter" })).hints, [{ line: 5, text: "↵ Alt+Enter" }]);
});

test("while a list may cover the edit, the hint is on the cursor's line", () => {
  const layout = layOutDecorations(layoutInput([edit(5, 8, 12, "leaves")], { key: "Alt+Enter", isListOpen: true, cursorLine: 4 }));
  assert.deepEqual(layout.hints, [{ line: 4, text: "↵ Alt+Enter  rename" }]);
});

test("a chosen alternative shows its ordinal", () => {
  assert.deepEqual(layOutDecorations(layoutInput([edit(5, 8, 12, "leaves")], { ordinal: "2/3" })).hints, [{ line: 5, text: "⇥ Tab  2/3" }]);
});

test("the diff has whole lines", () => {
  const { text, edits } = layoutInput([edit(5, 8, 12, "leaves")]);
  assert.equal(formatDiff(edits ?? [], text), "- line5 = ends\n+ line5 = leaves");
});
