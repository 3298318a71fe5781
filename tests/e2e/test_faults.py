"""Faults of the machine: the server is killed, the disk is full or read-only, the clock goes backwards.

EDITAHEAD_FAULT_ROUNDS sets how often the server is killed.
"""

from __future__ import annotations

import os
import random
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from editahead_evals.client.editor import Editor
from editahead_evals.client.lsp_client import LanguageClient, isolated_environment

ROUNDS = int(os.environ.get("EDITAHEAD_FAULT_ROUNDS", "2"))
TEXT = "def load(user):\n    return user\n\n\nload(1)\nload(2)\nload(3)\n"
SERVER = [sys.executable, "-m", "editahead_cli", "lsp"]
SETTINGS = {"record": "on", "debounce_ms": 0}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the faults are made by Linux's means")


class _KilledError(Exception):
    pass


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return an environment with folders of its own, in which outcomes are logged."""
    return {**isolated_environment(tmp_path), "EDITAHEAD_TELEMETRY": "local"}


@contextmanager
def editor(folder: Path, environment: dict[str, str], command: list[str] = SERVER) -> Iterator[Editor]:
    root = folder / "workspace"
    root.mkdir(exist_ok=True)
    with Editor(SETTINGS, root=root, client=LanguageClient(command, env=environment, cwd=root)) as found:
        yield found


def work(editor: Editor, stop: Callable[[], bool] = lambda: False) -> int:
    """Rename, accept what is shown, type and close, and return how many predictions there were."""
    uri, shown = editor.uri("a.py"), 0
    editor.open(uri, "python", TEXT)
    for new in ("fetch", "read", "find"):
        text = editor.documents[uri].text
        at = text.index("(user)")
        editor.replace(uri, 4, at, new)
        for _ in range(2):
            if stop():
                return shown
            predictions = editor.next_edit(uri, editor.documents[uri].point(4 + len(new)), "typed").result[
                "predictions"
            ]
            if predictions:
                shown += 1
                editor.apply(uri, predictions[0]["edits"])
                outcome = {"id": predictions[0]["id"], "event": "accepted"}
                editor.client.notify("editahead/outcome", outcome)
    editor.close(uri)
    return shown


def check_state(folder: Path) -> None:
    """Every database of the state folder is whole."""
    for file in folder.rglob("*.sqlite*"):
        if file.suffix in (".sqlite", ".sqlite3"):
            with closing(sqlite3.connect(file)) as database:
                assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert not [*folder.rglob("*damaged*"), *folder.rglob("*.corrupt*")]


def test_a_killed_server_leaves_nothing_that_stops_the_next(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    dice = random.Random(7)
    root = tmp_path / "workspace"
    root.mkdir()
    for _ in range(ROUNDS):
        left = dice.randrange(8)

        def stop() -> bool:
            nonlocal left
            left -= 1
            return left < 0

        client = LanguageClient(SERVER, env=environment, cwd=root)
        if dice.random() < 0.2:
            client.kill()  # while it starts
        else:
            with suppress(_KilledError), Editor(SETTINGS, root=root, client=client) as killed:
                work(killed, stop)
                raise _KilledError  # an editor that fails kills its server
        check_state(tmp_path)
    with editor(tmp_path, environment) as alive:
        assert work(alive)
        assert not alive.messages
    check_state(tmp_path)


def test_a_full_disk_stops_no_prediction(tmp_path: Path, environment: dict[str, str]) -> None:
    limit = (
        f"import resource,os,sys; resource.setrlimit(resource.RLIMIT_FSIZE, (0, {resource.RLIM_INFINITY}));"
    )
    limit += (
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); os.execv(sys.executable, sys.argv[1:])"
    )
    command = [sys.executable, "-c", limit, *SERVER]
    with editor(tmp_path, environment, command) as full:
        assert work(full)


def test_a_state_folder_that_cannot_be_written_stops_no_prediction(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "xdg_state_home").write_text("a file where the folder should be")
    with editor(tmp_path, environment) as locked:
        assert work(locked)


def test_a_clock_that_goes_backwards_stops_no_prediction(tmp_path: Path, environment: dict[str, str]) -> None:
    back = (
        "import time, sys; real = time.time; began = real(); time.time = lambda: 2 * began - real() - 86_400;"
    )
    back += "from editahead_cli.main import main; sys.exit(main(['lsp']))"
    with editor(tmp_path, environment, [sys.executable, "-c", back]) as odd:
        assert work(odd)
    with editor(tmp_path, environment) as normal:
        assert work(normal)
    check_state(tmp_path)


def test_dev_full_takes_no_answer(tmp_path: Path, environment: dict[str, str]) -> None:
    """A server whose stderr cannot be written still ends as it should."""
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(SERVER, stdin=subprocess.DEVNULL, stderr=full, env=environment, timeout=60)
    assert ended.returncode == 1, "the client has not shut it down"
