// The command that makes all places that are left of the rule of the shown edit, after a preview of them.
import * as vscode from "vscode";
import type { AcceptAllResult } from "./core/protocol";
import type { Preview } from "./preview";
import type { ServerManager } from "./server";

/** Preview one edit that makes all places of the rule of the prediction `id`. */
export async function acceptAll(server: ServerManager, preview: Preview, id: string | undefined): Promise<void> {
  if (id === undefined) {
    void vscode.window.showInformationMessage("Editahead: No next edit is shown.");
    return;
  }
  const result = await server.executeCommand<AcceptAllResult>("editahead.acceptAll", { id, dryRun: true });
  if (result === undefined) return;
  await preview.show(result.edit, {
    kind: "all",
    title: result.message,
    replan: () => acceptAll(server, preview, id),
    onApplied: () => server.reportOutcome(id, "accepted"),
  });
}
