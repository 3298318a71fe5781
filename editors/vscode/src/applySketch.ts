// The commands that turn a sketch of a change, from the clipboard or the selection, into an edit to review.
import * as vscode from "vscode";
import { CodeActionRequest, ResponseError, type CodeAction, type LanguageClient } from "vscode-languageclient/node";
import { pickChoice } from "./choices";
import { ComingPreview } from "./comingPreview";
import { describeRefusal, parseRefusal } from "./core/messages";
import type { Problem, Refusal } from "./core/protocol";
import type { WorkspaceEdit } from "./core/workspaceEdit";
import { toRange } from "./document";
import type { Preview, PreviewOptions } from "./preview";
import type { ServerManager } from "./server";

const SKETCH_ACTION_KIND = "refactor.rewrite.editahead.apply";
/** The title of the code action that removes the selected lines and applies them to the rest of the document. */
const SELECTION_ACTION_TITLE = "Apply sketch in selection";

interface PlannedEdit {
  readonly edit: WorkspaceEdit;
  /** The name of the edit, to ask for its problems. */
  readonly plan?: string;
}

interface ApplyResult extends PlannedEdit {
  readonly method: string;
}

interface PlanRequest {
  readonly client: LanguageClient;
  readonly document: vscode.TextDocument;
  /** The token of the partial results. */
  readonly partialResultToken: string;
  readonly cancellation: vscode.CancellationToken;
  readonly choice?: string | undefined;
}

/** Plans the edit, for one of the choices if one was made. */
type Planner = (request: PlanRequest) => Promise<PlannedEdit | undefined>;

/** Preview the edit for the sketch on the clipboard. */
export async function applyClipboard(server: ServerManager, preview: Preview): Promise<void> {
  const sketch = await vscode.env.clipboard.readText();
  const plan: Planner = (request) => planSketch(sketch, request);
  await planAndPreview(server, preview, "The clipboard contains no sketch. Copy one first.", sketch, plan);
}

/**
 * Preview the edit for the selected sketch.
 *
 * Selected whole lines are removed from the document; the sketch in them applies to the rest, or to the files it names.
 */
export async function applySelection(server: ServerManager, preview: Preview): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const selection = editor?.selection;
  const sketch = editor?.document.getText(selection) ?? "";
  await planAndPreview(server, preview, "The selection is empty. Select a sketch first.", sketch, async (request) => {
    const { client, document, partialResultToken, cancellation, choice } = request;
    const params = {
      textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(document),
      range: client.code2ProtocolConverter.asRange(selection ?? new vscode.Range(0, 0, 0, 0)),
      context: { diagnostics: [], only: [SKETCH_ACTION_KIND] },
    };
    const actions = ((await client.sendRequest(CodeActionRequest.type, params, cancellation)) ?? []) as CodeAction[];
    const action = actions.find(({ title }) => title === SELECTION_ACTION_TITLE);
    if (action === undefined) return planSketch(sketch, request);
    if (action.disabled !== undefined) throw new Error(action.disabled.reason);
    const data = { ...action.data, choice, ask: false, partialResultToken }; // the extension shows the choices
    const resolved =
      action.edit === undefined ? await client.sendRequest<CodeAction>("codeAction/resolve", { ...action, data }, cancellation) : action;
    return resolved.edit === undefined ? undefined : { edit: resolved.edit as WorkspaceEdit, plan: resolved.data?.plan };
  });
}

// Returns undefined when the document already contains the sketch's changes.
async function planSketch(sketch: string, request: PlanRequest): Promise<PlannedEdit | undefined> {
  const { client, document, partialResultToken, cancellation, choice } = request;
  const uri = client.code2ProtocolConverter.asUri(document.uri);
  const argument = { sketch, uri, dryRun: true, choice, partialResultToken };
  const params = { command: "editahead.apply", arguments: [argument] };
  const result = await client.sendRequest<ApplyResult>("workspace/executeCommand", params, cancellation);
  return result.method === "none" ? undefined : result;
}

