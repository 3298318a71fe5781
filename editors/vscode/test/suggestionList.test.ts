import assert from "node:assert/strict";
import { test } from "node:test";
import { extendItem, SuggestionList } from "../src/core/suggestionList";

test("a list is open from its first selected item on, until there is none", () => {
  const list = new SuggestionList<string>();
  assert.equal(list.item, undefined);
  list.onSelect("value");
  assert.equal(list.item, "value");
  list.onSelect(undefined);
  assert.equal(list.item, undefined);
});

test("a list that opened by itself closes once; one that the user opens stays", () => {
  const list = new SuggestionList<string>();
  list.onChange(0);
  assert.ok(!list.close(100), "no list");
  list.onSelect("value");
  assert.ok(list.close(200));
  assert.equal(list.item, undefined);
  list.onSelect("other");
  assert.ok(!list.close(300), "opened again");
  assert.equal(list.item, "other");
  list.onChange(400);
  assert.ok(list.close(500));
  list.onChange(600);
  list.onSelect("value");
  assert.ok(!list.close(5_000), "opened long after the last key");
});

test("ghost text beside a list goes on from the selected item", () => {
  assert.equal(extendItem("si", "gner.sign(", "signer"), "signer.sign(");
  assert.equal(extendItem("", "signer.sign(", "signer"), "signer.sign(");
  assert.equal(extendItem("si", "gner", "signer"), undefined, "nothing beyond the item");
  assert.equal(extendItem("s", "igner.sign(", "safe"), undefined, "another word");
  assert.equal(extendItem("S", "igner.sign(", "signer"), undefined, "another case");
  assert.equal(extendItem("self.", "signer", ".signer"), undefined, "another start");
});
