// The preview of a planned workspace edit: VS Code's diff of each file. The right side is editable, and VS Code's arrow beside a
// hunk reverts the hunk; the text on the right side is what "Apply Changes" writes.
import * as path from "node:path";
import * as vscode from "vscode";
import { applyEdits, groupByFile, hunkAt, lineHunks, rangeOfHunk, type FileChange, type WorkspaceEdit } from "./core/workspaceEdit";
import { textOf, toRange } from "./document";
import { MemoryFileSystem } from "./memoryFileSystem";

const SCHEME = "editahead-sketch";

/** What a preview is of: its name, how a repetition is offered, and how much its marks ask for. */
const KINDS = {
  sketch: { title: "Sketch", what: "The sketch", again: "Place the Sketch Again", severity: vscode.DiagnosticSeverity.Warning },
  left: { title: "What Is Left", what: "The search", again: "Look Again", severity: vscode.DiagnosticSeverity.Information },
} as const;

export type PreviewKind = keyof typeof KINDS;

interface PreviewedFile {
  readonly change: FileChange;
  readonly uri: vscode.Uri;
  /** The file's text when the preview was opened. */
  readonly oldText: string;
  /** The left side of the diff. */
  readonly left: vscode.Uri;
  /** The right side of the diff. */
  readonly right: vscode.Uri;
}

interface OpenPreview {
  readonly title: string;
  readonly kind: PreviewKind;
  readonly files: readonly PreviewedFile[];
  /** Plan the edit again for the present texts. */
  readonly replan: () => unknown;
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

  /** Open the diff of a planned edit, or plan again if a document has changed since the plan. */
  async show(edit: WorkspaceEdit, replan: () => unknown, kind: PreviewKind = "sketch"): Promise<void> {
    await this.close();
    this.count++;
    const files = await Promise.all(groupByFile(edit).map((change) => this.prepare(change, KINDS[kind].severity)));
    const current = files.filter((file) => file !== undefined);
    if (current.length < files.length) return void replan();
    const [first, ...others] = current;
    if (first === undefined) return void vscode.window.showInformationMessage(`Editahead: ${KINDS[kind].what} changes nothing.`);
    const name = KINDS[kind].title;
    const title = others.length === 0 ? `${name}: ${path.posix.basename(first.right.path)}` : name;
    this.opened = { title, kind, files: current, replan };
    if (others.length === 0) {
      await vscode.commands.executeCommand("vscode.diff", first.left, first.right, title, { preview: false });
    } else {
      await vscode.commands.executeCommand("vscode.changes", title, current.map(({ left, right }) => [right, left, right]));
      await vscode.commands.executeCommand("workbench.action.keepEditor"); // as a preview editor, the next file would replace it
    }
    this.onDidChangeTabs();
  }

  /** Write the texts on the right sides, and close the preview. */
  async applyChanges(): Promise<void> {
    const { opened } = this;
    if (opened === undefined) return;
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
    await this.close();
  }

  /** Close the preview without changes to any file. */
  async close(): Promise<void> {
    const tabs = this.previewTabs();
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

  // Returns undefined when the document has changed since the plan.
  private async prepare(change: FileChange, severity: vscode.DiagnosticSeverity): Promise<PreviewedFile | undefined> {
    const uri = vscode.Uri.parse(change.uri, true);
    const document = change.action === "create" ? undefined : await vscode.workspace.openTextDocument(uri);
    if (change.version !== undefined && document !== undefined && document.version !== change.version) return undefined;
    const oldText = document?.getText() ?? "";
    const edited =
      document === undefined
        ? { text: change.edits.map(({ newText }) => newText).join(""), warnings: [] }
        : applyEdits(change, textOf(document));
    const relativePath = (file: vscode.Uri) => path.posix.join("/", vscode.workspace.asRelativePath(file));
    const target = change.movedTo === undefined ? uri : vscode.Uri.parse(change.movedTo, true);
    const left = this.fileSystem.add(`${this.count}-left`, relativePath(uri), oldText, true);
    const right = this.fileSystem.add(`${this.count}-right`, relativePath(target), edited.text, false);
    const rightDocument = await vscode.workspace.openTextDocument(right);
    const diagnostics = edited.warnings.map(({ offset, length, message }) => {
      const range = new vscode.Range(rightDocument.positionAt(offset), rightDocument.positionAt(offset + length));
      return Object.assign(new vscode.Diagnostic(range, message, severity), { source: "Editahead" });
    });
    this.warnings.set(right, diagnostics);
    return { change, uri, oldText, left, right };
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
    void vscode.commands.executeCommand("setContext", "editahead.looking", active !== undefined && this.isPreviewTab(active));
    if (closed.some((tab) => this.isPreviewTab(tab)) && this.previewTabs().length === 0) this.reset();
  }

  private reset(): void {
    this.opened = undefined;
    this.fileSystem.clear();
    this.warnings.clear();
  }
}
