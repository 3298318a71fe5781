// The language server's process: start, restart, and requests.
import * as vscode from "vscode";
import { CloseAction, LanguageClient, State, type ErrorHandler, type Middleware } from "vscode-languageclient/node";
import { serverEnvironment, type ServerCommand } from "./core/environment";
import type { AskEvidence } from "./core/evidence";
import type { ServerState } from "./core/messages";
import type { DocumentVersion, Outcome } from "./core/protocol";
import { serverOptions } from "./core/settings";
import { DOCUMENT_SELECTOR } from "./document";

/** Code actions offered on request only: otherwise VS Code shows a light bulb on every line. */
const ON_REQUEST_KINDS = ["refactor.rewrite.editahead.accept", "refactor.rewrite.editahead.goto"];

/** How long a start may take that a stop waits for. */
const START_PATIENCE_MS = 5_000;

/** Text that a prediction inserts at the cursor, or in place of a range that ends there. */
export interface GhostText {
  readonly id: string;
  readonly text: string;
  readonly range?: vscode.Range;
}

export type GhostTextProvider = (
  document: vscode.TextDocument,
  position: vscode.Position,
  item: vscode.SelectedCompletionInfo | undefined,
) => Promise<GhostText[]>;

export class ServerManager implements vscode.Disposable {
  state: ServerState = "starting";
  /** Why the server is stopped. */
  error: string | undefined;
  /** How many places the change still lacks, such as "3 places left"; "" for none. */
  placesLeft = "";
  ghostTextProvider: GhostTextProvider | undefined;
  private languageClient: LanguageClient | undefined;
  /** Incremented by each start and stop, so that an outdated start recognizes itself. */
  private generation = 0;
  /** Resolves once the clients that were stopped have ended: two at a time would register the same commands. */
  private ended: Promise<void> = Promise.resolve();
  private readonly startEmitter = new vscode.EventEmitter<void>();
  private readonly refreshEmitter = new vscode.EventEmitter<DocumentVersion>();
  private readonly evidenceEmitter = new vscode.EventEmitter<AskEvidence>();
  private readonly stopEmitter = new vscode.EventEmitter<void>();
  private readonly stateEmitter = new vscode.EventEmitter<void>();
  private readonly subscription: vscode.Disposable;
  readonly onDidStart = this.startEmitter.event;
  /** Fires when a request would have a better answer than the last one had. */
  readonly onRefresh = this.refreshEmitter.event;
  /** Fires when the server wants to know what other language servers say of a symbol. */
  readonly onAskEvidence = this.evidenceEmitter.event;
  readonly onDidStop = this.stopEmitter.event;
  readonly onDidChangeState = this.stateEmitter.event;

