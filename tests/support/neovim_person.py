"""A person at a real Neovim, who knows the wanted text and reads what the plugin shows.

The person presses keys one by one. A right ghost text of three characters or more is read and accepted; a wrong one is
ignored. After each edit by hand the person leaves insert mode, waits a moment, looks, and presses Tab until something
changes. What leads away from the wanted text is undone.
"""

from __future__ import annotations

import random
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from episodes import Change, Episode, by_hand, distance, keys_between
from neovim import Neovim

KEY_S = (0.07, 0.17)
"""The least and the most seconds between two keys."""
LOOK_S, POLL_S = 1.5, 0.01
AWAY_S = 3.0
"""Seconds in a terminal, beside the editor."""
READ_S, ACCEPT_S, TYPED_KEY_S = 0.25, 0.12, 0.115
"""Seconds that a person needs to read an offer, to press Tab, and to type a key: they count what was saved."""
WAY_KEYS = 4
"""Keys that lead to the place of a next edit."""
MIN_GHOST, MAX_TABS, MAX_EDITS = 3, 4, 60
_SHOWN = """
local view = require('editahead.view')
local shown = view.visible()
if not shown then return vim.NIL end
return { id = shown.id, label = shown.label, uri = shown.uri, ghost = view.ghost_text() or '' }
"""
_TEXTS = """
local texts = {}
for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
  if vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].buftype == '' then
    texts[vim.api.nvim_buf_get_name(bufnr)] = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\\n') .. '\\n'
  end
end
return texts
"""
_OPEN = """
if vim.fn.expand('%:p') ~= ... then vim.cmd.edit(...) end
vim.cmd('setlocal noautoindent nocindent nosmartindent indentexpr= formatoptions-=cro')
"""
"""Lua code: open a file, in which each character is typed."""
_WHY = """
local client = vim.lsp.get_clients({ name = 'editahead' })[1]
local arguments = { vim.uri_from_bufnr(0) }
local answer = client:request_sync('workspace/executeCommand', { command = 'editahead.why', arguments = arguments }, 2000)
return answer and answer.result or vim.NIL
"""


@dataclass
class Score:
    """What happened in an episode; times in seconds.

    Attributes:
        typed: Keys of text that the person typed.
        saved: Characters that the person did not type, and ways not gone, without Tabs.
        first_s: The time from the first key to the first accepted edit that was not ghost text.
        flicker: Offers elsewhere that were drawn while the person typed, and led away from the wanted text.
        lost: Offers that went away while the person read them.
    """

    ghost_right: int = 0
    ghost_wrong: int = 0
    right: int = 0
    wrong: int = 0
    tabs: int = 0
    typed: int = 0
    saved: int = 0
    saved_s: float = 0.0
    flicker: int = 0
    lost: int = 0
    first_s: float | None = None
    latencies: list[float] = field(default_factory=list)
    outcome: str = "silent"
    left: int = 0
    notes: list[str] = field(default_factory=list)


