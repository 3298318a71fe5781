import assert from "node:assert/strict";
import { test } from "node:test";
import { ChangeLog } from "../src/core/changeLog";
import { applyEdits, groupByFile, type FileChange } from "../src/core/workspaceEdit";
import { textInMemory } from "./textInMemory";

const URI = "file:///a";
const range = (startLine: number, start: number, endLine: number, end: number) => ({
  start: { line: startLine, character: start },
  end: { line: endLine, character: end },
});
const insert = (line: number, character: number, text: string) => ({ range: range(line, character, line, character), text });

/** Replace the third line of a file with version 4. */
function plan(): FileChange {
  const edits = [{ range: range(2, 0, 3, 0), newText: "C\n" }];
  const [planned] = groupByFile({ documentChanges: [{ textDocument: { uri: URI, version: 4 }, edits }] });
  return planned!;
}

test("an edit moves along with what was typed on other lines since its version", () => {
  const log = new ChangeLog();
  log.add(URI, 4, [insert(2, 0, "earlier than the edit")]);
  log.add(URI, 5, [insert(0, 1, "x")]);
  log.add(URI, 6, [insert(5, 0, "z"), insert(1, 0, "new\n")]); // VS Code gives the last place first
  const moved = log.moveAlong(URI, plan(), 6);
  assert.equal(moved?.version, 6);
  assert.equal(applyEdits(moved!, textInMemory("ax\nnew\nb\nc\nd\ne\nzf\n")).text, "ax\nnew\nb\nC\nd\ne\nzf\n");
});

test("an edit moves up where lines were deleted above", () => {
  const log = new ChangeLog();
  log.add(URI, 5, [{ range: range(0, 0, 1, 0), text: "" }]);
  assert.equal(applyEdits(log.moveAlong(URI, plan(), 5)!, textInMemory("b\nc\nd\n")).text, "b\nC\nd\n");
});

test("an edit does not follow a change of its lines, nor what is not recorded", () => {
  const log = new ChangeLog();
  assert.equal(log.moveAlong(URI, plan(), 5), undefined);
  log.add(URI, 5, [insert(2, 1, "x")]);
  assert.equal(log.moveAlong(URI, plan(), 5), undefined);
  log.add("file:///b", 9, [insert(0, 0, "x")]);
  assert.equal(log.moveAlong(URI, plan(), 9), undefined);
});

test("an edit of the present version, and of a file that was not open, stays as it is", () => {
  const log = new ChangeLog();
  assert.deepEqual(log.moveAlong(URI, plan(), 4), plan());
  const closed = { ...plan(), version: undefined };
  assert.equal(log.moveAlong(URI, closed, 1), closed);
});
