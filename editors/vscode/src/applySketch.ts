// A sketch of a change, from the clipboard or the selection, becomes an edit that is looked through before it is made.
import * as vscode from "vscode";
import { CodeActionRequest, ResponseError, type CodeAction, type LanguageClient } from "vscode-languageclient/node";
import type { WireEdit } from "./core/proposal";
import { refusalOf, refusalText } from "./core/messages";
import type { Refusal } from "./core/protocol";
import { rangeOf } from "./document";
import type { Preview } from "./preview";
import type { Engine } from "./server";

const KIND = "refactor.rewrite.editahead.apply";
/** The code action that takes whole selected lines out and applies them to the rest. */
const SELECTED = "Apply sketch in selection";

interface Applied {
  readonly edit: WireEdit;
  readonly method: string;
}

export async function applyClipboard(engine: Engine, preview: Preview): Promise<void> {
  const sketch = await vscode.env.clipboard.readText();
  const plan = (client: LanguageClient, document: vscode.TextDocument) => planned(client, document, sketch);
  await look(engine, preview, "There is no sketch on the clipboard.", sketch, plan);
}

/** Selected lines of a document that hold a sketch go, and what they say is done to the rest of it, or to the files that they
 * name. */
export async function applySelection(engine: Engine, preview: Preview): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const selection = editor?.selection;
  const sketch = editor?.document.getText(selection) ?? "";
  await look(engine, preview, "Nothing is selected.", sketch, async (client, document) => {
    const params = {
      textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(document),
      range: client.code2ProtocolConverter.asRange(selection ?? new vscode.Range(0, 0, 0, 0)),
      context: { diagnostics: [], only: [KIND] },
    };
    const offered = ((await client.sendRequest(CodeActionRequest.type, params)) ?? []) as CodeAction[];
    const action = offered.find((one) => one.title === SELECTED);
    if (action === undefined) return planned(client, document, sketch);
    if (action.disabled !== undefined) throw new Error(action.disabled.reason);
    return (action.edit ?? (await client.sendRequest<CodeAction>("codeAction/resolve", action)).edit) as WireEdit | undefined;
  });
}

async function planned(client: LanguageClient, document: vscode.TextDocument, sketch: string): Promise<WireEdit | undefined> {
  const argument = { sketch, uri: client.code2ProtocolConverter.asUri(document.uri), dryRun: true };
  const params = { command: "editahead.apply", arguments: [argument] };
  const applied = await client.sendRequest<Applied>("workspace/executeCommand", params);
  return applied.method === "none" ? undefined : applied.edit;
}

// Gets the edit, and shows what it would make of the files.
async function look(
  engine: Engine,
  preview: Preview,
  missing: string,
  sketch: string,
  plan: (client: LanguageClient, document: vscode.TextDocument) => Promise<WireEdit | undefined>,
): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const client = engine.client;
  const problem =
    client === undefined ? (engine.problem ?? "The server is not running.") : document === undefined ? "No file is open." : missing;
  if (client === undefined || document === undefined || sketch.trim() === "") {
    void vscode.window.showWarningMessage(`Editahead: ${problem}`);
    return;
  }
  const once = async (): Promise<void> => {
    try {
      const options = { location: vscode.ProgressLocation.Window, title: "Editahead: placing the sketch …" };
      const edit = await vscode.window.withProgress(options, () => plan(client, document));
      if (edit === undefined) void vscode.window.showInformationMessage("Editahead: the sketch is there already.");
      else await preview.show(edit, once);
    } catch (error) {
      await sayRefusal(error, document.uri);
    }
  };
  await once();
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
