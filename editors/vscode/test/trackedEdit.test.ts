import assert from "node:assert/strict";
import { test } from "node:test";
import { currentText, ghostTextAt, nextPart, nextParts, rebaseEdits, rebaseOffset, rebaseOverPart, trackEdits, type ContentChange, type TrackedEdit } from "../src/core/trackedEdit";
import { random, textInMemory } from "./textInMemory";

const at = (line: number, character: number) => ({ line, character });

function applyChange(text: string, change: ContentChange): string {
  return text.slice(0, change.offset) + change.text + text.slice(change.offset + change.length);
}

function rebase(edits: TrackedEdit[], text: string, ...changes: ContentChange[]): TrackedEdit[] | undefined {
  const now = changes.reduce(applyChange, text);
  return rebaseEdits(edits, changes, textInMemory(now));
}

function applyEdits(edits: readonly TrackedEdit[], text: string): string {
  return [...edits].sort((a, b) => b.start - a.start).reduce((now, edit) => now.slice(0, edit.start) + edit.newText + now.slice(edit.end), text);
}

const STAY = "a = ends\nb = ends\n";
const rename = trackEdits([{ range: { start: at(1, 4), end: at(1, 8) }, newText: "leaves" }], textInMemory(STAY));
const CODE = "def f():\n    re\n";
const insertion = trackEdits([{ range: { start: at(1, 6), end: at(1, 6) }, newText: "turn 1" }], textInMemory(CODE));

test("a replacement moves with text inserted before", () => {
  const now = rebase(rename, STAY, { offset: 4, length: 4, text: "leaves" });
  assert.deepEqual(now, [{ start: 15, end: 19, oldText: "ends", newText: "leaves" }]);
});

test("a change behind a replacement leaves the replacement in place", () => {
  assert.deepEqual(rebase(rename, STAY, { offset: 18, length: 0, text: "c = 1\n" }), rename);
});

test("a change of the replaced text invalidates the edits", () => {
  assert.equal(rebase(rename, STAY, { offset: 14, length: 1, text: "" }), undefined);
  assert.equal(rebase(rename, STAY, { offset: 17, length: 0, text: "x" }), undefined);
});

test("typing the insertion's characters consumes the insertion", () => {
  const some = rebase(insertion, CODE, { offset: 15, length: 0, text: "turn" });
  assert.equal(some?.[0]?.typed, "turn");
  assert.equal(ghostTextAt(some ?? [], 19), " 1");
  assert.equal(rebase(insertion, CODE, { offset: 15, length: 0, text: "turn 1" }), undefined, "the insertion is complete");
});

test("typing other characters invalidates the insertion", () => {
  assert.equal(rebase(insertion, CODE, { offset: 15, length: 0, text: "x" }), undefined);
});

test("deleting typed characters restores the insertion", () => {
  const typed = rebase(insertion, CODE, { offset: 15, length: 0, text: "tu" });
  const back = rebase(typed ?? [], applyChange(CODE, { offset: 15, length: 0, text: "tu" }), { offset: 16, length: 1, text: "" });
  assert.equal(back?.[0]?.typed, "t");
});

test("one event has several changes, last place first", () => {
  const text = "x\nx\nends\n";
  const edits = trackEdits([{ range: { start: at(2, 0), end: at(2, 4) }, newText: "leaves" }], textInMemory(text));
  const now = rebase(edits, text, { offset: 2, length: 1, text: "long" }, { offset: 0, length: 1, text: "long" });
  assert.equal(now?.[0]?.start, 10);
});

test("ghost text is a single insertion at the cursor", () => {
  assert.equal(ghostTextAt(insertion, 15), "turn 1");
  assert.equal(ghostTextAt(insertion, 14), undefined);
  assert.equal(ghostTextAt(rename, 13), undefined);
  const whole = trackEdits([{ range: { start: at(1, 4), end: at(1, 6) }, newText: "return 1" }], textInMemory(CODE));
  assert.equal(ghostTextAt(whole, 15), "turn 1", "a replacement that extends the word");
  assert.equal(ghostTextAt([...insertion, ...rename], 15), undefined, "the prediction has a second edit");
});

test("words lead to the whole edit", () => {
  let text = "x = old(1)\n";
  let edits = trackEdits([{ range: { start: at(0, 4), end: at(0, 10) }, newText: "brand.new(1, two)" }], textInMemory(text));
  const steps: string[] = [];
  for (let i = 0; i < 20; i++) {
    const part = nextPart(edits, "word", textInMemory(text));
    const edit = part && edits[part.editIndex];
    if (part === undefined || edit === undefined) break;
    text = text.slice(0, edit.start) + part.text + text.slice(edit.end);
    edits = rebaseOverPart(edits, part);
    steps.push(text);
    if (part.isLast) break;
  }
  assert.equal(steps[0], "x = brand(1)\n");
  assert.equal(text, "x = brand.new(1, two)\n");
});

test("lines lead to the whole edit", () => {
  const edits = trackEdits([{ range: { start: at(1, 6), end: at(1, 6) }, newText: "turn 1\n    pass" }], textInMemory(CODE));
  const part = nextPart(edits, "line", textInMemory(CODE));
  assert.equal(part?.text, "turn 1");
  assert.equal(part?.isLast, false);
  assert.equal(part?.acceptedLength, 6);
  const rest = rebaseOverPart(edits, part!);
  assert.equal(currentText(rest[0]!), "turn 1");
  assert.equal(nextPart(rest, "line", textInMemory(CODE))?.text, "turn 1\n    pass");
  assert.equal(nextPart(rest, "line", textInMemory(CODE))?.isLast, true);
});

