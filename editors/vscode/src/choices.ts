// The choice between readings of a sketch that is not certain: a quick pick, with the diff of the active row beside it.
import * as vscode from "vscode";
import { describePlaces } from "./core/messages";
import type { Choice } from "./core/protocol";

const SCHEME = "editahead-choice";

interface Row extends vscode.QuickPickItem {
  readonly choice: Choice;
  readonly diff: vscode.Uri;
}

let opened = 0;

/** Let the user pick a choice; undefined when the user picks none. */
export async function pickChoice(choices: readonly Choice[]): Promise<Choice | undefined> {
  opened++; // VS Code keeps documents for a while; a new URI has a new text
  const rows: Row[] = choices.map((choice, index) => ({
    label: choice.title,
    description: describePlaces(choice.places),
    choice,
    diff: vscode.Uri.from({ scheme: SCHEME, path: `/${choice.title.replaceAll(/[/\\]/g, " ")}.diff`, query: `${opened}-${index}` }),
  }));
  const provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: (uri) => rows.find((row) => row.diff.query === uri.query)?.choice.diff,
  });
  const input = vscode.window.createQuickPick<Row>();
  try {
    return await new Promise<Choice | undefined>((resolve) => {
      input.items = rows;
      input.placeholder = "Which change does the sketch mean?";
      input.ignoreFocusOut = true; // opening the diff takes the focus for a moment
      input.onDidChangeActive(([row]) => void (row !== undefined && showDiff(row.diff)));
      input.onDidAccept(() => {
        resolve(input.activeItems[0]?.choice);
        input.hide();
      });
      input.onDidHide(() => resolve(undefined));
      input.show();
    });
  } finally {
    input.dispose();
    await closeDiffs();
    provider.dispose();
  }
}

async function showDiff(uri: vscode.Uri): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true });
}

async function closeDiffs(): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  await vscode.window.tabGroups.close(
    tabs.filter(({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === SCHEME),
    true,
  );
}
