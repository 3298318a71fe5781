// Text documents as LSP and VS Code count them: 0-based lines, columns and offsets in UTF-16 units.

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** The part of `vscode.TextDocument` that `core` reads. */
export interface Text {
  readonly lineCount: number;
  /** Return a line without its line end. */
  line(number: number): string;
  slice(start: number, end: number): string;
  /** Convert a position, clamped to the text. */
  offsetAt(position: Position): number;
  positionAt(offset: number): Position;
}

/** Split a text into lines without their line ends. */
export function splitLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

/** Return the number of columns that a text occupies from `column` on, with tabs expanded. */
export function displayWidth(text: string, tabSize: number, column = 0): number {
  let at = column;
  for (const character of text) {
    at += character === "\t" ? tabSize - (at % tabSize) : 1;
  }
  return at - column;
}
