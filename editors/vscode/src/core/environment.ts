// Where the server may be, and which Python can run it.
import * as path from "node:path";

/** The server's command line. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** Every file that a name on PATH could mean, in order. Only absolute folders: others depend on the folder that is open. */
export function onPath(name: string, searched: string | undefined, windows: boolean): string[] {
  const rules = windows ? path.win32 : path.posix;
  return (searched ?? "")
    .split(rules.delimiter)
    .filter((folder) => rules.isAbsolute(folder))
    .map((folder) => rules.join(folder, windows ? `${name}.exe` : name));
}

/** A program of a virtual environment. */
export function inEnvironment(folder: string, name: string, windows: boolean): string {
  const rules = windows ? path.win32 : path.posix;
  return windows ? rules.join(folder, "Scripts", `${name}.exe`) : rules.join(folder, "bin", name);
}

/** The Pythons to try, the newest first; `wanted` is the person's own choice. */
export function pythons(wanted: string | undefined, windows: boolean): string[] {
  if (wanted) return [wanted];
  const numbered = ["3.14", "3.13", "3.12", "3.11"].map((version) => `python${version}`);
  return windows ? ["py", "python"] : [...numbered, "python3", "python"];
}

/** Whether `python --version` said 3.11 or newer. */
export function isRecent(said: string): boolean {
  const found = /Python (\d+)\.(\d+)/.exec(said);
  if (found === null) return false;
  const [major, minor] = [Number(found[1]), Number(found[2])];
  return major > 3 || (major === 3 && minor >= 11);
}

/** A setting for the command as a command line; a string is a program without arguments of its own. */
export function commandOf(value: unknown): ServerCommand | undefined {
  const words = typeof value === "string" ? [value] : value;
  if (!Array.isArray(words) || words.length === 0 || !words.every((word) => typeof word === "string" && word !== "")) {
    return undefined;
  }
  const [command, ...args] = words as [string, ...string[]];
  return { command, args: args.length > 0 ? args : ["lsp"] };
}

// With no retries left, pip says no more than that it knows no versions.
const UNREACHABLE =
  /NewConnectionError|ConnectTimeout|ReadTimeout|ConnectionError|Name or service not known|name resolution|ProxyError|SSLError|from versions: none/i;

/** What a person can do about an installation that failed, from what Python and pip said. */
export function installProblem(said: string): string {
  if (UNREACHABLE.test(said)) {
    return (
      "The server could not be installed: the package index cannot be reached. Mend the connection or pip's settings and try " +
      "again, or install `editahead` yourself and name it in `editahead.server.command`."
    );
  }
  if (/ensurepip is not|No module named (venv|ensurepip|pip)/.test(said)) {
    return (
      "The server could not be installed: this Python cannot make environments (Debian and Ubuntu: install `python3-venv`). " +
      "Then try again, or name another Python in `editahead.server.python`."
    );
  }
  const lines = said.trim().split("\n");
  return `The server could not be installed: ${lines.reverse().find((line) => /error/i.test(line)) ?? lines[0] ?? ""}`;
}
