"""`editahead finish`: its inputs, its outputs and its exit codes, with a finder that knows only renames."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command_line import CommandLine
from editahead_inference.finish.finisher import Finisher
from editahead_workspace.file_writes.step import Step
from editahead_workspace.finish import change_finish
from git_repository import commit, git, make_repository, write
from renaming_finisher import UNLIKELY, RenamingFinisher
from schemas import validate

FILES = {
    "models.py": "def total(user):\n    return user.sum\n",
    "bills.py": f"from models import total\n\nprint(total(user))\nlog(user)  # {UNLIKELY}\n",
    "shop/cart.py": "def pay(user):\r\n    return 1\r\n",
    "readme.md": "Nothing here.\n",
}
CHANGED = "def total(account):\n    return account.sum\n"
Finish = Callable[..., tuple[int, str, str]]


@pytest.fixture
def root(work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("GIT_INDEX_FILE", raising=False)
    monkeypatch.setattr(change_finish, "Finisher", RenamingFinisher)
    return make_repository(work, FILES)


@pytest.fixture
def finish(editahead: CommandLine) -> Finish:
    return lambda *arguments, stdin="": editahead.run("finish", *arguments, stdin=stdin)


def as_json(finish: Finish, *arguments: str, stdin: str = "") -> Any:
    code, out, error = finish("--json", *arguments, stdin=stdin)
    assert (code, error) == (0, "")
    validate("output.finish", "output", json.loads(out))
    return json.loads(out)


def paths(output: Any) -> list[str]:
    return [f"{place['path']}:{place['line']}" for place in output["places"]]


@pytest.mark.slow
def test_the_real_finder_completes_a_rename(
    root: Path, finish: Finish, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_finish, "Finisher", Finisher)
    write(root, {"models.py": FILES["models.py"].replace("total", "sum_of")})
    output = as_json(finish)
    assert paths(output) == ["bills.py:3", "bills.py:1"] or paths(output) == ["bills.py:1", "bills.py:3"]
    assert finish("--check")[0] == 1
    assert finish("--write")[0] == 0
    assert (root / "bills.py").read_text() == FILES["bills.py"].replace("total", "sum_of")
    assert as_json(finish)["complete"]


@pytest.mark.slow
def test_the_report(root: Path, finish: Finish) -> None:
    write(root, {"models.py": CHANGED, "new.py": "n = 1\n", ".env": "KEY=1\n"})
    code, out, error = finish()
    assert (code, error) == (0, "")
    lines = out.splitlines()
    assert lines.pop().startswith("Looked at 4 files in ")
    assert lines == [
        "2 changed files: the working tree against HEAD",
        "",
        "rename user -> account  you did it at models.py:1, models.py:2",
        "  bills.py:3  97%",
        "    - print(total(user))",
        "    + print(total(account))",
        "    The old name user is left here.",
        "  shop/cart.py:1  97%",
        "    - def pay(user):",
        "    + def pay(account):",
        "    The old name user is left here.",
        "",
        "Left out: 1 changed file",
        "  .env: The file's name is one of a file with secrets.",
        "",
        "2 places left in 2 files, by 1 rule.",
        "`editahead finish --write` makes these edits, with the same options.",
    ]
    assert "  bills.py:4  20%, unlikely" in finish("--all")[1].splitlines()


def test_colours(root: Path, finish: Finish, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    write(root, {"models.py": CHANGED})
    out = finish()[1]
    assert "\x1b[31m    - \x1b[0m\x1b[31mprint(total(\x1b[0m\x1b[1;31muser\x1b[0m" in out


def test_json(root: Path, finish: Finish) -> None:
    write(root, {"models.py": CHANGED})
    output = as_json(finish)
    assert output.pop("looked").keys() == {"files", "rules", "ms"}
    place = {"rule": "user-account", "confidence": 0.97, "kind": "code"}
    assert output.pop("uses") == output.pop("unsearched") == []
    assert output == {
        "complete": False,
        "rules": [
            {
                "id": "user-account",
                "label": "rename user -> account",
                "shownAt": [{"path": "models.py", "line": 1}, {"path": "models.py", "line": 2}],
            }
        ],
        "places": [
            {
                **place,
                "path": "bills.py",
                "line": 3,
                "endLine": 3,
                "old": "print(total(user))\n",
                "new": "print(total(account))\n",
            },
            {
                **place,
                "path": "shop/cart.py",
                "line": 1,
                "endLine": 1,
                "old": "def pay(user):\r\n",
                "new": "def pay(account):\r\n",
            },
        ],
    }
    assert paths(as_json(finish, "--all")) == ["bills.py:3", "shop/cart.py:1", "bills.py:4"]


@pytest.mark.slow
def test_nothing_changed_and_nothing_missing(root: Path, finish: Finish) -> None:
    code, out, _ = finish("--check")
    assert (code, out) == (0, "Nothing to finish: the working tree against HEAD has no changed files.\n")
    write(root, {"readme.md": "Something here.\n"})
    code, out, _ = finish("--check")
    assert code == 0
    assert "Complete\n  rename Nothing -> Something  you did it at readme.md:1\n" in out
    assert "Complete, as far as 1 rule tells." in out
    write(root, {"readme.md": "Nothing here.\nMore.\n"})
    assert "no rule tells" in finish("--check")[1]


@pytest.mark.slow
def test_check(root: Path, finish: Finish) -> None:
    write(root, {"models.py": CHANGED})
    assert finish("--check")[0] == finish("--check", "--json")[0] == finish("--check", "--patch")[0] == 1
    assert finish()[0] == 0


@pytest.mark.slow
def test_sources(root: Path, finish: Finish, tmp_path: Path) -> None:
    write(root, {"models.py": CHANGED})
    found = ["bills.py:3", "shop/cart.py:1"]
    patch = git(root, "diff") + "\n"
    assert paths(as_json(finish, "shop")) == found
    assert paths(as_json(finish, "--staged")) == []
    git(root, "add", ".")
    assert paths(as_json(finish, "--staged")) == found
    commit(root)
    assert paths(as_json(finish)) == []
    assert paths(as_json(finish, "--base", "HEAD^")) == found
    assert paths(as_json(finish, "--patch-file", "-", stdin=patch)) == found
    git(root, "reset", "-q", "--hard", "HEAD^")
    (tmp_path / "a.patch").write_text(patch)
    assert paths(as_json(finish, "--patch-file", str(tmp_path / "a.patch"))) == found
    write(tmp_path / "before", FILES)
    write(root, {"models.py": CHANGED})
    assert paths(as_json(finish, "--base", "../before")) == found
    write(tmp_path / "plain", {**FILES, "models.py": CHANGED})
    assert paths(as_json(finish, str(tmp_path / "plain"), "--base", "../before")) == found


@pytest.mark.slow
def test_a_patch_that_git_applies(root: Path, finish: Finish) -> None:
    write(root, {"models.py": CHANGED})
    code, out, error = finish("--patch")
    assert (code, error) == (0, "")
    subprocess.run(["git", "apply", "-"], input=out.encode(), check=True, cwd=root)
    assert (root / "bills.py").read_text() == FILES["bills.py"].replace("total(user)", "total(account)")
    assert (root / "shop/cart.py").read_bytes() == b"def pay(account):\r\n    return 1\r\n"
    assert finish("--check")[0] == 0


def test_write(root: Path, finish: Finish) -> None:
    write(root, {"models.py": CHANGED, "shop/cart.py": "\ufeff" + FILES["shop/cart.py"]})
    code, out, error = finish("--write", "--check")
    assert (code, error) == (1, "")
    assert "Changed 2 places in 2 files:\n  bills.py\n  shop/cart.py\n" in out
    assert (root / "shop/cart.py").read_bytes() == "\ufeffdef pay(account):\r\n    return 1\r\n".encode()
    assert UNLIKELY in (root / "bills.py").read_text() and "log(user)" in (root / "bills.py").read_text()
    assert finish("--write", "--check")[0] == 0


def test_all_or_none_are_written(root: Path, finish: Finish, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, {"models.py": CHANGED})
    real = Step.stage

    def stage(step: Step, *arguments: Any) -> None:
        if step.name == "cart.py":
            raise OSError(errno.ENOSPC, "no space")
        real(step, *arguments)

    monkeypatch.setattr(Step, "stage", stage)
    code, out, error = finish("--write")
    assert code == 1 and "nothing was written" in error and "no space" in error and "2 places left" in out
    assert (root / "bills.py").read_text() == FILES["bills.py"]


def test_a_file_that_should_not_be_replaced_stops_no_other(root: Path, finish: Finish) -> None:
    write(root, {"models.py": CHANGED})
    os.link(root / "shop/cart.py", root.parent / "twin.py")
    code, out, error = finish("--write")
    assert code == 1 and "Changed 1 place in 1 file:\n  bills.py\n" in out
    assert error.startswith("editahead: shop/cart.py has 2 names (hard links)")
    assert error.endswith("; it was left as it is, --force writes it, too\n")
    (root / "shop/cart.py").unlink()
    write(root, {"shop/cart.py": FILES["shop/cart.py"]})
    (root / "shop/cart.py").chmod(0o444)
    code, out, error = finish("--write", "--json")
    assert code == 1 and error.startswith("editahead: shop/cart.py is read-only")
    assert json.loads(out)["places"]
    assert finish("--write", "--force")[0] == 0
    assert "account" in (root / "shop/cart.py").read_text()
    assert (root / "shop/cart.py").stat().st_mode & 0o777 == 0o444
    assert finish("--force")[0] == 2


ODD_NAMES = [
    *(
        "ta\tb.py",
        "li\nne.py",
        "cr\r.py",
        'qu"ote.py',
        "back\\slash.py",
        "\\303\\274.py",
        "sp ace.py",
        " x .py",
    ),
    *("ünï 語.py", "bi\u202edi.py", "sep\u2028.py", "a b/c\td.py", "x 2026-11-27.py", "b/b.py", "-o.py"),
]


@pytest.mark.slow
def test_a_patch_names_each_file_as_git_reads_it(root: Path, finish: Finish) -> None:
    write(root, {name: f"pay(user, {number})\n" for number, name in enumerate(ODD_NAMES)})
    commit(root)
    write(root, {"models.py": CHANGED})
    patch = finish("--patch")[1]
    applied = subprocess.run(
        ["git", "apply"], input=patch.encode(), cwd=root, capture_output=True, check=False
    )
    assert (applied.returncode, applied.stderr) == (0, b"")
    assert {name: (root / name).read_text() for name in ODD_NAMES} == {
        name: f"pay(account, {number})\n" for number, name in enumerate(ODD_NAMES)
    }


def test_what_is_staged_is_not_written_over_other_text(root: Path, finish: Finish) -> None:
    write(root, {"models.py": CHANGED + "print(user)\n"})
    git(root, "add", ".")
    write(root, {"models.py": CHANGED + "print(user)\nmore\n"})
    code, _, error = finish("--write", "--staged")
    assert code == 1 and "nothing was written" in error and "models.py" in error
    assert (root / "bills.py").read_text() == FILES["bills.py"]


def test_a_patch_that_is_not_applied_is_not_written(root: Path, finish: Finish) -> None:
    write(root, {"models.py": CHANGED})
    patch = git(root, "diff") + "\n"
    git(root, "checkout", "-q", ".")
    code, out, error = finish("--write", "--patch-file", "-", stdin=patch)
    assert code == 1 and "not applied yet" in error and "as if it were applied" in out
    assert (root / "bills.py").read_text() == FILES["bills.py"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--staged", "--base", "HEAD"],
        ["--base", "HEAD", "--patch-file", "-"],
        ["--write", "--patch"],
        ["--json", "--patch"],
        ["--nonsense"],
    ],
)
def test_wrong_usage(root: Path, finish: Finish, arguments: list[str]) -> None:
    code, out, error = finish(*arguments)
    assert (code, out) == (2, "") and error


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["missing"], "is no folder"),
        (["--base", "nowhere"], "neither a revision of the repository nor a folder"),
        (["--patch-file", "missing"], "the patch cannot be read: missing"),
        (["--patch-file", "."], "is not a regular file"),
        (["--patch-file", "bills.py"], "the patch"),
        ([".."], "in no git repository"),
    ],
)
def test_what_cannot_be_done(root: Path, finish: Finish, arguments: list[str], reason: str) -> None:
    code, out, error = finish(*arguments)
    assert (code, out) == (1, "") and reason in error


@pytest.mark.slow
def test_names_and_lines_steer_no_terminal(root: Path, finish: Finish) -> None:
    attack = "\x1b]0;owned\x07\x1b[2J\u202e"
    write(root, {f"a{attack}\n.py": f"print(user)  # {attack}\n", ".env": "x"})
    commit(root)
    write(root, {"models.py": CHANGED})
    for arguments in ((), ("--json",), ("--all",)):
        _, out, error = finish(*arguments)
        assert all(char == "\n" or char.isprintable() for char in out + error), arguments
        assert "\u202e" not in out and "owned" in out


def test_the_index_is_used_and_kept(root: Path, finish: Finish, tmp_path: Path) -> None:
    write(root, {"models.py": CHANGED})
    finish()
    assert list((tmp_path / "cache").rglob("*.sqlite"))
    write(root, {"late.py": "print(user)\n"})
    assert "late.py:1" in paths(as_json(finish))


def test_without_an_index_nothing_is_kept(root: Path, finish: Finish, tmp_path: Path) -> None:
    write(tmp_path / "config" / "editahead", {"editahead.toml": 'index = "off"\n'})
    write(root, {"models.py": CHANGED})
    assert len(as_json(finish)["places"]) == 2
    assert not list((tmp_path / "cache").rglob("*.sqlite"))


def test_a_running_server_keeps_the_index(
    root: Path, finish: Finish, monkeypatch: pytest.MonkeyPatch
) -> None:
    from editahead_cli.commands.index import make_task
    from editahead_retrieval.index import location
    from editahead_retrieval.process.writer_lock import WriterLock

    folder = make_task(root).folder_path
    location.create_folder(folder)
    write(root, {"models.py": CHANGED})
    lock = WriterLock(folder / location.LOCK)
    assert lock.acquire()
    code, out, error = finish("--check")
    assert (code, out) == (1, "") and "a running server builds the index" in error
    lock.release()
    finish()
    assert lock.acquire()
    assert len(as_json(finish)["places"]) == 2
    lock.release()


@pytest.mark.slow
def test_ctrl_c(root: Path) -> None:
    write(root, {"models.py": CHANGED})
    code = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job in the background ignores it
        "from editahead_workspace.finish import change_finish\n"
        "from editahead_cli.main import main\n"
        "class Interrupted(change_finish.Finisher):\n"
        "    def find(self, *args, **options): signal.raise_signal(signal.SIGINT)\n"
        "change_finish.Finisher = Interrupted\n"
        "sys.exit(main(['finish']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        capture_output=True,
        text=True,
        env=dict(os.environ),
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
