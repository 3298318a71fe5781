// The context keys `editahead.*` of the `when` clauses in package.json, as VS Code has them.

/** Sends the value of a key; resolves once VS Code has it. */
export type SetContext = (key: string, value: boolean) => PromiseLike<unknown>;

export class ContextKeyService {
  private readonly values = new Map<string, boolean>();
  /** Resolves once VS Code has all values; undefined when it has them. */
  private pending: Promise<unknown> | undefined;
  private calls = 0;

  constructor(private readonly setContext: SetContext) {}

  /** Send the keys that change, and call `onSet` once VS Code has all of them, unless keys are set again before. */
  set(keys: Readonly<Record<string, boolean>>, onSet: () => void): void {
    const call = ++this.calls;
    const changed = Object.entries(keys).filter(([key, value]) => this.values.get(key) !== value);
    if (changed.length > 0) {
      for (const [key, value] of changed) this.values.set(key, value);
      const pending = Promise.allSettled([this.pending, ...changed.map(([key, value]) => this.setContext(key, value))]);
      this.pending = pending;
      void pending.then(() => {
        if (this.pending === pending) this.pending = undefined;
      });
    }
    if (this.pending === undefined) return onSet();
    void this.pending.then(() => {
      if (call === this.calls) onSet();
    });
  }
}