test("a line at the start of its line does not join the line below", () => {
  for (const end of ["\n", "\r\n"]) {
    const code = `a()${end}b()${end}`;
    const newText = `x()${end}y()${end}`;
    const edits = trackEdits([{ range: { start: at(1, 0), end: at(1, 0) }, newText }], textInMemory(code));
    const part = nextPart(edits, "line", textInMemory(code));
    assert.equal(part?.text, `x()${end}`);
    const rest = nextPart(rebaseOverPart(edits, part!), "line", textInMemory(`a()${end}x()${end}b()${end}`));
    assert.equal(rest?.text, newText);
    assert.equal(rest?.isLast, true);
  }
});

test("a line in place of the rest of a line adds no blank line", () => {
  for (const range of [{ start: at(1, 0), end: at(1, 5) }, { start: at(1, 0), end: at(2, 0) }]) {
    const code = "x = 1\nguest\nz = 3\n";
    const edits = trackEdits([{ range, newText: range.end.line === 1 ? "visitor()\nhost()" : "visitor()\nhost()\n" }], textInMemory(code));
    const part = nextPart(edits, "line", textInMemory(code));
    assert.equal(part?.finalLength, "visitor()".length);
    assert.equal(part?.text, range.end.line === 1 ? "visitor()" : "visitor()\n");
  }
});

test("the parts of random edits lead to the whole edit", () => {
  const next = random(3);
  const some = () => Array.from({ length: 1 + Math.floor(next() * 8) }, () => ["a", "b ", "c\n", "d.", "(", "é"][Math.floor(next() * 6)]).join("");
  for (let i = 0; i < 500; i++) {
    const [before, oldText, behind, newText] = [some(), next() < 0.4 ? "" : some(), some(), some()];
    if (oldText === newText) continue;
    let text = before + oldText + behind;
    let edits: TrackedEdit[] = [{ start: before.length, end: before.length + oldText.length, oldText, newText, ...(oldText === "" ? { typed: "" } : {}) }];
    const kind = next() < 0.5 ? "word" : "line";
    for (let steps = 0; ; steps++) {
      assert.ok(steps < 100, JSON.stringify([oldText, newText, kind]));
      const part = nextPart(edits, kind, textInMemory(text));
      const edit = part && edits[part.editIndex];
      if (part === undefined || edit === undefined) break;
      text = text.slice(0, edit.start) + part.text + text.slice(edit.end);
      edits = rebaseOverPart(edits, part);
    }
    assert.equal(text, before + newText + behind);
  }
});

test("several parts at once are as many one after the other", () => {
  const next = random(7);
  const some = () => Array.from({ length: 1 + Math.floor(next() * 6) }, () => ["a", "b ", "c\n", "d.", "\n"][Math.floor(next() * 5)]).join("");
  for (let i = 0; i < 500; i++) {
    const old = [some(), some()] as const;
    const text = `x${old[0]}y\n${old[1]}z`;
    const starts = [1, 1 + old[0].length + 2] as const;
    const edits = old.map((oldText, index) => ({ start: starts[index] ?? 0, end: (starts[index] ?? 0) + oldText.length, oldText, newText: some() }));
    const [kind, count] = [next() < 0.5 ? "word" : "line", 1 + Math.floor(next() * 4)] as const;
    const make = (now: string, at: readonly TrackedEdit[], { editIndex, text: made }: { editIndex: number; text: string }) => {
      const { start, end } = at[editIndex] ?? assert.fail();
      return now.slice(0, start) + made + now.slice(end);
    };
    let [now, left, last]: [string, TrackedEdit[], number] = [text, edits, 0];
    for (let step = 0; step < count; step++) {
      const part = nextPart(left, kind, textInMemory(now));
      if (part === undefined) break;
      [now, left, last] = [make(now, left, part), rebaseOverPart(left, part), part.acceptedLength];
    }
    const parts = nextParts(edits, kind, textInMemory(text), count);
    assert.deepEqual(parts.reduce(rebaseOverPart, edits), left);
    assert.equal(parts.reduceRight((made, part) => make(made, edits, part), text), now);
    assert.equal(parts.at(-1)?.acceptedLength ?? 0, last);
  }
});

test("rebasing and applying commute for changes outside the edit", () => {
  const next = random(11);
  for (let i = 0; i < 1000; i++) {
    const text = "0123456789\nabcdefghij\n";
    const start = 8 + Math.floor(next() * 4);
    const edits: TrackedEdit[] = [{ start, end: start + 2, oldText: text.slice(start, start + 2), newText: "NEW" }];
    const offset = next() < 0.5 ? Math.floor(next() * (start - 1)) : start + 3 + Math.floor(next() * 5);
    const most = offset < start ? start - offset - 1 : 3;
    const change = { offset, length: Math.floor(next() * most), text: ["", "x", "y\nz"][Math.floor(next() * 3)] ?? "" };
    const now = rebase(edits, text, change);
    assert.ok(now);
    const other = { ...change, offset: offset < start ? offset : offset + 1 };
    assert.equal(applyEdits(now, applyChange(text, change)), applyChange(applyEdits(edits, text), other));
  }
});

test("an offset is rebased", () => {
  assert.equal(rebaseOffset(5, { offset: 7, length: 1, text: "" }), 5);
  assert.equal(rebaseOffset(5, { offset: 1, length: 1, text: "abc" }), 7);
  assert.equal(rebaseOffset(5, { offset: 4, length: 4, text: "ab" }), 6);
});
