"""The journal of a transaction: what survives of it when the process is killed or the power fails.

A journal is a file of JSON lines in the user's state folder: first the plan, then each new state. Its process holds a lock
on it, so that a journal without a lock belongs to a process that has died.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from editahead_prompts.text.file_names import is_git_folder
from editahead_workspace.private_files import make_private_folder

from .folders import flush
from .step import Step

VERSION = 1
SUFFIX, DRAFT_SUFFIX = ".journal", ".draft"
_DRAFT_LIFE_S = 3600
"""Seconds after which a draft cannot belong to a process that is just about to lock it."""

State = Literal["staging", "committed", "done", "taking back"]


@dataclass(frozen=True)
class Plan:
    """The steps of a transaction, and the folders to create: pairs of a root and a path, the outermost first."""

    steps: tuple[Step, ...]
    folders: tuple[tuple[str, str], ...]


class Journal:
    """An open, locked journal.

    Attributes:
        plan: What is to be written.
        state: How far the transaction has come.
    """

    def __init__(self, path: Path, descriptor: int, plan: Plan, state: State = "staging") -> None:
        self._path, self._descriptor = path, descriptor
        self.plan, self.state = plan, state

    @classmethod
    def create(cls, folder: Path, plan: Plan) -> Journal:
        """Write a journal for the plan.

        Raises:
            OSError: The journal cannot be written.
        """
        make_private_folder(folder.parent)
        make_private_folder(folder)
        path = folder / f"{secrets.token_hex(8)}{SUFFIX}"
        draft = path.with_suffix(DRAFT_SUFFIX)
        descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        journal = cls(path, descriptor, plan)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            steps = [asdict(step) for step in plan.steps]
            journal._append({"version": VERSION, "steps": steps, "folders": plan.folders})
            draft.rename(path)  # locked before another process can find it
            _flush_folder(folder)
        except BaseException:
            with suppress(OSError):
                draft.unlink()
            os.close(descriptor)
            raise
        return journal

    def advance(self, state: State) -> None:
        """Record the next state, safely, before anything is done in it.

        Raises:
            OSError: The journal cannot be written.
        """
        self._append({"state": state})
        self.state = state

    def close(self, *, remove: bool) -> None:
        """Unlock the journal, and remove it if nothing is left to do."""
        if remove:
            with suppress(OSError):
                self._path.unlink()
        os.close(self._descriptor)

    def _append(self, value: dict[str, Any]) -> None:
        data = json.dumps(value).encode() + b"\n"
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from error
        flush(self._descriptor, str(self._path))


def find_abandoned(folder: Path) -> Iterator[Journal]:
    """Yield the locked journals of processes that have died. The caller closes each.

    A journal that cannot be read is removed: its disk lost it, or nothing had been done for it.
    """
    for path in sorted(folder.glob(f"*{DRAFT_SUFFIX}")):
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - _DRAFT_LIFE_S:
                path.unlink()
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW)
        except OSError:
            continue
        journal = None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                journal = _read(path, descriptor)
        except OSError:
            pass  # another process holds it, or has just finished it
        except (ValueError, LookupError, TypeError):
            path.unlink(missing_ok=True)
        if journal is None:
            os.close(descriptor)
        else:
            yield journal


def _read(path: Path, descriptor: int) -> Journal | None:
    """Return the journal; None if a newer Editahead wrote it.

    Raises:
        ValueError, LookupError, TypeError: The journal is damaged.
    """
    with os.fdopen(os.dup(descriptor), "rb") as file:
        plan, *states = [json.loads(line) for line in file.read().split(b"\n")[:-1]]
    if plan["version"] != VERSION:
        return None
    steps = tuple(Step(**step) for step in plan["steps"])
    folders = tuple((root, inner) for root, inner in plan["folders"])
    for place in (*((step.root, step.path) for step in steps), *folders):
        _check_place(*place)
    if not all(re.fullmatch("[0-9a-f]{16}", step.id) for step in steps):
        raise ValueError("a name beside a file that no journal gives")
    state: State = states[-1]["state"] if states else "staging"
    return Journal(path, descriptor, Plan(steps, folders), state)


def _check_place(root: str, path: str) -> None:
    """Raise ValueError or TypeError for a path that leads out of its root, or into a repository of git."""
    if not isinstance(root, str) or not isinstance(path, str):
        raise TypeError("a path that is no text")
    names = path.split("/")
    if os.path.normpath(root) != root or not Path(root).is_absolute():
        raise ValueError("a root that is no plain path")
    if any(name in ("", ".", "..") or "\0" in name or is_git_folder(name) for name in names):
        raise ValueError("a path that leads out of its root")


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        flush(descriptor, str(folder))
    finally:
        os.close(descriptor)
