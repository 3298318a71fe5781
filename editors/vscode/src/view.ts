// The predictions of the active editor: requests to the server, their display, and the user's reaction.
import * as vscode from "vscode";
import { Activity } from "./activity";
import { AcceptedEdit } from "./core/acceptedEdit";
import { ContextKeyService } from "./core/contextKeys";
import { JumpChain } from "./core/jumpChain";
import { contextKeysFor, followKey, isCursorHere, jumpAction, NO_KEYS, tabAction, type FollowKey, type KeyContext, type TabAction } from "./core/keys";
import type { DocumentVersion, NextEditResult, Prediction, Silence, Trigger } from "./core/protocol";
import { nextParts, rebaseOverPart, type ContentChange, type PartKind, type TrackedEdit } from "./core/trackedEdit";
import { Decorations, visibleLinesOf } from "./decorations";
import { DiagnosticsTracker } from "./diagnostics";
import { isGhostTextEnabled, isByUser, isSupported, reasonOf, showDocument, stateOf, textOf, toPosition } from "./document";
import { isEvidenceWanted } from "./evidence";
import { RequestTimer } from "./requestTimer";
import type { GhostText, ServerManager } from "./server";
import { ShownPrediction } from "./shownPrediction";
import { TabOwners } from "./tabOwners";

/** The time for which the status bar says why a Tab did nothing. */
const MESSAGE_MS = 3_000;
/** The time that the prediction of a document that Tab opened may take to be accepted there. */
const ACCEPT_THERE_MS = 3_000;

/** The prediction on the screen, and what its key does. */
export interface OnScreen {
  readonly prediction: ShownPrediction;
  readonly isGhostText: boolean;
  readonly key: FollowKey;
  /** "reveal" where only the mark is shown. */
  readonly action: TabAction | "reveal";
  readonly isPreviewed: boolean;
}