class Person:
    """A person who plays one episode."""

    def __init__(self, neovim: Neovim, folder: Path, episode: Episode) -> None:
        self.neovim, self.folder, self.episode = neovim, folder, episode
        self.texts, self.wanted = episode.before(), episode.wanted()
        self.score = Score()
        self._random = random.Random(episode.name)
        self._judged: set[str] = set()
        self._began = self._pressed = time.monotonic()

    def play(self) -> Score:
        """Make the edits by hand that are still due, and follow what is shown after each."""
        self._began = time.monotonic()
        for change in self.episode.hand:
            if change.is_due(self._read()):
                self._move(change) if change.is_move else self._change(change)
                self._follow()
        score = self.score
        score.left = distance(self._read(), self.wanted)
        if not score.left:
            score.outcome = "finished"
        elif score.right:
            score.outcome = "part"
        return score

    def _read(self) -> dict[str, str]:
        """Return all texts as they are: in the editor, else as they were."""
        for name, text in self.neovim.lua(_TEXTS).items():
            if Path(name).is_relative_to(self.folder):
                path = Path(name).relative_to(self.folder).as_posix()
                if path in self.texts:
                    self.texts[path] = text
        return self.texts

    def _press(self, keys: str) -> None:
        self.neovim.keys(keys)
        self._pressed = time.monotonic()

    def _shown(self) -> dict[str, Any] | None:
        shown: dict[str, Any] | None = self.neovim.lua(_SHOWN)
        if shown and shown["id"] not in self._judged:
            self._judged.add(shown["id"])
            self.score.latencies.append(time.monotonic() - self._pressed)
            shown["is_new"] = True
        return shown

    # Edits by hand

    def _move(self, change: Change) -> None:
        subprocess.run(["git", "mv", change.old, change.new], cwd=self.folder, check=True)
        self.texts = change.made(self._read())
        self._wait(AWAY_S)
        self._press("<Cmd>checktime<CR>j")

    def _change(self, change: Change) -> None:
        text = self._read()[change.path]
        span = by_hand(change, text)
        self.neovim.lua(_OPEN, str(self.folder / change.path))
        start, deleted, typed = span.start, text[span.start : span.end], span.typed
        starts_line = start == 0 or text[start - 1] == "\n"
        if not deleted and typed.startswith("\n"):
            self._go(text, start)
            self._press("o")
            typed = typed[1:]
        elif not deleted and starts_line and typed.endswith("\n"):
            self._go(text, start)
            self._press("O")
            typed = typed[:-1]
        elif deleted.endswith("\n") and starts_line and not typed:
            self._go(text, start)
            self._press("V")
            self._go(text, span.end - 1)
            self._press("d")
        elif deleted:
            self._go(text, start)
            self._press("v")
            self._go(text, span.end - 1)
            self._press("c" if typed else "d")
        else:
            at_end = text[start : start + 1] in ("\n", "")
            self._go(text, start - at_end)
            self._press("A" if at_end else "i")
        self._type(typed)
        self._press("<Esc>")

    def _go(self, text: str, offset: int) -> None:
        row = text.count("\n", 0, offset) + 1
        column = len(text[text.rfind("\n", 0, offset) + 1 : offset].encode())
        self.neovim.settle()
        self.neovim.lua("vim.api.nvim_win_set_cursor(0, { ... })", row, column)
        self._wait(self._random.uniform(*KEY_S))

    def _type(self, text: str) -> None:
        """Type a text key by key; a line's indentation comes with its line break."""
        rest = text
        while rest:
            stripped = rest.lstrip(" \t") if rest is text else rest[1:].lstrip(" \t")
            size = (
                len(rest) - len(stripped) if rest[0] in "\n\t " and (rest is text or rest[0] == "\n") else 0
            )
            key, rest = rest[: max(size, 1)], rest[max(size, 1) :]
            self._press(key.replace("<", "<lt>").replace("\n", "<CR>"))
            self.score.typed += 1
            rest = rest[self._pause(rest) :]

    def _pause(self, rest: str) -> int:
        """Wait for the next key, and return the length of a ghost text that was accepted meanwhile."""
        until = time.monotonic() + self._random.uniform(*KEY_S)
        while time.monotonic() < until:
            shown = self._shown()
            ghost = shown["ghost"] if shown else ""
            if shown and rest.startswith(ghost) and len(ghost) >= MIN_GHOST:
                if self._accept_ghost(shown):
                    return len(ghost)
            elif shown and shown.get("is_new"):
                self._count_idle(shown, rest)
            time.sleep(POLL_S)
        return 0

    def _count_idle(self, shown: dict[str, Any], rest: str) -> None:
        if not shown["ghost"]:
            self.score.flicker += 1
        elif not rest.startswith(shown["ghost"]):
            self.score.ghost_wrong += 1
            self.score.notes.append(f"wrong ghost {shown['ghost']!r} before {rest[:20]!r}")

    def _accept_ghost(self, shown: dict[str, Any]) -> bool:
        self._wait(READ_S)
        now = self._shown()
        if not now or now["ghost"] != shown["ghost"]:
            self.score.lost += 1
            return False
        length = len(shown["ghost"])
        self._press("<Tab>")
        self.neovim.settle()
        self.score.ghost_right += 1
        self.score.tabs += 1
        self._save(length, tabs=1)
        return True

    def _save(self, characters: int, tabs: int) -> None:
        self.score.saved += characters - tabs
        self.score.saved_s += characters * TYPED_KEY_S - READ_S - tabs * ACCEPT_S

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(POLL_S)

    # Next edits

    def _follow(self) -> None:
        """Follow what is shown, until there is nothing, or something wrong."""
        for _ in range(MAX_EDITS):
            shown = self._look()
            if not shown:
                self._note_silence()
                return
            self._wait(READ_S)
            now = self._shown()
            if not now or now["id"] != shown["id"]:
                self.score.lost += 1
            elif not self._take(shown):
                return

    def _look(self) -> dict[str, Any] | None:
        end = time.monotonic() + LOOK_S
        while time.monotonic() < end:
            if shown := self._shown():
                return shown
            time.sleep(POLL_S)
        return None

    def _take(self, shown: dict[str, Any]) -> bool:
        """Press Tab until something changes; return whether that was right."""
        before = dict(self._read())
        far, tabs = distance(before, self.wanted), 0
        while tabs < MAX_TABS and self._read() == before:
            self._press("<Tab>")
            tabs += 1
            self._until_changed(before)
        after = dict(self._read())
        self.score.tabs += tabs
        place = f"{shown['label']!r} in {Path(unquote(urlsplit(shown['uri']).path)).name}"
        if distance(after, self.wanted) < far:
            self.score.right += 1
            self.score.first_s = self.score.first_s or time.monotonic() - self._began
            self._save(keys_between(before, after) + WAY_KEYS, tabs)
            return True
        if after == before and self._is_place_due():
            return False
        self.score.wrong += 1
        self.score.saved_s -= READ_S + tabs * ACCEPT_S
        self.score.notes.append(f"wrong {place}: {_difference(before, after)}")
        if after != before:
            self._press("u")
            self.neovim.settle()
        return False

    def _is_place_due(self) -> bool:
        """Return whether the cursor is on a line that must change: it was led to a place, without an edit."""
        name, row = self.neovim.lua("return { vim.fn.expand('%:p'), vim.fn.line('.') }")
        path = Path(name).relative_to(self.folder).as_posix()
        return self._read()[path].splitlines()[row - 1] not in self.wanted[path].splitlines()

    def _until_changed(self, before: dict[str, str]) -> None:
        """Wait until the text has changed, or a jump is done and the edit is drawn at the cursor."""
        self.neovim.settle()
        end = time.monotonic() + LOOK_S
        while time.monotonic() < end and self._read() == before and not self._shown():
            time.sleep(POLL_S)

    def _note_silence(self) -> None:
        if left := distance(self._read(), self.wanted):
            why = self.neovim.lua(_WHY) or {}
            silence = why.get("silence") or {}
            candidates = [
                f"{one['confidence']:.2f} {one['label']} ({one['verdict']})"
                for one in why.get("candidates", ())
            ]
            self.score.notes.append(f"silent, {left} left: {silence.get('detail', '')} {candidates[:3]}")


def _difference(before: dict[str, str], after: dict[str, str]) -> str:
    lines = []
    for path, text in after.items():
        old = before.get(path, "").splitlines()
        lines += [line for line in text.splitlines() if line not in old]
    return " | ".join(lines)[:200]
