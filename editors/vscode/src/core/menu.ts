// The entries of the menu behind the status bar item. Each one runs a command.
import type { ServerState } from "./messages";

export interface MenuState {
  /** What Editahead does now, or why it shows nothing, as the status bar's tooltip says it. */
  readonly now: string;
  readonly server: ServerState;
  readonly isEnabled: boolean;
  /** The time of day at which a snooze ends. */
  readonly snoozedUntil: string | undefined;
  /** The language of the active editor. */
  readonly language: string | undefined;
  readonly isLanguageOff: boolean;
  /** The setting, if it is set in VS Code. */
  readonly eagerness: number | null;
  /** Such as "3 places left"; "" for none. */
  readonly placesLeft: string;
}

export interface MenuEntry {
  readonly label: string;
  readonly description?: string;
  readonly command: string;
  readonly args?: readonly unknown[];
}

/** A headline and the entries below it. */
export interface MenuGroup {
  readonly title: string;
  readonly entries: readonly MenuEntry[];
}

const SNOOZES: readonly (readonly [string, number])[] = [
  ["5 Minutes", 5],
  ["15 Minutes", 15],
  ["1 Hour", 60],
];

/** The query of VS Code's settings that finds ours. */
const OUR_SETTINGS = "@ext:editahead.editahead";

/** Return the entries of the menu. */
export function menuGroups(state: MenuState): MenuGroup[] {
  const why = { label: withoutIcons(state.now), description: "why", command: "editahead.explain" };
  return [
    { title: "Now", entries: state.server === "running" ? [why, ...leftEntries(state)] : [restartEntry(state)] },
    { title: "Predictions", entries: [...snoozeEntries(state), switchEntry(state), ...languageEntries(state), eagernessEntry(state)] },
    {
      title: "Editahead",
      entries: [
        { label: "Set Up the Model", command: "editahead.useModel" },
        { label: "Status", command: "editahead.showStatus" },
        { label: "Settings", command: "workbench.action.openSettings", args: [OUR_SETTINGS] },
        { label: "Log", command: "editahead.openLog" },
      ],
    },
  ];
}

function restartEntry({ now }: MenuState): MenuEntry {
  return { label: withoutIcons(now), description: "restart the server", command: "editahead.restartServer" };
}

function leftEntries({ placesLeft }: MenuState): MenuEntry[] {
  if (placesLeft === "") return [];
  return [{ label: "Show What the Change Still Lacks", description: placesLeft, command: "editahead.showLeft" }];
}

function snoozeEntries({ isEnabled, snoozedUntil }: MenuState): MenuEntry[] {
  if (!isEnabled && snoozedUntil === undefined) return [];
  return SNOOZES.map(([time, minutes]) => ({ label: `Snooze for ${time}`, command: "editahead.snooze", args: [minutes] }));
}

function switchEntry({ isEnabled, snoozedUntil }: MenuState): MenuEntry {
  const command = "editahead.toggle";
  if (snoozedUntil !== undefined) return { label: "End the Snooze", description: `until ${snoozedUntil}`, command };
  return { label: isEnabled ? "Turn Off in This Workspace" : "Turn On in This Workspace", command };
}

function languageEntries({ language, isLanguageOff }: MenuState): MenuEntry[] {
  if (language === undefined) return [];
  return [{ label: `Turn ${isLanguageOff ? "On" : "Off"} for ${language}`, command: "editahead.toggleLanguage" }];
}

function eagernessEntry({ eagerness }: MenuState): MenuEntry {
  return { label: eagerness === null ? "Eagerness" : `Eagerness: ${eagerness}`, command: "editahead.chooseEagerness" };
}

// VS Code draws `$(name)` in a label as an icon, and code may contain it.
function withoutIcons(text: string): string {
  return text.replace(/\$\([\w-]+(?:~\w+)?\)/g, "\\$&");
}

/** How unsure an edit may be that is shown. */
export interface EagernessLevel {
  readonly label: string;
  readonly description: string;
  /** Null: the settings files decide. */
  readonly value: number | null;
}

/** Return levels of the setting `eagerness`. The server shows an edit from a confidence of 0.55 - 0.5 * eagerness on. */
export function eagernessLevels(): EagernessLevel[] {
  const levels = ([["Rarely", 0.2], ["Balanced", 0.5], ["Often", 0.8]] as const).map(([label, value]) => ({
    label,
    description: `${value}: edits with a confidence of ${Math.round(55 - 50 * value)} % or more`,
    value,
  }));
  return [...levels, { label: "Not Set in VS Code", description: "as in editahead.toml, otherwise 0.5", value: null }];
}

/**
 * Return the setting `languages` with one language turned on or off.
 *
 * @param isOff Whether the server leaves the language out now: by this setting, or by another one.
 */
export function toggleLanguage(
  languages: Readonly<Record<string, boolean>>,
  language: string,
  isOff: boolean,
): Record<string, boolean> | undefined {
  const { [language]: mine, ...others } = languages;
  if (isOff && mine === undefined) return { ...others, [language]: true };
  if (!isOff) return { ...others, [language]: false };
  return Object.keys(others).length > 0 ? others : undefined;
}
