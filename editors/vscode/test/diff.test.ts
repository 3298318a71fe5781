import assert from "node:assert/strict";
import { test } from "node:test";
import { diffItems, diffWords } from "../src/core/diff";
import { random } from "./lines";

function made(old: string, now: string): string {
  let [out, at] = ["", 0];
  for (const hunk of diffWords(old, now)) {
    out += old.slice(at, hunk.oldStart) + now.slice(hunk.newStart, hunk.newEnd);
    at = hunk.oldEnd;
  }
  return out + old.slice(at);
}

test("words that changed, and no others", () => {
  assert.deepEqual(diffWords("self.ends - 1", "self.leaves - 1"), [{ oldStart: 5, oldEnd: 9, newStart: 5, newEnd: 11 }]);
});

test("a word that is only continued is an insertion", () => {
  assert.deepEqual(diffWords("ret x", "return x"), [{ oldStart: 3, oldEnd: 3, newStart: 3, newEnd: 6 }]);
});

test("equal texts have no hunks", () => {
  assert.deepEqual(diffWords("a b", "a b"), []);
  assert.deepEqual(diffItems([], []), []);
});

test("what is too much to compare is one hunk", () => {
  const old = Array.from({ length: 600 }, (_, i) => `a${i}`);
  const now = Array.from({ length: 600 }, (_, i) => `b${i}`);
  assert.deepEqual(diffItems(old, now), [{ oldStart: 0, oldEnd: 600, newStart: 0, newEnd: 600 }]);
});

test("hunks lead from any text to any other", () => {
  const next = random(7);
  const word = () => ["a", "b", "ab", " ", "\n", "\r\n", "(", "é", "🧳"][Math.floor(next() * 9)] ?? "";
  const text = () => Array.from({ length: Math.floor(next() * 12) }, word).join("");
  for (let i = 0; i < 2000; i++) {
    const [old, now] = [text(), text()];
    assert.equal(made(old, now), now, JSON.stringify([old, now]));
  }
});
