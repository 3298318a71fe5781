// Who else uses Tab in the active editor: VS Code's suggestion list, and snippets.
import * as vscode from "vscode";
import { SnippetGuess } from "./core/snippetGuess";
import { extendItem, SuggestionList, type ListSetting } from "./core/suggestionList";
import type { ContentChange } from "./core/trackedEdit";
import { visibleLinesOf } from "./decorations";
import { isGhostTextEnabled } from "./document";
import type { GhostText } from "./server";
import type { ShownPrediction } from "./shownPrediction";

export class TabOwners {
  private readonly list = new SuggestionList<vscode.SelectedCompletionInfo>();
  private readonly snippet = new SnippetGuess();
  /** Whether the cursor's next movement comes from typing. */
  private hasTyped = false;

  constructor(private readonly now: () => number) {}

  /** Handle a request for ghost text, which names the selected item of the suggestion list. */
  onGhostTextRequest(item: vscode.SelectedCompletionInfo | undefined): void {
    this.list.onSelect(item);
  }

  onDidChangeText(changes: readonly ContentChange[]): void {
    this.hasTyped = true;
    this.list.onChange(this.now());
    this.snippet.onChange(changes);
  }

  /** Handle a movement of the cursor. `isPlaced`: a jump or an accepted edit moved it. */
  onDidMoveCursor({ document, selection }: vscode.TextEditor, isPlaced: boolean): void {
    if (!this.hasTyped) this.list.onSelect(undefined);
    this.hasTyped = false;
    if (isPlaced) this.snippet.end();
    else this.snippet.onSelect({ start: document.offsetAt(selection.start), end: document.offsetAt(selection.end) });
  }

  onDidChangeEditor(): void {
    this.list.onSelect(undefined);
    this.snippet.end();
  }

  get isListOpen(): boolean {
    return this.list.item !== undefined;
  }

  /** Whether Tab belongs to an open list or snippet. Where VS Code requests no ghost text, nothing tells. */
  isTabTaken(document: vscode.TextDocument): boolean {
    return this.isListOpen || this.snippet.isActive || !isGhostTextEnabled(document);
  }

  /** Return a prediction as VS Code can show it at the cursor; beside a list, that is only what goes on from its selected item. */
  ghostTextOf(prediction: ShownPrediction, { document, selection }: vscode.TextEditor): GhostText | undefined {
    const { id } = prediction;
    const cursor = selection.active;
    const text = prediction.ghostTextAt(cursor);
    const { item } = this.list;
    if (text === undefined) return undefined;
    // After a key, until VS Code names the item again, the item's range ends before the cursor.
    if (item === undefined || !item.range.end.isEqual(cursor)) return { id, text };
    const whole = extendItem(document.getText(new vscode.Range(item.range.start, cursor)), text, item.text);
    return whole === undefined ? undefined : { id, text: whole, range: item.range };
  }

  /** Close an open list for a prediction in sight, if the user wants that, or if the list offers what is typed already. */
  yieldTo(prediction: ShownPrediction, editor: vscode.TextEditor): void {
    const setting = vscode.workspace.getConfiguration("editahead").get<ListSetting>("suggestionList");
    const lines = prediction.lineRange();
    const [top, bottom] = visibleLinesOf(editor);
    if (lines === undefined || lines[0] > bottom || lines[1] < top) return;
    if (setting !== "close" && !this.isItemTyped(editor)) return;
    if (this.list.close(this.now())) void vscode.commands.executeCommand("hideSuggestWidget");
  }

  // Tab would take the item and change nothing. VS Code lists the typed word itself where its worker answers late.
  private isItemTyped({ document, selection }: vscode.TextEditor): boolean {
    const { item } = this.list;
    return item !== undefined && document.getText(new vscode.Range(item.range.start, selection.active)) === item.text;
  }
}
