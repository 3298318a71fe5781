"""The player of tests/editors/vscode/*.txt: sessions in a real VS Code. The README there describes the format."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from code_server import wait_for_exit
from editahead_lsp import __version__
from ready_index import until_index_ready
from server_with_planned_edits import REAL, go_on_file, planned
from vscode import VSCode

LINTERS = Path(__file__).parent / "linters"
"""The folder of programs that stand in for linters."""

_SECTION = re.compile(r"-- (file|plan|model|steps|clipboard|saved|on disk)(?:: (\S+))? --\n")
_CODE_SPAN = r"(?:`` ?(.+?) ?``|`([^`]+)`)"


@dataclass
class Scenario:
    """A parsed scenario file."""

    title: str
    settings: dict[str, Any] = field(default_factory=dict)
    """Settings of the extension without the prefix `editahead.`."""
    is_new: bool = False
    """Whether the session begins with the start of a window."""
    has_git: bool = False
    """Whether VS Code's Git extension is on."""
    has_linter: bool = False
    """Whether the server finds the linter in `linters`."""
    files: dict[str, str] = field(default_factory=dict)
    plan: dict[str, Any] | None = None
    """The plan of the server; None = the server's own predictors decide."""
    actions: list[tuple[str, str, str]] = field(default_factory=list)
    """Sections to play in order: kind, file name, body."""


def load(path: Path) -> Scenario:
    head, *parts = _SECTION.split(path.read_text(encoding="utf-8"))
    title, *options = head.splitlines()
    scenario = Scenario(title.removeprefix("# "))
    for option in options:
        if option == "window: new":
            scenario.is_new = True
            continue
        if option == "git: on":
            scenario.has_git = True
            continue
        if option == "linter: ruff":
            scenario.has_linter = True
            continue
        name, _, value = option.removeprefix("setting: ").partition(" = ")
        scenario.settings[name] = json.loads(value)
    for kind, name, body in zip(parts[0::3], parts[1::3], parts[2::3], strict=True):
        text = body.replace("·", " ")
        if kind == "file":
            scenario.files[name] = text
        elif kind in ("plan", "model"):
            parsed = _parse_plan(text) if kind == "plan" else {"model": text}
            scenario.plan = {**(scenario.plan or {}), **parsed}
        else:
            scenario.actions.append((kind, name or "", text))
    return scenario


def _parse_plan(text: str) -> dict[str, Any]:
    replacements: dict[str, str] = {}
    completions: list[str] = []
    readings: list[tuple[str, str, str, float]] = []
    for line in text.splitlines():
        words = [word.replace("\\n", "\n") for word in re.findall("`([^`]+)`", line)]
        if line.startswith("replace "):
            replacements[words[0]] = words[1]
        elif line.startswith("reading "):
            readings.append((words[0], words[1], words[2], 0.5 / (len(readings) + 1)))
        else:
            assert line.startswith("complete "), line
            completions += words
    return {"replace": replacements, "complete": completions, "readings": readings}


class Player:
    """A player of the sections of a scenario in one window."""

    def __init__(self, window: VSCode, server_command: list[str], homes: Mapping[str, str]) -> None:
        """Prepare a player.

        Args:
            window: The window.
            server_command: The command line for the step `set ... to the planned server`.
            homes: The environment variables with the folders of the server's files.
        """
        self.window = window
        self.server_command = server_command
        self.homes = homes
        self.server_pid: int | None = None

    def play(self, scenario: Scenario) -> None:
        for kind, name, body in scenario.actions:
            if kind == "steps":
                for step in body.splitlines():
                    self.do(step)
            elif kind == "clipboard":
                self.window.copy(body)
            elif kind == "on disk":
                assert (self.window.folder / name).read_text(encoding="utf-8") == body
            else:
                self.window.save(name, body)

    def do(self, step: str) -> None:
        for pattern, run in _STEPS:
            if match := pattern.fullmatch(step):
                values = [value for value in match.groups() if value is not None]
                run(self, *values)
                return
        raise ValueError(f"unknown step: {step}")

    def press(self, chords: str) -> None:
        self.window.press(*(chord.replace("Space", " ") for chord in chords.split(" ")))

    def remember_server(self) -> None:
        (self.server_pid,) = self.window.servers()

    def kill_server(self) -> None:
        self.remember_server()
        assert self.server_pid is not None
        os.kill(self.server_pid, signal.SIGKILL)

    def server_has_exited(self) -> None:
        assert self.server_pid is not None
        wait_for_exit(self.server_pid)

    def server_is_new(self) -> None:
        assert self.window.servers() not in ([], [self.server_pid])

    def one_server_is_left(self) -> None:
        *earlier, _ = sorted(self.window.servers())
        for pid in earlier:
            wait_for_exit(pid)

    def until_index_ready(self) -> None:
        until_index_ready(self.window.folder, self.homes)

    def let_model_go_on(self) -> None:
        go_on = go_on_file(self.homes)
        go_on.parent.mkdir(parents=True, exist_ok=True)
        go_on.touch()

    def has_no_file(self, name: str) -> None:
        assert not (self.window.folder / name).exists()


