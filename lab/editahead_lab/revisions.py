"""Other revisions of this repository, whose code is measured on the same data.

The code of a revision is laid out in a temporary folder; a server that runs with `PYTHONPATH` set to it is that
revision's. What is installed beside it (the dependencies, the interpreter) stays what it is.
"""

from __future__ import annotations

import io
import os
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from editahead_evals.data.own_checkout import own_repository
from editahead_evals.errors import RevisionError
from editahead_programs.child_process import run_child

_MAX_PATHS_BYTES = 100_000
"""Bytes of the paths of three packages."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision of Editahead in a temporary folder.

    Attributes:
        commit: the short name.
        environment: variables that make a server run this revision's code.
    """

    commit: str
    environment: dict[str, str]


@contextmanager
def checked_out(revision: str) -> Iterator[Revision]:
    """Check out a revision into a temporary folder for the duration of the context.

    Raises:
        RevisionError: the revision does not exist or cannot run.
    """
    try:
        git = own_repository()
    except RevisionError as error:
        raise RevisionError(f"this Editahead does not run from a git checkout of its own: {error}") from None
    commit = git.try_run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if commit is None:
        raise RevisionError(f"no such revision of Editahead: {revision}")
    with tempfile.TemporaryDirectory(prefix="editahead-revision-") as folder:
        with tarfile.open(fileobj=io.BytesIO(git.run("archive", commit))) as archive:
            if hasattr(tarfile, "data_filter"):  # Python 3.11.0 to 3.11.3 has none, as Debian 12's
                archive.extraction_filter = tarfile.data_filter
            archive.extractall(folder)
        packages = {path.parent.parent for path in Path(folder).glob("*/editahead_*/__init__.py")}
        environment = {"PYTHONPATH": os.pathsep.join(sorted(map(str, packages)))}
        _check_runs_from(Path(folder), environment, revision)
        yield Revision(commit[:7], environment)


def _check_runs_from(folder: Path, environment: dict[str, str], revision: str) -> None:
    if not (folder / "cli" / "editahead_cli").is_dir():
        raise RevisionError(
            f"{revision}: this revision has no cli/editahead_cli, which starts its server; name a later one"
        )
    packages = ("editahead_cli", "editahead_lsp", "editahead_inference")
    script = "; ".join(f"import {package}; print({package}.__file__)" for package in packages)
    run = run_child(
        [sys.executable, "-P", "-c", script],
        env=os.environ | environment,
        cwd=folder,
        timeout_s=None,
        max_bytes=_MAX_PATHS_BYTES,
    )
    if run.code:
        raise RevisionError(f"{revision}: its code cannot be run: {run.last_error()}")
    paths = run.out.decode().strip()
    if not all(Path(line).resolve().is_relative_to(folder.resolve()) for line in paths.splitlines()):
        raise RevisionError(f"{revision}: another installation of Editahead comes first: {paths}")
