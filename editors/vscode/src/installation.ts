// Finds the server, or makes it an environment of its own in the extension's storage.
import { execFile } from "node:child_process";
import { constants, promises as fs } from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { commandOf, inEnvironment, installProblem, isRecent, onPath, pythons, type ServerCommand } from "./core/environment";

const run = promisify(execFile);
const WINDOWS = process.platform === "win32";
/** Written last: an environment without it was not finished. */
const STAMP = "editahead.txt";

export class Installation implements vscode.Disposable {
  private aborted = new AbortController();
  private making: Promise<void> = Promise.resolve();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
    private readonly installing: () => void,
  ) {}

  /** The person's own choice, else what is on PATH, else our environment, made now if need be. */
  async find(): Promise<ServerCommand> {
    this.dispose(); // one environment is made at a time
    const aborted = (this.aborted = new AbortController());
    await this.making.catch(() => undefined);
    const chosen = setting("server.command");
    if (chosen !== undefined && !(Array.isArray(chosen) && chosen.length === 0)) {
      const command = commandOf(chosen);
      if (command === undefined) throw new Error("The setting `editahead.server.command` is not a list of words.");
      if (path.isAbsolute(command.command) && !(await isExecutable(command.command))) {
        throw new Error(`There is no program ${command.command}, which \`editahead.server.command\` names.`);
      }
      return command;
    }
    for (const place of onPath("editahead", process.env.PATH, WINDOWS)) {
      if (await isExecutable(place)) return { command: place, args: ["lsp"] };
    }
    return { command: await this.environment(aborted), args: ["lsp"] };
  }

  /** Whatever is being made is given up. */
  dispose(): void {
    this.aborted.abort();
  }

  private async environment(aborted: AbortController): Promise<string> {
    const folder = path.join(this.context.globalStorageUri.fsPath, "server");
    const program = inEnvironment(folder, "editahead", WINDOWS);
    const distribution = await this.distribution();
    const stamp = `${distribution}\n`;
    const there = await fs.readFile(path.join(folder, STAMP), "utf8").catch(() => "");
    if (there === stamp && (await isExecutable(program))) return program;
    if (aborted.signal.aborted) throw new Error("Another start has begun.");
    this.installing();
    const options = { location: vscode.ProgressLocation.Notification, title: "Editahead", cancellable: true };
    await vscode.window.withProgress(options, (progress, token) => (this.making = this.make(folder, distribution, progress, token, aborted)));
    await fs.writeFile(path.join(folder, STAMP), stamp);
    return program;
  }

  private async make(
    folder: string,
    distribution: string,
    progress: vscode.Progress<{ message: string }>,
    token: vscode.CancellationToken,
    aborted: AbortController,
  ): Promise<void> {
    const watcher = token.onCancellationRequested(() => aborted.abort());
    const step = async (message: string, command: string, args: string[]) => {
      progress.report({ message });
      this.log.info([command, ...args].join(" "));
      try {
        const { stdout, stderr } = await run(command, args, { signal: aborted.signal, windowsHide: true, maxBuffer: 1 << 26 });
        this.log.debug(stdout + stderr);
      } catch (error) {
        if (aborted.signal.aborted) throw new Error("The installation of the server was cancelled.");
        const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
        const said = `${stdout}${stderr}` || String(error);
        this.log.error(said);
        throw new Error(installProblem(said));
      }
    };
    try {
      const python = await this.python();
      await fs.rm(folder, { recursive: true, force: true });
      await fs.mkdir(path.dirname(folder), { recursive: true });
      await step("making an environment for the server …", python, ["-m", "venv", folder]);
      const pip = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", distribution];
      await step("installing the server …", inEnvironment(folder, "python", WINDOWS), pip);
    } finally {
      watcher.dispose();
    }
  }

  private async python(): Promise<string> {
    const wanted = setting("server.python");
    for (const name of pythons(typeof wanted === "string" ? wanted : undefined, WINDOWS)) {
      const said = await run(name, ["--version"]).catch(() => undefined);
      if (said !== undefined && isRecent(said.stdout + said.stderr)) return name;
    }
    throw new Error(
      wanted
        ? `\`${String(wanted)}\` is no Python 3.11 or newer.`
        : "The server needs Python 3.11 or newer, which was not found. Name one in `editahead.server.python`.",
    );
  }

  /** What pip installs: the wheel that came with the extension. */
  private async distribution(): Promise<string> {
    const folder = path.join(this.context.extensionPath, "server");
    const wheel = (await fs.readdir(folder).catch(() => [])).find((name) => name.endsWith(".whl"));
    if (wheel === undefined) {
      throw new Error("No server was found. Install it, or name it in `editahead.server.command`.");
    }
    return path.join(folder, wheel);
  }
}

function setting(name: string): unknown {
  const found = vscode.workspace.getConfiguration("editahead").inspect(name);
  return found?.globalValue || undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await fs.access(file, constants.X_OK);
    return (await fs.stat(file)).isFile();
  } catch {
    return false;
  }
}
