import assert from "node:assert/strict";
import { test } from "node:test";
import { refusalOf, refusalText, serverText, statusText, whyText, type Present } from "../src/core/messages";

const ready: Present = { health: "running", thinking: false, next: undefined, silence: undefined, problem: undefined };

test("the status bar says what the server is at", () => {
  assert.match(statusText(ready).text, /check/);
  assert.match(statusText({ ...ready, thinking: true }).text, /loading/);
  assert.match(statusText({ ...ready, next: "line 7, rename" }).tooltip, /Tab.*line 7, rename/);
  assert.match(statusText({ ...ready, health: "starting" }).tooltip, /starting/);
  assert.match(statusText({ ...ready, health: "installing" }).tooltip, /installed/);
  assert.match(statusText({ ...ready, health: "off" }).tooltip, /off/);
});

test("a server that is gone, and a model that is, are warned of", () => {
  const gone = statusText({ ...ready, health: "gone", problem: "No Python." });
  assert.deepEqual([gone.tooltip, gone.warns], ["No Python.", true]);
  const silence = { reason: "engine-unavailable", detail: "Connection refused." };
  const away = statusText({ ...ready, silence });
  assert.ok(away.warns);
  assert.match(away.tooltip, /Connection refused/);
});

test("silence says why", () => {
  assert.match(statusText({ ...ready, silence: { reason: "excluded", detail: "Git ignores it." } }).tooltip, /Git ignores it/);
  const quiet = statusText({ ...ready, silence: { reason: "below-threshold", detail: "Not sure." } });
  assert.match(quiet.tooltip, /Ready.*below-threshold.*Not sure/);
});

test("why", () => {
  const candidates = [{ source: "propagation", label: "rename", confidence: 0.123, verdict: "below-threshold" }];
  const text = whyText({ shown: [], silence: { reason: "below-threshold", detail: "Not sure." }, candidates });
  assert.equal(text, "Editahead shows nothing (below-threshold): Not sure.\n  12 %  rename (propagation): below-threshold");
  const shown = [{ ...candidates[0]!, verdict: "shown" }];
  assert.match(whyText({ shown: ["p-1"], silence: null, candidates: shown }), /^Editahead shows “rename”: it follows from your last/);
  assert.match(whyText({ shown: [], silence: null, candidates: [] }), /nothing here yet/);
});

test("the server's status", () => {
  const text = serverText({
    version: "0.1.0",
    backend: { name: "openai", state: "unavailable", detail: "refused" },
    model: "m",
    documents: 2,
    latency: { p50: 1.4, p95: 7.6 },
    outcomes: { shown: 3, accepted: 2, rejected: 1 },
  });
  assert.match(text, /0\.1\.0, openai \(unavailable: refused\), m · /);
  assert.match(text, /1 ms \(half\), 8 ms/);
});

test("a refusal says which part and why", () => {
  const refusal = refusalOf({ reason: "ambiguous", part: "\n  x = 1\n  y = 2", near: [] });
  assert.ok(refusal);
  assert.equal(refusalText(refusal, ""), "Nothing was changed: a part of it fits several places (ambiguous). It is about “x = 1”.");
  assert.match(refusalText({ reason: "new-one", part: "", near: [], model: "" }, "Because."), /Because\. \(new-one\)/);
  const asked = refusalOf({ reason: "ambiguous", part: "", near: [], model: "The model would change nothing." });
  assert.ok(asked !== undefined);
  assert.match(refusalText(asked, ""), /\(ambiguous\)\. The model would change nothing\.$/);
});

test("other errors are no refusals", () => {
  for (const data of [undefined, null, "text", {}, { reason: 1 }]) assert.equal(refusalOf(data), undefined);
});
