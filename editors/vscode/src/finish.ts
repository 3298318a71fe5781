// The command that shows what the change still lacks: the places in the preview of an edit, with a mark at each.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { describeComplete, describeUses } from "./core/messages";
import type { FinishResult } from "./core/protocol";
import type { Preview } from "./preview";
import type { ServerManager } from "./server";

/** Look for the places that the change of the working tree lacks, and preview the edit that makes them. */
export async function showLeft(server: ServerManager, preview: Preview): Promise<void> {
  const client = server.client;
  if (client === undefined) {
    void vscode.window.showWarningMessage(`Editahead: ${server.notRunningMessage}`);
    return;
  }
  const document = vscode.window.activeTextEditor?.document;
  const isFile = document?.uri.scheme === "file";
  const argument = isFile ? { uri: client.code2ProtocolConverter.asUri(document.uri) } : {};
  const params = { command: "editahead.finish", arguments: [argument] };
  const options = { location: vscode.ProgressLocation.Notification, title: "Editahead: looking for what is left", cancellable: true };
  let result: FinishResult;
  try {
    result = await vscode.window.withProgress(options, (_, token) =>
      client.sendRequest<FinishResult>("workspace/executeCommand", params, token),
    );
  } catch (error) {
    if (error instanceof vscode.CancellationError) return;
    void vscode.window.showWarningMessage(`Editahead: ${error instanceof Error ? error.message : String(error)}`);
    return;
  }
  if (result.complete) void vscode.window.showInformationMessage(describeComplete(result));
  const toLookAt = describeUses(result);
  if (toLookAt !== undefined) void offerUses(toLookAt, result, client);
  if (result.places.length > 0) await preview.show(result.edit, { replan: () => showLeft(server, preview), kind: "left" });
}

/** Tell how many uses there are for which no edit is sure, and show them when asked to. */
async function offerUses(message: string, { uses }: FinishResult, { protocol2CodeConverter: from }: LanguageClient): Promise<void> {
  const places = uses.map((use) => new vscode.Location(from.asUri(use.uri), from.asRange(use.range)));
  const [first] = places;
  const chosen = await vscode.window.showWarningMessage(message, ...(first === undefined ? [] : ["Show"]));
  if (chosen === undefined || first === undefined) return;
  const editor = await vscode.window.showTextDocument(first.uri);
  const what = "There is no use to look at.";
  await vscode.commands.executeCommand("editor.action.goToLocations", editor.document.uri, first.range.start, places, "peek", what);
}
