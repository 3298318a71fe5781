"""A window of a real VS Code with our extension, in a browser, driven by keystrokes. Tests read the screen from the page."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from code_server import CodeServer, replace_file

_PATIENCE_MS = 60_000
"""Milliseconds until a wait for the page fails."""
_REPEAT_MS = 5_000
"""Milliseconds for an action to take effect, before it is repeated."""
_SAVE_S = 10
"""Seconds for a saved file to get the expected text."""
_LOG_CHARACTERS = 4_000
"""Limits what a failure shows of the extension's log."""
_QUICK_INPUT = "document.activeElement.matches('.quick-input-widget input')"
_EDITOR_FOCUS = "document.activeElement?.closest('.editor-instance .monaco-editor')"
_PLACE_AT_REST = """(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const middle = box => [box.x + box.width / 2, box.y + box.height / 2];
  for (let last = ""; ;) {
    const place = middle((ELEMENT).getBoundingClientRect());
    if (String(place) === last) return place;
    last = String(place);
    await frame();
    await frame();
  }
})()"""
"""The middle of an element that has stood still for two frames: VS Code moves what it has just shown."""
_RIGHT_SIDE = ".modified-in-monaco-diff-editor .view-line"
_HOVER = ".monaco-hover:not(.hidden)"
_SEEN = """(() => {
  const words = [];
  for (const element of document.querySelectorAll(':is(.editor-instance, .notebook-editor) .view-lines span')) {
    for (const side of ['::before', '::after']) {
      const { content } = getComputedStyle(element, side);
      if (content !== 'none' && content !== 'normal') words.push(JSON.parse(content.replace(/\\\\([^"\\\\])/g, '$1')));
    }
  }
  return words.map(word => word.replaceAll('\\u00a0', ' '));
})()"""
"""JavaScript: the texts that decorations add."""
_GHOST = (
    "[...document.querySelectorAll('.ghost-text-decoration, .ghost-text-decoration-preview, .ghost-text')]"
    ".map(one => one.innerText).join('')"
)
"""JavaScript: the ghost text. Beside an open list, VS Code draws it as a preview."""
_LIST = "document.querySelector('.suggest-widget.visible')?.innerText ?? 'closed'"
"""JavaScript: the rows of VS Code's list of suggestions."""
_MARK = "document.querySelector('.glyph-margin-widgets .cgmr')"
_STATUS = "document.querySelector('[id=\"editahead.editahead.editahead.status\"]')"
"""Our item in the status bar."""
_STATUS_LABEL = f"{_STATUS}?.querySelector('a')?.getAttribute('aria-label')"
_OFF = "Editahead is off"
"""The label says so while nothing is predicted, whatever the server does."""
_EMPTINESS = "document.querySelector('[id=\"editahead-testing.vscode-reset.emptiness\"]')"
"""The item of tests/editors/vscode-reset in the status bar."""
_RESETS = 3
"""Times that the window's reset is asked for: VS Code drops some keys while it is busy."""
_WATCH_RESTART = f"""(() => {{
  const item = {_STATUS};
  const isReady = () => /codicon-(check|arrow-right)/.test(item.innerHTML);
  let hasEnded = !isReady();
  window.hasRestarted = false;
  const observer = new MutationObserver(() => {{
    hasEnded ||= !isReady();
    window.hasRestarted = hasEnded && isReady();
    if (window.hasRestarted) observer.disconnect();
  }});
  observer.observe(item, {{ subtree: true, childList: true, attributes: true, characterData: true }});
}})()"""
"""JavaScript: sets `hasRestarted` once our item in the status bar has said that the server is not ready, then that it is."""
_NOTES = "[...document.querySelectorAll('.notification-list-item')].map(one => one.innerText).join('\\n')"

_STORES_SWITCH = f"""(async () => {{
  const done = (request) => new Promise((resolve) => {{
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve(undefined);
  }});
  const isOff = ({_STATUS_LABEL} ?? '').includes({json.dumps(_OFF)});
  const end = performance.now() + {_PATIENCE_MS};
  while (performance.now() < end) {{
    for (const {{ name }} of await indexedDB.databases()) {{
      if (!name.startsWith('vscode-web-state-db')) continue;
      const database = await done(indexedDB.open(name));
      const table = database.transaction('ItemTable').objectStore('ItemTable');
      const stored = await done(table.get('editahead.editahead'));
      database.close();
      if (stored !== undefined && (JSON.parse(stored).isEnabled === false) === isOff) return true;
    }}
    await new Promise((resolve) => setTimeout(resolve, 20));
  }}
  return false;
}})()"""
"""VS Code writes what an extension stores some time after the extension has it done."""


