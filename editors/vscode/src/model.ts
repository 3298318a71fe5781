// The command that sets up Editahead's own model, by the program of the server, in a notification with its progress.
import { spawn } from "node:child_process";
import * as vscode from "vscode";
import { modelCommand, type ServerCommand } from "./core/environment";
import { lastLine } from "./core/messages";
import type { ServerManager } from "./server";

/** Set up the model, and restart the server with it. What was installed stays when the user cancels, and the next time goes on. */
export async function useModel(
  server: ServerManager,
  resolveCommand: () => Promise<ServerCommand>,
  makeFolder: () => Promise<string>,
  log: vscode.LogOutputChannel,
): Promise<void> {
  const options = { location: vscode.ProgressLocation.Notification, title: "Editahead: setting up the model", cancellable: true };
  try {
    const command = modelCommand(await resolveCommand());
    const cwd = await makeFolder();
    const { code, output } = await vscode.window.withProgress(options, (progress, token) => run(command, cwd, progress, token, log));
    if (code === undefined) return;
    if (code !== 0) throw new Error(lastLine(output) || "The model could not be set up.");
    void vscode.window.showInformationMessage(`Editahead: ${lastLine(output)}`);
    await server.restart();
  } catch (error) {
    const message = `Editahead: ${error instanceof Error ? error.message : String(error)}`;
    if ((await vscode.window.showErrorMessage(message, "Show Log")) !== undefined) log.show(true);
  }
}

/** Run a command, and return its exit code and output; without a code if the user cancelled it. */
function run(
  { command, args }: ServerCommand,
  cwd: string,
  progress: vscode.Progress<{ message: string }>,
  token: vscode.CancellationToken,
  log: vscode.LogOutputChannel,
): Promise<{ code: number | undefined; output: string }> {
  return new Promise((resolve, reject) => {
    log.info([command, ...args].join(" "));
    const child = spawn(command, [...args], { cwd, windowsHide: true, stdio: ["ignore", "pipe", "pipe"] });
    const subscription = token.onCancellationRequested(() => child.kill("SIGINT"));
    let output = "";
    const onData = (data: string) => {
      output += data;
      log.info(data.trimEnd());
      progress.report({ message: lastLine(data) });
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", onData);
    child.on("error", reject);
    child.on("close", (code) => {
      subscription.dispose();
      resolve({ code: token.isCancellationRequested ? undefined : (code ?? 1), output });
    });
  });
}
