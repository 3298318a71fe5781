"""The history of a real repository, hostile ones too, and the file of its rules."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.mined_rules.co_changes import CoChange, Consequence, Trigger
from editahead_inference.mined_rules.rewrites import Rewrite
from editahead_inference.mined_rules.rules import MinedRule, content_id
from editahead_workspace.changes import git_history
from editahead_workspace.changes.git_command import GitCommand
from editahead_workspace.changes.git_history import parse_log, read_history
from editahead_workspace.errors import ChangeError
from editahead_workspace.mined_rules.mined_history import mine_repository, read_commits, repository_rules
from editahead_workspace.mined_rules.rules_file import load_rules, rules_path, save_rules
from git_repository import commit, git, make_repository, write

ODD = "diff --git a/x b/x\n@@ -1 +1 @@\n--- a/y\n+++ b/y\n\x01" + "0" * 40 + " 1\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "work", {"a.py": "one = 1\ntwo = 2\n"})


def test_commits_are_what_they_changed(root: Path) -> None:
    write(root, {"a.py": "one = 1\ntwo = 3\n", "b é.py": "new = 1\n"})
    last = commit(root)
    (root / "a.py").unlink()
    deleted = commit(root)
    commits = list(read_history(GitCommand(root)))
    assert [one.id for one in commits[:2]] == [deleted, last]
    (unlinked,) = commits[0].hunks
    assert (unlinked.path, unlinked.old, unlinked.new) == ("a.py", ("one = 1", "two = 3"), ())
    assert [(hunk.path, hunk.old, hunk.new) for hunk in commits[1].hunks] == [
        ("a.py", ("two = 2",), ("two = 3",)),
        ("b é.py", (), ("new = 1",)),
    ]
    assert commits[1].new_files == ("b é.py",)
    assert commits[2].new_files == ("a.py",)
    assert len(list(read_history(GitCommand(root), 1))) == 1


def test_lines_that_look_like_a_patch_are_lines(root: Path) -> None:
    write(root, {"a.py": ODD})
    commit(root)
    newest, *_ = read_history(GitCommand(root))
    (hunk,) = newest.hunks
    assert hunk.path == "a.py"
    assert hunk.new == tuple(line.strip() for line in ODD.split("\n") if line.strip())


def test_nothing_that_the_repository_names_is_run(root: Path, tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    for key in (
        "diff.external",
        "diff.x.textconv",
        "diff.x.command",
        "core.pager",
        "pager.log",
        "log.showSignature",
    ):
        git(root, "config", key, f"touch {trap}")
    write(root, {".gitattributes": "* diff=x\n", "a.py": "one = 2\n"})
    git(root, "config", "diff.noprefix", "true")
    git(root, "config", "diff.mnemonicPrefix", "true")
    git(root, "-c", "diff.external=", "add", "-A")
    git(root, "commit", "-q", "-m", "x")
    git(root, "config", "log.showSignature", "false")
    newest, *_ = read_history(GitCommand(root))
    assert [hunk.path for hunk in newest.hunks] == [".gitattributes", "a.py"]
    assert not trap.exists()


def test_no_signature_is_checked(root: Path, tmp_path: Path) -> None:
    """To check one, git would run the program that the repository's configuration names."""
    trap, program = tmp_path / "ran", tmp_path / "gpg"
    program.write_text(f"#!/bin/sh\ntouch {trap}\n")
    program.chmod(0o755)
    git(root, "config", "log.showSignature", "true")
    git(root, "config", "gpg.program", str(program))
    headers, _, message = git(root, "cat-file", "commit", "HEAD").partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abcd\n -----END PGP SIGNATURE-----"
    (tmp_path / "signed").write_text(f"{headers}\n{signature}\n\n{message}\n")
    signed = git(root, "hash-object", "-t", "commit", "-w", str(tmp_path / "signed"))
    git(root, "update-ref", "HEAD", signed)
    assert [one.id for one in read_history(GitCommand(root))] == [signed]
    assert not trap.exists()
    git(root, "log", "-1")
    assert trap.exists()


def test_files_that_may_not_be_read_are_left_out(root: Path) -> None:
    write(root, {".env": "KEY = 1\n", "kept.py": "x = 1\n", "gone.py": "y = 1\n"})
    commit(root)
    newest, *_ = read_commits(root, ["gone.py"])
    assert [hunk.path for hunk in newest.hunks] == ["kept.py"]
    assert newest.new_files == ("kept.py",)


