import assert from "node:assert/strict";
import { test } from "node:test";
import { commandOf, inEnvironment, installProblem, isRecent, onPath, pythons } from "../src/core/environment";
import { serverOptions } from "../src/core/settings";

test("PATH is searched in order, and never relative to the open folder", () => {
  assert.deepEqual(onPath("editahead", "/a:.::bin:/b", false), ["/a/editahead", "/b/editahead"]);
  assert.deepEqual(onPath("editahead", "C:\\a;.", true), ["C:\\a\\editahead.exe"]);
  assert.deepEqual(onPath("editahead", undefined, false), []);
});

test("an environment's programs", () => {
  assert.equal(inEnvironment("/s/server", "python", false), "/s/server/bin/python");
  assert.equal(inEnvironment("C:\\s", "python", true), "C:\\s\\Scripts\\python.exe");
});

test("Pythons that are new enough", () => {
  assert.ok(isRecent("Python 3.11.2\n"));
  assert.ok(isRecent("Python 4.0.0"));
  assert.ok(!isRecent("Python 3.10.9"));
  assert.ok(!isRecent("Python 2.7.18"));
  assert.ok(!isRecent(""));
  assert.deepEqual(pythons("/my/python", false), ["/my/python"]);
  assert.equal(pythons(undefined, false)[0], "python3.14");
});

test("what can be done about a failed installation", () => {
  const down = "WARNING: Retrying after connection broken by 'NewConnectionError(...)'\nERROR: No matching distribution found for attrs";
  assert.match(installProblem(down), /package index cannot be reached.*editahead\.server\.command/);
  const none = "ERROR: Could not find a version that satisfies the requirement attrs>=25 (from versions: none)\nERROR: No matching ...";
  assert.match(installProblem(none), /package index cannot be reached/);
  assert.match(installProblem("The virtual environment was not created successfully because ensurepip is not\navailable."), /python3-venv/);
  assert.match(installProblem("Collecting x\nERROR: No space left\nhint: ..."), /: ERROR: No space left$/);
});

test("a command line is a list of words", () => {
  assert.deepEqual(commandOf(["x", "lsp", "-v"]), { command: "x", args: ["lsp", "-v"] });
  assert.deepEqual(commandOf("x"), { command: "x", args: ["lsp"] });
  for (const wrong of [[], [1], "", {}, [""]]) assert.equal(commandOf(wrong), undefined);
});

test("only what a person set is sent, and nothing of a workspace that says where code goes", () => {
  const found: Record<string, object> = {
    eagerness: { defaultValue: 0.5, workspaceValue: 0.9, globalValue: 0.1 },
    exclude: { globalValue: ["x"] },
    url: { workspaceValue: "https://example.org", workspaceFolderValue: "https://example.org" },
    telemetry: { workspaceValue: "local", globalValue: "off" },
    learning: { workspaceFolderValue: false, workspaceValue: true },
  };
  const options = serverOptions((name) => found[name]);
  assert.equal(options.eagerness, 0.9);
  assert.deepEqual(options.exclude, ["x"]);
  assert.equal(options.url, null);
  assert.equal(options.telemetry, "off");
  assert.equal(options.learning, false);
  assert.equal(options.log_level, null);
});
