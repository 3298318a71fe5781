// Decorations of the active editor, as `core/layout.ts` computes them.
import * as vscode from "vscode";
import type { FollowKey } from "./core/keys";
import { formatDiff, layOutDecorations, markOnly, type DecorationLayout } from "./core/layout";
import { describePrediction } from "./core/messages";
import { nameOf, textOf, toPosition, toRange } from "./document";
import type { ShownPrediction } from "./shownPrediction";

/** How a prediction is drawn. */
export interface DrawingStyle {
  readonly key: FollowKey;
  /** Whether the suggestion list is open, which covers lines below the cursor. */
  readonly isListOpen: boolean;
  /** For example "2/3", once the user has chosen among several predictions. */
  readonly ordinal: string | undefined;
  /** Whether the code of an edit out of sight is drawn. */
  readonly isPreviewed: boolean;
  /** Whether only the mark is drawn. */
  readonly isSubtle: boolean;
}

const themeColor = (id: string) => new vscode.ThemeColor(id);
// Decorations collapse consecutive blanks.
const keepBlanks = (text: string) => text.replace(/ /g, "\u00a0");

const DELETED = { color: themeColor("gitDecoration.deletedResourceForeground"), textDecoration: "line-through" };

export class Decorations implements vscode.Disposable {
  private readonly deletion = vscode.window.createTextEditorDecorationType({
    ...DELETED,
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

  /** Draw a prediction in an editor, and clear what was drawn before. */
  draw(editor: vscode.TextEditor, prediction: ShownPrediction, { isSubtle, ...style }: DrawingStyle): void {
    const text = textOf(editor.document);
    const cursorLine = editor.selection.active.line;
    const layout = layOutDecorations({
      text,
      edits: prediction.edits,
      jumpLine: prediction.jumpLine(),
      otherPath: nameOf(prediction.uri),
      otherLine: prediction.target().line + 1,
      label: prediction.prediction.label,
      preview: prediction.preview,
      cursorLine,
      visibleLines: visibleLinesOf(editor),
      tabSize: Number(editor.options.tabSize) || 4,
      ...style,
    });
    const diff = prediction.edits === undefined ? "" : formatDiff(prediction.edits, text);
    this.render(editor, isSubtle ? markOnly(layout, cursorLine) : layout, hoverOf(prediction, diff));
  }

  /** Replace the decorations of an editor, and clear those of the editor before. */
  private render(editor: vscode.TextEditor, layout: DecorationLayout, hover: vscode.MarkdownString): void {
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
    const trailing = (line: number, text: string, look: vscode.ThemableDecorationAttachmentRenderOptions) => ({
      range: emptyRange(endOf(line)),
      renderOptions: { after: { contentText: keepBlanks(text), ...look } },
    });
    const hintColor = themeColor("editorCodeLens.foreground");
    const hints = layout.hints.map(({ line, text }) => trailing(line, text, { color: hintColor, margin: "0 0 0 3ch" }));
    if (layout.code !== undefined) {
      const { line, old } = layout.code;
      if (old !== "") hints.push(trailing(line, old, { ...DELETED, margin: "0 0 0 2ch" }));
      if (layout.code.new !== "") hints.push(trailing(line, layout.code.new, { ...style, margin: "0 0 0 1ch" }));
    }
    editor.setDecorations(this.hint, hints);
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

/** Return the first and the last visible line. */
export function visibleLinesOf(editor: vscode.TextEditor): [number, number] {
  const first = editor.visibleRanges[0];
  const last = editor.visibleRanges[editor.visibleRanges.length - 1];
  return [first?.start.line ?? 0, last?.end.line ?? 0];
}

function hoverOf(prediction: ShownPrediction, diff: string): vscode.MarkdownString {
  const hover = new vscode.MarkdownString(undefined, true);
  hover.appendText(describePrediction(prediction.prediction));
  if (diff !== "") hover.appendCodeblock(diff, "diff");
  hover.appendMarkdown("[Accept](command:editahead.tab) · [Reject](command:editahead.dismiss) · [Why?](command:editahead.explain)");
  hover.isTrusted = { enabledCommands: ["editahead.tab", "editahead.dismiss", "editahead.explain"] };
  return hover;
}
