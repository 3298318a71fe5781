import assert from "node:assert/strict";
import { test } from "node:test";
import { folderOf } from "../src/core/commitMessage";

test("the repository is looked at as far as the workspace has it", () => {
  assert.equal(folderOf("file:///p", ["file:///p"]), "file:///p");
  assert.equal(folderOf("file:///p/inner", ["file:///other", "file:///p"]), "file:///p/inner");
  assert.equal(folderOf("file:///p", ["file:///other", "file:///p/shop"]), "file:///p/shop");
  assert.equal(folderOf("file:///p", ["file:///pack"]), "file:///p", "the server says why not");
});
