// The server's settings, as VS Code stores them. The extension sends only what the user has set: a default of the extension
// would override the settings files.

/** The names in docs/settings.md; package.json declares their types. */
export const SERVER_SETTINGS = [
  "backend",
  "url",
  "model",
  "api_key_env",
  "format",
  "apply_model",
  "related_code",
  "trigger",
  "eagerness",
  "debounce_ms",
  "languages",
  "exclude",
  "max_file_bytes",
  "index",
  "index_max_files",
  "index_max_bytes",
  "search_encoder",
  "search_model",
  "search_api_key_env",
  "search_log",
  "team_index",
  "team_index_key_env",
  "team_index_password_env",
  "hints",
  "completion_item",
  "comments",
  "apply_check",
  "learning",
  "compare",
  "record",
  "telemetry",
  "log_level",
] as const;

/** Settings that a workspace must not set, because workspaces are not trusted. */
export const RESTRICTED: ReadonlySet<string> = new Set([
  "backend",
  "url",
  "model",
  "api_key_env",
  "apply_model",
  "compare",
  "telemetry",
  "record",
  "related_code",
  "index",
  "index_max_files",
  "index_max_bytes",
  "search_encoder",
  "search_model",
  "search_api_key_env",
  "search_log",
  "team_index",
  "team_index_key_env",
  "team_index_password_env",
]);

/** The part of `vscode.WorkspaceConfiguration.inspect`'s result that is read. */
export interface InspectedSetting {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

/** Return the value of each setting; null for an unset one, which the server then reads from its settings files. */
export function serverOptions(inspect: (name: string) => InspectedSetting | undefined): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const name of SERVER_SETTINGS) {
    const setting = inspect(name);
    const workspaceValue = RESTRICTED.has(name) ? undefined : (setting?.workspaceFolderValue ?? setting?.workspaceValue);
    options[name] = workspaceValue ?? setting?.globalValue ?? null;
  }
  return options;
}
