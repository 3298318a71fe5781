// The requests that are to be sent in a moment: after the present events, and when the user pauses.
import type { Trigger } from "./core/protocol";

/** The pause after which the server is told that the typing has ended, where it had nothing to show before. */
const PAUSE_MS = 300;

export class RequestTimer {
  private next: { trigger: Trigger; timer: NodeJS.Timeout } | undefined;
  private pause: NodeJS.Timeout | undefined;

  constructor(private readonly request: (trigger: Trigger) => void) {}

  /** Request once the present events are processed; calls until then are combined into one request. */
  schedule(trigger: Trigger): void {
    const combined = this.next?.trigger === "typed" ? "typed" : trigger;
    this.cancelNext();
    this.next = { trigger: combined, timer: setTimeout(() => this.request(combined), 0) };
  }

  cancelNext(): void {
    if (this.next !== undefined) clearTimeout(this.next.timer);
    this.next = undefined;
  }

  schedulePause(): void {
    this.pause = setTimeout(() => this.request("paused"), PAUSE_MS);
  }

  cancelPause(): void {
    clearTimeout(this.pause);
  }
}
