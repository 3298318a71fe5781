"""A real VS Code with our extension, in a browser, driven by keystrokes.

It is code-server, which editors/testing/get-code-server.sh fetches; Chromium shows its workbench. Tests read the screen
from the page.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import chromium
from chromium import Chromium
from neovim import ROOT

CODE_SERVER = Path(sys.prefix) / "editors" / "code-server" / "bin" / "code-server"
EXTENSION = ROOT / "editors" / "vscode"
COMPLAINER = ROOT / "editors" / "testing" / "vscode-complainer"
BUILT = EXTENSION / "dist" / "extension.js"
"""`npm run build` in editors/vscode makes it."""
PACKAGED = ROOT / "dist" / "editahead.vsix"
"""`make extension` makes it."""

_PATIENCE_MS = 60_000
"""Milliseconds until a wait for the page fails."""
_REPEAT_MS = 5_000
"""Milliseconds for an action to take effect, before it is repeated."""
_SAVE_S = 10
"""Seconds for a saved file to get the expected text."""
_QUIET = {
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "workbench.startupEditor": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.tips.enabled": False,
    "workbench.sideBar.location": "right",
    "chat.disableAIFeatures": True,
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "git.enabled": False,
    "files.autoSave": "off",
    "files.hotExit": "off",
    "editor.minimap.enabled": False,
    "editor.wordBasedSuggestions": "currentDocument",
    "editor.quickSuggestions": {"other": "off", "comments": "off", "strings": "off"},
    "editor.parameterHints.enabled": False,
    "editor.autoClosingBrackets": "never",
    "editor.autoIndent": "none",
    "editor.cursorBlinking": "solid",
    "window.commandCenter": False,
}
"""Settings that keep everything else off the screen and out of the text."""
HERE = [
    pytest.mark.editors,
    pytest.mark.skipif(not CODE_SERVER.exists(), reason=f"no code-server at {CODE_SERVER}"),
    pytest.mark.skipif(not chromium.PROGRAM, reason="no chromium on PATH"),
    pytest.mark.skipif(not BUILT.exists(), reason=f"no {BUILT}: npm run build"),
]
"""Marks for test modules that use VS Code."""
_QUICK_INPUT = "document.activeElement.matches('.quick-input-widget input')"
_RIGHT_SIDE = ".modified-in-monaco-diff-editor .view-line"
_HOVER = ".monaco-hover:not(.hidden)"
_SEEN = """(() => {
  const words = [];
  for (const element of document.querySelectorAll('.editor-instance .view-lines span')) {
    for (const side of ['::before', '::after']) {
      const { content } = getComputedStyle(element, side);
      if (content !== 'none' && content !== 'normal') words.push(JSON.parse(content.replace(/\\\\([^"\\\\])/g, '$1')));
    }
  }
  return words.map(word => word.replaceAll('\\u00a0', ' '));
})()"""
"""JavaScript: the texts that decorations add."""
_GHOST = (
    "[...document.querySelectorAll('.ghost-text-decoration, .ghost-text')].map(one => one.innerText).join('')"
)
_NOTES = "[...document.querySelectorAll('.notification-list-item')].map(one => one.innerText).join('\\n')"


class CodeServer:
    """A running code-server and the browser for it. Each window that is opened in it has a page of its own."""

    def __init__(
        self,
        home: Path,
        environment: Mapping[str, str],
        size: tuple[int, int] = (1000, 800),
        packaged: bool = False,
    ) -> None:
        """Start both.

        Args:
            home: A folder for all files of VS Code and the browser.
            environment: Variables for VS Code, not for the browser.
            size: The window's width and height, in pixels.
            packaged: Whether the extension is installed from its package, as a user does.
        """
        self.home = home
        self.data, extensions = home / "data", home / "extensions"
        if packaged:
            folders = ["--extensions-dir", str(extensions), "--user-data-dir", str(self.data)]
            install = [str(CODE_SERVER), *folders, "--install-extension", str(PACKAGED)]
            subprocess.run(install, env={**os.environ, **environment}, check=True, capture_output=True)
        else:
            ours = extensions / "editahead.editahead-0.1.0"
            shutil.copytree(EXTENSION / "media", ours / "media")
            shutil.copytree(BUILT.parent, ours / "dist", ignore=shutil.ignore_patterns("test", "*.vsix"))
            shutil.copy(EXTENSION / "package.json", ours)
            shutil.copytree(COMPLAINER, extensions / "editahead-testing.vscode-complainer-0.0.1")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{probe.getsockname()[1]}"
        options = ["--bind-addr", self.address, "--auth", "none", "--config", os.devnull]
        options += ["--disable-workspace-trust", "--disable-telemetry", "--disable-update-check"]
        options += ["--disable-getting-started-override", "--user-data-dir", str(self.data)]
        self._log = (home / "code-server.log").open("w", encoding="utf-8")
        self._process = subprocess.Popen(
            [str(CODE_SERVER), *options, "--extensions-dir", str(extensions)],
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            start_new_session=True,
        )
        self._wait_for_server()
        self.browser = Chromium(home / "browser", {"HOME": str(home)}, size)

    def _wait_for_server(self) -> None:
        """Copy the output to the log: here until the server listens, then on a thread."""
        assert self._process.stdout
        for line in self._process.stdout:
            self._log.write(line)
            if "server listening on" in line:
                self._reader = threading.Thread(
                    target=shutil.copyfileobj, args=(self._process.stdout, self._log)
                )
                self._reader.start()
                return
        raise AssertionError("code-server does not listen")

    def write_settings(self, settings: Mapping[str, Any]) -> None:
        for name in ("User", "Machine"):
            path = self.data / name / "settings.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({**_QUIET, **settings}), encoding="utf-8")

    def language_servers(self) -> list[int]:
        """Return the process ids of the extension's language servers."""
        return [pid for pid in descendants(self._process.pid) if is_server(pid)]

    def end_extension_hosts(self) -> None:
        """End the extension hosts and language servers of windows that are closed.

        VS Code itself keeps an extension host for hours, in case its window connects again.
        """
        hosts = [pid for pid in descendants(self._process.pid) if is_extension_host(pid)]
        for pid in [*hosts, *self.language_servers()]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            wait_for_exit(pid)

    def close(self) -> None:
        self.browser.close()
        os.killpg(self._process.pid, signal.SIGTERM)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._reader.join()
        assert self._process.stdout
        self._process.stdout.close()
        self._log.close()


class VSCode:
    """A window of VS Code on a folder."""

    def __init__(self, code_server: CodeServer, folder: Path, settings: Mapping[str, Any]) -> None:
        """Open the window.

        Args:
            code_server: No other window may be open in it.
            folder: The workspace.
            settings: Settings of VS Code and the extension, with their full names.
        """
        self.folder = folder
        self.code_server = code_server
        code_server.write_settings(settings)
        self.page = code_server.browser.open_page()

    def open(self, name: str) -> None:
        """Open a file, and wait until it can be typed in."""
        address = self.code_server.address
        path = quote(str(self.folder / name))
        payload = quote(json.dumps([["openFile", f"vscode-remote://{address}{path}"]]))
        self.page.go(f"http://{address}/?folder={quote(str(self.folder))}&payload={payload}")
        self.until(f"document.querySelector('.monaco-editor[data-uri$=\"/{name}\"] .view-line')")
        self.press("Control+1")

    def close(self) -> None:
        self.page.close()
        self.code_server.end_extension_hosts()

    def until(self, condition: str, patience: int = 1) -> None:
        """Wait until an expression of JavaScript is true, for `patience` minutes at most."""
        if not any(self.becomes_true(condition, _PATIENCE_MS) for _ in range(patience)):
            raise AssertionError(f"never: {condition}\n{self.describe()}")

    def becomes_true(self, condition: str, patience_ms: int) -> bool:
        return bool(
            self.page.evaluate(f"""new Promise(done => {{
              const end = performance.now() + {patience_ms};
              const look = () => {{
                const value = Boolean({condition});
                if (value || performance.now() > end) done(value);
                else setTimeout(look, 20);
              }};
              look();
            }})""")
        )

    def repeat_until(self, act: Callable[[], object], condition: str) -> None:
        """Act, wait, and act again as long as an expression stays false: VS Code drops some keys while it is busy."""
        end = time.monotonic() + _PATIENCE_MS / 1000
        act()
        while not self.becomes_true(condition, _REPEAT_MS):
            if time.monotonic() > end:
                raise AssertionError(f"never: {condition}\n{self.describe()}")
            act()

    def describe(self) -> str:
        lines = self.page.evaluate(
            "[...document.querySelectorAll('.editor-instance .view-line')].map(one => one.innerText).join('\\n')"
        )
        return "\n".join([lines, *self.seen, self.status, self.page.evaluate(_NOTES)])

    def press(self, *chords: str) -> None:
        for chord in chords:
            self.page.press(chord)

    def type(self, text: str) -> None:
        self.page.type(text)

    def go_to(self, line: int, column: int = 1) -> None:
        """Go to a line and column, both 1-based, as in the status bar."""
        self.press("Control+g")
        self.until(_QUICK_INPUT)
        self.type(f"{line}:{column}")
        self.press("Enter")
        self.until_cursor(line, column)

    def command(self, title: str) -> None:
        """Run a command from the palette."""
        self.press("F1")
        self.pick(title)

    def pick(self, text: str, placeholder: str = "") -> None:
        """Type a text into the quick input, and take the row with that text."""
        shown = f".includes({json.dumps(placeholder)})"
        self.until(f"{_QUICK_INPUT} && document.activeElement.placeholder{shown}")
        self.type(text)
        self.until(
            f"document.querySelector('.quick-input-list .monaco-list-row.focused[aria-label*={json.dumps(text)}]')"
        )
        self.press("Enter")

    def _click(self, element: str) -> None:
        middle = "(box => [box.x + box.width / 2, box.y + box.height / 2])"
        self.page.click(*self.page.evaluate(f"{middle}({element}.getBoundingClientRect())"))

    def copy(self, text: str) -> None:
        """Put a text on the clipboard, as another program does."""
        self.page.ask(
            "Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"]
        )
        self.page.evaluate(f"navigator.clipboard.writeText({json.dumps(text)})")

    def open_beside(self, name: str) -> None:
        """Open another file, in another tab."""
        self.press("Control+p")
        self.pick(name)
        self.until_active(name)

    def until_active(self, name: str) -> None:
        self.until(f"document.querySelector('.tab.active[aria-label*=\"{name}\"]')")

    def set(self, name: str, value: Any) -> None:
        """Write a setting into the file of settings."""
        file = self.code_server.data / "Machine" / "settings.json"
        settings = json.loads(file.read_text(encoding="utf-8"))
        file.write_text(json.dumps({**settings, name: value}), encoding="utf-8")

    def revert_hunk(self, text: str) -> None:
        """Press the button beside the first hunk of a diff until the right side no longer has a text.

        The button has no effect while VS Code computes the diff.
        """
        button = "document.querySelector('.gutterItem [aria-label=\"Revert Block\"]')"
        self.until(f"document.querySelector('.squiggly-warning') && {button}")
        has_text = _saying(_RIGHT_SIDE, text)
        self.repeat_until(
            lambda: self.page.evaluate(f"{has_text} && {button}?.click()"),
            f"!{has_text}",
        )

    def hover(self, text: str) -> None:
        """Show the hover at the cursor, until the hover has a text. VS Code hides a hover when the line changes."""
        self.repeat_until(lambda: self.press("Control+k", "Control+i"), _saying(_HOVER, text))

    def until_once(self, selector: str, text: str) -> None:
        """Wait until exactly one element has a text."""
        self.until(f"{_all_saying(selector, text)}.length === 1")

    def until_warnings(self, count: int) -> None:
        self.until(f"document.querySelectorAll('.squiggly-warning').length === {count}")

    def until_any_warning(self) -> None:
        self.until("document.querySelector('.squiggly-warning')")

    def until_suggestions(self) -> None:
        self.until("document.querySelector('.suggest-widget.visible .monaco-list-row')")

    def until_no_suggestions(self) -> None:
        self.until("!document.querySelector('.suggest-widget.visible')")

    def until_unsaved(self) -> None:
        self.until("document.querySelector('.tab.active.dirty')")

    def until_one_clean_tab(self) -> None:
        self.until("document.querySelectorAll('.tab').length === 1 && !document.querySelector('.tab.dirty')")

    def until_no_text(self, selector: str, text: str) -> None:
        self.until(f"!{_saying(selector, text)}")

    def until_tab(self, name: str) -> None:
        """Wait until the active tab's name begins with a text."""
        self.until(f"document.querySelector('.tab.active')?.ariaLabel.startsWith({json.dumps(name)})")

    def click_action(self, text: str) -> None:
        """Click a button above the editor, by its label."""
        button = _saying(".editor-actions .action-label", text)
        self.until(button)
        self.page.evaluate(
            f"{button}.click()"
        )  # the label's position may change: other buttons appear beside it

    def click_text(self, selector: str, text: str) -> None:
        """Click the first element of a selector with a text."""
        self.until(_saying(selector, text))
        self._click(_saying(selector, text))

    def until_text(self, selector: str, text: str) -> None:
        """Wait until an element of a selector has a text."""
        self.until(_saying(selector, text))

    @property
    def seen(self) -> list[str]:
        """Return the texts that decorations add, in the order of the lines."""
        words: list[str] = self.page.evaluate(_SEEN)
        return words

    @property
    def status(self) -> str:
        """Return the accessible label of our item in the status bar."""
        label = "document.querySelector('[id=\"editahead.editahead.editahead.status\"] a')?.getAttribute('aria-label') ?? ''"
        return str(self.page.evaluate(label))

    def until_seen(self, text: str) -> None:
        self.until(f"{_SEEN}.some(word => word.includes({json.dumps(text)}))")

    def until_not_seen(self, text: str) -> None:
        self.until(f"!{_SEEN}.some(word => word.includes({json.dumps(text)}))")

    def until_ghost(self, text: str) -> None:
        self.until(f"{_GHOST}.replaceAll('\\u00a0', ' ').includes({json.dumps(text)})")

    def until_no_ghost(self) -> None:
        self.until(f"!{_GHOST}")

    def until_note(self, text: str, patience: int = 1) -> None:
        """Wait for a notification with a text."""
        self.until(f"{_NOTES}.includes({json.dumps(text)})", patience)

    def answer(self, button: str) -> None:
        """Click a notification's button, once the notification no longer moves."""
        self.click_text(".notification-fade-in-done .monaco-button", button)

    def until_cursor(self, line: int, column: int) -> None:
        place = json.dumps(f"Ln {line}, Col {column}")
        shown = "document.querySelector('[id=\"status.editor.selection\"]')?.innerText.split(' (')[0]"
        self.until(f"{shown} === {place}")

    def until_cursor_line(self, line: int) -> None:
        shown = "document.querySelector('[id=\"status.editor.selection\"]')?.innerText ?? ''"
        self.until(f"({shown}).startsWith('Ln {line},')")

    def until_status(self, text: str) -> None:
        """Wait until the accessible label of our item in the status bar has a text."""
        label = "document.querySelector('[id=\"editahead.editahead.editahead.status\"] a')?.getAttribute('aria-label')"
        self.until(f"({label} ?? '').includes({json.dumps(text)})")

    def until_ready(self, patience: int = 1) -> None:
        label = "document.querySelector('[id=\"editahead.editahead.editahead.status\"]')?.innerHTML ?? ''"
        self.until(f"/codicon-(check|arrow-right)/.test({label})", patience)

    def save(self, name: str, expected: str) -> None:
        """Save the active editor until the file has the expected text: an edit may still be on its way to the editor."""
        end = time.monotonic() + _SAVE_S
        while True:
            self.press("Control+s")
            self.until("!document.querySelector('.tab.active.dirty')")
            with (self.folder / name).open(encoding="utf-8", newline="") as file:
                text = file.read()
            if text == expected or time.monotonic() > end:
                break
            time.sleep(0.1)
        assert text == expected, f"{name} is {text!r}, not {expected!r}"

    def keep_picture(self, name: str, part: tuple[int, int, int, int] | None = None) -> None:
        """Save a screenshot in the folder EDITAHEAD_PICTURES, if the variable is set."""
        if folder := os.environ.get("EDITAHEAD_PICTURES"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            (Path(folder) / f"{name}.png").write_bytes(self.page.picture(part))

    def servers(self) -> list[int]:
        return self.code_server.language_servers()


def _all_saying(selector: str, text: str) -> str:
    """Return JavaScript for the elements with a text."""
    elements = f"[...document.querySelectorAll({json.dumps(selector)})]"
    return f"{elements}.filter(element => element.textContent.replaceAll('\\u00a0', ' ').includes({json.dumps(text)}))"


def _saying(selector: str, text: str) -> str:
    """Return JavaScript for the first element with a text."""
    return f"{_all_saying(selector, text)}[0]"


def descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(") ")[2].split()
        except OSError:  # the process has ended
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, waiting = [], [pid]
    while waiting:
        mine = children.get(waiting.pop(), [])
        found += mine
        waiting += mine
    return found


def is_server(pid: int) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    if words[-2:-1] == [b"lsp"] and any(word.endswith(b"/bin/editahead") for word in words):
        return True
    return b"editahead_cli" in words or any(word.endswith(b"/server_with_planned_edits.py") for word in words)


def is_extension_host(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return b"--type=extensionHost" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return False


def wait_for_exit(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        watched = os.pidfd_open(pid)
        select.select([watched], [], [], _PATIENCE_MS / 1000)
        os.close(watched)
