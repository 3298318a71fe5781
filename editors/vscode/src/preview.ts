// A planned change of one or more files, looked at before it is made: VS Code's own diff of each file as it is and as it would
// be. The right side can be edited, and VS Code's arrow beside a hunk takes it out; what stands there in the end is made.
import * as path from "node:path";
import * as vscode from "vscode";
import { hunkAt, lineHunks, madeOf, proposedOf, rangeOfLines, type Proposed, type WireEdit } from "./core/proposal";
import { rangeOf, textOf } from "./document";
import { Texts } from "./memoryFileSystem";

const SCHEME = "editahead-sketch";

interface File {
  readonly proposed: Proposed;
  readonly uri: vscode.Uri;
  /** The file's text. */
  readonly before: string;
  /** What the left and the right side show. */
  readonly was: vscode.Uri;
  readonly now: vscode.Uri;
}

interface Looked {
  readonly title: string;
  readonly files: readonly File[];
  /** Plans it anew, for the texts as they are then. */
  readonly again: () => unknown;
}

export class Preview implements vscode.Disposable {
  private readonly texts = new Texts(SCHEME);
  private readonly flags = vscode.languages.createDiagnosticCollection(SCHEME);
  private readonly watching: vscode.Disposable[];
  private looked: Looked | undefined;
  private count = 0;

