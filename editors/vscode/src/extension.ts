// Editahead in VS Code: the predicted next edit, shown in its place, one key to go there and to make it.
import * as vscode from "vscode";
import { applyClipboard, applySelection } from "./applySketch";
import { serverText, whyText } from "./core/messages";
import type { StatusResult, WhyResult } from "./core/protocol";
import { Installation } from "./installation";
import { Preview } from "./preview";
import { Engine } from "./server";
import { StatusBar } from "./statusbar";
import { View } from "./view";

/** Where the first next edit can be seen. */
const EXAMPLE = `# Type "leaves" over the selected word. Then press Tab, and Tab again, to the end.
class Stay:
    def __init__(self, begins, until):
        self.begins = begins
        self.ends = until

    def nights(self):
        return (self.ends - self.begins).days

    def covers(self, day):
        return self.begins <= day < self.ends
`;

let engine: Engine | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Editahead", { log: true });
  const installation = new Installation(context, log, () => started.be("installing"));
  const started = new Engine(() => installation.find(), log);
  engine = started;
  const view = new View(context.extensionUri, started, () => performance.now());
  started.ghosts = (document, position) => view.ghosts(document, position);
  const preview = new Preview();
  context.subscriptions.push(log, installation, started, view, preview, new StatusBar(started, view));

  const tell = (text: string) => {
    log.info(text);
    const [first = "", ...others] = text.split("\n"); // a notification has one line
    void vscode.window.showInformationMessage(first, ...(others.length > 0 ? ["More"] : [])).then((more) => {
      if (more !== undefined) log.show(true);
    });
  };
  const why = async () => {
    const uri = vscode.window.activeTextEditor?.document.uri.toString();
    const result = await started.execute<WhyResult>("editahead.why", ...(uri === undefined ? [] : [uri]));
    if (result !== undefined) tell(whyText(result));
  };
  const status = async () => {
    const result = await started.execute<StatusResult>("editahead.status");
    if (result !== undefined) tell(serverText(result));
  };
  const commands: Record<string, (...args: never[]) => unknown> = {
    tab: () => view.tab(),
    dismiss: () => view.reject(),
    acceptWord: () => view.acceptPart("word"),
    acceptLine: () => view.acceptPart("line"),
    showNext: () => view.choose(1),
    showPrevious: () => view.choose(-1),
    go: () => view.goNext(),
    toggle: () => view.enable(!view.enabled),
    ghostAccepted: (id: string) => view.ghostAccepted(id),
    applyClipboard: () => applyClipboard(started, preview),
    applySelection: () => applySelection(started, preview),
    makeChanges: () => preview.make(),
    makeNoChanges: () => preview.close(),
    leaveOut: () => preview.leaveOut(),
    explain: why,
    showStatus: status,
    restartServer: () => started.restart(),
    openLog: () => log.show(),
    forget: async () => {
      if ((await started.execute("editahead.resetLearning")) !== undefined) tell("Editahead has forgotten what it learned and what you refused.");
    },
    openExample: async () => {
      const document = await vscode.workspace.openTextDocument({ language: "python", content: EXAMPLE });
      const editor = await vscode.window.showTextDocument(document);
      editor.selection = wordOf(document, "ends");
    },
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(`editahead.${name}`, run));
  }
  void started.start();
}

/** A word where it stands first. */
function wordOf(document: vscode.TextDocument, word: string): vscode.Selection {
  const at = document.getText().indexOf(word);
  return new vscode.Selection(document.positionAt(at), document.positionAt(at + word.length));
}

export async function deactivate(): Promise<void> {
  await engine?.stop();
}
