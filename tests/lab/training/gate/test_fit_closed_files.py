"""The terms for closed files are fitted to commits of several files, written, and say what the commits show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from installed import needs

pytest.importorskip("numpy", reason="fitting needs the extra `train`")

import zstandard

from editahead_evals.errors import RecordError
from editahead_lab.commits.commit_records import read_commits, workspaces
from editahead_lab.training.gate.fit_closed_files import edited_states, train

pytestmark = needs("scipy")


def commit(number: int, repo: str, *, follows: bool) -> dict[str, Any]:
    """Return a commit that renames a function; its use in another file follows, or stays."""
    old, new = f"load_{number}", f"read_{number}"
    definition = f"def {old}(path):\n    return path\n\n\nvalue = 1\n"
    use = f"from lib.a{number} import {old}\n\n\ndef run():\n    return {old}('x')\n"
    files = [
        {"path": f"lib/a{number}.py", "before": definition, "after": definition.replace(old, new)},
        {
            "path": f"lib/b{number}.py",
            "before": use,
            "after": use.replace(old, new) if follows else f"{use}#\n",
        },
    ]
    return {
        "id": f"{repo}@{number}",
        "repo": repo,
        "date": number,
        "files": [{"status": "M", "language": "python", **file} for file in files],
    }


def write(path: Path, commits: list[dict[str, Any]]) -> Path:
    text = "".join(json.dumps(one) + "\n" for one in commits)
    path.write_bytes(zstandard.ZstdCompressor().compress(text.encode()))
    return path


@pytest.fixture
def commits(tmp_path: Path) -> Path:
    made = [commit(number, f"owner/repo{number % 3}", follows=number % 4 != 0) for number in range(1, 19)]
    return write(tmp_path / "commits.jsonl.zst", made)


def test_the_terms_are_written_with_their_provenance(commits: Path, tmp_path: Path) -> None:
    out = tmp_path / "closed_files.json"
    provenance = train(commits, out)
    written = json.loads(out.read_text("utf-8"))
    assert written["provenance"] == provenance
    assert provenance["commits"] == 18
    assert provenance["candidates"] > 18
    assert set(written["terms"]) >= {"one", "log-odds", "imports"}
    assert provenance["figures"]["precision"] > 0.5


def test_commits_without_consequences_cannot_be_fitted(tmp_path: Path) -> None:
    path = write(tmp_path / "none.jsonl.zst", [commit(1, "owner/repo", follows=False)])
    with pytest.raises(ValueError, match="too few edits follow"):
        train(path, tmp_path / "out.json")


def test_a_workspace_has_what_earlier_commits_left(commits: Path) -> None:
    seen = [(one.commit.id, set(one.files)) for one in workspaces(read_commits(commits))]
    first, second = seen[0][1], seen[1][1]
    assert first < second
    assert len(first) == 2


def test_a_file_that_moved_between_two_commits_leaves_the_workspace(tmp_path: Path) -> None:
    text = "".join(f"a line that hardly two files have, {n}\n" for n in range(20))

    def record(number: int, *files: tuple[str, str]) -> dict[str, Any]:
        changes = [
            {"path": path, "status": "M", "before": before, "after": f"{before}new = 1\n"}
            for path, before in files
        ]
        return {"id": f"o/r@{number}", "repo": "o/r", "date": number, "files": changes}

    path = write(
        tmp_path / "moved.jsonl.zst",
        [
            record(1, ("lib/old.py", text), ("lib/kept.py", text.replace("a line", "one"))),
            record(2, ("src/new.py", text), ("src/copy.py", text.replace("a line", "one"))),
            record(3, ("lib/kept.py", "kept = 1\n"), ("src/new.py", text)),
        ],
    )
    seen = [set(one.files) for one in workspaces(read_commits(path))]
    assert seen[0] == {"lib/old.py", "lib/kept.py"}
    assert seen[1] == {
        "src/new.py",
        "src/copy.py",
        "lib/kept.py",
    }  # a later commit names the original of the copy
    assert seen[2] == seen[1]


def test_each_hunk_gives_a_state_with_its_history(commits: Path) -> None:
    one = next(iter(read_commits(commits)))
    states = list(edited_states(one.files[0]))
    assert [len(state.history) for state in states] == [1]
    assert states[-1].document.text == one.files[0].after


@pytest.mark.parametrize(
    "change",
    [{"path": "../x.py"}, {"path": "/x.py"}, {"status": "R"}, {"before": None}],
    ids=lambda change: next(iter(change)),
)
def test_a_damaged_commit_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    damaged = commit(1, "owner/repo", follows=True)
    damaged["files"][0].update(change)
    with pytest.raises(RecordError, match="line 1"):
        list(read_commits(write(tmp_path / "damaged.jsonl.zst", [damaged])))
