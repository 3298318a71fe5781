// What the active editor shows: asking the server, showing its answer, and what the person does with it.
import * as vscode from "vscode";
import { contextsOf, tabDoes, type Situation } from "./core/keys";
import { asDiff, draw } from "./core/layout";
import { becauseText } from "./core/messages";
import { afterPiece, pieceOf, type PieceKind } from "./core/trackedEdit";
import type { Position } from "./core/text";
import type { NextEditResult, Silence, Trigger } from "./core/protocol";
import { Decorations } from "./decorations";
import { isWanted, positionOf, textOf } from "./document";
import { Problems } from "./diagnostics";
import type { Engine, Ghost } from "./server";
import { Shown } from "./shownPrediction";

export class View implements vscode.Disposable {
  enabled = true;
  silence: Silence | undefined;
  private all: Shown[] = [];
  private current: Shown | undefined;
  /** The person chose it among all. */
  private chosen = false;
  /** Document, version and cursor of the last request. */
  private asked: string | undefined;
  private answer: Promise<void> = Promise.resolve();
  private open: vscode.CancellationTokenSource | undefined;
  private wish: { trigger: Trigger; timer: NodeJS.Timeout } | undefined;
  /** Where a jump or an accept has put the cursor. */
  private placed: string | undefined;
  /** The state for which VS Code has been given ghost text. */
  private given: string | undefined;
  private readonly decorations: Decorations;
  private readonly problems = new Problems();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly watching: vscode.Disposable[];
  /** What is shown, or whether it is being looked for, is another now. */
  readonly onChange = this.changed.event;

