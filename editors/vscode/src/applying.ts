// A sketch of a change, from the clipboard or the selection, becomes an edit that is looked through before it is made.
import * as vscode from "vscode";
import { CodeActionRequest, ResponseError, type CodeAction, type LanguageClient, type WorkspaceEdit } from "vscode-languageclient/node";
import { refusalOf, refusalText } from "./core/telling";
import type { Refusal } from "./core/wire";
import { rangeOf } from "./document";
import type { Engine } from "./server";

const KIND = "refactor.rewrite.editahead.apply";
/** The code action that takes whole selected lines out and applies them to the rest. */
const SELECTED = "Apply sketch in selection";

interface Applied {
  readonly edit: WorkspaceEdit;
  readonly method: string;
}

export async function applyClipboard(engine: Engine): Promise<void> {
  const sketch = await vscode.env.clipboard.readText();
  await look(engine, "There is no sketch on the clipboard.", sketch, (client, document) => planned(client, document, sketch));
}

/** Selected lines of a document that hold a sketch go, and what they say is done to the rest of it, or to the files that they
 * name. */
export async function applySelection(engine: Engine): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const selection = editor?.selection;
  const sketch = editor?.document.getText(selection) ?? "";
  await look(engine, "Nothing is selected.", sketch, async (client, document) => {
    const params = {
      textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(document),
      range: client.code2ProtocolConverter.asRange(selection ?? new vscode.Range(0, 0, 0, 0)),
      context: { diagnostics: [], only: [KIND] },
    };
    const offered = ((await client.sendRequest(CodeActionRequest.type, params)) ?? []) as CodeAction[];
    const action = offered.find((one) => one.title === SELECTED);
    if (action === undefined) return planned(client, document, sketch);
    if (action.disabled !== undefined) throw new Error(action.disabled.reason);
    return action.edit ?? (await client.sendRequest<CodeAction>("codeAction/resolve", action)).edit;
  });
}

async function planned(client: LanguageClient, document: vscode.TextDocument, sketch: string): Promise<WorkspaceEdit | undefined> {
  const argument = { sketch, uri: client.code2ProtocolConverter.asUri(document.uri), dryRun: true };
  const params = { command: "editahead.apply", arguments: [argument] };
  const applied = await client.sendRequest<Applied>("workspace/executeCommand", params);
  return applied.method === "none" ? undefined : applied.edit;
}

// Gets the edit, and hands it to VS Code's preview, where each hunk is ticked or left.
async function look(
  engine: Engine,
  missing: string,
  sketch: string,
  plan: (client: LanguageClient, document: vscode.TextDocument) => Promise<WorkspaceEdit | undefined>,
): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const client = engine.client;
  const problem =
    client === undefined ? (engine.problem ?? "The server is not running.") : document === undefined ? "No file is open." : missing;
  if (client === undefined || document === undefined || sketch.trim() === "") {
    void vscode.window.showWarningMessage(`Editahead: ${problem}`);
    return;
  }
  let edit: WorkspaceEdit | undefined;
  try {
    const options = { location: vscode.ProgressLocation.Window, title: "Editahead: placing the sketch …" };
    edit = await vscode.window.withProgress(options, () => plan(client, document));
  } catch (error) {
    await sayRefusal(error, document.uri);
    return;
  }
  if (edit === undefined) {
    void vscode.window.showInformationMessage("Editahead: the sketch is there already.");
    return;
  }
  for (const annotation of Object.values(edit.changeAnnotations ?? {})) annotation.needsConfirmation = true;
  const made = await vscode.workspace.applyEdit(await client.protocol2CodeConverter.asWorkspaceEdit(edit));
  if (!made) void vscode.window.setStatusBarMessage("Editahead: nothing was changed.", 5000);
}

async function sayRefusal(error: unknown, uri: vscode.Uri): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  const refusal = error instanceof ResponseError ? refusalOf(error.data) : undefined;
  const near = refusal?.near ?? [];
  const text = `Editahead: ${refusal === undefined ? message : refusalText(refusal, message)}`;
  const choice = await vscode.window.showWarningMessage(text, ...(near.length > 0 ? ["Show What Is Like It"] : []));
  if (choice !== undefined) await showNear(near, uri);
}

async function showNear(near: Refusal["near"], uri: vscode.Uri): Promise<void> {
  const items = near.map((place) => ({
    label: `${Math.round(100 * place.similarity)} % like it`,
    description: `line ${place.range.start.line + 1}`,
    place,
  }));
  const chosen = items.length === 1 ? items[0] : await vscode.window.showQuickPick(items);
  if (chosen === undefined) return;
  const target = chosen.place.uri === undefined ? uri : vscode.Uri.parse(chosen.place.uri, true);
  await vscode.window.showTextDocument(target, { selection: rangeOf(chosen.place.range) });
}
