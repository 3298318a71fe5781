"""`editahead search`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from command_line import CommandLine
from editahead_retrieval.index import location
from editahead_retrieval.process.writer_lock import WriterLock
from editahead_workspace.codebase import search_command
from git_repository import write

pytestmark = pytest.mark.slow


FILES = {
    "app/session.py": "def open_session(user):\n    return user\n\n\ndef close_session(user):\n    user.token = None\n",
    "app/other/mail.py": "def send_mail(session):\n    pass\n",
    ".env": "SESSION=1\n",
}


@pytest.fixture
def root(work: Path) -> Path:
    write(work, FILES)
    return work


def test_json(root: Path, editahead: CommandLine) -> None:
    found = editahead.json("search", "where is a session closed")
    assert (found[0]["path"], found[0]["startLine"], found[0]["endLine"]) == ("app/session.py", 5, 6)
    assert found[0]["text"] == "def close_session(user):\n    user.token = None\n"
    assert found[0]["why"][0] == "defines close_session"
    assert [place["path"] for place in editahead.json("search", "session", "--limit", "1")] == [
        "app/session.py"
    ]
    assert all(place["path"] != ".env" for place in editahead.json("search", "session"))


def test_for_people(root: Path, editahead: CommandLine) -> None:
    out, err = editahead("search", "close", "session")
    lines = out.splitlines()
    assert lines[0].startswith(
        "app/session.py:5  defines close_session; mentions close, session; path has session"
    )
    assert lines[1] == "     5  def close_session(user):"
    assert err == ""
    assert editahead("search", "unheard_of").out.startswith("Nothing found.")


def test_a_folder_of_the_repository(root: Path, editahead: CommandLine, tmp_path: Path) -> None:
    (root / ".git").mkdir()
    write(root, {"app/.gitignore": "other/\n"})
    assert editahead.json("search", "session", "--path", "app")[0]["path"] == "app/session.py"
    assert editahead.json("search", "mail", "--path", "app") == []
    assert "git ignores" in editahead.error("search", "mail", "--path", "app/other")
    assert len(list((tmp_path / "cache").rglob(location.DATABASE))) == 1


def test_an_index_that_is_not_whole(
    root: Path, editahead: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {f"many/file{number}.py": f"session = {number}\n" for number in range(3)})
    monkeypatch.setattr("editahead_retrieval.index.builder.PREPARE_S", 0.0)  # one file in each step
    steps = iter(range(8))
    real = search_command.open_index

    def open_index(*arguments: Any, **options: Any) -> Any:
        return real(*arguments, **{**options, "build_s": 7.0, "clock": lambda: float(next(steps))})

    monkeypatch.setattr(search_command, "open_index", open_index)
    out, err = editahead("search", "session")
    assert "session" in out
    assert (
        err.startswith("The index is not whole yet: the answers are from ") and "editahead index build" in err
    )


def test_an_index_that_a_server_builds(root: Path, editahead: CommandLine, tmp_path: Path) -> None:
    editahead.json("search", "session")
    (database,) = (tmp_path / "cache").rglob(location.DATABASE)
    lock = WriterLock(database.with_name(location.LOCK))
    assert lock.acquire()
    try:
        assert editahead.json("search", "session")  # it is whole
        database.unlink()
        assert "nothing to search: there is no index yet" in editahead.error("search", "session")
    finally:
        lock.release()


@pytest.mark.parametrize(
    ("arguments", "code", "reason"), [(["x", "--path", "missing"], 1, "is no folder"), (["  "], 2, "empty")]
)
def test_wrong_use(root: Path, editahead: CommandLine, arguments: list[str], code: int, reason: str) -> None:
    assert reason in editahead("search", *arguments, code=code).err


def test_text_that_steers_a_terminal_is_escaped(root: Path, editahead: CommandLine) -> None:
    write(root, {"app/evil.py": "def session_evil():\n    '\x1b[2J session evil'\n"})
    assert "\x1b[2J" not in editahead("search", "session evil").out
