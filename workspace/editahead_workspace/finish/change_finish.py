"""One run of `finish`: the change is read, the index is brought up to date, and what the change lacks is found."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from editahead_inference.finish.commit_message import CommitMessage, compose_commit_message
from editahead_inference.finish.finisher import Finisher
from editahead_inference.finish.report import FinishReport
from editahead_inference.finish.witness import no_witness
from editahead_prompts.text.snapshot import Snapshot
from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.file_identity import path_from_folder
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_workspace import uris, user_dirs
from editahead_workspace.changes.read_change import ChangeRequest, find_source, read_change
from editahead_workspace.changes.workspace_change import WorkspaceChange
from editahead_workspace.codebase.current_index import open_codebase
from editahead_workspace.errors import ChangeError
from editahead_workspace.mined_rules.mined_history import repository_rules
from editahead_workspace.open_files import OpenFiles
from editahead_workspace.settings import Settings, load_settings

from .language_servers import LanguageServerWitness


@dataclass(frozen=True)
class EditorWorkspace:
    """What an editor has, beside the files on disk.

    Attributes:
        root: The workspace folder. Nothing outside of it is read, and its index is asked.
        settings: The settings that hold there.
        cache: The folder of all indexes.
        state: The folder of the user's secret.
        documents: The open documents. They count as they are, saved or not.
    """

    root: Path
    settings: Settings
    cache: Path
    state: Path
    documents: Sequence[Snapshot] = ()


@dataclass(frozen=True)
class FinishResult:
    """What a run found.

    Attributes:
        root: The workspace folder.
        change: The change.
        report: What it lacks.
        ms: How long the run took, in milliseconds.
        servers: The language servers that have answered.
        server_problems: Why others have not, as one sentence each.
    """

    root: Path
    change: WorkspaceChange
    report: FinishReport
    ms: float
    servers: tuple[str, ...] = ()
    server_problems: tuple[str, ...] = ()


def settings_of(root: Path) -> Settings:
    """Return the settings that hold in a workspace folder."""
    return load_settings(os.environ, None, [root], user_dirs.config_folder()).settings


def finish_change(
    folder: Path,
    request: ChangeRequest,
    here: Path,
    *,
    editor: EditorWorkspace | None = None,
    check: Callable[[], None] = lambda: None,
    on_progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> FinishResult:
    """Return what a change lacks.

    Args:
        folder: An absolute path in the workspace.
        request: Which change is meant.
        here: The folder in which a relative base is.
        editor: The editor that asks. None for the files on disk, and for the user's own folders and settings.
        check: Raises to cancel.
        on_progress: Called with what is done, how many parts are done, and of how many (0 = unknown).

    Raises:
        ChangeError: The change cannot be read.
        IndexNotReadyError: There is no index, and none can be built.
    """
    began = time.perf_counter()
    source = find_source(folder, request, here, check)
    settings = settings_of(source.root) if editor is None else editor.settings
    documents = () if editor is None else editor.documents
    within = None if editor is None else editor.root
    on_progress("reading the change", 0, 0)
    change = read_change(
        source, request, settings.exclude, settings.max_file_bytes, check, documents=documents, within=within
    )
    witness: LanguageServerWitness | None = None
    if not change.files:
        report = FinishReport((), (), (), 0)
    else:
        root = within or source.root
        opened = {uris.canonical_key(document.uri): document.uri for document in documents}
        with open_codebase(
            root,
            settings,
            cache=None if editor is None else editor.cache,
            state=None if editor is None else editor.state,
            is_open=OpenFiles(lambda: opened).find,
            check=check,
            on_progress=on_progress,
        ) as codebase:
            state = user_dirs.state_folder() if editor is None else editor.state
            rules = repository_rules(source.root, state) if (source.root / ".git").exists() else None
            if request.asks_servers:
                witness = LanguageServerWitness(root, change.files, codebase.snapshot, check)
            finisher = Finisher(codebase, repository=rules, witness=witness or no_witness)
            report = finisher.find(
                change.files,
                _readable(documents, root, settings),
                check=check,
                on_progress=lambda done, total: on_progress("searching", done, total),
            )
    ms = 1000 * (time.perf_counter() - began)
    if witness is None:
        return FinishResult(source.root, change, report, ms)
    return FinishResult(source.root, change, report, ms, tuple(witness.asked), tuple(witness.problems))


def compose_message(folder: Path, editor: EditorWorkspace) -> tuple[CommitMessage, str]:
    """Return a commit message, and what it is about: what is staged, or where nothing is, the files on disk.

    Args:
        folder: An absolute path in the workspace.
        editor: The editor that asks. Its documents do not count, because git commits what is saved.

    Raises:
        ChangeError: The change cannot be read, or nothing in it has a name.
    """
    settings = editor.settings
    for request in (ChangeRequest(is_staged=True), ChangeRequest()):
        source = find_source(folder, request, folder)
        change = read_change(source, request, settings.exclude, settings.max_file_bytes, within=editor.root)
        if change.files:
            break
    message = compose_commit_message(change.files, lambda uri: _path_from(uri, source.root))
    if message is None:
        what = "no rename, no repeated rewrite, and no file that was moved, added or deleted"
        raise ChangeError(
            f"nothing in the change has a name: {what}" if change.files else "nothing was changed"
        )
    return message, change.source


def _path_from(uri: str, root: Path) -> str:
    """Return the path of a file from a folder, with slashes."""
    path = uris.uri_to_path(uri)
    inner = None if path is None else path_from_folder(path, root)
    return uri if inner is None else inner.as_posix()


def _readable(documents: Sequence[Snapshot], root: Path, settings: Settings) -> list[Snapshot]:
    """Return the documents of a folder that are not excluded."""
    rules = ExclusionRules([root], IgnorePatterns(settings.exclude))
    paths = [(document, uris.uri_to_path(document.uri)) for document in documents]
    return [
        document
        for document, path in paths
        if path is not None and path_from_folder(path, root) is not None and rules.reason(path) is None
    ]
