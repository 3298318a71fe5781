// What the other language extensions say of a symbol that the server asks about, before the person renames it.
import * as vscode from "vscode";
import { evidenceOf, withinBudget, type AskEvidence, type LspPlace } from "./core/evidence";
import type { ServerManager } from "./server";

/** Answer the server's questions about symbols while the setting `editahead.evidence` is on. */
export function answerEvidence(server: ServerManager): vscode.Disposable {
  return server.onAskEvidence((asked) => void answer(server, asked));
}

/** Return whether the person wants other language extensions to be asked. */
export function isEvidenceWanted(): boolean {
  return vscode.workspace.getConfiguration("editahead").get<boolean>("evidence", true);
}

async function answer(server: ServerManager, asked: AskEvidence): Promise<void> {
  const { client } = server;
  if (client === undefined) return;
  const uri = client.protocol2CodeConverter.asUri(asked.textDocument.uri);
  const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
  if (document?.version !== asked.textDocument.version) return;
  const { line, character } = asked.symbol.range.start;
  const position = new vscode.Position(line, character);
  const place = (target: vscode.Uri, range: vscode.Range): LspPlace => ({
    uri: client.code2ProtocolConverter.asUri(target),
    range: client.code2ProtocolConverter.asRange(range),
  });
  const renames = execute<vscode.WorkspaceEdit>("vscode.executeDocumentRenameProvider", uri, position, asked.symbol.new).then((edit) =>
    edit?.entries().flatMap(([target, edits]) => edits.map(({ range, newText }) => ({ ...place(target, range), newText }))),
  );
  const references = execute<vscode.Location[]>("vscode.executeReferenceProvider", uri, position).then((found) =>
    found?.map((location) => place(location.uri, location.range)),
  );
  const told = evidenceOf(asked, document.languageId, await Promise.all([withinBudget(renames), withinBudget(references)]));
  if (told !== undefined) void client.sendNotification("editahead/evidence", told);
}

// A provider that fails, or that refuses the rename, says nothing.
async function execute<T>(command: string, ...args: unknown[]): Promise<T | undefined> {
  try {
    return await vscode.commands.executeCommand<T>(command, ...args);
  } catch {
    return undefined;
  }
}
