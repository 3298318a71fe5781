"""A headless Chromium and its pages, driven by keystrokes over the DevTools protocol on a pipe.

The messages are JSON and end with a NUL: `{id, method, params}` is a request, `{id, result}` or `{id, error}` its response.
A message without an id is an event.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_FETCHED = Path(sys.prefix) / "editors" / "chromium" / "bin" / "chromium"
PROGRAM = shutil.which("chromium") or (str(_FETCHED) if _FETCHED.exists() else None)

_HUNG_S = 90.0
"""Seconds without a message after which the browser has hung, and is killed."""
_NAVIGATIONS = 50
"""Attempts to leave a page."""
_QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
)
_CODES = {
    "Tab": 9,
    "Enter": 13,
    "Escape": 27,
    " ": 32,
    "End": 35,
    "Home": 36,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "Backspace": 8,
    "F1": 112,
    "[": 219,
    "]": 221,
}
"""The key codes of keys that are no letters."""
_NAMES = {" ": "Space", "[": "BracketLeft", "]": "BracketRight"}
"""The names of these keys by their place on the keyboard."""
_MODIFIERS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}


class Chromium:
    def __init__(self, profile: Path, environment: Mapping[str, str], size: tuple[int, int]) -> None:
        """Start the browser.

        Args:
            profile: A folder for the browser alone.
            size: The size of the window, in pixels.
        """
        assert PROGRAM
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        options = [*_QUIET, "--remote-debugging-pipe", f"--user-data-dir={profile}"]
        options.append(f"--window-size={size[0]},{size[1]}")
        # Chromium reads messages from file descriptor 3, and writes messages to 4.
        script = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, PROGRAM, *options, "about:blank"],
            env={**os.environ, **environment},
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._ids = itertools.count(1)
        self._buffer = b""

    def open_page(self) -> Page:
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, target, session)
        page.ask("Page.enable")  # else nothing is heard of a dialog, which blocks the page
        page.ask("Page.bringToFront")
        page.ask("Emulation.setFocusEmulationEnabled", enabled=True)
        return page

    def ask(self, method: str, session: str | None = None, **params: Any) -> Any:
        """Send a request, to the browser or to the page of a session, and return the result. Refuse what a dialog asks."""
        id = self._send(method, session, params)
        while (answer := self._receive(method)).get("id") != id:
            if answer.get("method") == "Page.javascriptDialogOpening":
                self._send("Page.handleJavaScriptDialog", answer["sessionId"], {"accept": False})
        assert "error" not in answer, f"{method}: {answer['error']}"
        return answer["result"]

    def _send(self, method: str, session: str | None, params: Mapping[str, Any]) -> int:
        id = next(self._ids)
        message: dict[str, Any] = {"id": id, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        return id

    def _receive(self, during: str) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], _HUNG_S)
            data = os.read(self._in, 1 << 20) if ready else b""
            if not data:
                self._process.kill()
                raise AssertionError(f"Chromium {'ended' if ready else 'hung'} during {during}")
            self._buffer += data
        text, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message

    def close(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._in)
        os.close(self._out)


class Page:
    """A page of the browser."""

    def __init__(self, browser: Chromium, target: str, session: str) -> None:
        self._browser = browser
        self._target = target
        self._session = session

    def ask(self, method: str, **params: Any) -> Any:
        return self._browser.ask(method, self._session, **params)

    def close(self) -> None:
        """Close the page, without asking about unsaved changes."""
        self._browser.ask("Target.closeTarget", targetId=self._target)

    def go(self, url: str) -> None:
        """Go to an address, as soon as the present page allows that: VS Code asks to stay while it writes its state."""
        for _ in range(_NAVIGATIONS):
            if "errorText" not in (answer := self.ask("Page.navigate", url=url)):
                return
        raise AssertionError(f"no navigation to {url}: {answer['errorText']}")

    def evaluate(self, code: str) -> Any:
        """Return the value of a JavaScript expression, awaited if it is a promise."""
        answer = self.ask("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, chord: str) -> None:
        """Press a key with its modifiers: `Tab`, `Control+Shift+p`."""
        *held, key = re.split(r"\+(?=.)", chord)
        modifiers = sum(_MODIFIERS[name] for name in held)
        number = _CODES.get(key) or ord(key.upper())
        letter = f"Key{key.upper()}" if key.isalpha() else ""
        code = _NAMES.get(key) or (key if len(key) > 1 else letter)
        common = {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": modifiers}
        text = {"text": "\r"} if key == "Enter" else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **common, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text: str) -> None:
        """Type a text, one character at a time."""
        for character in text:
            number = ord(character.upper()) if character.isalnum() else 0
            event = {"key": character, "text": character, "windowsVirtualKeyCode": number}
            self.ask("Input.dispatchKeyEvent", type="keyDown", **event)
            self.ask("Input.dispatchKeyEvent", type="keyUp", key=character)

    def click(self, x: float, y: float) -> None:
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self, part: tuple[int, int, int, int] | None = None) -> bytes:
        """Return a screenshot as a PNG.

        Args:
            part: x, y, width and height, in pixels.
        """
        clip = (
            {}
            if part is None
            else {"clip": dict(zip(("x", "y", "width", "height"), part, strict=True)) | {"scale": 1}}
        )
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png", **clip)["data"])
