import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { describeInstallFailure, executableInVenv, executablesOnPath, isSupportedPython, parseServerCommand, pythonCandidates, serverEnvironment, wheelStamp } from "../src/core/environment";
import { SERVER_SETTINGS, serverOptions } from "../src/core/settings";

test("relative folders on PATH are skipped", () => {
  assert.deepEqual(executablesOnPath("editahead", "/a:.::bin:/b", false), ["/a/editahead", "/b/editahead"]);
  assert.deepEqual(executablesOnPath("editahead", "C:\\a;.", true), ["C:\\a\\editahead.exe"]);
  assert.deepEqual(executablesOnPath("editahead", undefined, false), []);
});

test("two builds of one version have different stamps", () => {
  const stamp = wheelStamp(Buffer.from("a wheel"));
  assert.equal(wheelStamp(Buffer.from("a wheel")), stamp);
  assert.notEqual(wheelStamp(Buffer.from("a whee1")), stamp);
  assert.match(stamp, /^[0-9a-f]{64}\n$/);
});

test("executables in a virtual environment", () => {
  assert.equal(executableInVenv("/s/server", "python", false), "/s/server/bin/python");
  assert.equal(executableInVenv("C:\\s", "python", true), "C:\\s\\Scripts\\python.exe");
});

test("Python 3.11 and newer is supported", () => {
  assert.ok(isSupportedPython("Python 3.11.2\n"));
  assert.ok(isSupportedPython("Python 4.0.0"));
  assert.ok(!isSupportedPython("Python 3.10.9"));
  assert.ok(!isSupportedPython("Python 2.7.18"));
  assert.ok(!isSupportedPython(""));
  assert.deepEqual(pythonCandidates("/my/python", false), ["/my/python"]);
  assert.equal(pythonCandidates(undefined, false)[0], "python3.14");
});

test("a failed installation names a remedy", () => {
  const unreachable = "WARNING: Retrying after connection broken by 'NewConnectionError(...)'\nERROR: No matching distribution found for attrs";
  assert.match(describeInstallFailure(unreachable), /package index is unreachable.*editahead\.server\.command/);
  const withoutRetries = "ERROR: Could not find a version that satisfies the requirement attrs>=25 (from versions: none)\nERROR: No matching ...";
  assert.match(describeInstallFailure(withoutRetries), /package index is unreachable/);
  assert.match(describeInstallFailure("The virtual environment was not created successfully because ensurepip is not\navailable."), /python3-venv/);
  assert.match(describeInstallFailure("Collecting x\nERROR: No space left\nhint: ..."), /: ERROR: No space left$/);
});

test("a command line is a list of non-empty strings", () => {
  assert.deepEqual(parseServerCommand(["x", "lsp", "-v"]), { command: "x", args: ["lsp", "-v"] });
  assert.deepEqual(parseServerCommand("x"), { command: "x", args: ["lsp"] });
  for (const wrong of [[], [1], "", {}, [""]]) assert.equal(parseServerCommand(wrong), undefined);
});

test("only set values are sent, and restricted ones never from a workspace", () => {
  const settings: Record<string, object> = {
    eagerness: { defaultValue: 0.5, workspaceValue: 0.9, globalValue: 0.1 },
    exclude: { globalValue: ["x"] },
    url: { workspaceValue: "https://example.org", workspaceFolderValue: "https://example.org" },
    telemetry: { workspaceValue: "local", globalValue: "off" },
    learning: { workspaceFolderValue: false, workspaceValue: true },
  };
  const options = serverOptions((name) => settings[name]);
  assert.equal(options.eagerness, 0.9);
  assert.deepEqual(options.exclude, ["x"]);
  assert.equal(options.url, null);
  assert.equal(options.telemetry, "off");
  assert.equal(options.learning, false);
  assert.equal(options.log_level, null);
});

test("before trust, the server has no index and no model", () => {
  const own = { PATH: "/bin", EDITAHEAD_BACKEND: "openai", EDITAHEAD_INDEX: "on", PYTHONSAFEPATH: "" };
  const before = serverEnvironment(own, false);
  assert.equal(before.EDITAHEAD_BACKEND, "embedded");
  assert.equal(before.EDITAHEAD_INDEX, "off");
  assert.equal(before.EDITAHEAD_SEARCH_ENCODER, "off");
  assert.deepEqual(serverEnvironment(own, true), { ...own, PYTHONSAFEPATH: "1" });
  assert.equal(before.PATH, "/bin");
});

test("each setting of the server that can be set in VS Code is sent", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
    contributes: { configuration: { properties: Record<string, { default: unknown }> } };
  };
  const { properties } = manifest.contributes.configuration; // the extension's own settings have a default
  const names = Object.keys(properties).filter((name) => properties[name]?.default === null);
  assert.deepEqual(names.map((name) => name.replace("editahead.", "")).sort(), [...SERVER_SETTINGS].sort());
});