  constructor() {
    this.watching = [
      vscode.workspace.registerFileSystemProvider(SCHEME, this.texts, { isCaseSensitive: true }),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => this.tabsChanged(closed)),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.tabsChanged()),
    ];
    void vscode.window.tabGroups.close(this.tabs()); // of an earlier session: their texts are gone
  }

  dispose(): void {
    for (const one of [...this.watching, this.flags]) one.dispose();
  }

  /** Show what an edit would make of its files. */
  async show(edit: WireEdit, again: () => unknown): Promise<void> {
    await this.close();
    this.count++;
    const files = await Promise.all(proposedOf(edit).map((proposed) => this.prepare(proposed)));
    const stale = files.some((file) => file === undefined);
    const ready = files.filter((file) => file !== undefined);
    const [first, ...others] = ready;
    if (stale) return void again();
    if (first === undefined) return void vscode.window.showInformationMessage("Editahead: the sketch changes nothing.");
    const title = others.length === 0 ? `Sketch: ${path.posix.basename(first.now.path)}` : "Sketch";
    this.looked = { title, files: ready, again };
    if (others.length === 0) {
      await vscode.commands.executeCommand("vscode.diff", first.was, first.now, title, { preview: false });
    } else {
      await vscode.commands.executeCommand("vscode.changes", title, ready.map(({ was, now }) => [now, was, now]));
      await vscode.commands.executeCommand("workbench.action.keepEditor"); // else the next file takes its place
    }
    this.tabsChanged();
  }

  /** Make what the right sides hold now. */
  async make(): Promise<void> {
    const looked = this.looked;
    if (looked === undefined) return;
    const edit = new vscode.WorkspaceEdit();
    for (const file of looked.files) {
      const now = (await vscode.workspace.openTextDocument(file.now)).getText();
      if (await this.add(edit, file, now)) continue;
      const name = vscode.workspace.asRelativePath(file.uri);
      const choice = await vscode.window.showWarningMessage(`Editahead: nothing was changed: ${name} is another now.`, "Place the Sketch Again");
      if (choice !== undefined) looked.again();
      return;
    }
    if (edit.size === 0) void vscode.window.showInformationMessage("Editahead: nothing was changed: all of it was left out.");
    else if (!(await vscode.workspace.applyEdit(edit))) {
      void vscode.window.showWarningMessage("Editahead: nothing was changed: VS Code did not take the edit.");
      return;
    }
    await this.close();
  }

  /** Make nothing of it. */
  async close(): Promise<void> {
    const tabs = this.tabs();
    const scrap = vscode.workspace.textDocuments.filter((document) => document.uri.scheme === SCHEME && document.isDirty);
    for (const document of scrap) await document.save(); // else VS Code asks
    await vscode.window.tabGroups.close(tabs);
    this.forget();
  }

  /** The hunk at the cursor becomes as it was. */
  async leaveOut(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const file = this.looked?.files.find((one) => one.now.toString() === editor?.document.uri.toString());
    if (editor === undefined || file === undefined) return;
    const { document } = editor;
    const hunk = hunkAt(lineHunks(document.getText(), file.before), editor.selection.active.line);
    if (hunk === undefined) return;
    await editor.edit((builder) => builder.replace(rangeOf(rangeOfLines(hunk, textOf(document))), hunk.newText));
  }

  // Undefined: the file is not the one that it was planned for.
  private async prepare(proposed: Proposed): Promise<File | undefined> {
    const uri = vscode.Uri.parse(proposed.uri, true);
    const document = proposed.action === "create" ? undefined : await vscode.workspace.openTextDocument(uri);
    if (proposed.version !== undefined && document !== undefined && document.version !== proposed.version) return undefined;
    const before = document?.getText() ?? "";
    const made = document === undefined ? { text: proposed.edits.map((one) => one.newText).join(""), flags: [] } : madeOf(proposed, textOf(document));
    const named = (where: vscode.Uri) => path.posix.join("/", vscode.workspace.asRelativePath(where));
    const target = proposed.movedTo === undefined ? uri : vscode.Uri.parse(proposed.movedTo, true);
    const was = this.texts.put(`${this.count}-was`, named(uri), before, true);
    const now = this.texts.put(`${this.count}-now`, named(target), made.text, false);
    const shown = await vscode.workspace.openTextDocument(now);
    const diagnostics = made.flags.map((flag) => {
      const range = new vscode.Range(shown.positionAt(flag.offset), shown.positionAt(flag.offset + flag.length));
      return Object.assign(new vscode.Diagnostic(range, flag.said, vscode.DiagnosticSeverity.Warning), { source: "Editahead" });
    });
    this.flags.set(now, diagnostics);
    return { proposed, uri, before, was, now };
  }

  // False: the file is another by now.
  private async add(edit: vscode.WorkspaceEdit, file: File, now: string): Promise<boolean> {
    const { uri, before, proposed } = file;
    if (proposed.action === "create") {
      if (now !== "") edit.createFile(uri, { contents: Buffer.from(now) });
      return true;
    }
    const document = await vscode.workspace.openTextDocument(uri);
    if (document.getText() !== before) return false;
    if (proposed.action === "delete" && now === "") {
      edit.deleteFile(uri);
      return true;
    }
    const text = textOf(document);
    const hunks = lineHunks(before, now);
    if (hunks.length > 0) edit.set(uri, hunks.map((hunk) => vscode.TextEdit.replace(rangeOf(rangeOfLines(hunk, text)), hunk.newText)));
    if (proposed.movedTo !== undefined) edit.renameFile(uri, vscode.Uri.parse(proposed.movedTo, true));
    return true;
  }

  private tabs(): vscode.Tab[] {
    return vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => this.isOurs(tab));
  }

  // What a tab with several diffs shows is not told to extensions; VS Code puts their number behind the title.
  private isOurs(tab: vscode.Tab): boolean {
    if (tab.input instanceof vscode.TabInputTextDiff) return tab.input.modified.scheme === SCHEME;
    return this.looked !== undefined && (tab.label === this.looked.title || tab.label.startsWith(`${this.looked.title} (`));
  }

  private tabsChanged(closed: readonly vscode.Tab[] = []): void {
    const active = vscode.window.tabGroups.activeTabGroup.activeTab;
    void vscode.commands.executeCommand("setContext", "editahead.looking", active !== undefined && this.isOurs(active));
    if (closed.some((tab) => this.isOurs(tab)) && this.tabs().length === 0) this.forget();
  }

  private forget(): void {
    this.looked = undefined;
    this.texts.clear();
    this.flags.clear();
  }
}
