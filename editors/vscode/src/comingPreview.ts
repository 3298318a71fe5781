// The preview of an edit that a model still writes. Partial results bring its settled hunks.
import * as vscode from "vscode";
import { ProgressType, type LanguageClient } from "vscode-languageclient/node";
import { ChangeLog } from "./core/changeLog";
import { ComingEdit, type PartialHunks } from "./core/comingEdit";
import { isSupported } from "./document";
import type { Preview } from "./preview";

const HUNKS = new ProgressType<PartialHunks>();

let count = 0;

export class ComingPreview implements vscode.Disposable {
  /** The token of the partial results. */
  readonly token = `editahead-apply-${++count}`;
  /** What is typed until the preview is disposed of. */
  readonly changes = new ChangeLog();
  private readonly coming = new ComingEdit();
  private readonly subscriptions: readonly vscode.Disposable[];
  private drawing: Promise<void> = Promise.resolve();
  private isOver = false;

  /** @param cancel Cancels the request. Called when the user closes the preview. */
  constructor(client: LanguageClient, private readonly preview: Preview, private readonly cancel: () => void) {
    this.subscriptions = [
      client.onProgress(HUNKS, this.token, (partial) => this.add(partial)),
      // Partial results are of the text as it was. The whole edit, which comes later, moves along with what is typed.
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length === 0 || !isSupported(document)) return;
        this.changes.add(document.uri.toString(), document.version, contentChanges);
        if (!this.isOver) void this.end().then(() => this.preview.takeAway());
      }),
    ];
  }

  /** Draw nothing more; resolve once nothing is being drawn. */
  end(): Promise<void> {
    this.isOver = true;
    return this.drawing;
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private add(partial: PartialHunks): void {
    this.coming.add(partial);
    this.drawing = this.drawing.then(() => this.draw()).catch(() => undefined);
  }

  private async draw(): Promise<void> {
    const { edit } = this.coming;
    if (this.isOver) return;
    if (edit === undefined) await this.preview.takeAway();
    else await this.preview.show(edit, { replan: () => undefined, isComing: true, onClose: () => this.close() });
  }

  // What comes after the user closed the preview is not drawn again.
  private close(): void {
    this.isOver = true;
    this.cancel();
  }
}
