// VS Code's list of suggestions, as far as an extension hears of it: each request for ghost text names the selected item.

/** What the setting `suggestionList` says: an open list keeps Tab, or closes when an edit is shown in sight. */
export type ListSetting = "keep" | "close";

/** The time after a change within which a list opens by itself. One that opens later was opened by the user. */
const OPENS_WITHIN_MS = 1_500;

export class SuggestionList<Item> {
  private selected: Item | undefined;
  private changedAt = -Infinity;
  private hasClosed = false;

  /** The selected item; undefined while no list is known to be open. */
  get item(): Item | undefined {
    return this.selected;
  }

  /** Handle a request for ghost text, which names the selected item. */
  onSelect(item: Item | undefined): void {
    this.selected = item;
  }

  /** Handle a change of the text at a time in ms. */
  onChange(now: number): void {
    this.changedAt = now;
    this.hasClosed = false;
  }

  /** Close an open list that opened by itself, once after a change; return whether it closes. */
  close(now: number): boolean {
    if (this.selected === undefined || this.hasClosed || now - this.changedAt > OPENS_WITHIN_MS) return false;
    this.hasClosed = true;
    this.selected = undefined;
    return true;
  }
}

/**
 * Return the text that takes an item's place and goes on from there; undefined when the ghost text does not begin like the item.
 *
 * @param before The text from the start of the item's range to the cursor.
 * @param ghostText The text to insert at the cursor.
 * @param item The text of the item.
 */
export function extendItem(before: string, ghostText: string, item: string): string | undefined {
  const whole = before + ghostText;
  return whole.startsWith(item) && whole.length > item.length ? whole : undefined;
}
