// A prediction in the active editor, with its edits rebased over the document's changes.
import * as vscode from "vscode";
import type { LinePreview, Prediction } from "./core/protocol";
import type { Position } from "./core/text";
import { ghostTextAt, lineRangeOf, rebaseEdits, rebaseOffset, trackEdits, type ContentChange, type TrackedEdit } from "./core/trackedEdit";
import { nameOf, textOf } from "./document";

export class ShownPrediction {
  readonly uri: vscode.Uri;
  /** Undefined while the prediction is for another document, or no longer applies. */
  edits: readonly TrackedEdit[] | undefined;
  /** The time when the prediction became visible, in ms. */
  shownAt: number | undefined;
  private jumpOffset: number | undefined;
  private readonly originalLine: number;

  constructor(
    readonly prediction: Prediction,
    private readonly document: vscode.TextDocument,
  ) {
    this.uri = vscode.Uri.parse(prediction.textDocument.uri, true);
    this.originalLine = (prediction.edits[0]?.range.start ?? prediction.jump ?? prediction.cursorAfter).line;
    if (this.uri.toString() === document.uri.toString()) {
      const text = textOf(document);
      this.edits = trackEdits(prediction.edits, text);
      this.jumpOffset = prediction.jump === null ? undefined : text.offsetAt(prediction.jump);
    }
  }

  get id(): string {
    return this.prediction.id;
  }

  /** The first line that changes, for an edit elsewhere. */
  get preview(): LinePreview | undefined {
    return this.prediction.preview ?? undefined;
  }

  /** The place and the label. */
  get description(): string {
    const place = this.edits === undefined ? `${nameOf(this.uri)}, line` : "line";
    return `${place} ${this.target().line + 1}, ${this.prediction.label}`;
  }

  /** Return how long the prediction has been visible, in ms. */
  shownMs(now: number): number {
    return this.shownAt === undefined ? 0 : Math.round(now - this.shownAt);
  }

  /** Rebase the edits over changes of the document; return false when the prediction no longer applies. */
  rebase(changes: readonly ContentChange[]): boolean {
    if (this.edits === undefined) return true;
    for (const change of changes) {
      if (this.jumpOffset !== undefined) this.jumpOffset = rebaseOffset(this.jumpOffset, change);
    }
    if (this.edits.length === 0) return true;
    this.edits = rebaseEdits(this.edits, changes, textOf(this.document));
    return this.edits !== undefined;
  }

  lineRange(): [number, number] | undefined {
    return this.edits === undefined ? undefined : lineRangeOf(this.edits, textOf(this.document));
  }

  jumpLine(): number | undefined {
    return this.jumpOffset === undefined ? undefined : this.document.positionAt(this.jumpOffset).line;
  }

  /** Return the position that Tab goes to. */
  target(): Position {
    const [first] = this.edits ?? [];
    if (first !== undefined) return this.document.positionAt(first.start);
    if (this.jumpOffset !== undefined && this.edits !== undefined) return this.document.positionAt(this.jumpOffset);
    return this.prediction.jump ?? this.prediction.edits[0]?.range.start ?? this.prediction.cursorAfter;
  }

  /** Return the document and the position that Tab goes to, as one text. */
  place(): string {
    const { line, character } = this.target();
    return `${this.uri.toString()}:${line}:${character}`;
  }

  /** Return the cursor's position after the edits. Call before the edits are applied. */
  cursorAfter(): Position {
    const shift = (this.lineRange()?.[0] ?? this.originalLine) - this.originalLine;
    return { line: this.prediction.cursorAfter.line + shift, character: this.prediction.cursorAfter.character };
  }

  ghostTextAt(cursor: vscode.Position): string | undefined {
    return this.edits === undefined ? undefined : ghostTextAt(this.edits, this.document.offsetAt(cursor));
  }
}
