// What other extensions say of a document. The server cannot see what they publish, so it is told.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

/** The source of the server's own hints, which it knows. */
const OWN = "editahead";
/** The server looks at no more of one document. */
const MOST = 100;

/** Remembers what the server was told, so that the same is not told twice. */
export class Problems implements vscode.Disposable {
  private readonly told = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly watcher: vscode.Disposable;
  /** Others are known of a document now. */
  readonly onChange = this.changed.event;

  constructor() {
    this.watcher = vscode.languages.onDidChangeDiagnostics((event) => {
      for (const uri of event.uris) this.changed.fire(uri);
    });
  }

  /** All of a document as LSP has them, those nearest to a line when there are too many; undefined when they are known. */
  news(client: LanguageClient, uri: vscode.Uri, line: number): unknown[] | undefined {
    const found = vscode.languages.getDiagnostics(uri).filter((one) => one.source !== OWN);
    const away = (one: vscode.Diagnostic) => Math.abs(one.range.start.line - line);
    found.sort((a, b) => away(a) - away(b) || a.range.start.compareTo(b.range.start));
    const now = found.slice(0, MOST).map((one) => client.code2ProtocolConverter.asDiagnostic(one));
    const { key, text } = { key: uri.toString(), text: JSON.stringify(now) };
    if ((this.told.get(key) ?? "[]") === text) return undefined;
    this.told.set(key, text);
    return now;
  }

  /** The server is another one, or the document is opened anew. */
  forget(uri?: vscode.Uri): void {
    if (uri === undefined) this.told.clear();
    else this.told.delete(uri.toString());
  }

  dispose(): void {
    this.watcher.dispose();
    this.changed.dispose();
  }
}
