import assert from "node:assert/strict";
import { test } from "node:test";
import { ContextKeyService } from "../src/core/contextKeys";

/** VS Code, which has a key only once it is told to go on. */
class Host {
  readonly sent: string[] = [];
  private readonly waiting: (() => void)[] = [];
  readonly calls: string[] = [];
  readonly keys = new ContextKeyService((key, value) => {
    this.sent.push(`${key}=${value}`);
    return new Promise<void>((resolve) => this.waiting.push(resolve));
  });

  set(name: string, keys: Record<string, boolean>): void {
    this.keys.set(keys, () => this.calls.push(name));
  }

  /** Have the keys that were sent first. */
  async goOn(count: number): Promise<void> {
    for (const resolve of this.waiting.splice(0, count)) resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("what depends on keys waits until VS Code has all of them", async () => {
  const host = new Host();
  host.set("first", { shown: true, here: false });
  assert.deepEqual(host.sent, ["shown=true", "here=false"]);
  await host.goOn(1);
  assert.deepEqual(host.calls, []);
  await host.goOn(1);
  assert.deepEqual(host.calls, ["first"]);
});

test("keys that VS Code has are not sent, and nothing waits", async () => {
  const host = new Host();
  host.set("first", { shown: true, here: false });
  await host.goOn(2);
  host.set("same", { shown: true, here: false });
  assert.deepEqual([host.sent.length, host.calls], [2, ["first", "same"]]);
  host.set("other", { shown: true, here: true });
  assert.deepEqual(host.sent.slice(2), ["here=true"]);
  assert.deepEqual(host.calls, ["first", "same"]);
});

test("keys set again before VS Code has the first make the first call outdated", async () => {
  const host = new Host();
  host.set("first", { shown: true });
  host.set("second", { shown: true });
  host.set("third", { shown: false });
  await host.goOn(1);
  assert.deepEqual(host.calls, []);
  await host.goOn(1);
  assert.deepEqual([host.sent, host.calls], [["shown=true", "shown=false"], ["third"]]);
});

test("a key that VS Code refuses holds nothing up", async () => {
  const calls: string[] = [];
  const keys = new ContextKeyService(() => Promise.reject(new Error("closed")));
  keys.set({ shown: true }, () => calls.push("set"));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(calls, ["set"]);
});
