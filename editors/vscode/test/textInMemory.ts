// A text in memory and a seeded random number generator, for tests.
import { splitLines, type Position, type Text } from "../src/core/text";

export function textInMemory(text: string): Text {
  const starts = [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map((match) => match.index + match[0].length)];
  const lines = splitLines(text);
  const clamp = (value: number, max: number) => Math.max(0, Math.min(value, max));
  return {
    lineCount: lines.length,
    line: (number) => lines[number] ?? "",
    slice: (start, end) => text.slice(start, end),
    offsetAt: ({ line, character }: Position) =>
      line >= lines.length ? text.length : (starts[line] ?? 0) + clamp(character, lines[line]?.length ?? 0),
    positionAt: (offset) => {
      const at = clamp(offset, text.length);
      const line = starts.filter((start) => start <= at).length - 1;
      return { line, character: at - (starts[line] ?? 0) };
    },
  };
}

/** Return a generator like `Math.random`, with the same numbers for the same seed. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
