"""Writes of several files: all or none, whatever ends the process.

All new texts are first written and flushed beside their places. Then the journal says that they are complete, and each is
renamed into its place. A signal is held back during the renames, and an error takes the finished ones back. After `kill -9`
or a loss of power, `recovery` finishes the renames or takes them back.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from editahead_prompts.text.file_names import is_git_folder
from editahead_retrieval.errors import UnreadableFileError
from editahead_retrieval.files.bounded_files import read_bounded_file
from editahead_workspace.errors import WriteError

from .folders import FolderHandles
from .journal import Journal, Plan
from .signals import HeldSignals
from .step import (
    NEW_SUFFIX,
    PREFIX,
    Identity,
    Step,
    digest,
)

BACKUP_SUFFIX = ".orig"

_MAX_BACKUP_BYTES = 64 << 20
_LEFTOVER = re.compile(rf"{re.escape(PREFIX)}(?:[a-z0-9_]{{8}}|[0-9a-f]{{16}}{re.escape(NEW_SUFFIX)})")
"""Names of new texts that a killed process left where no journal could be written."""
_LEFTOVER_AGE_S = 3600
"""Seconds after which such a file cannot belong to a process that is still at work."""


@dataclass(frozen=True)
class FileWrite:
    """A planned write.

    Attributes:
        path: The file.
        old: All bytes of the file as it was read; None where there is no file before.
        new: All bytes of the file to be; None where there is no file after.
        like: The file whose permissions a new file gets; None for those of any new file.
        executable: Whether the file gets or loses the permission to be run; None if it keeps what it has.
    """

    path: Path
    old: bytes | None
    new: bytes | None
    like: Path | None = None
    executable: bool | None = None


@dataclass
class _Item:
    write: FileWrite
    step: Step
    identity: Identity | None = None


def write_all(
    writes: Sequence[FileWrite],
    roots: Sequence[Path],
    journals: Path,
    *,
    backup: bool = False,
    force: bool = False,
    on_step: Callable[[str], None] = lambda point: None,
) -> str | None:
    """Write all files, or none.

    Args:
        writes: The files.
        roots: The folders outside of which nothing is written.
        journals: The folder of the journals.
        backup: Whether to keep the replaced or removed text in a file whose name ends in `.orig`.
        force: Whether to write read-only files, too, and those that lose an owner or a hard link.
        on_step: Called with the name of each point in turn: after each file that was staged or put in place, and so on.

    Returns:
        Why there is no journal for several files, so that a crash could leave only some of them written; else None.

    Raises:
        WriteError: A file cannot be written, or is not as it was read.
    """
    real_roots = [os.path.realpath(root) for root in roots]
    with HeldSignals() as signals, FolderHandles() as folders:
        items = [_item(write, real_roots) for write in _with_backups(writes, backup)]
        for item in items:
            with _naming(item.step):
                _check_folder(item.step, folders)
        plan = Plan(tuple(item.step for item in items), tuple(_missing_folders(items)))
        journal, why = _open_journal(journals, plan)
        transaction = _Transaction(items, plan, folders, journal, on_step)
        try:
            transaction.stage(signals, force)
            transaction.commit()
        except OSError as error:
            raise WriteError(f"{error.filename}: {error.strerror or error}") from error
        finally:
            transaction.close()
        return why if len(items) > 1 else None


@dataclass
class _Transaction:
    items: Sequence[_Item]
    plan: Plan
    folders: FolderHandles
    journal: Journal | None
    on_step: Callable[[str], None]
    settled: bool = False
    """Whether no journal is needed any more."""

    def stage(self, signals: HeldSignals, force: bool) -> None:
        """Write all new texts beside their places. Undo that on an error or a signal."""
        self.on_step("planned")
        try:
            for root, folder in self.plan.folders:
                try:
                    self.folders.create(root, folder)
                except OSError as error:
                    raise WriteError(f"{Path(root, folder)}: {error.strerror}") from error
                self.on_step("folder")
            for item in self.items:
                signals.check()
                with _naming(item.step):
                    item.identity = item.step.check_original(self.folders, item.write.old, force=force)
                    item.step.stage(
                        self.folders, item.write.new, self._model_file(item), item.write.executable
                    )
                self.on_step("staged")
            self.folders.flush()
            signals.check()
            if self.journal is not None:
                self.journal.advance("committed")
        except BaseException:
            clear_all(self.plan, self.folders)
            self.settled = True
            raise
        self.on_step("committed")

    def commit(self) -> None:
        """Put all new texts in place. Take back what was done on an error."""
        try:
            for item in self.items:
                with _naming(item.step):
                    if not item.step.is_unchanged(self.folders, item.identity):
                        raise WriteError(f"{item.step} changed in the meantime; run the command again")
                    self._check_place(item.step)
                    item.step.put(self.folders)
                self.on_step("put")
            for item in self.items:
                self._check_place(item.step)
            self.folders.flush()
        except WriteError as error:
            raise WriteError(f"{error}{self._take_back()}") from error
        except BaseException:
            self._take_back()
            raise
        self.on_step("all put")
        if self.journal is not None:
            try:
                self.journal.advance("done")
            except OSError:  # the next start clears up
                return
        for item in self.items:
            with suppress(OSError):  # a leftover is no failure
                item.step.clear(self.folders)
            self.on_step("cleared")
        self.settled = True
        self._sweep()

    def _check_place(self, step: Step) -> None:
        """Raise WriteError if the file's folder is no longer where it was, so that nothing is left outside of the root."""
        with _naming(step):
            is_in_place = self.folders.is_in_place(step.root, step.folder)
        if not is_in_place:
            raise WriteError(f"the folder of {step} was moved in the meantime; run the command again")

    def close(self) -> None:
        """Close the journal."""
        if self.journal is not None:
            self.journal.close(remove=self.settled)

    def _take_back(self) -> str:
        """Take back what was done. Return the files where that was not possible, as the end of a message."""
        if self.journal is not None:
            with suppress(OSError):
                self.journal.advance("taking back")
        undone = take_back_all(self.plan, self.folders)
        self.settled = not undone.failed
        return "".join(
            f"; {step} could not be restored, its text before is in {step.kept_name}"
            for step in (*undone.failed, *undone.kept)
        )

    def _model_file(self, item: _Item) -> tuple[int, str] | None:
        """Return the folder's handle and the name of the file whose attributes the new file gets."""
        step = item.step
        if step.action == "replace":
            return self.folders.open(step.root, step.folder), step.name
        if item.write.like is None:
            return None
        source = next(other.step for other in self.items if other.write.path == item.write.like)
        return self.folders.open(source.root, source.folder), source.name

    def _sweep(self) -> None:
        """Remove old leftovers of killed processes in the folders of the files."""
        for root, folder in {(item.step.root, item.step.folder) for item in self.items}:
            with suppress(OSError):
                _sweep_folder(self.folders.open(root, folder))


