import assert from "node:assert/strict";
import { test } from "node:test";
import { AcceptedEdit } from "../src/core/acceptedEdit";

test("an accepted edit is undone until it is redone", () => {
  const accepted = new AcceptedEdit("a.py", "guest", "visitor");
  assert.equal(accepted.isUndone, false);
  accepted.onChange("undo", () => "guest");
  assert.equal(accepted.isUndone, true);
  accepted.onChange("redo", () => "visitor");
  assert.equal(accepted.isUndone, false);
});

test("an accepted edit stays undone while older changes are undone and redone, until another change", () => {
  const accepted = new AcceptedEdit("a.py", "guest", "visitor");
  accepted.onChange("undo", () => "guest");
  accepted.onChange("undo", () => "gues");
  accepted.onChange("redo", () => "guest");
  assert.equal(accepted.isUndone, true);
  accepted.onChange(undefined, () => "guests");
  assert.equal(accepted.isUndone, false);
});

test("the undo of a later change leaves the accepted edit", () => {
  const accepted = new AcceptedEdit("a.py", "guest", "visitor");
  accepted.onChange(undefined, () => "visitors");
  accepted.onChange("undo", () => "visitor");
  assert.equal(accepted.isUndone, false);
});

test("an accepted edit is made from insertions, in their order", () => {
  const changes = [
    { offset: 4, length: 0, text: "d" },
    { offset: 1, length: 0, text: "xy" },
  ];
  const accepted = AcceptedEdit.fromInsertions("a.py", "axybcdd", changes);
  accepted?.onChange("undo", () => "abcd");
  assert.equal(accepted?.isUndone, true);
  assert.equal(AcceptedEdit.fromInsertions("a.py", "ab", [{ offset: 0, length: 1, text: "a" }]), undefined);
});
