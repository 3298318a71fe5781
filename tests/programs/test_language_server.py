"""Language servers as child processes: whatever one does, the conversation ends in time."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import scripted_language_server
from editahead_programs.errors import ChildError, ChildTimeoutError
from editahead_programs.language_server import LanguageServer

MUCH = "x" * 1_000_000
"""More than a pipe takes."""


def start(
    folder: Path, how: str = "", timeout_s: float = 20.0, check: Callable[[], None] = lambda: None
) -> closing[LanguageServer]:
    command = (sys.executable, scripted_language_server.__file__, how)
    return closing(LanguageServer(command, cwd=folder, timeout_s=timeout_s, check=check))


@pytest.mark.slow
def test_one_that_reads_nothing_holds_nobody(tmp_path: Path) -> None:
    began = time.monotonic()
    with start(tmp_path, "deaf", timeout_s=0.5) as server, pytest.raises(ChildTimeoutError):
        server.notify("textDocument/didOpen", {"text": MUCH})
    assert time.monotonic() - began < 15


@pytest.mark.slow
def test_one_that_sends_what_nobody_can_read_has_ended(tmp_path: Path) -> None:
    with start(tmp_path, "nested") as server, pytest.raises(ChildError, match="has ended"):
        server.request("initialize", {"rootUri": tmp_path.as_uri()})


@pytest.mark.slow
def test_notifications_are_not_kept(tmp_path: Path) -> None:
    with start(tmp_path, "chatty") as server:
        server._reader.join(20)
        assert server._messages.qsize() == 1  # that it has ended


@pytest.mark.slow
def test_an_answer_that_is_not_wanted_any_more_is_not_awaited(tmp_path: Path) -> None:
    class CancelledError(Exception):
        pass

    def cancel() -> None:
        raise CancelledError

    with start(tmp_path, "silent", check=cancel) as server, pytest.raises(CancelledError):
        server.request("initialize", {})