def test_no_commit(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    git(tmp_path / "empty", "init", "-q")
    with pytest.raises(ChangeError, match="HEAD is no commit"):
        list(read_history(GitCommand(tmp_path / "empty")))


# The file of the rules

CO_CHANGE = CoChange(
    Trigger("app/{snake}.py", "new file"),
    Consequence("app/main.py", '"{kebab}": {{1}},\t\\'),
    5,
    6,
    ("c1", "c2"),
)
REWRITE = Rewrite(".py", 'a"b $1', "\x7f$1\\", 3, 1, ())
RULES = [MinedRule(what, is_off=bool(n), id=content_id(what)) for n, what in enumerate((CO_CHANGE, REWRITE))]


def test_rules_are_read_as_they_were_written(root: Path, tmp_path: Path) -> None:
    path = rules_path(root, tmp_path / "state")
    assert load_rules(path) == []
    save_rules(path, root, RULES)
    assert load_rules(path) == RULES
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[[rule", "Expected"),
        ("rule = 3", "`rule` must be a list"),
        ("[[rule]]\nid = 'x'\n", "rule 1: `where` is missing"),
        ("[[rule]]\nid='x'\nold='a'\nnew='b'\nextension=''\nsupport=-1\nrelapses=0", "rule 1: `support`"),
        ("[[rule]]\nid='x'\nold=' '\nnew='b'\nextension=''\nsupport=1\nrelapses=0", "rule 1: `old` is empty"),
        (
            "[[rule]]\nid='x'\nold='a'\nnew='$1'\nextension=''\nsupport=1\nrelapses=0",
            "rule 1: `old` has no $1",
        ),
        ("rule = [3]", "rule 1 is no table"),
    ],
)
def test_a_file_that_is_no_rules(root: Path, tmp_path: Path, text: str, reason: str) -> None:
    path = rules_path(root, tmp_path / "state")
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(ChangeError) as error:
        load_rules(path)
    assert str(path) in str(error.value) and reason in str(error.value)


def test_only_rules_that_are_on_are_used(root: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    assert repository_rules(root, state) is None
    save_rules(rules_path(root, state), root, RULES)
    repository = repository_rules(root, state)
    assert repository is not None
    assert [rule.what for rule in repository.rules] == [CO_CHANGE]
    assert repository.path_of(repository.uri_of("a b/é.py")) == "a b/é.py"
    assert repository.path_of("file:///elsewhere/a.py") is None
    save_rules(rules_path(root, state), root, RULES[1:])
    assert repository_rules(root, state) is None


def test_mining_again_keeps_what_a_person_chose(root: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    save_rules(rules_path(root, state), root, [MinedRule(CO_CHANGE, id="mine")])
    (kept,) = mine_repository(root, state, read_commits(root, []))
    assert (kept.id, kept.what) == ("mine", CO_CHANGE)


HEAD = b"\x01" + b"0" * 40 + b" 1\n\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n"


def endless(line: bytes, taken: list[int]) -> Iterator[bytes]:
    """Yield a log with one change that has no end in sight, and count what is taken of it."""
    yield HEAD
    for number in range(100):
        taken.append(number)
        yield line * (50_000 // len(line))
    yield b"\n\x01" + b"1" * 40 + b" 2\n\ndiff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-old\n+new\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", [b"-x\n+y\n", b"+line that is added\n", b"x", b"+\n", b"@@ -1 +1 @@\n-a\n", b"--- a/x\n"]
)
def test_a_huge_change_takes_little_memory(line: bytes) -> None:
    taken: list[int] = []
    tracemalloc.start()
    first, second = parse_log(endless(line, taken))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(taken) == 100 and peak < 3_000_000
    assert [(hunk.old, hunk.new) for hunk in second.hunks] == [(("old",), ("new",))]
    assert not first.is_small or first.chars < 100


@given(st.binary(max_size=60), st.lists(st.integers(1, 30), max_size=9))
def test_pieces_of_a_log_make_no_difference(tail: bytes, sizes: list[int]) -> None:
    log = HEAD + b"-one\n+two\n" + tail.replace(b"\x01", b"") + b"\n" + HEAD.replace(b"0", b"2") + b"+three\n"
    pieces, at = [], 0
    for size in sizes:
        pieces.append(log[at : at + size])
        at += size
    assert list(parse_log([*pieces, log[at:]])) == list(parse_log([log]))


def test_only_as_much_history_is_read_as_memory_takes(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        write(root, {"a.py": f"changed = {number}\n" * 20})
        commit(root)
    monkeypatch.setattr(git_history, "MAX_HISTORY_CHARS", 1_000)
    kept = list(read_history(GitCommand(root)))
    monkeypatch.undo()
    whole = list(read_history(GitCommand(root)))
    assert kept == whole[: len(kept)] and 0 < len(kept) < len(whole)
    assert sum(one.chars for one in kept) <= 1_000


def test_a_huge_text_is_left_out(root: Path) -> None:
    write(root, {"big.py": "x = 1\n" * 3_000_000, "a.py": "one = 1\n"})
    commit(root)
    newest, *_ = read_history(GitCommand(root))
    assert [hunk.path for hunk in newest.hunks] == ["a.py"]
