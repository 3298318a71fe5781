"""`editahead search`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editahead_cli.main import main
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
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    write(tmp_path / "work", FILES)
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def search(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["search", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_json(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = search(capsys, "where is a session closed")
    assert (found[0]["path"], found[0]["startLine"], found[0]["endLine"]) == ("app/session.py", 5, 6)
    assert found[0]["text"] == "def close_session(user):\n    user.token = None\n"
    assert found[0]["why"][0] == "defines close_session"
    assert [place["path"] for place in search(capsys, "session", "--limit", "1")] == ["app/session.py"]
    assert all(place["path"] != ".env" for place in search(capsys, "session"))


def test_for_people(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "close", "session"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0].startswith(
        "app/session.py:5  defines close_session; mentions close, session; path has session"
    )
    assert lines[1] == "     5  def close_session(user):"
    assert err == ""
    assert main(["search", "unheard_of"]) == 0
    assert capsys.readouterr().out.startswith("Nothing found.")


def test_a_folder_of_the_repository(root: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (root / ".git").mkdir()
    write(root, {"app/.gitignore": "other/\n"})
    assert search(capsys, "session", "--path", "app")[0]["path"] == "app/session.py"
    assert search(capsys, "mail", "--path", "app") == []
    assert main(["search", "mail", "--path", "app/other"]) == 1
    assert "git ignores" in capsys.readouterr().err
    assert len(list((tmp_path / "XDG_CACHE_HOME").rglob(location.DATABASE))) == 1


def test_an_index_that_is_not_whole(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {f"many/file{number}.py": f"session = {number}\n" for number in range(3)})
    monkeypatch.setattr("editahead_retrieval.index.builder.PREPARE_S", 0.0)  # one file in each step
    steps = iter(range(8))
    real = search_command.open_index

    def open_index(*arguments: Any, **options: Any) -> Any:
        return real(*arguments, **{**options, "build_s": 7.0, "clock": lambda: float(next(steps))})

    monkeypatch.setattr(search_command, "open_index", open_index)
    assert main(["search", "session"]) == 0
    out, err = capsys.readouterr()
    assert "session" in out
    assert (
        err.startswith("The index is not whole yet: the answers are from ") and "editahead index build" in err
    )


def test_an_index_that_a_server_builds(
    root: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    search(capsys, "session")
    (database,) = (tmp_path / "XDG_CACHE_HOME").rglob(location.DATABASE)
    lock = WriterLock(database.with_name(location.LOCK))
    assert lock.acquire()
    try:
        assert search(capsys, "session")  # it is whole
        database.unlink()
        assert main(["search", "session"]) == 1
        assert "nothing to search: there is no index yet" in capsys.readouterr().err
    finally:
        lock.release()


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["x", "--path", "missing"], 1, "is no folder"),
        (["  "], 2, "empty"),
    ],
)
def test_wrong_use(
    root: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, reason: str
) -> None:
    assert main(["search", *arguments]) == code
    assert reason in capsys.readouterr().err


def test_text_that_steers_a_terminal_is_escaped(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(root, {"app/evil.py": "def session_evil():\n    '\x1b[2J session evil'\n"})
    assert main(["search", "session evil"]) == 0
    assert "\x1b[2J" not in capsys.readouterr().out
