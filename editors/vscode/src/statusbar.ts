// The status bar item: the server's state, the next edit, or the reason for none.
import * as vscode from "vscode";
import { statusBarContent, type StatusBarContent } from "./core/messages";
import type { ServerManager } from "./server";
import type { View } from "./view";

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("editahead.status", vscode.StatusBarAlignment.Right, 100);
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly server: ServerManager,
    private readonly view: View,
  ) {
    this.item.name = "Editahead";
    this.item.command = "editahead.menu";
    this.subscriptions = [server.onDidChangeState(() => this.update()), view.onDidChange(() => this.update())];
    this.update();
    this.item.show();
  }

  dispose(): void {
    for (const disposable of [...this.subscriptions, this.item]) disposable.dispose();
  }

  /** What the item says now. */
  get content(): StatusBarContent {
    return statusBarContent({
      server: this.view.activity.isEnabled ? this.server.state : "off",
      isRequesting: this.view.isRequesting,
      nextEdit: this.view.description,
      silence: this.view.silence,
      error: this.server.error,
      placesLeft: this.server.placesLeft,
    });
  }

  private update(): void {
    const { text, tooltip, isWarning } = this.content;
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: `Editahead: ${tooltip}` };
    this.item.backgroundColor = isWarning ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
  }
}
