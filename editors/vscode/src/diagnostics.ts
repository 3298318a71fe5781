// Diagnostics of other extensions, for the server, which cannot see what other extensions publish.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

/** The source of the server's own diagnostics. */
const OWN_SOURCE = "editahead";
/** Diagnostics sent for one document; the server ignores any more. */
const MAX_DIAGNOSTICS = 100;

/** A record of the diagnostics last sent for each document, so that the extension sends only changes. */
export class DiagnosticsTracker implements vscode.Disposable {
  private readonly lastSent = new Map<string, string>();
  private readonly changeEmitter = new vscode.EventEmitter<vscode.Uri>();
  private readonly subscription: vscode.Disposable;
  readonly onDidChange = this.changeEmitter.event;

  constructor() {
    this.subscription = vscode.languages.onDidChangeDiagnostics((event) => {
      for (const uri of event.uris) this.changeEmitter.fire(uri);
    });
  }

  /**
   * Return a document's diagnostics as LSP, and record them as sent; undefined when they have not changed.
   *
   * @param line The line whose nearest diagnostics are kept when there are more than `MAX_DIAGNOSTICS`.
   */
  takeChanged(client: LanguageClient, uri: vscode.Uri, line: number): unknown[] | undefined {
    const diagnostics = vscode.languages.getDiagnostics(uri).filter(({ source }) => source !== OWN_SOURCE);
    const distance = ({ range }: vscode.Diagnostic) => Math.abs(range.start.line - line);
    diagnostics.sort((a, b) => distance(a) - distance(b) || a.range.start.compareTo(b.range.start));
    const converted = diagnostics.slice(0, MAX_DIAGNOSTICS).map((diagnostic) => client.code2ProtocolConverter.asDiagnostic(diagnostic));
    const { key, json } = { key: uri.toString(), json: JSON.stringify(converted) };
    if ((this.lastSent.get(key) ?? "[]") === json) return undefined;
    this.lastSent.set(key, json);
    return converted;
  }

  /** Forget what was sent: for one document, which was closed, or for all, when the server restarts. */
  reset(uri?: vscode.Uri): void {
    if (uri === undefined) this.lastSent.clear();
    else this.lastSent.delete(uri.toString());
  }

  dispose(): void {
    this.subscription.dispose();
    this.changeEmitter.dispose();
  }
}
