"""One process for many sessions."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from editahead_evals.client.editor import Editor
from editahead_evals.client.shared_server import SharedServer
from editahead_evals.errors import ServerDiedError


@pytest.fixture(scope="module")
def server() -> Iterator[SharedServer]:
    with SharedServer() as server:
        yield server


def asked(editor: Editor) -> str | None:
    """Open a document and ask in it: why nothing is shown."""
    uri = editor.uri("a.py")
    editor.open(uri, "python", "total = 1\nprint(total)\n")
    silence = editor.next_edit(uri, (0, 0)).result["silence"]
    return None if silence is None else str(silence["reason"])


def test_a_session_knows_nothing_of_the_one_before(server: SharedServer) -> None:
    for _ in range(2):
        with server.session({"debounce_ms": 0}) as editor:
            assert asked(editor) == "no-history"
            editor.replace(editor.uri("a.py"), 0, 5, "amount")
            assert editor.next_edit(editor.uri("a.py"), (0, 6)).result["predictions"]


@pytest.mark.slow
def test_settings_are_a_sessions_own(server: SharedServer) -> None:
    with server.session({"languages": {"python": False}}) as editor:
        assert asked(editor) == "language-off"
    with server.session({}) as editor:
        assert asked(editor) == "no-history"


def test_a_session_that_breaks_off_leaves_the_server(server: SharedServer) -> None:
    with pytest.raises(RuntimeError, match="enough"), server.session({}) as editor:
        asked(editor)
        raise RuntimeError("enough")
    with server.session({}) as editor:
        assert asked(editor) == "no-history"


def test_a_server_that_ends_is_named_with_its_last_words() -> None:
    with pytest.raises(ServerDiedError, match=r"exit code 3(.|\n)*out of luck"):
        SharedServer([sys.executable, "-c", "import sys; print('out of luck', file=sys.stderr); sys.exit(3)"])


def test_a_server_that_ends_in_a_session_is_named_too() -> None:
    said = "import socket, sys; s = socket.create_server(('127.0.0.1', 0)); "
    said += (
        "print('editahead: listening on 127.0.0.1:%d' % s.getsockname()[1], file=sys.stderr, flush=True); "
    )
    said += "c, _ = s.accept(); c.recv(1); print('out of luck', file=sys.stderr); sys.exit(3)"
    with (
        SharedServer([sys.executable, "-c", said]) as server,
        pytest.raises(ServerDiedError, match=r"the server ended(.|\n)*out of luck"),
    ):
        server.session({})
