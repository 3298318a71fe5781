// The predictions of the active editor: requests to the server, their display, and the user's reaction.
import * as vscode from "vscode";
import { AcceptedEdit } from "./core/acceptedEdit";
import { ContextKeyService } from "./core/contextKeys";
import { contextKeysFor, tabAction, type KeyContext } from "./core/keys";
import { formatDiff, layOutDecorations, markOnly } from "./core/layout";
import { describePrediction } from "./core/messages";
import type { NextEditResult, Prediction, Silence, Trigger } from "./core/protocol";
import type { Position } from "./core/text";
import { nextPart, rebaseOverPart, type ContentChange, type PartKind } from "./core/trackedEdit";
import { Decorations } from "./decorations";
import { DiagnosticsTracker } from "./diagnostics";
import { isGhostTextEnabled, isSupported, textOf, toPosition } from "./document";
import type { GhostText, ServerManager } from "./server";
import { ShownPrediction } from "./shownPrediction";

const MINUTE_MS = 60_000;
/** The longest delay of a timer, 25 days. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export class View implements vscode.Disposable {
  private isSwitchedOn = true;
  /** Ends the snooze. */
  private snoozeTimer: NodeJS.Timeout | undefined;
  /** The id of the prediction that the user wants to see, with the setting `display` "subtle". */
  private revealedId: string | undefined;
  silence: Silence | undefined;
  /** The predictions of the last response, best first. */
  private predictions: ShownPrediction[] = [];
  private current: ShownPrediction | undefined;
  /** The prediction that is on the screen; its keys work. */
  private drawn: ShownPrediction | undefined;
  /** Whether the user chose the current prediction among several. */
  private isChosen = false;
  private accepted: AcceptedEdit | undefined;
  /** The last changes of the active document. */
  private lastChanges: readonly ContentChange[] = [];
  /** The editor state of the last request. */
  private requestedState: string | undefined;
  private response: Promise<void> = Promise.resolve();
  private cancellation: vscode.CancellationTokenSource | undefined;
  private scheduled: { trigger: Trigger; timer: NodeJS.Timeout } | undefined;
  /** The editor state after a jump or an accepted edit placed the cursor. */
  private placedState: string | undefined;
  /** The editor state that VS Code has ghost text for. */
  private ghostTextState: string | undefined;
  private readonly decorations: Decorations;
  private readonly contextKeys = new ContextKeyService((key, value) =>
    vscode.commands.executeCommand("setContext", `editahead.${key}`, value),
  );
  private readonly diagnostics = new DiagnosticsTracker();
  private readonly changeEmitter = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];
  /** Fires when the shown prediction changes, and when a request starts or ends. */
  readonly onDidChange = this.changeEmitter.event;

  constructor(
    extensionUri: vscode.Uri,
    private readonly server: ServerManager,
    private readonly now: () => number,
  ) {
    this.decorations = new Decorations(extensionUri);
    this.subscriptions = [
      server.onDidStart(() => this.onDidStartServer()),
      server.onDidStop(() => this.reset()),
      vscode.workspace.onDidChangeTextDocument((event) => this.onDidChangeText(event)),
      vscode.workspace.onDidCloseTextDocument((document) => this.forget(document.uri)),
      vscode.window.onDidChangeTextEditorSelection((event) => {
        if (event.textEditor === vscode.window.activeTextEditor) this.redrawAndRequest("cursor");
      }),
      vscode.window.onDidChangeTextEditorVisibleRanges(() => this.redraw()),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.reset();
        this.scheduleRequest("cursor");
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("editor")) this.redraw();
      }),
      this.diagnostics.onDidChange((uri) => {
        if (uri.toString() === this.activeEditor()?.document.uri.toString()) this.scheduleRequest("cursor");
      }),
    ];
  }

  /** Whether predictions are wanted: neither switched off nor snoozed. */
  get isEnabled(): boolean {
    return this.isSwitchedOn && this.snoozeTimer === undefined;
  }

  get isRequesting(): boolean {
    return this.cancellation !== undefined;
  }

  /** The place and the label of the prediction on the screen. */
  get description(): string | undefined {
    const { drawn } = this;
    if (drawn === undefined) return undefined;
    const place = drawn.edits === undefined ? `${vscode.workspace.asRelativePath(drawn.uri)}, line` : "line";
    return `${place} ${drawn.target().line + 1}, ${drawn.prediction.label}`;
  }

  dispose(): void {
    clearTimeout(this.snoozeTimer);
    this.reset();
    for (const disposable of [...this.subscriptions, this.decorations, this.diagnostics, this.changeEmitter]) disposable.dispose();
  }

  /** Request a prediction once the present events are processed; calls until then are combined into one request. */
  private scheduleRequest(trigger: Trigger): void {
    const earlier = this.scheduled;
    if (earlier !== undefined) clearTimeout(earlier.timer);
    const combined = earlier?.trigger === "typed" ? "typed" : trigger;
    this.scheduled = { trigger: combined, timer: setTimeout(() => void this.request(combined), 0) };
  }

  /** Request a prediction unless one was requested for this editor state; resolve after the response. */
  private request(trigger: Trigger): Promise<void> {
    if (this.scheduled !== undefined) clearTimeout(this.scheduled.timer);
    this.scheduled = undefined;
    const editor = this.activeEditor();
    const client = this.server.client;
    if (editor === undefined || client === undefined || !this.isEnabled) return Promise.resolve();
    const { document, selection } = editor;
    if (trigger === "manual") this.accepted = undefined;
    else if (this.isAcceptUndone(document)) return Promise.resolve();
    const state = stateOf(editor);
    const diagnostics = this.diagnostics.takeChanged(client, document.uri, selection.active.line);
    const isExplicit = trigger === "accepted" || trigger === "manual";
    if (state === this.requestedState && !isExplicit && diagnostics === undefined) return this.response;
    this.requestedState = state;
    this.cancellation?.cancel();
    const cancellation = (this.cancellation = new vscode.CancellationTokenSource());
    const params = {
      textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri), version: document.version },
      position: { line: selection.active.line, character: selection.active.character },
      context: { trigger, ...(diagnostics === undefined ? {} : { diagnostics }) },
    };
    this.changeEmitter.fire();
    this.response = client.sendRequest<NextEditResult>("editahead/nextEdit", params, cancellation.token).then(
      (result) => this.onResponse(cancellation, editor, result),
      () => this.onResponse(cancellation, editor, undefined),
    );
    return this.response;
  }

  /** Return the ghost text at a position, best first, after the response to this editor state. */
  async provideGhostText(document: vscode.TextDocument, position: vscode.Position): Promise<GhostText[]> {
    const editor = this.activeEditor();
    if (editor?.document !== document || !editor.selection.active.isEqual(position)) return [];
    await this.request("typed");
    if (editor !== this.activeEditor() || !editor.selection.active.isEqual(position)) return [];
    const { current } = this;
    if (current?.ghostTextAt(position) === undefined || this.isSubtle) return [];
    this.ghostTextState = stateOf(editor);
    const others = this.predictions.filter((prediction) => prediction !== current);
    return [current, ...others].flatMap((prediction) => {
      const text = prediction.ghostTextAt(position);
      return text === undefined ? [] : [{ id: prediction.id, text }];
    });
  }

  /** Handle a prediction that VS Code showed as ghost text, and has inserted. */
  onGhostTextAccepted(id: string): void {
    const accepted = this.predictions.find((prediction) => prediction.id === id);
    this.server.reportOutcome(id, "accepted", accepted && { shownMs: accepted.shownMs(this.now()) });
    const document = this.activeEditor()?.document;
    this.accepted = document && AcceptedEdit.fromInsertions(document.uri.toString(), document.getText(), this.lastChanges);
    this.clearPredictions();
    void this.request("accepted");
  }

  /** Go to the prediction, or accept the prediction when the cursor is there. */
  async tab(): Promise<void> {
    const editor = this.activeEditor();
    const { current } = this;
    if (editor === undefined || current === undefined) return;
    if (this.isSubtle) {
      this.revealedId = current.id;
      this.redraw();
      this.triggerGhostText();
      return;
    }
    const action = tabAction(this.keyContext(editor));
    if (action === "open") {
      const document = await vscode.workspace.openTextDocument(current.uri);
      this.jump(await vscode.window.showTextDocument(document), current.target());
    } else if (action === "jump") {
      this.jump(editor, current.target());
    } else if (action === "accept") {
      await this.accept(editor, current);
    }
  }

  /** Accept the next word or line of the prediction; go to the prediction first when the cursor is elsewhere. */
  async acceptPart(kind: PartKind): Promise<void> {
    const editor = this.activeEditor();
    const { current } = this;
    if (editor === undefined || current === undefined) return;
    if (this.isSubtle || tabAction(this.keyContext(editor)) !== "accept") return this.tab();
    const edits = current.edits ?? [];
    const part = nextPart(edits, kind);
    const edit = part === undefined ? undefined : edits[part.editIndex];
    if (part === undefined || edit === undefined) return;
    if (part.isLast) return this.accept(editor, current);
    const remaining = rebaseOverPart(edits, part);
    const { acceptedLength } = part;
    this.server.reportOutcome(current.id, "partiallyAccepted", { acceptedLength, shownMs: current.shownMs(this.now()) });
    current.edits = undefined; // the change event of this very edit must not invalidate the prediction
    const { document } = editor;
    const range = new vscode.Range(document.positionAt(edit.start), document.positionAt(edit.end));
    if (!(await editor.edit((builder) => builder.replace(range, part.text)))) return;
    current.edits = remaining;
    this.placeCursor(editor, document.positionAt(edit.start + part.finalLength));
    this.current = current;
    this.redraw();
    this.scheduleRequest("typed");
  }

  /** Reject the shown prediction. */
  reject(): void {
    const { current } = this;
    if (current === undefined) return;
    this.cancelRequest();
    this.server.reportOutcome(current.id, "rejected", { shownMs: current.shownMs(this.now()) });
    this.clearPredictions();
    void vscode.commands.executeCommand("editor.action.inlineSuggest.hide");
  }

  /** Show the alternative `step` places further in the cyclic list of predictions. */
  showAlternative(step: number): void {
    const index = this.current === undefined ? -1 : this.predictions.indexOf(this.current);
    if (index < 0 || this.predictions.length < 2) return;
    this.current = this.predictions[(index + step + this.predictions.length) % this.predictions.length];
    this.isChosen = true;
    this.redraw();
  }

  /** Request a prediction now, and go there. */
  async goToNextEdit(): Promise<void> {
    await this.request("manual");
    const editor = this.activeEditor();
    if (editor === undefined) {
      void vscode.window.showInformationMessage("Editahead: No file is open. Open a file and change something in it first.");
      return;
    }
    if (this.current !== undefined && tabAction(this.keyContext(editor)) !== "accept") await this.tab();
    else if (this.current === undefined) {
      void vscode.window.showInformationMessage(`Editahead: ${this.silence?.detail ?? "The server has no prediction here."}`);
    }
  }

  /** Turn the predictions on or off. A snooze ends. */
  setEnabled(isEnabled: boolean): void {
    clearTimeout(this.snoozeTimer);
    this.snoozeTimer = undefined;
    this.isSwitchedOn = isEnabled;
    this.onDidChangeEnabled();
  }

  /** Show nothing for some minutes. */
  snooze(minutes: number): void {
    clearTimeout(this.snoozeTimer);
    this.snoozeTimer = setTimeout(() => {
      this.snoozeTimer = undefined;
      this.onDidChangeEnabled();
    }, Math.min(minutes * MINUTE_MS, MAX_TIMEOUT_MS));
    this.onDidChangeEnabled();
  }

  /** Bring back the edit that was rejected last, and go there. */
  async restore(): Promise<void> {
    const result = await this.server.executeCommand<{ restored: boolean }>("editahead.restore");
    if (result === undefined) return;
    if (result.restored) return this.goToNextEdit();
    void vscode.window.showInformationMessage("Editahead: No rejected edit can be brought back.");
  }

  private onDidChangeEnabled(): void {
    this.reset();
    if (this.isEnabled) this.scheduleRequest("cursor");
  }

  // Whether only the mark of the current prediction is shown, until the user presses Tab.
  private get isSubtle(): boolean {
    const display = vscode.workspace.getConfiguration("editahead").get<string>("display");
    return display === "subtle" && this.current !== undefined && this.current.id !== this.revealedId;
  }

  private activeEditor(): vscode.TextEditor | undefined {
    const editor = vscode.window.activeTextEditor;
    return editor !== undefined && isSupported(editor.document) ? editor : undefined;
  }

  private onDidStartServer(): void {
    this.diagnostics.reset();
    this.revealedId = undefined; // another server counts its predictions from 1 again
    this.reset();
    this.scheduleRequest("cursor");
  }

  // Cancel the request, and forget the last response.
  private reset(): void {
    this.cancelRequest();
    this.requestedState = undefined;
    this.silence = undefined;
    this.clearPredictions();
  }

  // Cancel the request; a response that is on its way shows nothing.
  private cancelRequest(): void {
    this.cancellation?.cancel();
    this.cancellation = undefined;
  }

  private clearPredictions(): void {
    this.predictions = [];
    this.current = undefined;
    this.isChosen = false;
    this.redraw();
  }

  private onDidChangeText(event: vscode.TextDocumentChangeEvent): void {
    const editor = this.activeEditor();
    if (event.document !== editor?.document || event.contentChanges.length === 0) return;
    const changes = event.contentChanges.map(({ rangeOffset, rangeLength, text }) => ({ offset: rangeOffset, length: rangeLength, text }));
    this.lastChanges = changes;
    if (event.document.uri.toString() === this.accepted?.uri) this.accepted.onChange(reasonOf(event), () => event.document.getText());
    if (this.isAcceptUndone(event.document)) return this.reset();
    this.predictions = this.predictions.filter((prediction) => prediction.rebase(changes));
    if (this.current !== undefined && !this.predictions.includes(this.current)) this.clearPredictions();
    this.redrawAndRequest("typed");
  }

  // Opened again, a document counts its versions from 1.
  private forget(uri: vscode.Uri): void {
    this.diagnostics.reset(uri);
    if (this.accepted?.uri === uri.toString()) this.accepted = undefined;
    if (this.placedState?.startsWith(`${uri.toString()}:`)) this.placedState = undefined;
    if (this.ghostTextState?.startsWith(`${uri.toString()}:`)) this.ghostTextState = undefined;
  }

  private isAcceptUndone(document: vscode.TextDocument): boolean {
    return this.accepted?.isUndone === true && this.accepted.uri === document.uri.toString();
  }

  private redrawAndRequest(trigger: Trigger): void {
    this.redraw();
    this.scheduleRequest(trigger);
  }

  private onResponse(cancellation: vscode.CancellationTokenSource, editor: vscode.TextEditor, result: NextEditResult | undefined): void {
    cancellation.dispose();
    if (this.cancellation !== cancellation) return;
    this.cancellation = undefined;
    const { document } = editor;
    if (result !== undefined && editor === this.activeEditor()) {
      const uri = document.uri.toString();
      const valid = result.predictions.filter(({ textDocument }) => {
        const isActive = vscode.Uri.parse(textDocument.uri, true).toString() === uri;
        return !isActive || textDocument.version === document.version;
      });
      if (valid.length > 0 || result.predictions.length === 0) this.setPredictions(document, valid, result.silence ?? undefined);
    }
    this.changeEmitter.fire();
  }

  private setPredictions(document: vscode.TextDocument, predictions: readonly Prediction[], silence: Silence | undefined): void {
    const previous = this.predictions;
    const chosenId = this.isChosen ? this.current?.id : undefined;
    this.predictions = predictions.map((prediction) => new ShownPrediction(prediction, document));
    for (const old of previous) {
      const same = this.predictions.find(({ id }) => id === old.id);
      if (same !== undefined) same.shownAt = old.shownAt;
      else if (old.shownAt !== undefined) this.server.reportOutcome(old.id, "ignored", { shownMs: old.shownMs(this.now()) });
    }
    this.silence = silence;
    const chosen = this.predictions.find(({ id }) => id === chosenId);
    this.current = chosen ?? this.predictions[0];
    this.isChosen = chosen !== undefined;
    this.redraw();
    this.triggerGhostText();
  }

  // VS Code requests ghost text after typing, but not after cursor movements and accepted edits.
  private triggerGhostText(): void {
    const editor = this.activeEditor();
    if (editor === undefined || !isGhostTextEnabled(editor.document)) return;
    if (this.isSubtle || this.current?.ghostTextAt(editor.selection.active) === undefined || this.ghostTextState === stateOf(editor)) return;
    void vscode.commands.executeCommand("editor.action.inlineSuggest.trigger");
  }

  private keyContext(editor: vscode.TextEditor): KeyContext {
    const cursor = editor.selection.active;
    return {
      isShown: this.isEnabled && this.current !== undefined,
      isInActiveDocument: this.current?.edits !== undefined,
      lineRange: this.current?.lineRange(),
      cursor,
      cursorLineText: editor.document.lineAt(cursor.line).text,
      isCursorPlaced: this.placedState === stateOf(editor),
    };
  }

  /** Update decorations, context keys and the status bar to the present text, cursor and prediction. */
  private redraw(): void {
    const editor = this.activeEditor();
    const current = this.isEnabled ? this.current : undefined;
    const ghostText = editor && current?.ghostTextAt(editor.selection.active);
    const isGhostText = ghostText !== undefined && !this.isSubtle && editor !== undefined && isGhostTextEnabled(editor.document);
    const isDecorated = editor !== undefined && current !== undefined && !isGhostText && editor.selections.length === 1;
    const contextKeys = isDecorated ? contextKeysFor(this.keyContext(editor)) : { shown: false, here: false, indents: false };
    if (!isDecorated) this.decorations.clear();
    if (current !== this.drawn) this.drawn = undefined;
    // A prediction that is on the screen before its keys work would lose the Tab that answers it.
    this.contextKeys.set({ ...contextKeys, ghost: isGhostText }, () => {
      this.drawn = current;
      if (isDecorated) this.decorate(editor, current, !contextKeys.indents);
      if (current !== undefined && (isDecorated || isGhostText) && !this.isSubtle) this.reportShown(current);
      this.changeEmitter.fire();
    });
  }

  private reportShown(prediction: ShownPrediction): void {
    if (prediction.shownAt !== undefined) return;
    prediction.shownAt = this.now();
    this.server.reportOutcome(prediction.id, "shown");
  }

  private decorate(editor: vscode.TextEditor, current: ShownPrediction, namesTab: boolean): void {
    const text = textOf(editor.document);
    const first = editor.visibleRanges[0];
    const last = editor.visibleRanges[editor.visibleRanges.length - 1];
    const path = vscode.workspace.asRelativePath(current.uri);
    const layout = layOutDecorations({
      text,
      edits: current.edits,
      jumpLine: current.jumpLine(),
      otherPlace: `${path}:${current.target().line + 1}`,
      label: current.label,
      ordinal: this.isChosen ? `${this.predictions.indexOf(current) + 1}/${this.predictions.length}` : undefined,
      cursorLine: editor.selection.active.line,
      visibleLines: [first?.start.line ?? 0, last?.end.line ?? 0],
      tabSize: Number(editor.options.tabSize) || 4,
      namesTab,
    });
    const diff = current.edits === undefined ? "" : formatDiff(current.edits, text);
    this.decorations.render(editor, this.isSubtle ? markOnly(layout, editor.selection.active.line) : layout, hoverOf(current, diff));
  }

  private jump(editor: vscode.TextEditor, target: Position): void {
    this.placeCursor(editor, toPosition(target));
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.redrawAndRequest("cursor");
  }

  private placeCursor(editor: vscode.TextEditor, position: vscode.Position): void {
    const valid = editor.document.validatePosition(position);
    editor.selection = new vscode.Selection(valid, valid);
    this.placedState = stateOf(editor);
  }

  private async accept(editor: vscode.TextEditor, accepted: ShownPrediction): Promise<void> {
    const edits = accepted.edits ?? [];
    const cursor = toPosition(accepted.cursorAfter());
    const { document } = editor;
    const at = (offset: number) => document.positionAt(offset);
    this.server.reportOutcome(accepted.id, "accepted", { shownMs: accepted.shownMs(this.now()) });
    this.clearPredictions();
    const before = document.getText();
    const isApplied = await editor.edit((builder) => {
      for (const edit of edits) builder.replace(new vscode.Range(at(edit.start), at(edit.end)), edit.newText);
    });
    if (!isApplied) return;
    this.accepted = new AcceptedEdit(document.uri.toString(), before, document.getText());
    this.placeCursor(editor, cursor);
    editor.revealRange(editor.selection);
    this.redraw();
    void this.request("accepted");
  }
}

function reasonOf(event: vscode.TextDocumentChangeEvent): "undo" | "redo" | undefined {
  if (event.reason === vscode.TextDocumentChangeReason.Undo) return "undo";
  return event.reason === vscode.TextDocumentChangeReason.Redo ? "redo" : undefined;
}

// The document, its version and the cursor: a request depends on nothing else.
function stateOf(editor: vscode.TextEditor): string {
  const { line, character } = editor.selection.active;
  return `${editor.document.uri.toString()}:${editor.document.version}:${line}:${character}`;
}

function hoverOf(current: ShownPrediction, diff: string): vscode.MarkdownString {
  const hover = new vscode.MarkdownString(undefined, true);
  hover.appendText(describePrediction(current.prediction));
  if (diff !== "") hover.appendCodeblock(diff, "diff");
  hover.appendMarkdown("[Accept](command:editahead.tab) · [Reject](command:editahead.dismiss) · [Why?](command:editahead.explain)");
  hover.isTrusted = { enabledCommands: ["editahead.tab", "editahead.dismiss", "editahead.explain"] };
  return hover;
}
