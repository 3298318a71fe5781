// The command that finds code in the workspace: a question, and a list of the places that answer it.
import * as vscode from "vscode";
import type { SearchPlace, SearchResult } from "./core/protocol";
import type { ServerManager } from "./server";

interface PlaceItem extends vscode.QuickPickItem {
  place: SearchPlace;
}

const LIMIT = 30;

/** Ask for a question, show the places that answer it, and go to the chosen one. */
export async function searchCode(server: ServerManager): Promise<void> {
  const query = await vscode.window.showInputBox({
    prompt: "Find code in the workspace: a question, a name, or a piece of code in quotes",
    placeHolder: "where are retries configured",
  });
  if (query === undefined || query.trim() === "") return;
  const result = await server.executeCommand<SearchResult>("editahead.search", { query, limit: LIMIT });
  if (result === undefined) return;
  if (result.places.length === 0) {
    void vscode.window.showInformationMessage(`Nothing found. ${result.notice || "Try other words, or fewer."}`);
    return;
  }
  const items: PlaceItem[] = result.places.map((place) => ({
    label: place.lines[0]?.text.trim() ?? place.path,
    description: `${place.path}:${lineOf(place) + 1}`,
    detail: place.why.join("; "),
    place,
  }));
  const options = { placeHolder: result.notice || query, matchOnDescription: true, matchOnDetail: true };
  const chosen = await vscode.window.showQuickPick(items, options);
  if (chosen === undefined) return;
  const line = lineOf(chosen.place);
  // The server writes this down only if `search_log` is on.
  void server.client?.sendNotification("editahead/didOpenSearchResult", { query, uri: chosen.place.uri, line });
  const selection = new vscode.Range(line, 0, line, 0);
  await vscode.window.showTextDocument(vscode.Uri.parse(chosen.place.uri), { selection });
}

function lineOf(place: SearchPlace): number {
  return place.lines[0]?.line ?? place.range.start.line;
}
