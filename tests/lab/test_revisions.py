from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from editahead_evals.data import own_checkout
from editahead_evals.data.own_checkout import present_commit
from editahead_evals.errors import RevisionError
from editahead_lab.revisions import checked_out
from git_repository import commit, git, make_repository, write

INIT = "{package}/editahead_{package}/__init__.py"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of a small Editahead with two versions, v1 and v2, in which this module lies, too."""
    here = "evals/editahead_evals/data/own_checkout.py"
    make_repository(tmp_path, {here: ""})
    for version in ("v1", "v2"):
        packages = ("cli", "lsp", "inference")
        write(tmp_path, {INIT.format(package=package): f"VERSION = {version!r}\n" for package in packages})
        commit(tmp_path)
        git(tmp_path, "tag", version)
    monkeypatch.setattr(own_checkout, "_HERE", tmp_path / here)
    return tmp_path


@pytest.mark.slow
def test_the_code_of_a_revision_runs(checkout: Path) -> None:
    code = "import editahead_cli as c, editahead_inference as i; print(c.VERSION, i.VERSION)"
    for version in ("v1", "v2"):
        with checked_out(version) as revision:
            environment = os.environ | revision.environment
            run = subprocess.run(
                [sys.executable, "-c", code], env=environment, capture_output=True, text=True
            )
            assert run.stdout.split() == [version, version]
            folder = revision.environment["PYTHONPATH"].split(os.pathsep)[0]
            assert Path(folder).exists()
        assert not Path(folder).exists()


def test_what_was_measured_is_named_and_changes_are_marked(checkout: Path) -> None:
    clean = present_commit()
    assert len(clean) >= 7
    write(checkout, {INIT.format(package="lsp"): "VERSION = 'v3'\n"})
    assert present_commit() == f"{clean}-dirty"


def test_a_revision_that_does_not_exist(checkout: Path) -> None:
    with pytest.raises(RevisionError, match="no such revision of Editahead: v9"), checked_out("v9"):
        pass
    with pytest.raises(RevisionError, match="no such revision"), checked_out("--help"):
        pass


def test_a_revision_that_cannot_run(checkout: Path) -> None:
    write(checkout, {INIT.format(package="lsp"): "raise RuntimeError('broken')\n"})
    git(checkout, "commit", "--all", "--message", "broken")
    with pytest.raises(RevisionError, match=r"HEAD: its code cannot be run: .*broken"), checked_out("HEAD"):
        pass


def test_another_code_must_not_be_measured_in_its_place(checkout: Path) -> None:
    git(checkout, "rm", "-r", "lsp")
    git(checkout, "commit", "--message", "without")
    with pytest.raises(RevisionError, match="another installation"), checked_out("HEAD"):
        pass


def test_a_revision_of_before_the_cli_package(checkout: Path) -> None:
    git(checkout, "rm", "-r", "cli")
    git(checkout, "commit", "--message", "without")
    with (
        pytest.raises(RevisionError, match="HEAD: this revision has no cli/editahead_cli"),
        checked_out("HEAD"),
    ):
        pass


def test_outside_of_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_checkout, "_HERE", tmp_path / "site-packages" / "revisions.py")
    assert present_commit() == "unknown"
    with pytest.raises(RevisionError, match="not run from a git checkout of its own"), checked_out("HEAD"):
        pass
