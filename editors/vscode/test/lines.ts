// A text in memory, for tests.
import { linesOf, type Position, type Text } from "../src/core/text";

export function lines(text: string): Text {
  const starts = [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map((found) => found.index + found[0].length)];
  const all = linesOf(text);
  const within = (value: number, most: number) => Math.max(0, Math.min(value, most));
  return {
    lineCount: all.length,
    line: (number) => all[number] ?? "",
    slice: (start, end) => text.slice(start, end),
    offsetAt: ({ line, character }: Position) =>
      line >= all.length ? text.length : (starts[line] ?? 0) + within(character, all[line]?.length ?? 0),
    positionAt: (offset) => {
      const at = within(offset, text.length);
      const line = starts.filter((start) => start <= at).length - 1;
      return { line, character: at - (starts[line] ?? 0) };
    },
  };
}

/** A random number generator that gives the same numbers for the same seed: below 1, as Math.random. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
