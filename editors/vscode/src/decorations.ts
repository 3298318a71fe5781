// Draws what `core/drawing.ts` has thought out.
import * as vscode from "vscode";
import type { Drawing } from "./core/layout";
import { positionOf, rangeOf } from "./document";

const color = (id: string) => new vscode.ThemeColor(id);
// Decorations would show several blanks as one.
const hard = (text: string) => text.replace(/ /g, "\u00a0");

export class Decorations implements vscode.Disposable {
  private readonly struck = vscode.window.createTextEditorDecorationType({
    color: color("gitDecoration.deletedResourceForeground"),
    textDecoration: "line-through",
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  private readonly added = vscode.window.createTextEditorDecorationType({});
  private readonly beside = vscode.window.createTextEditorDecorationType({});
  private readonly hint = vscode.window.createTextEditorDecorationType({});
  private readonly place: vscode.TextEditorDecorationType;
  private drawn: vscode.TextEditor | undefined;

  constructor(extension: vscode.Uri) {
    const icon = (name: string) => ({ gutterIconPath: vscode.Uri.joinPath(extension, "media", name), gutterIconSize: "contain" });
    this.place = vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      overviewRulerColor: color("editorOverviewRuler.addedForeground"),
      overviewRulerLane: vscode.OverviewRulerLane.Right,
      light: icon("next-light.svg"),
      dark: icon("next-dark.svg"),
    });
  }

  draw(editor: vscode.TextEditor, drawing: Drawing, hover: vscode.MarkdownString): void {
    if (this.drawn !== editor) this.clear();
    this.drawn = editor;
    const put = { color: color("editor.foreground"), backgroundColor: color("diffEditor.insertedTextBackground") };
    const endOf = (line: number) => editor.document.lineAt(line).range.end;
    const at = (position: vscode.Position) => new vscode.Range(position, position);
    editor.setDecorations(this.struck, drawing.strikes.map(rangeOf));
    editor.setDecorations(
      this.added,
      drawing.insertions.map((one) => ({
        range: at(positionOf(one.at)),
        renderOptions: { before: { ...put, contentText: hard(one.text) } },
      })),
    );
    editor.setDecorations(
      this.beside,
      drawing.besides.map((one) => ({
        range: at(endOf(one.line)),
        renderOptions: { after: { ...put, contentText: hard(one.text) || "\u00a0", margin: `0 0 0 ${one.gap}ch` } },
      })),
    );
    editor.setDecorations(
      this.hint,
      drawing.hints.map((one) => ({
        range: at(endOf(one.line)),
        renderOptions: { after: { contentText: hard(one.text), color: color("editorCodeLens.foreground"), margin: "0 0 0 3ch" } },
      })),
    );
    const mark = drawing.mark;
    editor.setDecorations(
      this.place,
      mark === undefined ? [] : [{ range: new vscode.Range(mark[0], 0, mark[1], 0), hoverMessage: hover }],
    );
  }

  clear(): void {
    for (const type of this.all()) this.drawn?.setDecorations(type, []);
    this.drawn = undefined;
  }

  dispose(): void {
    for (const type of this.all()) type.dispose();
  }

  private all(): vscode.TextEditorDecorationType[] {
    return [this.struck, this.added, this.beside, this.hint, this.place];
  }
}
