import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { eagernessLevels, menuGroups, toggleLanguage, type MenuEntry, type MenuState } from "../src/core/menu";

const ready: MenuState = {
  now: "Ready. No prediction here: Nothing has been edited yet.",
  server: "running",
  isEnabled: true,
  snoozedUntil: undefined,
  language: "python",
  isLanguageOff: false,
  eagerness: null,
  placesLeft: "",
};

function entries(changes: Partial<MenuState> = {}): MenuEntry[] {
  return menuGroups({ ...ready, ...changes }).flatMap((group) => group.entries);
}
const labels = (changes: Partial<MenuState> = {}) => entries(changes).map(({ label }) => label);

test("the menu says what Editahead does now, and explains it", () => {
  assert.deepEqual(entries()[0], { label: ready.now, description: "why", command: "editahead.explain" });
  assert.equal(entries({ now: "Your next edit: line 1, $(sync~spin) -> $(x." })[0]?.label, "Your next edit: line 1, \\$(sync~spin) -> $(x.");
});

test("the menu of a stopped server restarts it", () => {
  const [first] = entries({ server: "stopped", now: "No Python." });
  assert.deepEqual([first?.label, first?.command], ["No Python.", "editahead.restartServer"]);
});

test("what is on can be snoozed and turned off", () => {
  const snoozes = entries().filter(({ command }) => command === "editahead.snooze");
  assert.deepEqual(snoozes.map(({ args }) => args), [[5], [15], [60]]);
  assert.ok(labels().includes("Turn Off in This Workspace"));
  assert.ok(labels().includes("Turn Off for python"));
});

test("what is off can be turned on, and a snooze ended", () => {
  const off = labels({ isEnabled: false });
  assert.ok(off.includes("Turn On in This Workspace"));
  assert.ok(!off.some((label) => label.startsWith("Snooze")));
  const snoozed = entries({ isEnabled: false, snoozedUntil: "10:30" });
  const end = snoozed.find(({ label }) => label === "End the Snooze");
  assert.deepEqual([end?.command, end?.description], ["editahead.toggle", "until 10:30"]);
  assert.ok(snoozed.some(({ label }) => label === "Snooze for 1 Hour"), "a snooze can be made longer");
  assert.ok(labels({ isLanguageOff: true }).includes("Turn On for python"));
  assert.ok(!labels({ language: undefined }).some((label) => label.includes(" for python")));
});

test("the menu leads to the places that are left", () => {
  assert.ok(!entries().some(({ command }) => command === "editahead.showLeft"));
  const left = entries({ placesLeft: "3 places left" }).find(({ command }) => command === "editahead.showLeft");
  assert.equal(left?.description, "3 places left");
});

test("each entry runs a command that exists", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { contributes: { commands: { command: string }[] } };
  const commands = new Set(manifest.contributes.commands.map(({ command }) => command));
  for (const { command } of [...entries(), ...entries({ server: "stopped" })]) {
    assert.ok(commands.has(command) || command === "workbench.action.openSettings", command);
  }
});

test("the levels of eagerness name the least confidence", () => {
  const descriptions = eagernessLevels().map(({ description }) => description);
  assert.equal(descriptions[1], "0.5: edits with a confidence of 30 % or more");
  assert.deepEqual(eagernessLevels().map(({ value }) => value), [0.2, 0.5, 0.8, null]);
});

test("a language is turned off and on, and the others stay", () => {
  assert.deepEqual(toggleLanguage({ markdown: false }, "python", false), { markdown: false, python: false });
  assert.deepEqual(toggleLanguage({ markdown: false, python: false }, "python", true), { markdown: false });
  assert.equal(toggleLanguage({ python: false }, "python", true), undefined);
  assert.deepEqual(toggleLanguage({}, "python", true), { python: true }, "a settings file has it off");
});
