// A file system in memory, for documents that a diff editor shows.
import * as vscode from "vscode";

/** A byte order mark declares UTF-8, whatever `files.encoding` says. */
const BOM = "\ufeff";

interface Entry {
  readonly data: Uint8Array;
  readonly isReadonly: boolean;
  readonly mtime: number;
}

export class MemoryFileSystem implements vscode.FileSystemProvider {
  private readonly entries = new Map<string, Entry>();
  private readonly changeEmitter = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  private clock = 0;
  readonly onDidChangeFile = this.changeEmitter.event;

  constructor(private readonly scheme: string) {}

  /**
   * Add or replace a file and return its URI.
   *
   * @param authority Distinguishes files of the same path.
   */
  add(authority: string, path: string, text: string, isReadonly: boolean): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: this.scheme, authority, path });
    const isThere = this.entries.has(uri.toString());
    this.entries.set(uri.toString(), { data: Buffer.from(BOM + text), isReadonly, mtime: ++this.clock });
    if (isThere) this.changeEmitter.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    return uri;
  }

  clear(): void {
    this.entries.clear();
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { data, isReadonly, mtime } = this.entry(uri);
    const stat = { type: vscode.FileType.File, ctime: 0, mtime, size: data.length };
    return isReadonly ? { ...stat, permissions: vscode.FilePermission.Readonly } : stat;
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
