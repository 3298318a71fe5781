"""The recovery from a killed process: its renames are finished, or else taken back."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from .folders import FolderHandles
from .journal import Journal, find_abandoned
from .transaction import clear_all, take_back_all


def recover(roots: Sequence[Path], journals: Path) -> list[str]:
    """Finish or take back every transaction whose process has died, and that is within the roots.

    Args:
        roots: The workspace folders. Other files are left alone.
        journals: The folder of the journals.

    Returns:
        One sentence for each transaction that had begun to change files.
    """
    real_roots = [os.path.realpath(root) for root in roots]
    messages: list[str] = []
    for journal in find_abandoned(journals):
        settled = False
        try:
            if _is_within(journal, real_roots):
                with FolderHandles() as folders:
                    messages += _settle(journal, folders)
                settled = True
        except OSError as error:
            messages.append(
                f"an interrupted change of {_count(journal)} could not be finished: {error.strerror or error}"
            )
        finally:
            journal.close(remove=settled)
    return messages


def _settle(journal: Journal, folders: FolderHandles) -> Iterator[str]:
    plan = journal.plan
    if journal.state == "staging":
        clear_all(plan, folders)
        return
    if journal.state == "committed":
        pending = [step for step in plan.steps if not step.is_done(folders)]
        if all(step.can_be_done(folders) for step in pending):
            for step in pending:
                step.put(folders)
            folders.flush()
            journal.advance("done")
            yield f"finished an interrupted change of {_count(journal)}"
        else:
            journal.advance("taking back")
    if journal.state == "done":
        for step in plan.steps:
            step.clear(folders)
        return
    undone = take_back_all(plan, folders)
    if undone.failed:
        raise OSError(0, f"{undone.failed[0]} could not be restored")
    yield f"took back an interrupted change of {_count(journal)}"
    for step in undone.kept:
        yield f"{step} was changed meanwhile and is left as it is; the text before is in {step.kept_name}"


def _is_within(journal: Journal, roots: Sequence[str]) -> bool:
    plan = journal.plan
    paths = [*(Path(str(step)) for step in plan.steps), *(Path(root, path) for root, path in plan.folders)]
    return all(any(path.is_relative_to(root) for root in roots) for path in paths)


def _count(journal: Journal) -> str:
    number = len(journal.plan.steps)
    return f"{number} file{'s' if number > 1 else ''}"
