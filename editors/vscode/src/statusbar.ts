// The status bar's item: what the server is at, and why it says nothing.
import * as vscode from "vscode";
import { statusText } from "./core/messages";
import type { Engine } from "./server";
import type { View } from "./view";

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("editahead.status", vscode.StatusBarAlignment.Right, 100);
  private readonly watching: vscode.Disposable[];

  constructor(
    private readonly engine: Engine,
    private readonly view: View,
  ) {
    this.item.name = "Editahead";
    this.item.command = "editahead.showStatus";
    this.watching = [engine.onChange(() => this.update()), view.onChange(() => this.update())];
    this.update();
    this.item.show();
  }

  dispose(): void {
    for (const one of [...this.watching, this.item]) one.dispose();
  }

  private update(): void {
    const { text, tooltip, warns } = statusText({
      health: this.view.enabled ? this.engine.health : "off",
      thinking: this.view.thinking,
      next: this.view.next,
      silence: this.view.silence,
      problem: this.engine.problem,
    });
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: `Editahead: ${tooltip}` };
    this.item.backgroundColor = warns ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
  }
}
