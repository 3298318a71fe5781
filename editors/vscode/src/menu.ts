// The menu behind the status bar item, and the settings that it changes.
import * as vscode from "vscode";
import { eagernessLevels, menuGroups, toggleLanguage, type MenuEntry } from "./core/menu";
import { isSupported } from "./document";
import type { ServerManager } from "./server";
import type { StatusBar } from "./statusbar";
import type { View } from "./view";

interface Item extends vscode.QuickPickItem {
  readonly entry?: MenuEntry;
}

/** Show the menu, which follows the state while it is open, and run the command that the user picks. */
export function showMenu(server: ServerManager, view: View, statusBar: StatusBar): void {
  const picker = vscode.window.createQuickPick<Item>();
  picker.title = "Editahead";
  picker.placeholder = "Editahead: pick what to do";
  let shown = "";
  const draw = () => {
    const items = menuItems(server, view, statusBar);
    const text = JSON.stringify(items);
    if (text === shown) return;
    shown = text;
    const [active] = picker.activeItems;
    picker.items = items;
    const same = items.filter(({ entry }) => entry !== undefined && entry.label === active?.entry?.label);
    if (same.length > 0) picker.activeItems = same; // none would leave no row for Enter
  };
  const subscriptions = [server.onDidChangeState(draw), view.onDidChange(draw), vscode.workspace.onDidChangeConfiguration(draw)];
  picker.onDidAccept(() => {
    const [picked] = picker.selectedItems;
    picker.hide();
    if (picked?.entry !== undefined) void vscode.commands.executeCommand(picked.entry.command, ...(picked.entry.args ?? []));
  });
  picker.onDidHide(() => vscode.Disposable.from(picker, ...subscriptions).dispose());
  draw();
  picker.show();
}

function menuItems(server: ServerManager, view: View, statusBar: StatusBar): Item[] {
  const groups = menuGroups({
    now: statusBar.content.tooltip,
    server: server.state,
    isEnabled: view.activity.isEnabled,
    snoozedUntil: view.activity.snoozedUntil?.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }),
    language: activeLanguage(),
    isLanguageOff: isLanguageOff(view),
    eagerness: ownSetting<number>("eagerness") ?? null,
    placesLeft: server.placesLeft,
  });
  return groups.flatMap(({ title, entries }): Item[] => [
    { label: title, kind: vscode.QuickPickItemKind.Separator },
    ...entries.map((entry) => ({ label: entry.label, description: entry.description ?? "", entry })),
  ]);
}

/** Turn the predictions in files of the active editor's language on or off, in the user's settings. */
export async function toggleActiveLanguage(view: View): Promise<void> {
  const language = activeLanguage();
  if (language === undefined) {
    void vscode.window.showInformationMessage("Editahead: No file is open. Open a file of the language first.");
    return;
  }
  const mine = ownSetting<Record<string, boolean>>("languages") ?? {};
  await writeSetting("languages", toggleLanguage(mine, language, isLanguageOff(view)));
}

/** Ask how unsure an edit may be that is shown, and write it into the user's settings. */
export async function chooseEagerness(): Promise<void> {
  const placeHolder = "How eager Editahead is to show unlikely edits";
  const now = ownSetting<number>("eagerness") ?? null;
  const levels = eagernessLevels().map((level) => ({ ...level, label: level.value === now ? `${level.label} (now)` : level.label }));
  const picked = await vscode.window.showQuickPick(levels, { title: "Editahead: Eagerness", placeHolder });
  if (picked !== undefined) await writeSetting("eagerness", picked.value ?? undefined);
}

function activeLanguage(): string | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document !== undefined && isSupported(document) ? document.languageId : undefined;
}

// The server knows the settings files, too; its silence tells what they say.
function isLanguageOff({ silence }: View): boolean {
  const language = activeLanguage();
  if (language === undefined) return false;
  return ownSetting<Record<string, boolean>>("languages")?.[language] === false || silence?.reason === "language-off";
}

function ownSetting<T>(name: string): T | undefined {
  return vscode.workspace.getConfiguration("editahead").inspect<T>(name)?.globalValue ?? undefined;
}

function writeSetting(name: string, value: unknown): Thenable<void> {
  return vscode.workspace.getConfiguration("editahead").update(name, value, vscode.ConfigurationTarget.Global);
}
