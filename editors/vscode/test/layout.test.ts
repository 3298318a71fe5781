import assert from "node:assert/strict";
import { test } from "node:test";
import { asDiff, draw, type Scene } from "../src/core/layout";
import { track } from "../src/core/trackedEdit";
import type { TextEdit } from "../src/core/protocol";
import { lines } from "./lines";

const LINES = Array.from({ length: 60 }, (_, i) => `line${i} = ends`);
const TEXT = LINES.join("\n") + "\n";

function scene(edits: TextEdit[] | undefined, more: Partial<Scene> = {}, text = TEXT): Scene {
  const shape = lines(text);
  return {
    text: shape,
    edits: edits && track(edits, shape),
    jump: undefined,
    elsewhere: "b.py:3",
    label: "rename",
    number: undefined,
    cursor: 0,
    visible: [0, 20],
    tabSize: 4,
    tab: true,
    ...more,
  };
}

function edit(line: number, from: number, to: number, newText: string, endLine = line): TextEdit {
  return { range: { start: { line, character: from }, end: { line: endLine, character: to } }, newText };
}

test("a replaced word is struck, and the new one stands behind it", () => {
  const drawing = draw(scene([edit(5, 8, 12, "leaves")]));
  assert.deepEqual(drawing.strikes, [{ start: { line: 5, character: 8 }, end: { line: 5, character: 12 } }]);
  assert.deepEqual(drawing.insertions, [{ at: { line: 5, character: 12 }, text: "leaves" }]);
  assert.deepEqual(drawing.hints, [{ line: 5, text: "⇥ Tab" }]);
  assert.deepEqual(drawing.mark, [5, 5]);
});

test("only the words that differ, of a whole new line", () => {
  const drawing = draw(scene([edit(5, 0, 12, "line5 = leaves")]));
  assert.equal(drawing.strikes.length, 1);
  assert.deepEqual(drawing.insertions.map((one) => one.text), ["leaves"]);
});

test("out of sight: a hint at the cursor says how far", () => {
  const down = draw(scene([edit(40, 8, 12, "leaves")]));
  assert.deepEqual(down.hints, [{ line: 0, text: "↓ ⇥ Tab 40 lines down: rename" }]);
  assert.deepEqual(down.strikes, []);
  const up = draw(scene([edit(1, 8, 12, "leaves")], { cursor: 2, visible: [30, 50] }));
  assert.deepEqual(up.hints, [{ line: 30, text: "↑ ⇥ Tab 1 line up: rename" }], "at the window's edge");
});

test("in another document: a hint says where", () => {
  const drawing = draw(scene(undefined));
  assert.deepEqual(drawing.hints, [{ line: 0, text: "⇥ Tab b.py:3: rename" }]);
  assert.equal(drawing.mark, undefined);
});

test("a place without an edit", () => {
  assert.deepEqual(draw(scene([], { jump: 7 })).hints, [{ line: 7, text: "⇥ Tab  rename" }]);
});

test("new lines stand in one column beside the old ones", () => {
  const drawing = draw(scene([edit(2, 12, 12, "\nif x:\n\treturn")]));
  assert.deepEqual(drawing.besides.map(({ line, text }) => [line, text]), [
    [2, "if x:"],
    [3, "    return"],
  ]);
  assert.deepEqual(new Set(drawing.besides.map(({ line, gap }) => (LINES[line]?.length ?? 0) + gap)).size, 1);
});

test("lines that go are struck", () => {
  const drawing = draw(scene([edit(3, 0, 0, "", 5)]));
  assert.deepEqual(drawing.strikes.map((one) => one.start.line), [3, 4]);
});

test("a line with many changed places is shown as a whole", () => {
  const text = "f(a, b, c, d, e)\n";
  const drawing = draw(scene([edit(0, 0, 16, "f(1, 2, 3, 4, 5)")], {}, text));
  assert.deepEqual(drawing.insertions, []);
  assert.deepEqual(drawing.besides.map((one) => one.text), ["f(1, 2, 3, 4, 5)"]);
});

test("many new lines are cut, and at the end of a document they move up", () => {
  const many = Array.from({ length: 30 }, (_, i) => `new${i}`).join("\n") + "\n";
  const cut = draw(scene([edit(2, 0, 0, many)]));
  assert.equal(cut.besides.length, 12);
  assert.match(cut.besides[11]?.text ?? "", /19 more lines/);
  const end = draw(scene([edit(1, 1, 1, "\nb\nc\nd")], {}, "x\ny"));
  assert.deepEqual(end.besides.map((one) => one.line), [0, 1]);
  assert.match(end.besides[1]?.text ?? "", /more/);
});

test("where Tab indents, the hint does not name it", () => {
  assert.deepEqual(draw(scene([edit(5, 8, 12, "leaves")], { tab: false })).hints, [{ line: 5, text: "⇥" }]);
});

test("one of several says which", () => {
  assert.deepEqual(draw(scene([edit(5, 8, 12, "leaves")], { number: "2/3" })).hints, [{ line: 5, text: "⇥ Tab  2/3" }]);
});

test("hovering shows the whole lines", () => {
  const { text, edits } = scene([edit(5, 8, 12, "leaves")]);
  assert.equal(asDiff(edits ?? [], text), "- line5 = ends\n+ line5 = leaves");
});
