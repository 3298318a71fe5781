import assert from "node:assert/strict";
import { test } from "node:test";
import { describeComplete, describePlaces, describeRefusal, describeStatus, describeUses, describeWhy, parseRefusal, statusBarContent, type StatusBarState } from "../src/core/messages";
import type { FinishResult } from "../src/core/protocol";

const ready: StatusBarState = { server: "running", isRequesting: false, nextEdit: undefined, silence: undefined, error: undefined, placesLeft: "" };

test("the status bar shows the server's state", () => {
  assert.match(statusBarContent(ready).text, /check/);
  assert.match(statusBarContent({ ...ready, isRequesting: true }).text, /loading/);
  assert.match(statusBarContent({ ...ready, nextEdit: "line 7, rename" }).tooltip, /Your next edit: line 7, rename/);
  assert.match(statusBarContent({ ...ready, server: "starting" }).tooltip, /starting/);
  assert.match(statusBarContent({ ...ready, server: "installing" }).tooltip, /installing/);
  assert.match(statusBarContent({ ...ready, server: "off" }).tooltip, /off/);
});

test("the status bar counts the places that are left", () => {
  const { text, tooltip } = statusBarContent({ ...ready, placesLeft: "3 places left" });
  assert.equal(text, "$(check) Editahead: 3 places left");
  assert.match(tooltip, /Your change: 3 places left\.$/);
  assert.doesNotMatch(statusBarContent({ ...ready, server: "starting", placesLeft: "3 places left" }).text, /left/);
});

const nothingLeft: FinishResult = {
  complete: true,
  edit: {},
  looked: { files: 4, rules: 1, ms: 3 },
  places: [],
  uses: [],
  unsearched: [],
};

test("a complete change", () => {
  const text = describeComplete(nothingLeft);
  assert.equal(text, "Editahead: Complete, as far as 1 rule tells. Files searched: 4.");
  assert.equal(describeUses(nothingLeft), undefined);
});

test("uses to look at", () => {
  const place = { line: 2, character: 4 };
  const use = { uri: "file:///a.py", range: { start: place, end: place }, text: "x.old()", why: "`old` was renamed to `new` in b.py:1." };
  const text = describeUses({ ...nothingLeft, complete: false, uses: [use, use], unsearched: ["run"] });
  assert.equal(text, "Editahead: 2 uses to look at. `old` was renamed to `new` in b.py:1. Not all files with run were looked at.");
});

test("a stopped server and an unreachable model are warnings", () => {
  const stopped = statusBarContent({ ...ready, server: "stopped", error: "No Python." });
  assert.deepEqual([stopped.tooltip, stopped.isWarning], ["No Python.", true]);
  const silence = { reason: "engine-unavailable", detail: "Connection refused." };
  const unreachable = statusBarContent({ ...ready, silence });
  assert.ok(unreachable.isWarning);
  assert.match(unreachable.tooltip, /Connection refused/);
});

test("silence has a reason", () => {
  assert.match(statusBarContent({ ...ready, silence: { reason: "excluded", detail: "Git ignores it." } }).tooltip, /Git ignores it/);
  const quiet = statusBarContent({ ...ready, silence: { reason: "below-threshold", detail: "Not sure." } });
  assert.match(quiet.tooltip, /Ready.*No prediction here: Not sure/);
});

test("the explanation lists the candidates", () => {
  const candidates = [{ source: "propagation", label: "rename", confidence: 0.123, verdict: "below-threshold" }];
  const text = describeWhy({ shown: [], silence: { reason: "below-threshold", detail: "Not sure." }, candidates });
  assert.equal(text, "Editahead shows nothing: Not sure.\n  12 %  rename (propagation): below threshold");
  const shown = [{ ...candidates[0]!, verdict: "shown" }];
  assert.match(describeWhy({ shown: ["p-1"], silence: null, candidates: shown }), /^Editahead shows “rename”: the edit repeats your recent/);
  assert.match(describeWhy({ shown: [], silence: null, candidates: [] }), /no prediction here yet/);
});

test("the server's status", () => {
  const text = describeStatus({
    version: "0.1.0",
    backend: { name: "openai", state: "unavailable", detail: "refused" },
    model: "m",
    documents: 2,
    latency: { p50: 1.4, p95: 7.6 },
    outcomes: { shown: 3, accepted: 2, rejected: 1 },
  });
  assert.match(text, /0\.1\.0, openai \(unavailable: refused\), m · /);
  assert.match(text, /1 ms \(p50\), 8 ms/);
});

test("a refusal names the part and the reason", () => {
  const refusal = parseRefusal({ reason: "ambiguous", part: "\n  x = 1\n  y = 2", near: [] });
  assert.ok(refusal);
  assert.equal(describeRefusal(refusal, ""), "Nothing was changed: one part of the sketch fits several places. The part is “x = 1”.");
  assert.match(describeRefusal({ reason: "new-one", part: "", near: [], model: "", choices: [] }, "Because."), /Nothing was changed: Because\.$/);
  const withModel = parseRefusal({ reason: "ambiguous", part: "", near: [], model: "The model would change nothing." });
  assert.ok(withModel !== undefined);
  assert.match(describeRefusal(withModel, ""), /several places\. The model would change nothing\.$/);
});

test("a refusal may have choices, with their places", () => {
  const places = [
    { uri: "file:///p/a%20b.py", line: 3 },
    { uri: "file:///p/c.py", line: 0 },
  ];
  const choices = [{ id: "1", title: "replace `load()`", places, diff: "", likelihood: 0.6 }];
  assert.deepEqual(parseRefusal({ reason: "ambiguous", part: "", near: [], choices })?.choices, choices);
  assert.deepEqual(parseRefusal({ reason: "ambiguous", choices: "none" })?.choices, []);
  assert.equal(describePlaces(places), "a b.py, line 4; c.py, line 1");
});

test("other error data is not a refusal", () => {
  for (const data of [undefined, null, "text", {}, { reason: 1 }]) assert.equal(parseRefusal(data), undefined);
});
