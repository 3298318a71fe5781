// One prediction as it is at hand: as it came, and where its edits stand now.
import * as vscode from "vscode";
import { ghostAt, linesOfEdits, moved, movedOffset, track, type Change, type Edit } from "./core/trackedEdit";
import type { Position } from "./core/text";
import type { WirePrediction } from "./core/protocol";
import { textOf } from "./document";

export class Shown {
  readonly uri: vscode.Uri;
  /** Undefined while its document is not the one that is looked at. */
  edits: readonly Edit[] | undefined;
  /** When it was first seen, in ms. */
  seenAt: number | undefined;
  private jump: number | undefined;
  private readonly firstLine: number;

  constructor(
    readonly wire: WirePrediction,
    private readonly document: vscode.TextDocument,
  ) {
    this.uri = vscode.Uri.parse(wire.textDocument.uri, true);
    this.firstLine = (wire.edits[0]?.range.start ?? wire.jump ?? wire.cursorAfter).line;
    if (this.uri.toString() === document.uri.toString()) {
      const text = textOf(document);
      this.edits = track(wire.edits, text);
      this.jump = wire.jump === null ? undefined : text.offsetAt(wire.jump);
    }
  }

  get id(): string {
    return this.wire.id;
  }

  /** How long it has been visible, in ms. */
  shownMs(now: number): number {
    return this.seenAt === undefined ? 0 : Math.round(now - this.seenAt);
  }

  /** Move along with changes of its document; false when it is overtaken by them. */
  follow(changes: readonly Change[]): boolean {
    if (this.edits === undefined) return true;
    for (const change of changes) {
      if (this.jump !== undefined) this.jump = movedOffset(this.jump, change);
    }
    if (this.edits.length === 0) return true;
    this.edits = moved(this.edits, changes, textOf(this.document));
    return this.edits !== undefined;
  }

  lines(): [number, number] | undefined {
    return this.edits === undefined ? undefined : linesOfEdits(this.edits, textOf(this.document));
  }

  jumpLine(): number | undefined {
    return this.jump === undefined ? undefined : this.document.positionAt(this.jump).line;
  }

  /** Where going there leads. */
  target(): Position {
    const [first] = this.edits ?? [];
    if (first !== undefined) return this.document.positionAt(first.start);
    if (this.jump !== undefined && this.edits !== undefined) return this.document.positionAt(this.jump);
    return this.wire.jump ?? this.wire.edits[0]?.range.start ?? this.wire.cursorAfter;
  }

  /** Where the cursor belongs once the edit is made; asked before that. */
  cursorAfter(): Position {
    const shift = (this.lines()?.[0] ?? this.firstLine) - this.firstLine;
    return { line: this.wire.cursorAfter.line + shift, character: this.wire.cursorAfter.character };
  }

  ghost(cursor: vscode.Position): string | undefined {
    return this.edits === undefined ? undefined : ghostAt(this.edits, this.document.offsetAt(cursor));
  }
}
