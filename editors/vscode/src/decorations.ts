// Decorations of the active editor, as `core/layout.ts` computes them.
import * as vscode from "vscode";
import type { DecorationLayout } from "./core/layout";
import { toPosition, toRange } from "./document";

const themeColor = (id: string) => new vscode.ThemeColor(id);
// Decorations collapse consecutive blanks.
const keepBlanks = (text: string) => text.replace(/ /g, "\u00a0");

export class Decorations implements vscode.Disposable {
  private readonly deletion = vscode.window.createTextEditorDecorationType({
    color: themeColor("gitDecoration.deletedResourceForeground"),
    textDecoration: "line-through",
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  private readonly insertion = vscode.window.createTextEditorDecorationType({});
  private readonly newLine = vscode.window.createTextEditorDecorationType({});
  private readonly hint = vscode.window.createTextEditorDecorationType({});
  private readonly lines: vscode.TextEditorDecorationType;
  private editor: vscode.TextEditor | undefined;

  constructor(extensionUri: vscode.Uri) {
    const icon = (name: string) => ({ gutterIconPath: vscode.Uri.joinPath(extensionUri, "media", name), gutterIconSize: "contain" });
    this.lines = vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      overviewRulerColor: themeColor("editorOverviewRuler.addedForeground"),
      overviewRulerLane: vscode.OverviewRulerLane.Right,
      light: icon("next-light.svg"),
      dark: icon("next-dark.svg"),
    });
  }

  /** Replace the decorations of an editor, and clear those of the editor before. */
  render(editor: vscode.TextEditor, layout: DecorationLayout, hover: vscode.MarkdownString): void {
    if (this.editor !== editor) this.clear();
    this.editor = editor;
    const style = { color: themeColor("editor.foreground"), backgroundColor: themeColor("diffEditor.insertedTextBackground") };
    const endOf = (line: number) => editor.document.lineAt(line).range.end;
    const emptyRange = (position: vscode.Position) => new vscode.Range(position, position);
    editor.setDecorations(this.deletion, layout.deletions.map(toRange));
    editor.setDecorations(
      this.insertion,
      layout.insertions.map(({ at, text }) => ({
        range: emptyRange(toPosition(at)),
        renderOptions: { before: { ...style, contentText: keepBlanks(text) } },
      })),
    );
    editor.setDecorations(
      this.newLine,
      layout.newLines.map(({ line, gap, text }) => ({
        range: emptyRange(endOf(line)),
        renderOptions: { after: { ...style, contentText: keepBlanks(text) || "\u00a0", margin: `0 0 0 ${gap}ch` } },
      })),
    );
    editor.setDecorations(
      this.hint,
      layout.hints.map(({ line, text }) => ({
        range: emptyRange(endOf(line)),
        renderOptions: { after: { contentText: keepBlanks(text), color: themeColor("editorCodeLens.foreground"), margin: "0 0 0 3ch" } },
      })),
    );
    const { lineRange } = layout;
    editor.setDecorations(
      this.lines,
      lineRange === undefined ? [] : [{ range: new vscode.Range(lineRange[0], 0, lineRange[1], 0), hoverMessage: hover }],
    );
  }

  clear(): void {
    for (const type of this.types()) this.editor?.setDecorations(type, []);
    this.editor = undefined;
  }

  dispose(): void {
    for (const type of this.types()) type.dispose();
  }

  private types(): vscode.TextEditorDecorationType[] {
    return [this.deletion, this.insertion, this.newLine, this.hint, this.lines];
  }
}
