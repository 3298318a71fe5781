import assert from "node:assert/strict";
import { test } from "node:test";
import { SnippetGuess } from "../src/core/snippetGuess";

const SNIPPET = "for (const item of items) {}";
const insert = (offset: number, text: string, length = 0) => [{ offset, length, text }];
const cursor = (offset: number) => ({ start: offset, end: offset });

function inserted(offset = 10): SnippetGuess {
  const guess = new SnippetGuess();
  guess.onChange(insert(offset, SNIPPET, 3));
  return guess;
}

test("a placeholder that is selected, or holds the cursor, is a snippet's", () => {
  const selected = inserted();
  selected.onSelect({ start: 21, end: 25 });
  assert.ok(selected.isActive);
  const empty = inserted();
  empty.onSelect(cursor(37));
  assert.ok(empty.isActive);
});

test("a snippet lasts while its placeholders are filled in, and ends when the cursor leaves", () => {
  const guess = inserted();
  guess.onSelect({ start: 21, end: 25 });
  guess.onChange(insert(21, "order", 4));
  guess.onSelect(cursor(26));
  guess.onSelect(cursor(10 + SNIPPET.length + 1));
  assert.ok(guess.isActive, "its end is one character further now");
  guess.onSelect(cursor(60));
  assert.ok(!guess.isActive);
});

test("typing, pasting, accepting a word and closed brackets are none", () => {
  for (const text of ["x", "()", "value", "a\nb\nc"]) {
    const guess = new SnippetGuess();
    guess.onChange(insert(4, text));
    guess.onSelect(cursor(text === "()" ? 5 : 4 + text.length));
    guess.onSelect(cursor(4));
    assert.ok(!guess.isActive, text);
  }
});

test("changes at several places, and a jump, end a snippet", () => {
  const guess = inserted();
  guess.onSelect({ start: 21, end: 25 });
  guess.onChange([...insert(80, "x"), ...insert(21, "x")]);
  assert.ok(!guess.isActive);
  const other = inserted();
  other.onSelect({ start: 21, end: 25 });
  other.end();
  assert.ok(!other.isActive);
});
