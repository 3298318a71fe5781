import assert from "node:assert/strict";
import { test } from "node:test";
import { afterPiece, ghostAt, moved, movedOffset, pieceOf, there, track, type Change, type Edit } from "../src/core/trackedEdit";
import { lines, random } from "./lines";

const at = (line: number, character: number) => ({ line, character });

function changed(text: string, change: Change): string {
  return text.slice(0, change.offset) + change.text + text.slice(change.offset + change.length);
}

function after(edits: Edit[], text: string, ...changes: Change[]): Edit[] | undefined {
  const now = changes.reduce(changed, text);
  return moved(edits, changes, lines(now));
}

function applied(edits: readonly Edit[], text: string): string {
  return [...edits].sort((a, b) => b.start - a.start).reduce((now, edit) => now.slice(0, edit.start) + edit.now + now.slice(edit.end), text);
}

const STAY = "a = ends\nb = ends\n";
const rename = track([{ range: { start: at(1, 4), end: at(1, 8) }, newText: "leaves" }], lines(STAY));
const CODE = "def f():\n    re\n";
const insertion = track([{ range: { start: at(1, 6), end: at(1, 6) }, newText: "turn 1" }], lines(CODE));

test("a replacement moves with the text before it", () => {
  const now = after(rename, STAY, { offset: 4, length: 4, text: "leaves" });
  assert.deepEqual(now, [{ start: 15, end: 19, old: "ends", now: "leaves" }]);
});

test("what is changed behind it leaves it where it is", () => {
  assert.deepEqual(after(rename, STAY, { offset: 18, length: 0, text: "c = 1\n" }), rename);
});

test("changed by hand it is gone", () => {
  assert.equal(after(rename, STAY, { offset: 14, length: 1, text: "" }), undefined);
  assert.equal(after(rename, STAY, { offset: 17, length: 0, text: "x" }), undefined);
});

test("its own characters use an insertion up", () => {
  const some = after(insertion, CODE, { offset: 15, length: 0, text: "turn" });
  assert.equal(some?.[0]?.typed, "turn");
  assert.equal(ghostAt(some ?? [], 19), " 1");
  assert.equal(after(insertion, CODE, { offset: 15, length: 0, text: "turn 1" }), undefined, "nothing is left of it");
});

test("other characters end it", () => {
  assert.equal(after(insertion, CODE, { offset: 15, length: 0, text: "x" }), undefined);
});

test("taking back what was typed of it brings it back", () => {
  const typed = after(insertion, CODE, { offset: 15, length: 0, text: "tu" });
  const back = after(typed ?? [], changed(CODE, { offset: 15, length: 0, text: "tu" }), { offset: 16, length: 1, text: "" });
  assert.equal(back?.[0]?.typed, "t");
});

test("several changes of one event, the last place first", () => {
  const text = "x\nx\nends\n";
  const edits = track([{ range: { start: at(2, 0), end: at(2, 4) }, newText: "leaves" }], lines(text));
  const now = after(edits, text, { offset: 2, length: 1, text: "long" }, { offset: 0, length: 1, text: "long" });
  assert.equal(now?.[0]?.start, 10);
});

test("ghost text is only what is put in at the cursor", () => {
  assert.equal(ghostAt(insertion, 15), "turn 1");
  assert.equal(ghostAt(insertion, 14), undefined);
  assert.equal(ghostAt(rename, 13), undefined);
  const whole = track([{ range: { start: at(1, 4), end: at(1, 6) }, newText: "return 1" }], lines(CODE));
  assert.equal(ghostAt(whole, 15), "turn 1", "a replacement that only continues the word");
  assert.equal(ghostAt([...insertion, ...rename], 15), undefined, "there is more to it");
});

test("word by word to the end", () => {
  let text = "x = old(1)\n";
  let edits = track([{ range: { start: at(0, 4), end: at(0, 10) }, newText: "brand.new(1, two)" }], lines(text));
  const steps: string[] = [];
  for (let i = 0; i < 20; i++) {
    const piece = pieceOf(edits, "word");
    const edit = piece && edits[piece.index];
    if (piece === undefined || edit === undefined) break;
    text = text.slice(0, edit.start) + piece.made + text.slice(edit.end);
    edits = afterPiece(edits, piece);
    steps.push(text);
    if (piece.whole) break;
  }
  assert.equal(steps[0], "x = brand(1)\n");
  assert.equal(text, "x = brand.new(1, two)\n");
});

test("line by line", () => {
  const edits = track([{ range: { start: at(1, 6), end: at(1, 6) }, newText: "turn 1\n    pass" }], lines(CODE));
  const piece = pieceOf(edits, "line");
  assert.equal(piece?.made, "turn 1");
  assert.equal(piece?.whole, false);
  assert.equal(piece?.length, 6);
  const rest = afterPiece(edits, piece!);
  assert.equal(there(rest[0]!), "turn 1");
  assert.equal(pieceOf(rest, "line")?.made, "turn 1\n    pass");
  assert.equal(pieceOf(rest, "line")?.whole, true);
});

test("pieces always end in the whole edit, whatever it is", () => {
  const next = random(3);
  const some = () => Array.from({ length: 1 + Math.floor(next() * 8) }, () => ["a", "b ", "c\n", "d.", "(", "é"][Math.floor(next() * 6)]).join("");
  for (let i = 0; i < 500; i++) {
    const [before, old, behind, now] = [some(), next() < 0.4 ? "" : some(), some(), some()];
    if (old === now) continue;
    let text = before + old + behind;
    let edits: Edit[] = [{ start: before.length, end: before.length + old.length, old, now, ...(old === "" ? { typed: "" } : {}) }];
    const kind = next() < 0.5 ? "word" : "line";
    for (let steps = 0; ; steps++) {
      assert.ok(steps < 100, JSON.stringify([old, now, kind]));
      const piece = pieceOf(edits, kind);
      const edit = piece && edits[piece.index];
      if (piece === undefined || edit === undefined) break;
      text = text.slice(0, edit.start) + piece.made + text.slice(edit.end);
      edits = afterPiece(edits, piece);
    }
    assert.equal(text, before + now + behind);
  }
});

test("moved, then made, is made, then moved: changes that do not touch it", () => {
  const next = random(11);
  for (let i = 0; i < 1000; i++) {
    const text = "0123456789\nabcdefghij\n";
    const start = 8 + Math.floor(next() * 4);
    const edits: Edit[] = [{ start, end: start + 2, old: text.slice(start, start + 2), now: "NEW" }];
    const offset = next() < 0.5 ? Math.floor(next() * (start - 1)) : start + 3 + Math.floor(next() * 5);
    const most = offset < start ? start - offset - 1 : 3;
    const change = { offset, length: Math.floor(next() * most), text: ["", "x", "y\nz"][Math.floor(next() * 3)] ?? "" };
    const now = after(edits, text, change);
    assert.ok(now);
    const other = { ...change, offset: offset < start ? offset : offset + 1 };
    assert.equal(applied(now, changed(text, change)), changed(applied(edits, text), other));
  }
});

test("an offset follows", () => {
  assert.equal(movedOffset(5, { offset: 7, length: 1, text: "" }), 5);
  assert.equal(movedOffset(5, { offset: 1, length: 1, text: "abc" }), 7);
  assert.equal(movedOffset(5, { offset: 4, length: 4, text: "ab" }), 6);
});
