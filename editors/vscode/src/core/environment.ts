// Candidates for the server's executable and for a Python to run the server.
import { createHash } from "node:crypto";
import * as path from "node:path";

/** The server's command line. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** Settings that count before the user trusts a workspace: no index, and no model. The environment is the strongest level. */
const UNTRUSTED = { EDITAHEAD_INDEX: "off", EDITAHEAD_BACKEND: "embedded", EDITAHEAD_SEARCH_ENCODER: "off" };

/** Return the environment of the server's process, whose Pythons import nothing of the folder that they start in. */
export function serverEnvironment(environment: NodeJS.ProcessEnv, isTrusted: boolean): NodeJS.ProcessEnv {
  return { ...environment, PYTHONSAFEPATH: "1", ...(isTrusted ? {} : UNTRUSTED) };
}

/** Return what tells a wheel's content from that of another build, which may have its name and its version. */
export function wheelStamp(content: Uint8Array): string {
  return `${createHash("sha256").update(content).digest("hex")}\n`;
}

/**
 * Return the possible paths of a program on PATH, in order.
 *
 * Relative folders are skipped: an open workspace could supply the program.
 */
export function executablesOnPath(name: string, pathVariable: string | undefined, isWindows: boolean): string[] {
  const rules = isWindows ? path.win32 : path.posix;
  return (pathVariable ?? "")
    .split(rules.delimiter)
    .filter((folder) => rules.isAbsolute(folder))
    .map((folder) => rules.join(folder, isWindows ? `${name}.exe` : name));
}

/** Return the path of a program in a virtual environment. */
export function executableInVenv(folder: string, name: string, isWindows: boolean): string {
  const rules = isWindows ? path.win32 : path.posix;
  return isWindows ? rules.join(folder, "Scripts", `${name}.exe`) : rules.join(folder, "bin", name);
}

/** Return the Pythons to try, newest first; only `configured` if the user set one. */
export function pythonCandidates(configured: string | undefined, isWindows: boolean): string[] {
  if (configured) return [configured];
  const versioned = ["3.14", "3.13", "3.12", "3.11"].map((version) => `python${version}`);
  return isWindows ? ["py", "python"] : [...versioned, "python3", "python"];
}

/** Return whether the output of `python --version` names Python 3.11 or newer. */
export function isSupportedPython(versionOutput: string): boolean {
  const match = /Python (\d+)\.(\d+)/.exec(versionOutput);
  if (match === null) return false;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major > 3 || (major === 3 && minor >= 11);
}

/** Parse the setting `server.command`: a list of words, or a string with the program alone. */
export function parseServerCommand(value: unknown): ServerCommand | undefined {
  const words = typeof value === "string" ? [value] : value;
  if (!Array.isArray(words) || words.length === 0 || !words.every((word) => typeof word === "string" && word !== "")) {
    return undefined;
  }
  const [command, ...args] = words as [string, ...string[]];
  return { command, args: args.length > 0 ? args : ["lsp"] };
}

/**
 * Return the command line that sets up Editahead's own model, by the server's program.
 *
 * @throws Error with a message for the user, if the server is started in a way of its own.
 */
export function modelCommand({ command, args }: ServerCommand): ServerCommand {
  if (args.at(-1) !== "lsp") {
    throw new Error("The setting `editahead.server.command` does not end with `lsp`. Run `editahead models use editahead-coder` there.");
  }
  return { command, args: [...args.slice(0, -1), "models", "use", "editahead-coder", "--install"] };
}

// Without retries, pip reports an unreachable index only as "from versions: none".
const UNREACHABLE =
  /NewConnectionError|ConnectTimeout|ReadTimeout|ConnectionError|Name or service not known|name resolution|ProxyError|SSLError|from versions: none/i;

/** Describe a failed installation and its remedy, from the output of Python and pip. */
export function describeInstallFailure(output: string): string {
  if (UNREACHABLE.test(output)) {
    return (
      "The server could not be installed because the package index is unreachable. Check the connection and pip's settings, then " +
      "try again. Or install `editahead` yourself and set `editahead.server.command`."
    );
  }
  if (/ensurepip is not|No module named (venv|ensurepip|pip)/.test(output)) {
    return (
      "The server could not be installed because this Python cannot create virtual environments. On Debian and Ubuntu, install " +
      "`python3-venv` and try again. Or set `editahead.server.python` to another Python."
    );
  }
  const lines = output.trim().split("\n");
  return `The server could not be installed: ${lines.reverse().find((line) => /error/i.test(line)) ?? lines[0] ?? ""}`;
}
