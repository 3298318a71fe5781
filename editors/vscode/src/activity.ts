// Whether predictions are wanted: switched on or off, and snoozed for a while.
import * as vscode from "vscode";

const MINUTE_MS = 60_000;
/** The longest delay of a timer, 25 days. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export class Activity implements vscode.Disposable {
  private isSwitchedOn = true;
  /** Ends the snooze. */
  private snoozeTimer: NodeJS.Timeout | undefined;
  private snoozeEnd: Date | undefined;
  private readonly changeEmitter = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changeEmitter.event;

  /** Whether predictions are wanted: neither switched off nor snoozed. */
  get isEnabled(): boolean {
    return this.isSwitchedOn && this.snoozeTimer === undefined;
  }

  /** When the snooze ends; undefined without one. */
  get snoozedUntil(): Date | undefined {
    return this.snoozeTimer === undefined ? undefined : this.snoozeEnd;
  }

  /** Turn the predictions on or off. A snooze ends. */
  setEnabled(isEnabled: boolean): void {
    clearTimeout(this.snoozeTimer);
    this.snoozeTimer = undefined;
    this.isSwitchedOn = isEnabled;
    this.changeEmitter.fire();
  }

  /** Show nothing for some minutes. */
  snooze(minutes: number): void {
    clearTimeout(this.snoozeTimer);
    const ms = Math.min(minutes * MINUTE_MS, MAX_TIMEOUT_MS);
    this.snoozeEnd = new Date(Date.now() + ms);
    this.snoozeTimer = setTimeout(() => {
      this.snoozeTimer = undefined;
      this.changeEmitter.fire();
    }, ms);
    this.changeEmitter.fire();
  }

  dispose(): void {
    clearTimeout(this.snoozeTimer);
    this.changeEmitter.dispose();
  }
}
