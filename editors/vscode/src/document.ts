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

const CELL_SCHEME = "vscode-notebook-cell";

/** The documents that the server handles. */
export const DOCUMENT_SELECTOR = [{ scheme: "file" }, { scheme: "untitled" }, { scheme: CELL_SCHEME }];

export function isSupported(document: vscode.TextDocument): boolean {
  return DOCUMENT_SELECTOR.some(({ scheme }) => document.uri.scheme === scheme);
}

/** Return the path of a file in the workspace; of a cell, that of its notebook and the number of the cell. */
export function nameOf(uri: vscode.Uri): string {
  const isThis = ({ document }: vscode.NotebookCell) => document.uri.toString() === uri.toString();
  for (const notebook of vscode.workspace.notebookDocuments) {
    const cell = notebook.getCells().find(isThis);
    if (cell !== undefined) return `${vscode.workspace.asRelativePath(notebook.uri)}, cell ${cell.index + 1}`;
  }
  return vscode.workspace.asRelativePath(uri);
}

/** Show a document or a cell, and return its editor. */
export async function showDocument(uri: vscode.Uri): Promise<vscode.TextEditor | undefined> {
  if (uri.scheme !== CELL_SCHEME) return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
  await vscode.commands.executeCommand("vscode.open", uri);
  const editor = vscode.window.activeTextEditor;
  return editor?.document.uri.toString() === uri.toString() ? editor : undefined;
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
