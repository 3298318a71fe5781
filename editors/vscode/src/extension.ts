// Entry point of the extension: the predicted next edit, shown in place, with one key to go there and accept it.
import * as vscode from "vscode";
import { acceptAll } from "./acceptAll";
import { applyClipboard, applySelection } from "./applySketch";
import { writeCommitMessage } from "./commitMessage";
import { reportCopies } from "./copied";
import { linesOf } from "./core/keys";
import { describeStatus, describeWhy } from "./core/messages";
import type { StatusResult, WhyResult } from "./core/protocol";
import { answerEvidence } from "./evidence";
import { showLeft } from "./finish";
import { Installation } from "./installation";
import { chooseEagerness, showMenu, toggleActiveLanguage } from "./menu";
import { useModel } from "./model";
import { Preview } from "./preview";
import { searchCode } from "./search";
import { ServerManager } from "./server";
import { Speech } from "./speech";
import { StatusBar } from "./statusbar";
import { View } from "./view";

/**
 * The document of the command `openExample`: renaming one field leads to two next edits.
 *
 * It proposes no name: VS Code would list a word of the document, and take the Tab.
 */
const EXAMPLE = `# Type a new name over the selected word. Then press Tab until the last edit is accepted.
class Stay:
    def __init__(self, begins, until):
        self.begins = begins
        self.ends = until

    def nights(self):
        return (self.ends - self.begins).days

    def covers(self, day):
        return self.begins <= day < self.ends
`;

/** The key under which a workspace keeps whether Editahead is on. */
const ENABLED_KEY = "isEnabled";
const DEFAULT_SNOOZE_MINUTES = "10";

let activeServer: ServerManager | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Editahead", { log: true });
  const installation = new Installation(context, log, () => server.setState("installing"));
  const server = new ServerManager(() => installation.resolveCommand(), () => installation.makeFolder(), log);
  activeServer = server;
  const view = new View(context.extensionUri, server, () => performance.now());
  view.activity.setEnabled(context.workspaceState.get(ENABLED_KEY, true));
  server.ghostTextProvider = (...args) => view.provideGhostText(...args);
  const preview = new Preview();
  const statusBar = new StatusBar(server, view);
  const speech = new Speech(view);
  context.subscriptions.push(log, installation, server, view, preview, statusBar, speech, answerEvidence(server), reportCopies(server));

  const notify = (text: string) => {
    log.info(text);
    const [first = "", ...others] = text.split("\n"); // a notification has one line
    void vscode.window.showInformationMessage(first, ...(others.length > 0 ? ["More"] : [])).then((more) => {
      if (more !== undefined) log.show(true);
    });
  };
  const explain = async () => {
    const uri = vscode.window.activeTextEditor?.document.uri.toString();
    const result = await server.executeCommand<WhyResult>("editahead.why", ...(uri === undefined ? [] : [uri]));
    if (result !== undefined) notify(describeWhy(result));
  };
  const showStatus = async () => {
    const result = await server.executeCommand<StatusResult>("editahead.status");
    if (result !== undefined) notify(describeStatus(result));
  };
  const report = async (kind: "missed" | "wrong") => {
    const result = await server.executeCommand<{ file: string | null; reason: string | null }>("editahead.report", kind);
    if (kind === "wrong") view.reject();
    if (result?.file === undefined || result.file === null) {
      if (result !== undefined) void vscode.window.showInformationMessage(`Editahead: ${result.reason ?? ""}`);
      return;
    }
    const { file } = result;
    const open = await vscode.window.showInformationMessage("Editahead wrote a scenario file of your last minute.", "Open");
    if (open !== undefined) await vscode.window.showTextDocument(vscode.Uri.file(file));
  };
  const forget = async () => {
    if ((await server.executeCommand("editahead.resetLearning")) !== undefined) {
      notify("Editahead has deleted its learned preferences and rejected edits.");
    }
  };
  const toggle = () => {
    view.activity.setEnabled(!view.activity.isEnabled);
    return context.workspaceState.update(ENABLED_KEY, view.activity.isEnabled);
  };
  const snooze = async (minutes?: unknown) => {
    if (typeof minutes === "number" && minutes > 0) return view.activity.snooze(minutes);
    const answer = await vscode.window.showInputBox({
      prompt: "Minutes for which Editahead shows nothing",
      value: DEFAULT_SNOOZE_MINUTES,
      validateInput: (text) => (Number(text) > 0 ? undefined : "A number above 0"),
    });
    if (answer !== undefined) view.activity.snooze(Number(answer));
  };
  const bringBack = async () => {
    const result = await server.executeCommand<{ restored: boolean }>("editahead.restore");
    if (result?.restored === true) return view.goToNextEdit();
    if (result !== undefined) void vscode.window.showInformationMessage("Editahead: No rejected edit can be brought back.");
  };
  const openExample = async () => {
    const document = await vscode.workspace.openTextDocument({ language: "python", content: EXAMPLE });
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = findWord(document, "ends");
  };
  const commands: Record<string, (...args: never[]) => unknown> = {
    tab: () => view.tab(),
    dismiss: () => view.reject(),
    acceptWord: () => view.acceptPart("word"),
    acceptLine: (options?: unknown) => view.acceptPart("line", linesOf(options)),
    showNext: () => view.showAlternative(1),
    showPrevious: () => view.showAlternative(-1),
    go: () => view.goToNextEdit(),
    makeAll: () => acceptAll(server, preview, view.currentId),
    menu: () => showMenu(server, view, statusBar),
    toggle,
    toggleLanguage: () => toggleActiveLanguage(view),
    chooseEagerness,
    snooze,
    bringBack,
    ghostAccepted: (id: string) => view.onGhostTextAccepted(id),
    applyClipboard: () => applyClipboard(server, preview),
    applySelection: () => applySelection(server, preview),
    showLeft: whenTrusted(() => showLeft(server, preview)),
    writeCommitMessage: whenTrusted((source?: unknown) => writeCommitMessage(server, source)),
    searchCode: whenTrusted(() => searchCode(server)),
    makeChanges: () => preview.applyChanges(),
    makeNoChanges: () => preview.close(),
    leaveOut: () => preview.revertHunk(),
    explain,
    readEdit: () => speech.readEdit(),
    missed: () => report("missed"),
    wrong: () => report("wrong"),
    showStatus,
    useModel: () => useModel(server, () => installation.resolveCommand(), () => installation.makeFolder(), log),
    restartServer: () => server.restart(),
    openLog: () => log.show(),
    forget,
    openExample,
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(`editahead.${name}`, run));
  }
  void server.start();
}

/** Return a command that needs git or the index, and tells so in a workspace that the user does not trust. */
function whenTrusted<T extends unknown[]>(run: (...args: T) => Promise<void>): (...args: T) => Promise<void> {
  return async (...args) => {
    if (vscode.workspace.isTrusted) return run(...args);
    void vscode.window.showWarningMessage("Editahead: This needs git or an index of the workspace. Trust the workspace first.");
  };
}

function findWord(document: vscode.TextDocument, word: string): vscode.Selection {
  const offset = document.getText().indexOf(word);
  return new vscode.Selection(document.positionAt(offset), document.positionAt(offset + word.length));
}

export async function deactivate(): Promise<void> {
  await activeServer?.stop();
}
