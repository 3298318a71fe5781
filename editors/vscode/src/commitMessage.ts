// The command that writes a commit message into the box of VS Code's Git extension: the renames and rewrites of the change.
import * as vscode from "vscode";
import { folderOf } from "./core/commitMessage";
import type { CommitMessageResult } from "./core/protocol";
import type { ServerManager } from "./server";

/** The part of the Git extension's API that is used; the extension documents all of it. */
interface Repository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
  readonly ui: { readonly selected: boolean };
}

interface GitExtension {
  getAPI(version: 1): { readonly repositories: readonly Repository[]; getRepository(uri: vscode.Uri): Repository | null };
}

/** The message that was written last: it may be replaced without a question. */
let written: string | undefined;

/** Write a message for what is staged, or where nothing is, for the working tree. `source` is the view that has the button. */
export async function writeCommitMessage(server: ServerManager, source: unknown): Promise<void> {
  const repository = await findRepository(source);
  if (repository === undefined) {
    void vscode.window.showWarningMessage("Editahead: VS Code's Git extension has no repository open here.");
    return;
  }
  const { rootUri, inputBox } = repository;
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
  const result = await server.executeCommand<CommitMessageResult>("editahead.commitMessage", { uri: folderOf(rootUri.toString(), folders) });
  if (result === undefined) return;
  if (inputBox.value.trim() !== "" && inputBox.value !== written && inputBox.value !== result.message) {
    const question = `Editahead: Replace the message in the box by “${result.subject}”?`;
    if ((await vscode.window.showWarningMessage(question, "Replace")) === undefined) return;
  }
  inputBox.value = written = result.message;
  await vscode.commands.executeCommand("workbench.view.scm");
}

async function findRepository(source: unknown): Promise<Repository | undefined> {
  const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
  if (extension === undefined) return undefined;
  let git: ReturnType<GitExtension["getAPI"]>;
  try {
    git = (await extension.activate()).getAPI(1);
  } catch {
    return undefined; // the user has git switched off
  }
  const view = typeof source === "object" && source !== null && "rootUri" in source ? source.rootUri : undefined;
  const uri = view instanceof vscode.Uri ? view : vscode.window.activeTextEditor?.document.uri;
  const here = uri === undefined ? null : git.getRepository(uri);
  return here ?? git.repositories.find(({ ui }) => ui.selected) ?? git.repositories[0];
}
