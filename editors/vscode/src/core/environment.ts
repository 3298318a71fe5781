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
