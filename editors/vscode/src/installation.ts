// The server's executable: found on this machine, or installed into a virtual environment in the extension's storage.
import { execFile } from "node:child_process";
import { constants, promises as fs } from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import {
  describeInstallFailure,
  executableInVenv,
  executablesOnPath,
  isSupportedPython,
  parseServerCommand,
  pythonCandidates,
  type ServerCommand,
  wheelStamp,
} from "./core/environment";

const run = promisify(execFile);
const IS_WINDOWS = process.platform === "win32";
/** The file that tells which wheel is installed, written last: an environment without the file is incomplete. */
const STAMP_FILE = "editahead.txt";

export class Installation implements vscode.Disposable {
  private abortController = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
    private readonly onInstall: () => void,
  ) {}

  /**
   * Return the command line of the server: the configured one, else `editahead` on PATH, else the one in the extension's own
   * environment, which is installed on first use. A running installation is cancelled first.
   *
   * @throws Error with a message for the user.
   */
  async resolveCommand(): Promise<ServerCommand> {
    this.dispose();
    const abortController = (this.abortController = new AbortController());
    await this.running.catch(() => undefined);
    const configured = userSetting("server.command");
    if (configured !== undefined && !(Array.isArray(configured) && configured.length === 0)) {
      const command = parseServerCommand(configured);
      if (command === undefined) {
        throw new Error("The setting `editahead.server.command` must be a list of strings: the program and its arguments.");
      }
      if (path.isAbsolute(command.command) && !(await isExecutable(command.command))) {
        throw new Error(`The program ${command.command} does not exist. Correct the setting \`editahead.server.command\`.`);
      }
      return command;
    }
    for (const file of executablesOnPath("editahead", process.env.PATH, IS_WINDOWS)) {
      if (await isExecutable(file)) return { command: file, args: ["lsp"] };
    }
    return { command: await this.ensureEnvironment(abortController), args: ["lsp"] };
  }

  /** Return the extension's own folder, in which the server starts, too. */
  async makeFolder(): Promise<string> {
    const folder = this.context.globalStorageUri.fsPath;
    await fs.mkdir(folder, { recursive: true });
    return folder;
  }

  /** Cancel a running installation. */
  dispose(): void {
    this.abortController.abort();
  }

  private async ensureEnvironment(abortController: AbortController): Promise<string> {
    const folder = path.join(this.context.globalStorageUri.fsPath, "server");
    const executable = executableInVenv(folder, "editahead", IS_WINDOWS);
    const wheel = await this.findWheel();
    const stamp = wheelStamp(await fs.readFile(wheel));
    const presentStamp = await fs.readFile(path.join(folder, STAMP_FILE), "utf8").catch(() => "");
    if (presentStamp === stamp && (await isExecutable(executable))) return executable;
    if (abortController.signal.aborted) throw new Error("A newer start of the server has cancelled this one.");
    this.onInstall();
    const options = { location: vscode.ProgressLocation.Notification, title: "Editahead", cancellable: true };
    await vscode.window.withProgress(
      options,
      (progress, token) => (this.running = this.install(folder, wheel, progress, token, abortController)),
    );
    await fs.writeFile(path.join(folder, STAMP_FILE), stamp);
    return executable;
  }

  private async install(
    folder: string,
    wheel: string,
    progress: vscode.Progress<{ message: string }>,
    token: vscode.CancellationToken,
    abortController: AbortController,
  ): Promise<void> {
    const subscription = token.onCancellationRequested(() => abortController.abort());
    const runStep = async (message: string, command: string, args: string[]) => {
      progress.report({ message });
      this.log.info([command, ...args].join(" "));
      try {
        const options = { ...(await this.startOptions()), signal: abortController.signal, maxBuffer: 1 << 26 };
        const { stdout, stderr } = await run(command, args, options);
        this.log.debug(stdout + stderr);
      } catch (error) {
        if (abortController.signal.aborted) throw new Error("The installation of the server was cancelled.");
        const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
        const output = `${stdout}${stderr}` || String(error);
        this.log.error(output);
        throw new Error(describeInstallFailure(output));
      }
    };
    try {
      const python = await this.findPython();
      await fs.rm(folder, { recursive: true, force: true });
      await runStep("creating an environment for the server …", python, ["-I", "-m", "venv", folder]);
      const pip = ["-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input", wheel];
      await runStep("installing the server …", executableInVenv(folder, "python", IS_WINDOWS), pip);
    } finally {
      subscription.dispose();
    }
  }

  /** Return the options of each process: it starts in our folder, since those of a workspace may be a stranger's. */
  private async startOptions(): Promise<{ cwd: string; windowsHide: true }> {
    return { cwd: await this.makeFolder(), windowsHide: true };
  }

  private async findPython(): Promise<string> {
    const configured = userSetting("server.python");
    const named = typeof configured === "string" && configured ? configured : undefined;
    const names = pythonCandidates(named, IS_WINDOWS);
    const onPath = names.flatMap((name) => executablesOnPath(name, process.env.PATH, IS_WINDOWS));
    for (const file of named === undefined ? onPath : names) {
      const version = await run(file, ["-I", "--version"], await this.startOptions()).catch(() => undefined);
      if (version !== undefined && isSupportedPython(version.stdout + version.stderr)) return file;
    }
    throw new Error(
      configured
        ? `\`${String(configured)}\` is not Python 3.11 or newer. Correct the setting \`editahead.server.python\`.`
        : "The server needs Python 3.11 or newer, and none was found. Install one, or set `editahead.server.python`.",
    );
  }

  private async findWheel(): Promise<string> {
    const folder = path.join(this.context.extensionPath, "server");
    const wheel = (await fs.readdir(folder).catch(() => [])).find((name) => name.endsWith(".whl"));
    if (wheel === undefined) {
      throw new Error("No server was found. Install `editahead`, or set `editahead.server.command`.");
    }
    return path.join(folder, wheel);
  }
}

// Settings of a workspace do not count: they could name any program.
function userSetting(name: string): unknown {
  const setting = vscode.workspace.getConfiguration("editahead").inspect(name);
  return setting?.globalValue || undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await fs.access(file, constants.X_OK);
    return (await fs.stat(file)).isFile();
  } catch {
    return false;
  }
}
