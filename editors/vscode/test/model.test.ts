import assert from "node:assert/strict";
import { test } from "node:test";
import { modelCommand } from "../src/core/environment";
import { lastLine } from "../src/core/messages";

test("the model is set up by the server's program", () => {
  const wanted = ["models", "use", "editahead-coder", "--install"];
  assert.deepEqual(modelCommand({ command: "/bin/editahead", args: ["lsp"] }), { command: "/bin/editahead", args: wanted });
  assert.deepEqual(modelCommand({ command: "python3", args: ["-m", "editahead_cli.main", "lsp"] }).args, ["-m", "editahead_cli.main", ...wanted]);
  assert.throws(() => modelCommand({ command: "start.sh", args: ["--stdio"] }), /server\.command/);
});

test("the last line of an output is what it says", () => {
  assert.equal(lastLine("one\ntwo \n\n"), "two");
  assert.equal(lastLine("10 %\r20 %\r"), "20 %");
  assert.equal(lastLine("\n"), "");
});
