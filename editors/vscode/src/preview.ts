// The preview of a planned workspace edit: VS Code's diff of each file. The right side is editable, and VS Code's arrow beside a
// hunk reverts the hunk; the text on the right side is what "Apply Changes" writes.
import * as path from "node:path";
import * as vscode from "vscode";
import { ChangeLog } from "./core/changeLog";
import type { Problem } from "./core/protocol";
import {
  applyEdits,
  groupByFile,
  hunkAt,
  lineHunks,
  rangeOfHunk,
  type FileChange,
  type Mark,
  type WorkspaceEdit,
} from "./core/workspaceEdit";
import { splitLines } from "./core/text";
import { textOf, toRange } from "./document";
import { MemoryFileSystem } from "./memoryFileSystem";

const SCHEME = "editahead-sketch";

/** What a preview is of: its name where it has no other, how a repetition is offered, and how much its marks ask for. */
const KINDS = {
  sketch: { title: "Sketch", what: "The sketch", again: "Place the Sketch Again", severity: vscode.DiagnosticSeverity.Warning },
  left: { title: "What Is Left", what: "The search", again: "Look Again", severity: vscode.DiagnosticSeverity.Information },
  all: { title: "All Edits", what: "The rule", again: "Look Again", severity: vscode.DiagnosticSeverity.Information },
} as const;

/** How long VS Code may take to load a text that has grown. */
const LOAD_PATIENCE_MS = 2_000;

export interface PreviewOptions {
  /** Plan the edit again for the present texts. */
  readonly replan: () => unknown;
  /** What was edited since the plan: the edit moves along. By default, any change asks for another plan. */
  readonly changes?: ChangeLog;
  readonly kind?: keyof typeof KINDS;
  /** The title of the preview; by default, that of its kind. */
  readonly title?: string;
  /** Whether a model still writes: the edit grows, and cannot be applied yet. */
  readonly isComing?: boolean;
  /** Called once the edit was made. */
  readonly onApplied?: () => void;
  /** Called when the user closes the preview, or applies it. */
  readonly onClose?: () => void;
}

interface PreviewedFile {
  readonly change: FileChange;
  readonly uri: vscode.Uri;
  /** The file's text when the preview was opened. */
  readonly oldText: string;
  /** The left side of the diff. */
  readonly left: vscode.Uri;
  /** The right side of the diff. */
  readonly right: vscode.Uri;
  /** The right side's text, as planned. */
  readonly newText: string;
}

interface OpenPreview extends PreviewOptions {
  readonly title: string;
  readonly kind: keyof typeof KINDS;
  readonly files: readonly PreviewedFile[];
}

export class Preview implements vscode.Disposable {
  private readonly fileSystem = new MemoryFileSystem(SCHEME);
  private readonly warnings = vscode.languages.createDiagnosticCollection(SCHEME);
  private readonly subscriptions: vscode.Disposable[];
  private opened: OpenPreview | undefined;
  private count = 0;

