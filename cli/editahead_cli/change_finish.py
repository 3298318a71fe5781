"""One run of `finish`: the change is read, the index is brought up to date, and what the change lacks is found."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from editahead_inference.finish.finisher import Finisher
from editahead_inference.finish.report import FinishReport
from editahead_lsp import user_dirs
from editahead_lsp.finish.read_change import ChangeRequest, find_source, read_change
from editahead_lsp.finish.workspace_change import WorkspaceChange
from editahead_lsp.settings import Settings, load_settings

from .indexed_workspace import open_codebase


@dataclass(frozen=True)
class FinishResult:
    """What a run found.

    Attributes:
        root: The workspace folder.
        change: The change.
        report: What it lacks.
        ms: How long the run took, in milliseconds.
    """

    root: Path
    change: WorkspaceChange
    report: FinishReport
    ms: float


def settings_of(root: Path) -> Settings:
    """Return the settings that hold in a workspace folder."""
    return load_settings(os.environ, None, [root], user_dirs.config_folder()).settings


def finish_change(
    folder: Path,
    request: ChangeRequest,
    here: Path,
    *,
    check: Callable[[], None] = lambda: None,
    on_progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> FinishResult:
    """Return what a change lacks.

    Args:
        folder: An absolute path in the workspace.
        request: Which change is meant.
        here: The folder in which a relative base is.
        check: Raises to cancel.
        on_progress: Called with what is done, how many parts are done, and of how many (0 = unknown).

    Raises:
        ChangeError: The change cannot be read.
        IndexNotReadyError: There is no index, and none can be built.
    """
    began = time.perf_counter()
    source = find_source(folder, request, here, check)
    settings = settings_of(source.root)
    on_progress("reading the change", 0, 0)
    change = read_change(source, request, settings.exclude, settings.max_file_bytes, check)
    if not change.files:
        report = FinishReport((), (), (), 0)
    else:
        with open_codebase(source.root, settings, check=check, on_progress=on_progress) as codebase:
            report = Finisher(codebase).find(
                change.files,
                check=check,
                on_progress=lambda done, total: on_progress("searching", done, total),
            )
    return FinishResult(source.root, change, report, 1000 * (time.perf_counter() - began))
