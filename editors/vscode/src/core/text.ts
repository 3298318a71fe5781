// A text with lines, as the editor counts: 0-based lines, columns and offsets in UTF-16 units.

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** What this needs of a document; `vscode.TextDocument` is wrapped into one. */
export interface Text {
  readonly lineCount: number;
  /** Without its line end. */
  line(number: number): string;
  slice(start: number, end: number): string;
  /** Positions outside of the text are brought to the nearest one within. */
  offsetAt(position: Position): number;
  positionAt(offset: number): Position;
}

/** The lines of a text, without their ends. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

/** How many columns a text takes, tabs included; `column` is where it begins. */
export function widthOf(text: string, tabSize: number, column = 0): number {
  let at = column;
  for (const character of text) {
    at += character === "\t" ? tabSize - (at % tabSize) : 1;
  }
  return at - column;
}
