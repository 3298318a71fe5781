"""Episodes of editing in a real VS Code with its defaults, which count wrong keys: a key whose effect is not what was drawn.

    PYTHONPATH=tests/support .venv/bin/python tools/measure/vscode_episodes.py EPISODES.json [PICTURES]

EPISODES.json holds episodes: `name`, `files` (a path in the workspace to the path of a text; the first is opened),
`find` (a text of it with `|` at the place), `word` (what is typed over there), `type`, and `pause` (seconds between two
keys). With `key` at `Tab`, Tab is pressed once after the typing, whatever is drawn; with `ghost`, at the first ghost
text. The real server predicts, with all settings as they come. A line of JSON tells what was seen in each.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from code_server import CodeServer
from shared_window import SharedWindow
from vscode import _GHOST, VSCode
from vscode_scenarios import server_command

KEY_S = 0.09
"""Seconds between two typed keys."""
LOOK_S, STEADY_S = 2.5, 0.25
"""Seconds to wait for something to be drawn, and for what is drawn to stay the same."""
MAX_KEYS = 10
_LIST = """(() => {
  const row = document.querySelector('.suggest-widget.visible .monaco-list-row.focused .label-name');
  return document.querySelector('.suggest-widget.visible .monaco-list-row') ? row?.textContent ?? '' : null;
})()"""
_CURSOR = "document.querySelector('[id=\"status.editor.selection\"]')?.innerText ?? ''"
_TAB = "document.querySelector('.tab.active')?.ariaLabel ?? ''"


@dataclass(frozen=True)
class Screen:
    """What a person sees: texts of decorations, ghost text, the list's chosen row (None = no list), cursor and tab."""

    drawn: tuple[str, ...]
    ghost: str
    row: str | None
    cursor: str
    tab: str

    @property
    def key(self) -> str:
        """The key that is drawn, or that ghost text has; "" when nothing is drawn."""
        labels = " ".join(self.drawn)
        if "⇥ Tab" in labels:
            return "Tab"
        return "Alt+Enter" if "Alt+Enter" in labels else "Tab" if self.ghost else ""

    @property
    def words(self) -> list[str]:
        """The new texts that are drawn, without the labels."""
        return [one for one in self.drawn if "⇥" not in one and "↵" not in one]


@dataclass
class Report:
    name: str
    keys: int = 0
    jumps: int = 0
    edits: int = 0
    ghosts: int = 0
    list_items: int = 0
    alt_enters: int = 0
    idle: int = 0
    wrong: list[str] = field(default_factory=list)