export class View implements vscode.Disposable {
  readonly activity = new Activity();
  /** The id of the prediction that the user wants to see, with the setting `display` "subtle". */
  private revealedId: string | undefined;
  /** The prediction out of sight whose code Tab showed at the cursor. */
  private previewedId: string | undefined;
  /** The prediction that is accepted as soon as the document that Tab opened for it shows it. */
  private acceptedThere: { readonly id: string; readonly until: number } | undefined;
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
  private requestedTrigger: Trigger = "cursor";
  private response: Promise<void> = Promise.resolve();
  private cancellation: vscode.CancellationTokenSource | undefined;
  private readonly timer = new RequestTimer((trigger) => void this.request(trigger));
  /** The editor state after a jump or an accepted edit placed the cursor. */
  private placedState: string | undefined;
  /** The prediction of which a part is being accepted: its edits are already those that are left. */
  private partial: ShownPrediction | undefined;
  /** Whether an accepted edit is being made: a Tab meanwhile does nothing. */
  private isAccepting = false;
  /** The editor state that VS Code has ghost text for. */
  private ghostTextState: string | undefined;
  /** The predictions for other documents that the user saw, and typed on: they wait for a pause. */
  private readonly typedOver = new Set<string>();
  private readonly chain = new JumpChain();
  private readonly tabOwners: TabOwners;
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
    this.tabOwners = new TabOwners(now);
    this.subscriptions = [
      server.onDidStart(() => {
        this.diagnostics.reset();
        this.revealedId = this.previewedId = undefined; // another server counts its predictions from 1 again
        this.restart();
      }),
      server.onDidStop(() => this.reset()),
      server.onRefresh((document) => void this.onRefresh(document)),
      this.activity.onDidChange(() => this.restart()),
      vscode.workspace.onDidChangeTextDocument((event) => this.onDidChangeText(event)),
      vscode.workspace.onDidCloseTextDocument((document) => this.forget(document.uri)),
      vscode.window.onDidChangeTextEditorSelection((event) => {
        if (event.textEditor === vscode.window.activeTextEditor) this.onDidMoveCursor(event);
      }),
      vscode.window.onDidChangeTextEditorVisibleRanges(() => this.redraw()),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.tabOwners.onDidChangeEditor();
        this.restart();
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("editahead")) this.restart(); // the server has the settings first
        else if (event.affectsConfiguration("editor")) this.redraw();
      }),
      this.diagnostics.onDidChange((uri) => {
        if (uri.toString() === this.activeEditor()?.document.uri.toString()) this.timer.schedule("cursor");
      }),
    ];
  }

  get isRequesting(): boolean {
    return this.cancellation !== undefined;
  }

  /** The place and the label of the prediction on the screen. */
  get description(): string | undefined {
    return this.drawn?.description;
  }

  get onScreen(): OnScreen | undefined {
    const editor = this.activeEditor();
    const { drawn: prediction } = this;
    if (editor === undefined || prediction === undefined) return undefined;
    const context = this.keyContext(editor, prediction);
    const action = this.isSubtle ? "reveal" : tabAction(context);
    return { prediction, isGhostText: this.isGhostText(editor), key: followKey(context), action, isPreviewed: context.isPreviewed };
  }

  dispose(): void {
    this.timer.cancelPause();
    this.reset();
    for (const disposable of [...this.subscriptions, this.activity, this.decorations, this.diagnostics, this.changeEmitter]) {
      disposable.dispose();
    }
  }

  /** Request a prediction unless one was requested for this editor state; resolve after the response. */
  private request(trigger: Trigger): Promise<void> {
    this.timer.cancelNext();
    const editor = this.activeEditor();
    const client = this.server.client;
    if (editor === undefined || client === undefined) return Promise.resolve();
    if (!this.activity.isEnabled && trigger !== "manual" && trigger !== "accepted") return Promise.resolve();
    const { document, selection } = editor;
    if (trigger === "manual") this.accepted = undefined;
    else if (this.isAcceptUndone(document)) return Promise.resolve();
    const state = stateOf(editor);
    const diagnostics = this.diagnostics.takeChanged(client, document.uri, selection.active.line);
    const mayRepeat = trigger !== "typed" && trigger !== "cursor";
    if (state === this.requestedState && !mayRepeat && diagnostics === undefined) return this.response;
    this.timer.cancelPause();
    this.requestedState = state;
    this.requestedTrigger = trigger;
    this.cancellation?.cancel();
    const cancellation = (this.cancellation = new vscode.CancellationTokenSource());
    const params = {
      textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri), version: document.version },
      position: { line: selection.active.line, character: selection.active.character },
      context: { trigger, refreshes: true, evidence: isEvidenceWanted(), ...(diagnostics === undefined ? {} : { diagnostics }) },
    };
    this.changeEmitter.fire();
    this.response = client.sendRequest<NextEditResult>("editahead/nextEdit", params, cancellation.token).then(
      (result) => this.onResponse(cancellation, editor, trigger, result),
      () => this.onResponse(cancellation, editor, trigger, undefined),
    );
    return this.response;
  }

  /**
   * Return the ghost text at a position, best first, after the response to this editor state.
   *
   * @param item The selected item of the suggestion list, which VS Code names while the list is open.
   */
  async provideGhostText(
    document: vscode.TextDocument,
    position: vscode.Position,
    item: vscode.SelectedCompletionInfo | undefined,
  ): Promise<GhostText[]> {
    const editor = this.activeEditor();
    if (editor?.document !== document || !editor.selection.active.isEqual(position)) return [];
    this.tabOwners.onGhostTextRequest(item);
    this.redraw();
    await this.request("typed");
    if (editor !== this.activeEditor() || !editor.selection.active.isEqual(position) || this.isSubtle) return [];
    const texts = this.predictions.flatMap((prediction) => this.tabOwners.ghostTextOf(prediction, editor) ?? []);
    const first = texts.find(({ id }) => id === this.current?.id);
    if (first !== undefined) this.ghostTextState = stateOf(editor);
    return first === undefined ? [] : [first, ...texts.filter((text) => text !== first)];
  }

  /** Handle a prediction that VS Code showed as ghost text, and has inserted. */
  onGhostTextAccepted(id: string): void {
    const accepted = this.predictions.find((prediction) => prediction.id === id);
    this.server.reportOutcome(id, "accepted", accepted && { shownMs: accepted.shownMs(this.now()) });
    const editor = this.activeEditor();
    if (editor === undefined) return;
    this.accepted = AcceptedEdit.fromInsertions(editor.document.uri.toString(), editor.document.getText(), this.lastChanges);
    this.placedState = stateOf(editor);
    this.clearPredictions();
    void this.request("accepted");
  }

  /** Follow the prediction on the screen. Tab does nothing while none is. */
  async tab(): Promise<void> {
    if (this.current !== undefined && this.current === this.drawn) return this.follow();
    vscode.window.setStatusBarMessage("Editahead: Nothing is left to accept here.", MESSAGE_MS);
  }

  /** Accept the current prediction, or show its code where it is out of sight. */
  private async follow(): Promise<void> {
    const editor = this.activeEditor();
    if (editor === undefined || this.current === undefined) return;
    if (this.isSubtle) {
      this.revealedId = this.current.id;
      this.redraw();
      this.triggerGhostText();
      return;
    }
    const context = this.keyContext(editor);
    if (!context.jumpsFirst && context.hasEdits && !context.isInActiveDocument && context.isPreviewed) {
      this.acceptedThere = { id: this.current.id, until: this.now() + ACCEPT_THERE_MS };
    }
    await this.act(editor, this.current, tabAction(context));
  }

  private async act(editor: vscode.TextEditor, current: ShownPrediction, action: TabAction): Promise<void> {
    if (action === "open") {
      const there = await showDocument(current.uri);
      if (there !== undefined) this.jump(there, current);
    } else if (action === "jump") {
      this.jump(editor, current);
    } else if (action === "accept") {
      await this.accept(editor, current);
    } else if (action === "preview") {
      this.previewedId = current.id;
      this.redraw();
    }
  }

  /** Go to the current prediction. */
  private async goThere(): Promise<void> {
    const editor = this.activeEditor();
    if (editor !== undefined && this.current !== undefined) await this.act(editor, this.current, jumpAction(this.keyContext(editor)));
  }

  /** Accept the next words or lines of the prediction; go to the prediction first when the cursor is elsewhere. */
  async acceptPart(kind: PartKind, count = 1): Promise<void> {
    const editor = this.activeEditor();
    const { current } = this;
    if (editor === undefined || current === undefined || editor.selections.length > 1) return; // it would leave one cursor
    if (this.isSubtle) return this.follow();
    if (!isCursorHere(this.keyContext(editor))) return this.goThere();
    const edits = current.edits ?? [];
    const { document } = editor;
    const parts = nextParts(edits, kind, textOf(document), count);
    const last = parts.at(-1);
    if (last === undefined) return;
    if (last.isLast) return this.accept(editor, current);
    const { acceptedLength } = last;
    this.server.reportOutcome(current.id, "partiallyAccepted", { acceptedLength, shownMs: current.shownMs(this.now()) });
    current.edits = parts.reduce<readonly TrackedEdit[]>(rebaseOverPart, edits);
    this.partial = current; // the change event of this very edit must not invalidate the prediction
    const applying = editor.edit((builder) => {
      for (const { editIndex, text } of parts) {
        const { start, end } = edits[editIndex] ?? { start: 0, end: 0 };
        builder.replace(new vscode.Range(document.positionAt(start), document.positionAt(end)), text);
      }
    });
    const isApplied = await Promise.resolve(applying).finally(() => (this.partial = undefined));
    if (!isApplied) return this.clearPredictions();
    this.placeCursor(editor, document.positionAt((current.edits[last.editIndex]?.start ?? 0) + last.finalLength));
    this.current = current;
    this.redraw();
    this.timer.schedule("typed");
  }

  /** Reject the shown prediction. */
  reject(): void {
    const { current } = this;
    if (current === undefined) return;
    this.cancelRequest();
    this.placedState = undefined; // Tab is a tab again
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
    if (this.current !== undefined && !isCursorHere(this.keyContext(editor))) await this.goThere();
    else if (this.current === undefined) {
      void vscode.window.showInformationMessage(`Editahead: ${this.silence?.detail ?? "The server has no prediction here."}`);
    }
  }

  /** The prediction whose rule "Make All Edits of This Kind" follows. */
  get currentId(): string | undefined {
    return this.current?.id;
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

  private restart(): void {
    this.reset();
    this.timer.schedule("cursor");
  }

  // The server has a better answer than its last one.
  private async onRefresh({ uri, version }: DocumentVersion): Promise<void> {
    const editor = this.activeEditor();
    if (editor?.document.version !== version || stateOf(editor) !== this.requestedState) return;
    if (this.server.client?.code2ProtocolConverter.asUri(editor.document.uri) !== uri) return;
    const hadGhostText = this.isGhostText(editor);
    this.requestedState = this.ghostTextState = undefined;
    await this.request(this.requestedTrigger === "paused" ? "paused" : "cursor");
    if (hadGhostText && !this.isGhostText(editor)) void vscode.commands.executeCommand("editor.action.inlineSuggest.hide");
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
    this.acceptedThere = undefined;
    this.chain.end();
    this.tabOwners.onDidChangeText(changes);
    for (const { id, edits, shownAt } of this.predictions) if (edits === undefined && shownAt !== undefined) this.typedOver.add(id);
    this.predictions = this.predictions.filter(
      (prediction) => prediction === this.partial || (prediction.rebase(changes) && !this.typedOver.has(prediction.id)),
    );
    if (this.current !== undefined && !this.predictions.includes(this.current)) this.clearPredictions();
    this.redrawAndRequest("typed");
  }

  // The cursor moved: by typing, by a jump or an accepted edit, or by the user.
  private onDidMoveCursor({ textEditor, kind }: vscode.TextEditorSelectionChangeEvent): void {
    const isPlaced = this.placedState === stateOf(textEditor);
    this.tabOwners.onDidMoveCursor(textEditor, isPlaced);
    if (!isPlaced) this.chain.end();
    if (!isPlaced && isByUser(kind)) this.placedState = this.acceptedThere = undefined;
    this.redrawAndRequest("cursor");
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
    this.timer.schedule(trigger);
  }

  private onResponse(
    cancellation: vscode.CancellationTokenSource,
    editor: vscode.TextEditor,
    trigger: Trigger,
    result: NextEditResult | undefined,
  ): void {
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
      if (trigger !== "typed") this.typedOver.clear();
      const wanted = valid.filter(({ id }) => !this.typedOver.has(id));
      if (valid.length > 0 || result.predictions.length === 0) this.setPredictions(editor, wanted, result.silence ?? undefined);
      if (trigger === "typed" && this.current === undefined) {
        this.timer.schedulePause();
      }
    }
    this.changeEmitter.fire();
  }

  private setPredictions(editor: vscode.TextEditor, predictions: readonly Prediction[], silence: Silence | undefined): void {
    const previous = this.predictions;
    const chosenId = this.isChosen ? this.current?.id : undefined;
    const destinations = predictions.map((prediction) => {
      const shown = new ShownPrediction(prediction, editor.document);
      return { shown, id: shown.id, place: shown.place(), isHere: isCursorHere(this.keyContext(editor, shown)) };
    });
    this.predictions = this.chain.order(destinations).map(({ shown }) => shown);
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
    const { acceptedThere } = this;
    if (acceptedThere?.id === this.current?.id && this.current !== undefined && isCursorHere(this.keyContext(editor))) {
      this.acceptedThere = undefined;
      if (acceptedThere !== undefined && this.now() <= acceptedThere.until) return void this.accept(editor, this.current);
    }
    this.triggerGhostText();
  }

  // VS Code requests ghost text after typing, but not after cursor movements and accepted edits.
  private triggerGhostText(): void {
    const editor = this.activeEditor();
    if (editor === undefined || !this.isGhostText(editor) || this.ghostTextState === stateOf(editor)) return;
    void vscode.commands.executeCommand("editor.action.inlineSuggest.trigger");
  }

  private keyContext(editor: vscode.TextEditor, prediction: ShownPrediction | undefined = this.current): KeyContext {
    const { document, selection } = editor;
    const cursor = selection.active;
    const lineRange = prediction?.lineRange();
    const [top, bottom] = visibleLinesOf(editor);
    return {
      isShown: prediction !== undefined,
      isInActiveDocument: prediction?.edits !== undefined,
      hasEdits: prediction !== undefined && prediction.prediction.edits.length > 0,
      isInSight: lineRange !== undefined && lineRange[1] >= top && lineRange[0] <= bottom,
      isPreviewed: prediction !== undefined && prediction.id === this.previewedId,
      jumpsFirst: vscode.workspace.getConfiguration("editahead").get("jumpFirst", false),
      lineRange,
      cursor,
      cursorLineText: document.lineAt(cursor.line).text,
      isCursorPlaced: this.isAccepting || this.placedState === stateOf(editor),
      hasSelection: !selection.isEmpty,
      isTabTaken: this.tabOwners.isTabTaken(document),
    };
  }

  // Whether VS Code shows the current prediction, as ghost text.
  private isGhostText(editor: vscode.TextEditor): boolean {
    if (this.current === undefined || this.isSubtle || !isGhostTextEnabled(editor.document)) return false;
    return this.tabOwners.ghostTextOf(this.current, editor) !== undefined;
  }

  /** Update decorations, context keys and the status bar to the present text, cursor and prediction. */
  private redraw(): void {
    const editor = this.activeEditor();
    const { current } = this; // while Editahead is off, only what was asked for
    if (editor !== undefined && current !== undefined && !this.isGhostText(editor)) this.tabOwners.yieldTo(current, editor);
    const isGhostText = editor !== undefined && current !== undefined && this.isGhostText(editor);
    const isDecorated = editor !== undefined && current !== undefined && !isGhostText && editor.selections.length === 1;
    const context = editor === undefined || isGhostText ? undefined : this.keyContext(editor);
    const keys = context === undefined ? NO_KEYS : contextKeysFor({ ...context, isShown: isDecorated });
    const draw = () => {
      if (!isDecorated || context === undefined) return;
      const ordinal = this.isChosen ? `${this.predictions.indexOf(current) + 1}/${this.predictions.length}` : undefined;
      const [key, { isListOpen }, { isPreviewed }, { isSubtle }] = [followKey(context), this.tabOwners, context, this];
      this.decorations.draw(editor, current, { key, isListOpen, ordinal, isPreviewed, isSubtle });
    };
    if (!isDecorated) this.decorations.clear();
    if (current !== this.drawn) this.drawn = undefined;
    else if (keys.yields) draw(); // before Tab is another's; else only once its keys work, or the Tab that answers would be lost
    this.contextKeys.set({ ...keys, ghost: isGhostText }, () => {
      this.drawn = current;
      draw();
      if (current !== undefined && (isDecorated || isGhostText) && !this.isSubtle) this.reportShown(current);
      this.changeEmitter.fire();
    });
  }

  private reportShown(prediction: ShownPrediction): void {
    if (prediction.shownAt !== undefined) return;
    prediction.shownAt = this.now();
    this.server.reportOutcome(prediction.id, "shown");
  }

  private jump(editor: vscode.TextEditor, prediction: ShownPrediction): void {
    this.chain.onJump({ id: prediction.id, place: prediction.place() });
    this.placeCursor(editor, toPosition(prediction.target()));
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.redrawAndRequest("cursor");
  }

  private placeCursor(editor: vscode.TextEditor, position: vscode.Position): void {
    const valid = editor.document.validatePosition(position);
    const selection = new vscode.Selection(valid, valid);
    if (!editor.selection.isEqual(selection)) editor.selection = selection; // set anew, it undoes a move by the user
    this.placedState = stateOf(editor);
  }

  private async accept(editor: vscode.TextEditor, accepted: ShownPrediction): Promise<void> {
    const edits = accepted.edits ?? [];
    const cursor = toPosition(accepted.cursorAfter());
    const { document } = editor;
    const at = (offset: number) => document.positionAt(offset);
    this.server.reportOutcome(accepted.id, "accepted", { shownMs: accepted.shownMs(this.now()) });
    this.isAccepting = true;
    this.clearPredictions();
    const before = document.getText();
    const applying = editor.edit((builder) => {
      for (const edit of edits) builder.replace(new vscode.Range(at(edit.start), at(edit.end)), edit.newText);
    });
    const isApplied = await Promise.resolve(applying).finally(() => (this.isAccepting = false));
    if (!isApplied) return this.redraw();
    this.accepted = new AcceptedEdit(document.uri.toString(), before, document.getText());
    this.placeCursor(editor, cursor);
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.redraw();
    void this.request("accepted");
  }
}
