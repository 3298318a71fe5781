// Conversions between VS Code's documents and positions and those of `core`.
import * as vscode from "vscode";
import type { Position, Range, Text } from "./core/text";

/** Return a view of a document for `core`. */
export function textOf(document: vscode.TextDocument): Text {
  const positionAt = (offset: number) => document.positionAt(offset);
  return {
    lineCount: document.lineCount,
    line: (number) => document.lineAt(number).text,
    slice: (start, end) => document.getText(new vscode.Range(positionAt(start), positionAt(end))),
    offsetAt: (position) => document.offsetAt(toPosition(position)),
    positionAt,
  };
}

export function toPosition(position: Position): vscode.Position {
  return new vscode.Position(position.line, position.character);
}

export function toRange(range: Range): vscode.Range {
  return new vscode.Range(toPosition(range.start), toPosition(range.end));
}

/** The documents that the server handles. */
export const DOCUMENT_SELECTOR = [{ scheme: "file" }, { scheme: "untitled" }];

export function isSupported(document: vscode.TextDocument): boolean {
  return DOCUMENT_SELECTOR.some(({ scheme }) => document.uri.scheme === scheme);
}

/** Whether VS Code shows ghost text in a document. */
export function isGhostTextEnabled(document: vscode.TextDocument): boolean {
  return vscode.workspace.getConfiguration("editor.inlineSuggest", document).get("enabled", true);
}

/** Return the document, its version and the cursor: a request depends on nothing else. */
export function stateOf(editor: vscode.TextEditor): string {
  const { line, character } = editor.selection.active;
  return `${editor.document.uri.toString()}:${editor.document.version}:${line}:${character}`;
}

/** Return whether a change undid or redid another. */
export function reasonOf(event: vscode.TextDocumentChangeEvent): "undo" | "redo" | undefined {
  if (event.reason === vscode.TextDocumentChangeReason.Undo) return "undo";
  return event.reason === vscode.TextDocumentChangeReason.Redo ? "redo" : undefined;
}

/** Whether the user moved the cursor, with a key or the mouse. */
export function isByUser(kind: vscode.TextEditorSelectionChangeKind | undefined): boolean {
  return kind === vscode.TextEditorSelectionChangeKind.Keyboard || kind === vscode.TextEditorSelectionChangeKind.Mouse;
}