  constructor(
    extension: vscode.Uri,
    private readonly engine: Engine,
    private readonly now: () => number,
  ) {
    this.decorations = new Decorations(extension);
    this.watching = [
      engine.onReady(() => this.begin()),
      engine.onGone(() => this.clear()),
      vscode.workspace.onDidChangeTextDocument((event) => this.edited(event)),
      vscode.workspace.onDidCloseTextDocument((document) => this.problems.forget(document.uri)),
      vscode.window.onDidChangeTextEditorSelection((event) => {
        if (event.textEditor === vscode.window.activeTextEditor) this.movedTo("cursor");
      }),
      vscode.window.onDidChangeTextEditorVisibleRanges(() => this.redraw()),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.clear();
        this.askSoon("cursor");
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("editor")) this.redraw();
      }),
      this.problems.onChange((uri) => {
        if (uri.toString() === this.editor()?.document.uri.toString()) this.askSoon("cursor");
      }),
    ];
  }

  get thinking(): boolean {
    return this.open !== undefined;
  }

  /** What is shown, in words. */
  get next(): string | undefined {
    const shown = this.current;
    if (shown === undefined) return undefined;
    const place = shown.edits === undefined ? `${vscode.workspace.asRelativePath(shown.uri)}, line` : "line";
    return `${place} ${shown.target().line + 1}, ${shown.wire.label}`;
  }

  dispose(): void {
    this.clear();
    for (const one of [...this.watching, this.decorations, this.problems, this.changed]) one.dispose();
  }

  /** Ask when the editor has worked off what it is at; several wishes become one request. */
  askSoon(trigger: Trigger): void {
    const before = this.wish;
    if (before !== undefined) clearTimeout(before.timer);
    const both = before?.trigger === "typed" ? "typed" : trigger;
    this.wish = { trigger: both, timer: setTimeout(() => void this.ask(both), 0) };
  }

  /** Ask for the next edit now, unless that has been asked; resolves when the answer is there. */
  ask(trigger: Trigger): Promise<void> {
    if (this.wish !== undefined) clearTimeout(this.wish.timer);
    this.wish = undefined;
    const editor = this.editor();
    const client = this.engine.client;
    if (editor === undefined || client === undefined || !this.enabled) return Promise.resolve();
    const { document, selection } = editor;
    const state = stateOf(editor);
    const told = this.problems.news(client, document.uri, selection.active.line);
    const explicit = trigger === "accepted" || trigger === "manual";
    if (state === this.asked && !explicit && told === undefined) return this.answer;
    this.asked = state;
    this.open?.cancel();
    const source = (this.open = new vscode.CancellationTokenSource());
    const params = {
      textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri), version: document.version },
      position: { line: selection.active.line, character: selection.active.character },
      context: { trigger, ...(told === undefined ? {} : { diagnostics: told }) },
    };
    this.changed.fire();
    this.answer = client.sendRequest<NextEditResult>("editahead/nextEdit", params, source.token).then(
      (result) => this.answered(source, editor, result),
      () => this.answered(source, editor, undefined),
    );
    return this.answer;
  }

  /** Ghost text for VS Code to show at a position, once it is known: the best first, and the others that go there, too. */
  async ghosts(document: vscode.TextDocument, position: vscode.Position): Promise<Ghost[]> {
    const editor = this.editor();
    if (editor?.document !== document || !editor.selection.active.isEqual(position)) return [];
    await this.ask("typed");
    if (editor !== this.editor() || !editor.selection.active.isEqual(position)) return [];
    const { current } = this;
    if (current?.ghost(position) === undefined) return [];
    this.given = stateOf(editor);
    const others = this.all.filter((one) => one !== current);
    return [current, ...others].flatMap((one) => {
      const text = one.ghost(position);
      return text === undefined ? [] : [{ id: one.id, text }];
    });
  }

  /** VS Code has made the prediction that it showed as ghost text. */
  ghostAccepted(id: string): void {
    const shown = this.all.find((one) => one.id === id);
    this.engine.outcome(id, "accepted", shown && { shownMs: shown.shownMs(this.now()) });
    this.settle();
    void this.ask("accepted");
  }

  /** Go to the prediction, or make it when the cursor is there. */
  async tab(): Promise<void> {
    const editor = this.editor();
    const shown = this.current;
    if (editor === undefined || shown === undefined) return;
    const action = tabDoes(this.situation(editor));
    if (action === "open") {
      const document = await vscode.workspace.openTextDocument(shown.uri);
      await this.go(await vscode.window.showTextDocument(document), shown.target());
    } else if (action === "jump") {
      await this.go(editor, shown.target());
    } else if (action === "apply") {
      await this.finish(editor, shown);
    }
  }

  /** Make the next word or line; go there first when it is elsewhere. */
  async acceptPart(kind: PieceKind): Promise<void> {
    const editor = this.editor();
    const shown = this.current;
    if (editor === undefined || shown === undefined) return;
    if (tabDoes(this.situation(editor)) !== "apply") return this.tab();
    const edits = shown.edits ?? [];
    const piece = pieceOf(edits, kind);
    const edit = piece === undefined ? undefined : edits[piece.index];
    if (piece === undefined || edit === undefined) return;
    if (piece.whole) return this.finish(editor, shown);
    const after = afterPiece(edits, piece);
    this.engine.outcome(shown.id, "partiallyAccepted", { acceptedLength: piece.length, shownMs: shown.shownMs(this.now()) });
    shown.edits = undefined; // what follows is our own change
    const { document } = editor;
    const range = new vscode.Range(document.positionAt(edit.start), document.positionAt(edit.end));
    if (!(await editor.edit((builder) => builder.replace(range, piece.made)))) return;
    shown.edits = after;
    this.put(editor, document.positionAt(edit.start + piece.done));
    this.current = shown;
    this.redraw();
    this.askSoon("typed");
  }

  /** Refuse what is shown. */
  reject(): void {
    const shown = this.current;
    if (shown === undefined) return;
    this.open?.cancel();
    this.engine.outcome(shown.id, "rejected", { shownMs: shown.shownMs(this.now()) });
    this.settle();
    void vscode.commands.executeCommand("editor.action.inlineSuggest.hide");
  }

  /** Show another of the predictions: the one so many further on in the list, which has no end. */
  choose(step: number): void {
    const at = this.current === undefined ? -1 : this.all.indexOf(this.current);
    if (at < 0 || this.all.length < 2) return;
    this.current = this.all[(at + step + this.all.length) % this.all.length];
    this.chosen = true;
    this.redraw();
  }

  /** Ask at once, and go there. */
  async goNext(): Promise<void> {
    await this.ask("manual");
    const editor = this.editor();
    if (editor === undefined) {
      void vscode.window.showInformationMessage("Editahead: open a file, and change something in it first.");
      return;
    }
    if (this.current !== undefined && tabDoes(this.situation(editor)) !== "apply") await this.tab();
    else if (this.current === undefined) {
      void vscode.window.showInformationMessage(`Editahead: ${this.silence?.detail ?? "nothing to say."}`);
    }
  }

  enable(enabled: boolean): void {
    this.enabled = enabled;
    this.clear();
    if (enabled) this.askSoon("cursor");
  }

  private editor(): vscode.TextEditor | undefined {
    const editor = vscode.window.activeTextEditor;
    return editor !== undefined && isWanted(editor.document) ? editor : undefined;
  }

  // The server is new: it knows nothing yet of what the editor shows.
  private begin(): void {
    this.problems.forget();
    this.clear();
    this.askSoon("cursor");
  }

  private clear(): void {
    this.open?.cancel();
    this.open = undefined;
    this.asked = undefined;
    this.silence = undefined;
    this.settle();
  }

  // Nothing is at hand any more.
  private settle(): void {
    this.all = [];
    this.current = undefined;
    this.chosen = false;
    this.redraw();
  }

  private edited(event: vscode.TextDocumentChangeEvent): void {
    const editor = this.editor();
    if (event.document !== editor?.document || event.contentChanges.length === 0) return;
    const changes = event.contentChanges.map((one) => ({ offset: one.rangeOffset, length: one.rangeLength, text: one.text }));
    this.all = this.all.filter((one) => one.follow(changes));
    if (this.current !== undefined && !this.all.includes(this.current)) this.settle();
    this.movedTo("typed");
  }

  private movedTo(trigger: Trigger): void {
    this.redraw();
    this.askSoon(trigger);
  }

  private answered(source: vscode.CancellationTokenSource, editor: vscode.TextEditor, result: NextEditResult | undefined): void {
    source.dispose();
    if (this.open !== source) return;
    this.open = undefined;
    const document = editor.document;
    if (result !== undefined && editor === this.editor()) {
      const here = document.uri.toString();
      const present = result.predictions.filter((one) => {
        const same = vscode.Uri.parse(one.textDocument.uri, true).toString() === here;
        return !same || one.textDocument.version === document.version;
      });
      if (present.length > 0 || result.predictions.length === 0) this.take(document, present, result.silence ?? undefined);
    }
    this.changed.fire();
  }

  private take(document: vscode.TextDocument, present: NextEditResult["predictions"], silence: Silence | undefined): void {
    const before = this.all;
    const chosen = this.chosen ? this.current?.id : undefined;
    this.all = present.map((one) => new Shown(one, document));
    for (const old of before) {
      const same = this.all.find((one) => one.id === old.id);
      if (same !== undefined) same.seenAt = old.seenAt;
      else if (old.seenAt !== undefined) this.engine.outcome(old.id, "ignored", { shownMs: old.shownMs(this.now()) });
    }
    this.silence = silence;
    const again = this.all.find((one) => one.id === chosen);
    this.current = again ?? this.all[0];
    this.chosen = again !== undefined;
    this.redraw();
    this.offerGhost();
  }

  // VS Code asks for ghost text when something is typed, and not when the cursor is moved or an edit was accepted.
  private offerGhost(): void {
    const editor = this.editor();
    if (editor === undefined || !ghostTextIsOn(editor.document)) return;
    if (this.current?.ghost(editor.selection.active) === undefined || this.given === stateOf(editor)) return;
    void vscode.commands.executeCommand("editor.action.inlineSuggest.trigger");
  }

  private situation(editor: vscode.TextEditor): Situation {
    const cursor = editor.selection.active;
    return {
      shown: this.enabled && this.current !== undefined,
      sameDocument: this.current?.edits !== undefined,
      lines: this.current?.lines(),
      cursor,
      line: editor.document.lineAt(cursor.line).text,
      placed: this.placed === stateOf(editor),
    };
  }

  /** Bring the screen up to date with the text, the cursor and the answer. */
  private redraw(): void {
    const editor = this.editor();
    const shown = this.enabled ? this.current : undefined;
    const ghost = editor && shown?.ghost(editor.selection.active);
    const left = ghost !== undefined && editor !== undefined && ghostTextIsOn(editor.document);
    const drawn = editor !== undefined && shown !== undefined && !left && editor.selections.length === 1;
    const contexts = drawn ? contextsOf(this.situation(editor)) : { shown: false, here: false, indents: false };
    for (const [name, value] of Object.entries({ ...contexts, ghost: left })) {
      void vscode.commands.executeCommand("setContext", `editahead.${name}`, value);
    }
    if (drawn) this.draw(editor, shown, !contexts.indents);
    else this.decorations.clear();
    if (shown !== undefined && (drawn || left)) this.saw(shown);
    this.changed.fire();
  }

  private saw(shown: Shown): void {
    if (shown.seenAt !== undefined) return;
    shown.seenAt = this.now();
    this.engine.outcome(shown.id, "shown");
  }

  private draw(editor: vscode.TextEditor, shown: Shown, tab: boolean): void {
    const text = textOf(editor.document);
    const first = editor.visibleRanges[0];
    const last = editor.visibleRanges[editor.visibleRanges.length - 1];
    const path = vscode.workspace.asRelativePath(shown.uri);
    const drawing = draw({
      text,
      edits: shown.edits,
      jump: shown.jumpLine(),
      elsewhere: `${path}:${shown.target().line + 1}`,
      label: shown.wire.label,
      number: this.chosen ? `${this.all.indexOf(shown) + 1}/${this.all.length}` : undefined,
      cursor: editor.selection.active.line,
      visible: [first?.start.line ?? 0, last?.end.line ?? 0],
      tabSize: Number(editor.options.tabSize) || 4,
      tab,
    });
    this.decorations.draw(editor, drawing, hoverOf(shown, shown.edits === undefined ? "" : asDiff(shown.edits, text)));
  }

  private async go(editor: vscode.TextEditor, target: Position): Promise<void> {
    this.put(editor, positionOf(target));
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.movedTo("cursor");
  }

  private put(editor: vscode.TextEditor, at: vscode.Position): void {
    const place = editor.document.validatePosition(at);
    editor.selection = new vscode.Selection(place, place);
    this.placed = stateOf(editor);
  }

  private async finish(editor: vscode.TextEditor, shown: Shown): Promise<void> {
    const edits = shown.edits ?? [];
    const cursor = positionOf(shown.cursorAfter());
    const { document } = editor;
    const at = (offset: number) => document.positionAt(offset);
    this.engine.outcome(shown.id, "accepted", { shownMs: shown.shownMs(this.now()) });
    this.settle();
    const made = await editor.edit((builder) => {
      for (const edit of edits) builder.replace(new vscode.Range(at(edit.start), at(edit.end)), edit.now);
    });
    if (!made) return;
    this.put(editor, cursor);
    editor.revealRange(editor.selection);
    this.redraw();
    void this.ask("accepted");
  }
}

function stateOf(editor: vscode.TextEditor): string {
  const { line, character } = editor.selection.active;
  return `${editor.document.uri.toString()}:${editor.document.version}:${line}:${character}`;
}

function ghostTextIsOn(document: vscode.TextDocument): boolean {
  return vscode.workspace.getConfiguration("editor.inlineSuggest", document).get("enabled", true);
}

function hoverOf(shown: Shown, diff: string): vscode.MarkdownString {
  const hover = new vscode.MarkdownString(undefined, true);
  hover.appendText(becauseText(shown.wire));
  if (diff !== "") hover.appendCodeblock(diff, "diff");
  hover.appendMarkdown("[Make it](command:editahead.tab) · [Refuse it](command:editahead.dismiss) · [Why?](command:editahead.explain)");
  hover.isTrusted = { enabledCommands: ["editahead.tab", "editahead.dismiss", "editahead.explain"] };
  return hover;
}