  constructor() {
    this.subscriptions = [
      vscode.workspace.registerFileSystemProvider(SCHEME, this.fileSystem, { isCaseSensitive: true }),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => this.onDidChangeTabs(closed)),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.onDidChangeTabs()),
    ];
    void vscode.window.tabGroups.close(this.previewTabs()); // restored from an earlier session, without their texts
  }

  dispose(): void {
    for (const disposable of [...this.subscriptions, this.warnings]) disposable.dispose();
  }

  /** Open the diff of a planned edit, or plan again if a document has changed since the plan in a way that the edit cannot follow. */
  async show(edit: WorkspaceEdit, options: PreviewOptions): Promise<void> {
    const { kind = "sketch", isComing = false } = options;
    const changes = groupByFile(edit);
    const isGrowing = this.isGrowing(changes);
    if (!isGrowing) {
      await this.closeTabs();
      this.count++;
    }
    const files = await Promise.all(changes.map((change) => this.prepare(change, options, KINDS[kind].severity)));
    const current = files.filter((file) => file !== undefined);
    if (current.length < files.length) return void options.replan();
    const [first, ...others] = current;
    if (first === undefined) return void vscode.window.showInformationMessage(`Editahead: ${KINDS[kind].what} changes nothing.`);
    if (isGrowing && !(await this.areLoaded(current))) {
      await this.closeTabs(); // the user has edited what was coming
      return this.show(edit, options);
    }
    const name = options.title ?? KINDS[kind].title;
    const title = others.length === 0 ? `${name}: ${path.posix.basename(first.right.path)}` : name;
    this.opened = { ...options, title, kind, files: current };
    if (others.length === 0) {
      const how = { preview: false, preserveFocus: isComing };
      await vscode.commands.executeCommand("vscode.diff", first.left, first.right, title, how);
    } else {
      await vscode.commands.executeCommand("vscode.changes", title, current.map(({ left, right }) => [right, left, right]));
      await vscode.commands.executeCommand("workbench.action.keepEditor"); // as a preview editor, the next file would replace it
    }
    this.onDidChangeTabs();
  }

  /** Mark the new problems that the edit in the preview would bring. */
  addProblems(problems: readonly Problem[]): void {
    for (const { uri, range, message, source } of problems) {
      const named = vscode.Uri.parse(uri, true).toString();
      const file = this.opened?.files.find(({ uri, change }) => [uri.toString(), change.movedTo].includes(named));
      const shown = file?.right ?? vscode.Uri.parse(uri, true);
      const problem = new vscode.Diagnostic(toRange(range), message, vscode.DiagnosticSeverity.Warning);
      this.warnings.set(shown, [...(this.warnings.get(shown) ?? []), Object.assign(problem, { source })]);
    }
  }

  /** Close the preview of an edit that a model was writing. */
  async takeAway(): Promise<void> {
    if (this.opened?.isComing === true) await this.closeTabs();
  }

  /** Write the texts on the right sides, and close the preview. */
  async applyChanges(): Promise<void> {
    const { opened } = this;
    if (opened === undefined || opened.isComing === true) return;
    const edit = new vscode.WorkspaceEdit();
    for (const file of opened.files) {
      const newText = (await vscode.workspace.openTextDocument(file.right)).getText();
      if (await this.addFile(edit, file, newText)) continue;
      const name = vscode.workspace.asRelativePath(file.uri);
      const message = `Editahead: Nothing was changed: ${name} has changed since the preview.`;
      const choice = await vscode.window.showWarningMessage(message, KINDS[opened.kind].again);
      if (choice !== undefined) opened.replan();
      return;
    }
    if (edit.size === 0) void vscode.window.showInformationMessage("Editahead: Nothing was changed: every change was excluded.");
    else if (!(await vscode.workspace.applyEdit(edit))) {
      void vscode.window.showWarningMessage("Editahead: Nothing was changed: VS Code rejected the edit.");
      return;
    }
    if (edit.size > 0) opened.onApplied?.();
    await this.close();
  }

  /** Close the preview without changes to any file. */
  async close(): Promise<void> {
    this.opened?.onClose?.();
    await this.closeTabs();
  }

  private async closeTabs(): Promise<void> {
    const tabs = this.previewTabs();
    this.opened = undefined;
    const dirty = vscode.workspace.textDocuments.filter((document) => document.uri.scheme === SCHEME && document.isDirty);
    for (const document of dirty) await document.save(); // otherwise VS Code asks whether to save
    await vscode.window.tabGroups.close(tabs);
    this.reset();
  }

  /** Revert the hunk at the cursor. */
  async revertHunk(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const file = this.opened?.files.find(({ right }) => right.toString() === editor?.document.uri.toString());
    if (editor === undefined || file === undefined) return;
    const { document } = editor;
    const hunk = hunkAt(lineHunks(document.getText(), file.oldText), editor.selection.active.line);
    if (hunk === undefined) return;
    await editor.edit((builder) => builder.replace(toRange(rangeOfHunk(hunk, textOf(document))), hunk.newText));
  }

  // Returns undefined when the edit cannot follow what has changed since the plan.
  private async prepare(
    planned: FileChange,
    { changes = new ChangeLog() }: PreviewOptions,
    severity: vscode.DiagnosticSeverity,
  ): Promise<PreviewedFile | undefined> {
    const uri = vscode.Uri.parse(planned.uri, true);
    const document = planned.action === "create" ? undefined : await vscode.workspace.openTextDocument(uri);
    const change = document === undefined ? planned : changes.moveAlong(uri.toString(), planned, document.version);
    if (change === undefined) return undefined;
    const oldText = document?.getText() ?? "";
    const edited =
      document === undefined
        ? { text: change.edits.map(({ newText }) => newText).join(""), marks: [], oldMarks: [] }
        : applyEdits(change, textOf(document));
    const relativePath = (file: vscode.Uri) => path.posix.join("/", vscode.workspace.asRelativePath(file));
    const target = change.movedTo === undefined ? uri : vscode.Uri.parse(change.movedTo, true);
    const left = this.fileSystem.add(`${this.count}-left`, relativePath(uri), oldText, true);
    const right = this.fileSystem.add(`${this.count}-right`, relativePath(target), edited.text, false);
    this.warnings.set(left, diagnosticsOf(edited.oldMarks, oldText, severity));
    this.warnings.set(right, diagnosticsOf(edited.marks, edited.text, severity));
    return { change, uri, oldText, left, right, newText: edited.text };
  }

  // Returns whether a preview of the same files, which was growing, is open.
  private isGrowing(changes: readonly FileChange[]): boolean {
    const { opened } = this;
    if (opened?.isComing !== true || this.previewTabs().length === 0) return false;
    const name = (change: FileChange) => `${change.action} ${change.uri} ${change.movedTo}`;
    return changes.map(name).join("\n") === opened.files.map(({ change }) => name(change)).join("\n");
  }

  // Returns false when VS Code does not load the right sides anew, as they were edited.
  private async areLoaded(files: readonly PreviewedFile[]): Promise<boolean> {
    const documents = await Promise.all(files.map(({ right }) => vscode.workspace.openTextDocument(right)));
    const linesOf = (text = "") => splitLines(text).join("\n"); // VS Code gives all lines of a document the same ends
    const isLoaded = () => documents.every((document, index) => linesOf(document.getText()) === linesOf(files[index]?.newText));
    if (isLoaded()) return true;
    return new Promise((resolve) => {
      const end = (result: boolean) => {
        clearTimeout(timer);
        subscription.dispose();
        resolve(result);
      };
      const subscription = vscode.workspace.onDidChangeTextDocument(() => isLoaded() && end(true));
      const timer = setTimeout(() => end(false), LOAD_PATIENCE_MS);
    });
  }

  // Returns false when the file has changed since the preview was opened.
  private async addFile(edit: vscode.WorkspaceEdit, file: PreviewedFile, newText: string): Promise<boolean> {
    const { uri, oldText, change } = file;
    if (change.action === "create") {
      if (newText !== "") edit.createFile(uri, { contents: Buffer.from(newText) });
      return true;
    }
    const document = await vscode.workspace.openTextDocument(uri);
    if (document.getText() !== oldText) return false;
    if (change.action === "delete" && newText === "") {
      edit.deleteFile(uri);
      return true;
    }
    const text = textOf(document);
    const hunks = lineHunks(oldText, newText);
    if (hunks.length > 0) edit.set(uri, hunks.map((hunk) => vscode.TextEdit.replace(toRange(rangeOfHunk(hunk, text)), hunk.newText)));
    if (change.movedTo !== undefined) edit.renameFile(uri, vscode.Uri.parse(change.movedTo, true));
    return true;
  }

  private previewTabs(): vscode.Tab[] {
    return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter((tab) => this.isPreviewTab(tab));
  }

  // VS Code does not tell extensions what a tab with several diffs shows, and appends the number of files to the title.
  private isPreviewTab(tab: vscode.Tab): boolean {
    if (tab.input instanceof vscode.TabInputTextDiff) return tab.input.modified.scheme === SCHEME;
    return this.opened !== undefined && (tab.label === this.opened.title || tab.label.startsWith(`${this.opened.title} (`));
  }

  private onDidChangeTabs(closed: readonly vscode.Tab[] = []): void {
    const active = vscode.window.tabGroups.activeTabGroup.activeTab;
    void vscode.commands.executeCommand("setContext", "editahead.looking", active !== undefined && this.isPreviewTab(active) && this.opened?.isComing !== true);
    if (closed.some((tab) => this.isPreviewTab(tab)) && this.previewTabs().length === 0) {
      this.opened?.onClose?.();
      this.reset();
    }
  }

  private reset(): void {
    this.opened = undefined;
    this.fileSystem.clear();
    this.warnings.clear();
  }
}

/** Return the diagnostics for the marks in a text. What is mechanical is faded, as VS Code fades unused code. */
function diagnosticsOf(marks: readonly Mark[], text: string, severity: vscode.DiagnosticSeverity): vscode.Diagnostic[] {
  const positionAt = (offset: number) => {
    const lines = splitLines(text.slice(0, offset));
    return new vscode.Position(lines.length - 1, lines.at(-1)?.length ?? 0);
  };
  return marks.map(({ start, end, message, isMechanical }) => {
    const range = new vscode.Range(positionAt(start), positionAt(end));
    const diagnostic = new vscode.Diagnostic(range, message, isMechanical ? vscode.DiagnosticSeverity.Hint : severity);
    diagnostic.source = "Editahead";
    if (isMechanical) diagnostic.tags = [vscode.DiagnosticTag.Unnecessary];
    return diagnostic;
  });
}
