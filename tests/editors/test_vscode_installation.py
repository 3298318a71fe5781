"""The first start in a real VS Code: no server is there. It takes the package index, as a person's first start does."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from code_server import HERE, PACKAGED
from samples import STAY
from vscode import VSCode

pytestmark = [*HERE, pytest.mark.skipif(not PACKAGED.exists(), reason=f"no {PACKAGED}: make extension")]

Start = Callable[..., VSCode]


@pytest.fixture
def elsewhere(tmp_path: Path) -> dict[str, str]:
    """An environment in which no program is found, and pip finds no index until its settings are others."""
    settings = tmp_path / "pip.conf"
    settings.write_text("[global]\nindex-url = http://127.0.0.1:9/simple\nretries = 0\n")
    (tmp_path / "nothing").mkdir()
    # As if a shell had started it: else VS Code asks a login shell for the PATH.
    return {"PATH": str(tmp_path / "nothing"), "VSCODE_CLI": "1", "PIP_CONFIG_FILE": str(settings)}


def test_the_first_start_installs_the_server(
    first_start: Start, record_property: Callable[[str, object], None]
) -> None:
    """From nothing to an accepted prediction: the environment is made, with progress, and the server in it predicts."""
    began = time.monotonic()
    python = Path(sys.executable).resolve().parent
    editor = first_start(STAY, {"PATH": f"{python}:/usr/bin:/bin"})
    editor.until_status("The extension is installing the server.")
    editor.until_note("installing the server", patience=2)
    editor.keep_picture("installing")
    editor.until_ready(patience=8)
    ready = time.monotonic()
    record_property("install_s", ready - began)
    (server,) = editor.servers()
    assert b"/globalStorage/editahead.editahead/server/" in Path(f"/proc/{server}/cmdline").read_bytes()
    rename_and_accept(editor)
    record_property("edit_s", time.monotonic() - ready)
    editor.save("a.py", STAY.replace("self.ends", "self.leaves", 2))


def test_a_later_start(first_start: Start, record_property: Callable[[str, object], None]) -> None:
    """From a new window of VS Code, with the server on PATH, to an accepted prediction."""
    editor = first_start(STAY, {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "VSCODE_CLI": "1"})
    editor.until_ready()
    editor.page.go("about:blank")
    editor.code_server.end_extension_hosts()
    began = time.monotonic()
    editor.start("a.py")
    editor.until_ready()
    rename_and_accept(editor)
    record_property("edit_s", time.monotonic() - began)


def rename_and_accept(editor: VSCode) -> None:
    """Rename a field by hand, and accept the edit of its next use."""
    editor.go_to(4, 14)
    editor.press("Control+Shift+ArrowRight")
    editor.type("leaves")
    editor.until_seen("leaves")
    editor.press("Tab")
    editor.until_cursor(7, 28)


def test_missing_programs_are_reported_and_tried_again(first_start: Start, elsewhere: dict[str, str]) -> None:
    editor = first_start(STAY, elsewhere)
    editor.until_note(
        "needs Python 3.11 or newer, and none was found. Install one, or set `editahead.server.python`."
    )
    editor.until_status("Python 3.11 or newer")
    editor.keep_picture("no-python")
    editor.set("editahead.server.python", sys.executable)
    editor.until_note("the package index is unreachable", patience=4)
    editor.until_note("set `editahead.server.command`")
    editor.keep_picture("no-index")
    Path(elsewhere["PIP_CONFIG_FILE"]).write_text("")
    editor.answer("Try Again")
    editor.until_ready(patience=8)


def test_a_python_that_is_too_old_is_reported(
    first_start: Start, elsewhere: dict[str, str], tmp_path: Path
) -> None:
    old = tmp_path / "python3.8"
    old.write_text("#!/bin/sh\necho Python 3.8.10\n")
    old.chmod(0o755)
    editor = first_start(STAY, elsewhere, **{"editahead.server.python": str(old)})
    editor.until_note(f"`{old}` is not Python 3.11 or newer.")