  /**
   * @param resolveCommand Returns the server's command line, possibly after an installation. Throws an Error with a message
   *   for the user.
   * @param makeFolder Returns the folder that the server starts in: a workspace's may be a stranger's.
   */
  constructor(
    private readonly resolveCommand: () => Promise<ServerCommand>,
    private readonly makeFolder: () => Promise<string>,
    private readonly log: vscode.LogOutputChannel,
  ) {
    const onConfiguration = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("editahead.server")) void this.restart();
      else if (event.affectsConfiguration("editahead")) this.sendConfiguration();
    });
    const onTrust = vscode.workspace.onDidGrantWorkspaceTrust(() => void this.restart());
    this.subscription = vscode.Disposable.from(onConfiguration, onTrust);
  }

  /** The running client; undefined while the server is not running. */
  get client(): LanguageClient | undefined {
    return this.state === "running" ? this.languageClient : undefined;
  }

  /** A message for the user, for when `client` is undefined. */
  get notRunningMessage(): string {
    return this.error ?? "The server is not running yet. Wait for its start, or run “Editahead: Restart Server”.";
  }

  async start(): Promise<void> {
    const generation = ++this.generation;
    this.setState("starting");
    try {
      const { command, args } = await this.resolveCommand();
      const cwd = await this.makeFolder();
      await this.ended;
      if (generation !== this.generation) return;
      this.log.info(`starting ${[command, ...args].join(" ")}`);
      this.languageClient = this.createClient(command, [...args], cwd);
      await this.languageClient.start();
    } catch (error) {
      if (generation === this.generation) this.reportFailure(error instanceof Error ? error.message : String(error));
    }
  }

  /** Stop the server; resolve once the process of each earlier start has ended. */
  stop(): Promise<void> {
    this.generation++;
    const client = this.languageClient;
    this.languageClient = undefined;
    if (client !== undefined) this.ended = Promise.all([this.ended, this.end(client)]).then(() => undefined);
    return this.ended;
  }

  async restart(): Promise<void> {
    void this.stop();
    this.stopEmitter.fire();
    await this.start();
  }

  setState(state: ServerState, error?: string): void {
    this.state = state;
    this.error = error;
    this.stateEmitter.fire();
  }

  /** Report the outcome of a prediction to the server. */
  reportOutcome(id: string, event: Outcome, details: object = {}): void {
    void this.client?.sendNotification("editahead/outcome", { id, event, ...details });
  }

  /** Execute a command of the server; show a warning and return undefined on failure. */
  async executeCommand<T>(command: string, ...args: unknown[]): Promise<T | undefined> {
    const client = this.client;
    if (client === undefined) {
      void vscode.window.showWarningMessage(`Editahead: ${this.notRunningMessage}`);
      return undefined;
    }
    try {
      return await client.sendRequest<T>("workspace/executeCommand", { command, arguments: args });
    } catch (error) {
      void vscode.window.showWarningMessage(`Editahead: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  dispose(): void {
    const emitters = [this.refreshEmitter, this.evidenceEmitter, this.startEmitter, this.stopEmitter, this.stateEmitter];
    for (const disposable of [this.subscription, ...emitters]) disposable.dispose();
  }

  /**
   * End a client once its start is over.
   *
   * The library cannot stop a client that is starting, and a client that runs registers its commands a moment later, stopped
   * or not: no client after it could start.
   */
  private async end(client: LanguageClient): Promise<void> {
    const kill = setTimeout(() => client.serverProcess?.kill("SIGKILL"), START_PATIENCE_MS);
    if (client.state === State.Starting || client.state === State.Running) await client.start().catch(() => undefined);
    clearTimeout(kill);
    await client.dispose().catch((error: unknown) => this.log.warn(`the server did not stop cleanly: ${String(error)}`));
  }

  private createClient(command: string, args: string[], cwd: string): LanguageClient {
    const errorHandler: ErrorHandler = {
      error: (...values) => defaultHandler.error(...values),
      // The default starts a server that has ended again, even one that was stopped while it started.
      closed: () => (this.languageClient === client ? defaultHandler.closed() : { action: CloseAction.DoNotRestart, handled: true }),
    };
    const client = new LanguageClient(
      "editahead",
      "Editahead",
      { command, args, options: { cwd, env: serverEnvironment(process.env, vscode.workspace.isTrusted) } },
      {
        documentSelector: DOCUMENT_SELECTOR,
        outputChannel: this.log,
        initializationOptions: { editahead: editaheadOptions() },
        middleware: this.middleware(),
        errorHandler,
      },
    );
    const defaultHandler = client.createDefaultErrorHandler();
    client.onNotification("editahead/placesLeft", ({ message }: { readonly message: string }) => {
      this.placesLeft = message;
      this.stateEmitter.fire();
    });
    client.onNotification("editahead/askEvidence", (asked: AskEvidence) => this.evidenceEmitter.fire(asked));
    client.onNotification("editahead/nextEdit/refresh", ({ textDocument }: { readonly textDocument: DocumentVersion }) => {
      this.refreshEmitter.fire(textDocument);
    });
    client.onDidChangeState(({ newState }) => {
      if (this.languageClient !== client) return;
      this.placesLeft = "";
      if (newState === State.Running) {
        this.setState("running");
        this.startEmitter.fire();
      } else if (newState === State.Starting) {
        this.setState("starting");
      } else {
        this.setState("stopped", "The server has stopped. Run “Editahead: Restart Server” to start the server again.");
        this.stopEmitter.fire();
      }
    });
    return client;
  }

  private middleware(): Middleware {
    return {
      // The view already has the prediction: VS Code's own request would be a second one.
      provideInlineCompletionItems: async (document, position, { selectedCompletionInfo }) => {
        const ghostTexts = (await this.ghostTextProvider?.(document, position, selectedCompletionInfo)) ?? [];
        return ghostTexts.map(({ id, text, range }) => {
          const item = new vscode.InlineCompletionItem(text, range ?? new vscode.Range(position, position));
          item.command = { title: "Accept next edit", command: "editahead.ghostAccepted", arguments: [id] };
          return item;
        });
      },
      provideCodeActions: async (document, range, context, token, next) => {
        const actions = (await next(document, range, context, token)) ?? [];
        if (context.triggerKind === vscode.CodeActionTriggerKind.Invoke) return actions;
        return actions.filter((action) => !("kind" in action && action.kind && ON_REQUEST_KINDS.includes(action.kind.value)));
      },
      workspace: {
        configuration: (params) => params.items.map((item) => (item.section === "editahead" ? editaheadOptions() : null)),
      },
    };
  }

  private sendConfiguration(): void {
    void this.client?.sendNotification("workspace/didChangeConfiguration", { settings: { editahead: editaheadOptions() } });
  }

  private reportFailure(message: string): void {
    this.log.error(message);
    this.setState("stopped", message);
    this.stopEmitter.fire();
    const [retry, settings, log] = ["Try Again", "Settings", "Log"];
    void vscode.window.showErrorMessage(`Editahead: ${message}`, retry, settings, log).then((choice) => {
      if (choice === retry) void this.restart();
      else if (choice === settings) void vscode.commands.executeCommand("workbench.action.openSettings", "editahead.server");
      else if (choice === log) this.log.show();
    });
  }
}

function editaheadOptions(): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration("editahead");
  // What is left is found with git, which waits for the user's trust.
  const placesLeft = vscode.workspace.isTrusted && configuration.get<boolean>("placesLeft", true);
  return { ...serverOptions((name) => configuration.inspect(name)), placesLeft };
}