def server_command(
    homes: Mapping[str, str], plan: Mapping[str, object] | None, *, has_linter: bool = False
) -> list[str]:
    """Return the server's command line. The server keeps its files in the test's folder, not in the shared home."""
    variables = [f"{name}={value}" for name, value in homes.items()]
    # The extension's servers import nothing of the folder that they are started in, nor of a script's own.
    variables += [] if plan is None else [f"PYTHONPATH={Path(__file__).parent}"]
    variables += [f"PATH={LINTERS}:{os.environ['PATH']}"] if has_linter else []
    return ["/usr/bin/env", *variables, *(REAL if plan is None else planned(plan))]


_ELEMENTS = {
    "line": ".view-line",
    "diff": ".modified-in-monaco-diff-editor .view-line",
    "diff word": ".modified-in-monaco-diff-editor .view-line span span",
    "action": ".editor-actions .action-label",
    "announcement": ".monaco-alert",
    "faded": ".monaco-diff-editor .squiggly-inline-unnecessary",
    "hover link": ".monaco-hover:not(.hidden) a",
    "log": ".output .view-line, .panel .view-line",
    "problem": ".marker-widget",
    "side bar": ".sidebar .label-name, .sidebar .view-line",
    "status": ".statusbar-item a",
    "tab": ".tab",
    "walkthrough step": ".step-title",
    "walkthrough button": ".button-container .monaco-button",
}
"""Parts of the screen that steps name, as CSS selectors."""


_Step = tuple[re.Pattern[str], Callable[..., object]]


def _step(pattern: str, run: Callable[..., object]) -> _Step:
    """Return a step: a pattern, and a function of the pattern's groups. `TEXT` in the pattern is a code span."""
    return re.compile(pattern.replace("TEXT", _CODE_SPAN)), run


def _steps() -> Iterator[_Step]:
    def on_window(method: str) -> Callable[..., object]:
        return lambda player, *values: getattr(player.window, method)(*values)

    for pattern, method in {
        "ready": "until_ready",
        "type TEXT": "type",
        r"press (\S+) until cursor (\d+):(\d+)": "press_until_cursor",
        "copy TEXT": "copy",
        "command (.+)": "command",
        "open (.+)": "open_beside",
        "active (.+)": "until_active",
        "shown TEXT": "until_seen",
        "not shown TEXT": "until_not_seen",
        "mark": "until_mark",
        "no mark": "until_no_mark",
        "ghost text TEXT": "until_ghost",
        "no ghost text": "until_no_ghost",
        "status TEXT": "until_status",
        "press notification button TEXT": "answer",
        "pick TEXT(?: from TEXT)?": "pick",
        "enter TEXT for TEXT": "enter",
        "restart window with (.+)": "restart",
        "tab (.+)": "until_tab",
        "hover TEXT": "hover",
        "click ([A-Z].+)": "click_action",
        "click icon TEXT": "click_icon",
        "revert hunk with TEXT": "revert_hunk",
        "warnings": "until_any_warning",
        "suggestions": "until_suggestions",
        "no suggestions": "until_no_suggestions",
        "unsaved": "until_unsaved",
        "one clean tab": "until_one_clean_tab",
    }.items():
        yield _step(pattern, on_window(method))
    yield _step(r"press (\S+(?: \S+)*)", Player.press)
    yield _step(
        "notification TEXT", lambda p, text: p.window.until_note(text.replace("{version}", __version__))
    )
    yield _step(r"go to (\d+):(\d+)", lambda p, line, column: p.window.go_to(int(line), int(column)))
    yield _step(r"cursor (\d+):(\d+)", lambda p, line, column: p.window.until_cursor(int(line), int(column)))
    yield _step(r"cursor line (\d+)", lambda p, line: p.window.until_cursor_line(int(line)))
    yield _step(r"warnings (\d+)", lambda p, count: p.window.until_warnings(int(count)))
    yield _step(
        r"picture (\S+)((?: \d+){4})?",
        lambda p, name, part="": p.window.keep_picture(name, tuple(map(int, part.split())) or None),
    )
    yield _step(r"set (\S+) to the planned server", lambda p, name: p.window.set(name, p.server_command))
    yield _step("index ready", Player.until_index_ready)
    yield _step("model goes on", Player.let_model_go_on)
    yield _step("remember server", Player.remember_server)
    yield _step("kill server", Player.kill_server)
    yield _step("server has exited", Player.server_has_exited)
    yield _step("new server", Player.server_is_new)
    yield _step("one server is left", Player.one_server_is_left)
    yield _step("no file (.+)", Player.has_no_file)
    for element, selector in _ELEMENTS.items():
        yield _step(f"{element} TEXT", lambda p, text, selector=selector: p.window.until_text(selector, text))
        yield _step(
            f"no {element} TEXT", lambda p, text, selector=selector: p.window.until_no_text(selector, text)
        )
        yield _step(
            f"{element} once TEXT", lambda p, text, selector=selector: p.window.until_once(selector, text)
        )
        yield _step(
            f"click TEXT in {element}", lambda p, text, selector=selector: p.window.click_text(selector, text)
        )


_STEPS = list(_steps())
