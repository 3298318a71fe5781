// The lines that the user copies are evidence for what comes next.
import * as vscode from "vscode";
import { isSupported } from "./document";
import type { ServerManager } from "./server";

/** What VS Code 1.97 and later tell of a copy. The types of the oldest supported version lack it. */
interface CopyEvents {
  registerDocumentPasteEditProvider?(
    selector: vscode.DocumentSelector,
    provider: { prepareDocumentPaste(document: vscode.TextDocument, ranges: readonly vscode.Range[]): void },
    metadata: { providedPasteEditKinds: readonly unknown[]; copyMimeTypes: readonly string[] },
  ): vscode.Disposable;
}

/** Tell the server which lines are copied, where VS Code can say so. */
export function reportCopies(server: ServerManager): vscode.Disposable {
  const { registerDocumentPasteEditProvider: register } = vscode.languages as unknown as CopyEvents;
  if (register === undefined) return new vscode.Disposable(() => undefined);
  const report = (document: vscode.TextDocument, ranges: readonly vscode.Range[]) => {
    const { client } = server;
    const [range] = ranges;
    if (client === undefined || range === undefined || !isSupported(document)) return;
    void client.sendNotification("editahead/didCopy", {
      textDocument: { uri: client.code2ProtocolConverter.asUri(document.uri), version: document.version },
      range: client.code2ProtocolConverter.asRange(range),
    });
  };
  return register({ pattern: "**" }, { prepareDocumentPaste: report }, { providedPasteEditKinds: [], copyMimeTypes: ["text/plain"] });
}
