// A document of VS Code as a `Text`, and places as VS Code's.
import * as vscode from "vscode";
import type { Position, Range, Text } from "./core/text";

export function textOf(document: vscode.TextDocument): Text {
  const place = (offset: number) => document.positionAt(offset);
  return {
    lineCount: document.lineCount,
    line: (number) => document.lineAt(number).text,
    slice: (start, end) => document.getText(new vscode.Range(place(start), place(end))),
    offsetAt: (position) => document.offsetAt(positionOf(position)),
    positionAt: place,
  };
}

export function positionOf(position: Position): vscode.Position {
  return new vscode.Position(position.line, position.character);
}

export function rangeOf(range: Range): vscode.Range {
  return new vscode.Range(positionOf(range.start), positionOf(range.end));
}

/** Documents that the server is for. */
export const SELECTOR = [{ scheme: "file" }, { scheme: "untitled" }];

export function isWanted(document: vscode.TextDocument): boolean {
  return SELECTOR.some(({ scheme }) => document.uri.scheme === scheme);
}
