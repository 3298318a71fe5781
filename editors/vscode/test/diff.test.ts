import assert from "node:assert/strict";
import { test } from "node:test";
import { diffItems, diffWords } from "../src/core/diff";
import { random } from "./textInMemory";

function applyHunks(oldText: string, newText: string): string {
  let [out, at] = ["", 0];
  for (const hunk of diffWords(oldText, newText)) {
    out += oldText.slice(at, hunk.oldStart) + newText.slice(hunk.newStart, hunk.newEnd);
    at = hunk.oldEnd;
  }
  return out + oldText.slice(at);
}

test("only changed words differ", () => {
  assert.deepEqual(diffWords("self.ends - 1", "self.leaves - 1"), [{ oldStart: 5, oldEnd: 9, newStart: 5, newEnd: 11 }]);
});

test("a word that grows at its end is an insertion", () => {
  assert.deepEqual(diffWords("ret x", "return x"), [{ oldStart: 3, oldEnd: 3, newStart: 3, newEnd: 6 }]);
});

test("equal texts have no hunks", () => {
  assert.deepEqual(diffWords("a b", "a b"), []);
  assert.deepEqual(diffItems([], []), []);
});

test("texts beyond the comparison limit are one hunk", () => {
  const oldItems = Array.from({ length: 600 }, (_, i) => `a${i}`);
  const newItems = Array.from({ length: 600 }, (_, i) => `b${i}`);
  assert.deepEqual(diffItems(oldItems, newItems), [{ oldStart: 0, oldEnd: 600, newStart: 0, newEnd: 600 }]);
});

test("the hunks of random texts turn the old text into the new one", () => {
  const next = random(7);
  const word = () => ["a", "b", "ab", " ", "\n", "\r\n", "(", "é", "🧳"][Math.floor(next() * 9)] ?? "";
  const text = () => Array.from({ length: Math.floor(next() * 12) }, word).join("");
  for (let i = 0; i < 2000; i++) {
    const [oldText, newText] = [text(), text()];
    assert.equal(applyHunks(oldText, newText), newText, JSON.stringify([oldText, newText]));
  }
});