@dataclass
class Undone:
    """What became of files that were to be taken back.

    Attributes:
        kept: Files that someone else changed meanwhile, and that were left as they are.
        failed: Files that could not be restored.
    """

    kept: list[Step]
    failed: list[Step]


def clear_all(plan: Plan, folders: FolderHandles) -> None:
    """Remove all files beside the places, and the folders that were created and are empty."""
    for step in plan.steps:
        with suppress(OSError):
            step.clear(folders)
    for root, folder in reversed(plan.folders):
        with suppress(OSError):
            folders.remove(root, folder)


def take_back_all(plan: Plan, folders: FolderHandles) -> Undone:
    """Bring all files back to their state before."""
    undone = Undone([], [])
    for step in reversed(plan.steps):
        try:
            if not step.take_back(folders):
                undone.kept.append(step)
        except OSError:
            undone.failed.append(step)
    for root, folder in reversed(plan.folders):
        with suppress(OSError):
            folders.remove(root, folder)
    with suppress(OSError):
        folders.flush()
    return undone


def _with_backups(writes: Sequence[FileWrite], backup: bool) -> Iterator[FileWrite]:
    for write in writes:
        if backup and write.old is not None:
            path = write.path.with_name(write.path.name + BACKUP_SUFFIX)
            before = _read_backup(path)
            yield FileWrite(path, before, write.old, None if before is not None else write.path)
        yield write


def _read_backup(path: Path) -> bytes | None:
    """Return what is in the place of a backup; None without a file. It may be anything that a repository holds."""
    try:
        return read_bounded_file(path, max_bytes=_MAX_BACKUP_BYTES)
    except FileNotFoundError:
        return None
    except UnreadableFileError as error:
        raise WriteError(f"{path}: {error}") from None


def _item(write: FileWrite, roots: Sequence[str]) -> _Item:
    """Return the write as a step below one of the roots."""
    try:
        path = os.path.realpath(write.path)
    except OSError as error:  # a link that comes and goes
        raise WriteError(f"{write.path}: {error.strerror or error}") from error
    root = next((root for root in roots if Path(path).is_relative_to(root)), None)
    if root is None:
        raise WriteError(f"{write.path} is outside of the workspace")
    inner = Path(path).relative_to(root).as_posix()
    if any(map(is_git_folder, inner.split("/"))):
        raise WriteError(f"{write.path} is git's own file, or has a name that may lead to one")
    old, new = ("" if text is None else digest(text) for text in (write.old, write.new))
    return _Item(write, Step("create" if not old else "replace" if new else "delete", root, inner, old, new))


def _check_folder(step: Step, folders: FolderHandles) -> None:
    """Open the innermost folder that exists, so that a symbolic link among the folders is an error before any write."""
    names = step.folder.split("/") if step.folder else []
    for number in range(len(names) + 1):
        try:
            folders.open(step.root, "/".join(names[:number]))
        except FileNotFoundError:
            if step.action != "create":
                raise
            return


def _missing_folders(items: Sequence[_Item]) -> list[tuple[str, str]]:
    """Return the folders to create, the outermost first."""
    missing: dict[tuple[str, str], None] = {}
    for item in items:
        names = item.step.folder.split("/") if item.step.folder else []
        for number in range(1, len(names) + 1):
            folder = "/".join(names[:number])
            if not os.path.lexists(Path(item.step.root, folder)):
                missing[item.step.root, folder] = None
    return list(missing)


def _open_journal(folder: Path, plan: Plan) -> tuple[Journal | None, str | None]:
    """Return the journal, or None and why it cannot be written."""
    try:
        return Journal.create(folder, plan), None
    except OSError as error:
        return None, f"{folder}: {error.strerror}"


@contextmanager
def _naming(step: Step) -> Iterator[None]:
    """Turn an error of the system into one that names the file."""
    try:
        yield
    except OSError as error:
        raise WriteError(f"{step}: {error.strerror or error}") from error


def _sweep_folder(handle: int) -> None:
    before = time.time() - _LEFTOVER_AGE_S
    for name in os.listdir(handle):
        if _LEFTOVER.fullmatch(name):
            found = os.stat(name, dir_fd=handle, follow_symlinks=False)
            if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and found.st_mtime < before:
                os.unlink(name, dir_fd=handle)