class Episode:
    """One episode in a window."""

    def __init__(self, window: VSCode, spec: dict[str, Any]) -> None:
        self.window, self.spec, self.report = window, spec, Report(spec["name"])
        self.has_followed = False

    def look(self) -> Screen:
        page = self.window.page
        ghost = str(page.evaluate(_GHOST)).replace("\u00a0", " ")
        row, cursor, tab = (page.evaluate(one) for one in (_LIST, _CURSOR, _TAB))
        return Screen(tuple(self.window.seen), ghost, row, str(cursor), str(tab).split(",")[0])

    def settle(self) -> Screen:
        """Wait until something is drawn and stays the same."""
        end, since, last = time.monotonic() + LOOK_S, time.monotonic(), self.look()
        while time.monotonic() < end:
            time.sleep(0.03)
            screen = self.look()
            if screen != last:
                since, last = time.monotonic(), screen
            elif screen.key and time.monotonic() - since > STEADY_S:
                break
        return last

    def texts(self) -> dict[str, str]:
        self.window.press("Control+s")
        self.window.until("!document.querySelector('.tab.dirty')")
        last: dict[str, str] = {}
        while True:  # VS Code empties a file before it writes
            texts = {name: (self.window.folder / name).read_text("utf-8") for name in self.spec["files"]}
            if texts == last and all(texts.values()):
                return texts
            last = texts
            time.sleep(0.05)

    def press(self, key: str) -> None:
        """Press a key, and note what it did that was not drawn."""
        before, screen = self.texts(), self.settle()
        self.window.press("Alt+Enter" if key == "Alt+Enter" else "Tab")
        self.report.keys += 1
        time.sleep(0.5)
        now, after = self.look(), self.texts()
        new = "\n".join(_new_lines(before, after))
        took_list = key == "Tab" and screen.row is not None and screen.key != "Tab"
        if took_list:
            self.report.list_items += 1
            is_right = str(screen.row) in new
        elif screen.ghost and not screen.words:
            self.report.ghosts += 1
            is_right = bool(new) and all(line.strip() in new for line in screen.ghost.splitlines())
        elif screen.key:
            self.has_followed = True
            self.report.alt_enters += key == "Alt+Enter"
            if before == after:
                self.report.jumps += 1
                is_right = (now.cursor, now.tab) != (screen.cursor, screen.tab)
            else:
                self.report.edits += 1
                is_right = _is_drawn(_new_lines(before, after), screen.words)
        else:
            self.report.idle += 1
            is_right = before == after
        if not is_right:
            self.report.wrong.append(f"{key}: drawn {screen}, inserted {new!r}, then {now}")

    def play(self) -> Report:
        window, spec = self.window, self.spec
        first = next(iter(spec["files"]))
        text = (window.folder / first).read_text("utf-8")
        place = text.index(spec["find"].replace("|", "")) + spec["find"].index("|")
        line, column = text.count("\n", 0, place), place - (text.rfind("\n", 0, place) + 1)
        window.press("Control+g")
        window.until("document.activeElement.matches('.quick-input-widget input')")
        window.type(f"{line + 1}:{column + 1}")
        window.press("Enter")
        window.until(f"({_CURSOR}).startsWith('Ln {line + 1},')")
        for _ in spec.get("word", ""):
            window.press("Shift+ArrowRight")
        for character in spec["type"]:
            if character == "\n":
                window.press("Enter")
            else:
                window.type(character)
            time.sleep(float(spec.get("pause", KEY_S)))
            if spec.get("ghost") and (screen := self.look()).ghost and len(screen.ghost) > 2:
                self.press("Tab")
                return self.end()
        if spec.get("key") == "Tab":
            self.press("Tab")
        while self.report.keys < MAX_KEYS and (screen := self.settle()).key:
            self.press(screen.key)
        return self.end()

    def end(self) -> Report:
        """Press Tab once more, where a chain has ended."""
        if self.has_followed and not self.look().key and self.look().row is None:
            self.press("Tab")
        return self.report


def _new_lines(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Return the lines that changed in any file, as they are now."""
    found: list[str] = []
    for name, text in before.items():
        old, new = text.splitlines(), after[name].splitlines()
        for tag, _, _, start, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            found += new[start:end] if tag != "equal" else []
    return found


def _is_drawn(lines: list[str], words: list[str]) -> bool:
    """Return whether changed lines have all of the words that were drawn, and nothing changed without one."""
    if not words:
        return lines == []
    return all(any(word in line for line in lines) for word in words) and all(
        any(word in line for word in words) for line in lines
    )


def main(arguments: list[str]) -> int:
    specs = json.loads(Path(arguments[0]).read_text("utf-8"))
    pictures = Path(arguments[1]) if len(arguments) > 1 else None
    wrong = 0
    with contextlib.ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(contextlib.closing(CodeServer(home / "vscode", {"HOME": str(home)})))
        shared = stack.enter_context(contextlib.closing(SharedWindow(server, home)))
        for number, spec in enumerate(specs):
            own = home / f"state{number}"
            homes = {
                f"XDG_{kind}_HOME": str(own / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")
            }
            texts = {name: Path(path).read_text("utf-8") for name, path in spec["files"].items()}
            settings = {"editahead.server.command": server_command(homes, None)}
            with shared.use(texts, {**settings, **spec.get("settings", {})}) as window:
                window.until_ready()
                report = Episode(window, spec).play()
                if pictures is not None:
                    os.environ["EDITAHEAD_PICTURES"] = str(pictures)
                    window.keep_picture(spec["name"])
            wrong += len(report.wrong)
            print(json.dumps(vars(report)), flush=True)
    print(f"{len(specs)} episodes, {wrong} wrong keys")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