def _focused_row(text: str) -> str:
    """Return an expression that is true when the chosen row of the quick input has a text."""
    return f"document.querySelector('.quick-input-list .monaco-list-row.focused[aria-label*={json.dumps(text)}]')"


def _is_cursor(line: int, column: int) -> str:
    """Return the expression of JavaScript that is true while the cursor is at a place, both numbers 1-based."""
    place = json.dumps(f"Ln {line}, Col {column}")
    return f"document.querySelector('[id=\"status.editor.selection\"]')?.innerText.split(' (')[0] === {place}"


class VSCode:
    """A window of VS Code on a folder."""

    def __init__(self, code_server: CodeServer, folder: Path) -> None:
        """Open a page for the window.

        Args:
            code_server: No other window may be open in it.
            folder: The workspace.
        """
        self.folder = folder
        self.code_server = code_server
        self.page = code_server.browser.open_page()

    def start(self, name: str) -> None:
        """Start VS Code on a file, and wait until the file can be typed in."""
        address = self.code_server.address
        path = quote(str(self.folder / name))
        payload = quote(json.dumps([["openFile", f"vscode-remote://{address}{path}"]]))
        self.page.go(f"http://{address}/?folder={quote(str(self.folder))}&payload={payload}")
        self._until_open(name)

    def restart(self, name: str) -> None:
        """End VS Code when it has stored whether Editahead is on, and start it again on a file."""
        assert self.page.evaluate(_STORES_SWITCH), f"never stored\n{self.describe()}"
        self.page.go("about:blank")
        self.code_server.end_extension_hosts()
        self.start(name)

    def open_only(self, name: str) -> None:
        """Open a file in an empty window, and wait until the file can be typed in."""
        self.press("Control+Alt+Shift+o")
        self.until(f"{_QUICK_INPUT} && document.activeElement.placeholder === 'Path'")
        self.type(str(self.folder / name))
        self.press("Enter")
        self._until_open(name)

    def _until_open(self, name: str) -> None:
        self.until(f"document.querySelector('.monaco-editor[data-uri$=\"/{name}\"] .view-line')")
        self.repeat_until(lambda: self.press("Control+1"), _EDITOR_FOCUS)

    def empty(self) -> bool:
        """Close all that the window shows, without saving; return whether that succeeded."""
        empty = f"{_EMPTINESS}?.innerText.includes('empty')"
        for _ in range(_RESETS):
            self.press("Control+Alt+Shift+e")
            if self.becomes_true(empty, _REPEAT_MS):
                return True
        return False

    def restart_server(self, cause: Callable[[], object]) -> None:
        """Restart the server.

        Args:
            cause: Writes other settings, with which the extension restarts the server.
        """
        self.page.evaluate(_WATCH_RESTART)
        self.repeat_until(cause, "window.hasRestarted")

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
        focus = self.page.evaluate("document.activeElement?.outerHTML.slice(0, 300) ?? 'nothing'")
        log = self.code_server.extension_log()[-_LOG_CHARACTERS:]
        notes = self.page.evaluate(_NOTES)
        list_ = self.page.evaluate(_LIST)
        return "\n".join(
            [lines, *self.seen, self.status, notes, f"list: {list_}", f"focus: {focus}", f"log: {log}"]
        )

    def press(self, *chords: str) -> None:
        for chord in chords:
            self.page.press(chord)

    def type(self, text: str) -> None:
        self.page.type(text)

    def go_to(self, line: int, column: int = 1) -> None:
        """Go to a line and column, both 1-based, as in the status bar."""
        self.repeat_until(lambda: self.press("Control+g"), _QUICK_INPUT)
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
        self.until(_focused_row(text))
        # A list that is drawn again at this moment has no chosen row, and VS Code drops the key.
        typed = self.page.evaluate("document.activeElement.value")
        waits = f"{_QUICK_INPUT} && document.activeElement.value === {json.dumps(typed)}"
        self.repeat_until(lambda: self.press("Enter"), f"!({waits})")

    def enter(self, text: str, prompt: str) -> None:
        """Enter a text into the input box with a prompt, instead of the text that the box proposes."""
        message = "document.querySelector('.quick-input-message')?.textContent ?? ''"
        self.until(f"{_QUICK_INPUT} && ({message}).includes({json.dumps(prompt)})")
        self.press("Control+a")
        self.type(text)
        self.press("Enter")

    def _click(self, element: str) -> None:
        self.page.click(*self.page.evaluate(_PLACE_AT_REST.replace("ELEMENT", element)))

    def copy(self, text: str) -> None:
        """Put a text on the clipboard, as another program does."""
        self.page.ask(
            "Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"]
        )
        self.page.evaluate(f"navigator.clipboard.writeText({json.dumps(text)})")

    def open_beside(self, name: str) -> None:
        """Open another file, in another tab. The search for it overlooks a file that has just been written."""
        row = f"document.querySelector('.quick-input-list .monaco-list-row.focused[aria-label^={json.dumps(name)}]')"

        def open_first() -> None:
            if not self.page.evaluate(_QUICK_INPUT):
                self.press("Control+p")
                self.until(_QUICK_INPUT)
            self.press("Control+a")
            self.type(name)
            if self.becomes_true(row, _REPEAT_MS):
                self.press("Enter")

        self.repeat_until(
            open_first, f"document.querySelector('.tab.active[aria-label^={json.dumps(name)}]')"
        )

    def until_active(self, name: str) -> None:
        self.until(f"document.querySelector('.tab.active[aria-label*=\"{name}\"]')")

    def set(self, name: str, value: Any) -> None:
        """Write a setting into the file of settings, until our item in the status bar says something else.

        VS Code overlooks a change of the file while it starts.
        """
        file = self.code_server.data / "Machine" / "settings.json"
        settings = json.loads(file.read_text(encoding="utf-8"))
        text = json.dumps({**settings, name: value})
        before = json.dumps(self.status)
        self.repeat_until(lambda: replace_file(file, text), f"({_STATUS_LABEL} ?? '') !== {before}")

    def revert_hunk(self, text: str) -> None:
        """Press the button beside the hunk with a text, until the right side no longer has the text.

        The button has no effect while VS Code computes the diff.
        """
        line = _saying(_RIGHT_SIDE, text)
        self.until(f"document.querySelector('.squiggly-warning') && {_revert_button(line)}")
        self.repeat_until(
            lambda: self.page.evaluate(f"{line} && {_revert_button(line)}?.click()"), f"!{line}"
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
        self.until("document.querySelector('.suggest-widget.visible .monaco-list-row.focused')")

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

    def click_icon(self, label: str) -> None:
        """Click a button without text, by its accessible label."""
        icon = f"document.querySelector({json.dumps(f'.action-label[aria-label^={json.dumps(label)}]')})"
        self.until(icon)
        self.page.evaluate(f"{icon}.click()")

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
        return str(self.page.evaluate(f"{_STATUS_LABEL} ?? ''"))

    @property
    def is_off(self) -> bool:
        """Return whether the workspace has Editahead switched off or snoozed."""
        return _OFF in self.status

    def until_mark(self) -> None:
        """Wait until the margin has a mark."""
        self.until(_MARK)

    def until_no_mark(self) -> None:
        self.until(f"!{_MARK}")

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
        self.until(_is_cursor(line, column))

    def press_until_cursor(self, key: str, line: str, column: str) -> None:
        """Press a key again as long as the cursor is not there: the extension learns of a moved cursor a moment later."""
        self.repeat_until(lambda: self.press(key), _is_cursor(int(line), int(column)))

    def until_cursor_line(self, line: int) -> None:
        shown = "document.querySelector('[id=\"status.editor.selection\"]')?.innerText ?? ''"
        self.until(f"({shown}).startsWith('Ln {line},')")

    def until_status(self, text: str) -> None:
        """Wait until the accessible label of our item in the status bar has a text."""
        self.until(f"({_STATUS_LABEL} ?? '').includes({json.dumps(text)})")

    def until_ready(self, patience: int = 1) -> None:
        self.until(f"/codicon-(check|arrow-right)/.test({_STATUS}?.innerHTML ?? '')", patience)

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


def _revert_button(line: str) -> str:
    """Return JavaScript for the button of the hunk with a line of the right side. VS Code draws it as high as the hunk."""
    return f"""(() => {{
      const box = ({line})?.getBoundingClientRect();
      const isBeside = ({{ top, bottom }}) => box && top < box.bottom && box.top < bottom;
      const hunk = [...document.querySelectorAll('.gutterItem')].find(one => isBeside(one.getBoundingClientRect()));
      return hunk?.querySelector('[aria-label="Revert Block"]');
    }})()"""