async function planAndPreview(
  server: ServerManager,
  preview: Preview,
  emptyMessage: string,
  sketch: string,
  plan: Planner,
): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const client = server.client;
  if (client === undefined || document === undefined || sketch.trim() === "") {
    const message =
      client === undefined ? server.notRunningMessage : document === undefined ? "No file is open. Open one first." : emptyMessage;
    void vscode.window.showWarningMessage(`Editahead: ${message}`);
    return;
  }
  const run = async (choice?: string): Promise<void> => {
    const source = new vscode.CancellationTokenSource();
    const coming = new ComingPreview(client, preview, () => source.cancel());
    const request = { client, document, partialResultToken: coming.token, cancellation: source.token, choice };
    const progress = { location: vscode.ProgressLocation.Notification, title: "Editahead: placing the sketch …", cancellable: true };
    try {
      const planned = await vscode.window.withProgress(progress, (_, cancellation) => {
        cancellation.onCancellationRequested(() => source.cancel());
        return plan(request);
      });
      await coming.end();
      if (source.token.isCancellationRequested) return;
      const options = { replan: () => run(), changes: coming.changes, onClose: () => source.cancel() };
      if (planned !== undefined) return await showPlanned(planned, options, request, source, preview);
      await preview.takeAway();
      void vscode.window.showInformationMessage("Editahead: The file already contains the sketch's changes.");
    } catch (error) {
      await coming.end();
      await preview.takeAway();
      if (source.token.isCancellationRequested) return;
      const { choices } = refusalOf(error) ?? { choices: [] };
      if (choices.length === 0) return await showRefusal(error, document.uri);
      const chosen = await pickChoice(choices);
      if (chosen !== undefined) await run(chosen.id);
    } finally {
      coming.dispose();
    }
  };
  await run();
}

/** Preview an edit, and mark the new problems that it would bring as soon as they are known. */
async function showPlanned(
  { edit, plan }: PlannedEdit,
  options: PreviewOptions,
  { client }: PlanRequest,
  source: vscode.CancellationTokenSource,
  preview: Preview,
): Promise<void> {
  await preview.show(edit, options);
  if (plan === undefined || !vscode.workspace.isTrusted || source.token.isCancellationRequested) return;
  const params = { command: "editahead.applyProblems", arguments: [{ plan }] };
  try {
    const { problems } = await client.sendRequest<{ problems: Problem[] }>("workspace/executeCommand", params, source.token);
    if (!source.token.isCancellationRequested) preview.addProblems(problems);
  } catch {
    // the preview was closed, or the server has stopped: nothing waits for the problems
  }
}

function refusalOf(error: unknown): Refusal | undefined {
  return error instanceof ResponseError ? parseRefusal(error.data) : undefined;
}

async function showRefusal(error: unknown, uri: vscode.Uri): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  const refusal = refusalOf(error);
  const similar = refusal?.near ?? [];
  const text = `Editahead: ${refusal === undefined ? message : describeRefusal(refusal, message)}`;
  const choice = await vscode.window.showWarningMessage(text, ...(similar.length > 0 ? ["Show Similar Code"] : []));
  if (choice !== undefined) await showSimilarCode(similar, uri);
}

async function showSimilarCode(similar: Refusal["near"], uri: vscode.Uri): Promise<void> {
  const items = similar.map((place) => ({
    label: `${Math.round(100 * place.similarity)} % similar`,
    description: `line ${place.range.start.line + 1}`,
    place,
  }));
  const chosen = items.length === 1 ? items[0] : await vscode.window.showQuickPick(items);
  if (chosen === undefined) return;
  const target = chosen.place.uri === undefined ? uri : vscode.Uri.parse(chosen.place.uri, true);
  await vscode.window.showTextDocument(target, { selection: toRange(chosen.place.range) });
}
