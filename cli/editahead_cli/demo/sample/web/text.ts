const NAMES = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** "Tue 4" for the fourth, a Tuesday. */
export function day(iso: string): string {
  const date = new Date(iso);
  return `${NAMES[date.getUTCDay()]} ${date.getUTCDate()}`;
}

/** "12.50" for 1250 cents. */
export function euros(cents: number): string {
  return (cents / 100).toFixed(2);
}

/** "3 nights", "1 night". */
export function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? "" : "s"}`;
}
