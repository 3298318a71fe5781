// The places that Tabs in a row went to, with nothing typed or moved in between. Without them, predictions that point at each
// other would lead the cursor back and forth.

/** A prediction, as far as a chain of jumps depends on it. */
export interface Destination {
  readonly id: string;
  /** The document and position that Tab goes to. */
  readonly place: string;
  /** Whether Tab accepts an edit at the cursor, instead of going to the place. */
  readonly isHere: boolean;
}

export class JumpChain {
  private readonly visited = new Set<string>();
  private lastId: string | undefined;

  /** Record a jump. */
  onJump({ id, place }: Pick<Destination, "id" | "place">): void {
    this.visited.add(place);
    this.lastId = id;
  }

  /** Forget the chain: the user typed, or moved the cursor. */
  end(): void {
    this.visited.clear();
    this.lastId = undefined;
  }

  /** Return the predictions without those that lead back, and first the one that was gone to. */
  order<T extends Destination>(predictions: readonly T[]): T[] {
    const left = predictions.filter(({ place, isHere }) => isHere || !this.visited.has(place));
    const reached = left.filter(({ id, isHere }) => isHere && id === this.lastId);
    return [...reached, ...left.filter((prediction) => !reached.includes(prediction))];
  }
}
