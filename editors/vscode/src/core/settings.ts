// The server's settings as VS Code holds them. Only what a person has set is sent: a default of ours would win over the
// settings files.

/** As docs/settings.md lists them; package.json says what each may be. */
export const SERVER_SETTINGS = [
  "backend",
  "url",
  "model",
  "api_key_env",
  "format",
  "eagerness",
  "debounce_ms",
  "languages",
  "exclude",
  "max_file_bytes",
  "hints",
  "completion_item",
  "learning",
  "telemetry",
  "log_level",
] as const;

/** What must never come from a workspace: a folder may come from anywhere. */
export const RESTRICTED: ReadonlySet<string> = new Set(["backend", "url", "model", "api_key_env", "telemetry"]);

/** What `vscode.WorkspaceConfiguration.inspect` tells of one setting. */
export interface Inspected {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

/** Each setting that was set, and null for the others: the server then looks elsewhere for them. */
export function serverOptions(inspect: (name: string) => Inspected | undefined): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const name of SERVER_SETTINGS) {
    const found = inspect(name);
    const own = RESTRICTED.has(name) ? undefined : (found?.workspaceFolderValue ?? found?.workspaceValue);
    options[name] = own ?? found?.globalValue ?? null;
  }
  return options;
}
