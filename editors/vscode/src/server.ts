// The server: starting it, starting it again, and speaking to it.
import * as vscode from "vscode";
import { LanguageClient, State, type Middleware } from "vscode-languageclient/node";
import type { ServerCommand } from "./core/environment";
import { serverOptions } from "./core/settings";
import type { Health } from "./core/messages";
import type { Outcome } from "./core/protocol";
import { SELECTOR } from "./document";

/** Code actions that VS Code would mark on every line when it asks by itself. */
const ON_DEMAND = ["refactor.rewrite.editahead.accept", "refactor.rewrite.editahead.goto"];

/** Text that a prediction puts in at the cursor. */
export interface Ghost {
  readonly id: string;
  readonly text: string;
}

export type GhostSource = (document: vscode.TextDocument, position: vscode.Position) => Promise<Ghost[]>;

export class Engine implements vscode.Disposable {
  health: Health = "starting";
  problem: string | undefined;
  /** Asked for ghost text; set by who shows predictions. */
  ghosts: GhostSource | undefined;
  private running: LanguageClient | undefined;
  /** Counts starts and stops: what belongs to an earlier one is over. */
  private turn = 0;
  private readonly ready = new vscode.EventEmitter<void>();
  private readonly gone = new vscode.EventEmitter<void>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly watcher: vscode.Disposable;
  readonly onReady = this.ready.event;
  readonly onGone = this.gone.event;
  /** Its health is another now. */
  readonly onChange = this.changed.event;

  /** find: the command line, however long it takes to make it; it throws what is to be told to the person. */
  constructor(
    private readonly find: () => Promise<ServerCommand>,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.watcher = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("editahead.server")) void this.restart();
      else if (event.affectsConfiguration("editahead")) this.configure();
    });
  }

  /** Undefined while the server does not run. */
  get client(): LanguageClient | undefined {
    return this.health === "running" ? this.running : undefined;
  }

  async start(): Promise<void> {
    const turn = ++this.turn;
    this.be("starting");
    try {
      const { command, args } = await this.find();
      if (turn !== this.turn) return;
      this.log.info(`starting ${[command, ...args].join(" ")}`);
      this.running = this.build(command, [...args]);
      await this.running.start();
    } catch (error) {
      if (turn === this.turn) this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  async stop(): Promise<void> {
    this.turn++;
    const client = this.running;
    this.running = undefined;
    if (client !== undefined) {
      await client.dispose().catch((error: unknown) => this.log.warn(`the server did not stop by itself: ${String(error)}`));
    }
  }

  async restart(): Promise<void> {
    await this.stop();
    this.gone.fire();
    await this.start();
  }

  be(health: Health, problem?: string): void {
    this.health = health;
    this.problem = problem;
    this.changed.fire();
  }

  /** Tell the server what became of a prediction. */
  outcome(id: string, event: Outcome, more: object = {}): void {
    void this.client?.sendNotification("editahead/outcome", { id, event, ...more });
  }

  /** A command of the server; undefined, and said so, when there is no server or it fails. */
  async execute<T>(command: string, ...args: unknown[]): Promise<T | undefined> {
    const client = this.client;
    if (client === undefined) {
      void vscode.window.showWarningMessage(`Editahead: ${this.problem ?? "the server is not running."}`);
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
    for (const one of [this.watcher, this.ready, this.gone, this.changed]) one.dispose();
  }

  private build(command: string, args: string[]): LanguageClient {
    const client = new LanguageClient(
      "editahead",
      "Editahead",
      { command, args },
      {
        documentSelector: SELECTOR,
        outputChannel: this.log,
        initializationOptions: { editahead: options() },
        middleware: this.middleware(),
      },
    );
    client.onDidChangeState(({ newState }) => {
      if (this.running !== client) return;
      if (newState === State.Running) {
        this.be("running");
        this.ready.fire();
      } else if (newState === State.Starting) {
        this.be("starting");
      } else {
        this.be("gone", "The server has ended; “Editahead: Restart Server” starts it again.");
        this.gone.fire();
      }
    });
    return client;
  }

  private middleware(): Middleware {
    return {
      // Ghost text comes from the prediction that is at hand, so that one thing is asked once.
      provideInlineCompletionItems: async (document, position) => {
        const ghosts = (await this.ghosts?.(document, position)) ?? [];
        return ghosts.map(({ id, text }) => {
          const item = new vscode.InlineCompletionItem(text, new vscode.Range(position, position));
          item.command = { title: "Accept next edit", command: "editahead.ghostAccepted", arguments: [id] };
          return item;
        });
      },
      provideCodeActions: async (document, range, context, token, next) => {
        const found = (await next(document, range, context, token)) ?? [];
        if (context.triggerKind === vscode.CodeActionTriggerKind.Invoke) return found;
        return found.filter((one) => !("kind" in one && one.kind && ON_DEMAND.includes(one.kind.value)));
      },
      workspace: {
        configuration: (params) => params.items.map((item) => (item.section === "editahead" ? options() : null)),
      },
    };
  }

  private configure(): void {
    void this.client?.sendNotification("workspace/didChangeConfiguration", { settings: { editahead: options() } });
  }

  private fail(problem: string): void {
    this.log.error(problem);
    this.be("gone", problem);
    this.gone.fire();
    const [retry, settings, log] = ["Try Again", "Settings", "Log"];
    void vscode.window.showErrorMessage(`Editahead: ${problem}`, retry, settings, log).then((choice) => {
      if (choice === retry) void this.restart();
      else if (choice === settings) void vscode.commands.executeCommand("workbench.action.openSettings", "editahead.server");
      else if (choice === log) this.log.show();
    });
  }
}

function options(): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration("editahead");
  return serverOptions((name) => configuration.inspect(name));
}
