// Texts in memory that editors can open, and change: a file system of VS Code with nothing else in it.
import * as vscode from "vscode";

/** A mark at their beginning says how they are encoded: what is set for files does not count here. */
const MARK = "\ufeff";

interface Entry {
  readonly data: Uint8Array;
  readonly fixed: boolean;
  readonly mtime: number;
}

export class Texts implements vscode.FileSystemProvider {
  private readonly entries = new Map<string, Entry>();
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  private clock = 0;
  readonly onDidChangeFile = this.changed.event;

  constructor(private readonly scheme: string) {}

  /** shelf: texts of one path lie on different ones. fixed: it can only be read. */
  put(shelf: string, path: string, text: string, fixed: boolean): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: this.scheme, authority: shelf, path });
    this.entries.set(uri.toString(), { data: Buffer.from(MARK + text), fixed, mtime: ++this.clock });
    return uri;
  }

  clear(): void {
    this.entries.clear();
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { data, fixed, mtime } = this.entry(uri);
    const stat = { type: vscode.FileType.File, ctime: 0, mtime, size: data.length };
    return fixed ? { ...stat, permissions: vscode.FilePermission.Readonly } : stat;
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.entry(uri).data;
  }

  writeFile(uri: vscode.Uri, data: Uint8Array): void {
    this.entries.set(uri.toString(), { ...this.entry(uri), data, mtime: ++this.clock });
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  private entry(uri: vscode.Uri): Entry {
    const entry = this.entries.get(uri.toString());
    if (entry === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return entry;
  }
}
