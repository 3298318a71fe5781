"""A search from outside of an editor: in a folder, with an index that is first brought up to date as far as time allows."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from editahead_retrieval.errors import IndexUnusableError
from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.git_repository import find_repository
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.index import location
from editahead_retrieval.index.reader import IndexReader
from editahead_workspace import user_dirs
from editahead_workspace.errors import IndexNotReadyError
from editahead_workspace.settings import load_settings
from editahead_workspace.user_secret import load_or_create_user_secret

from .current_index import CurrentIndex, open_index
from .search_encoder import open_search_encoder
from .team_search import find_first_answer
from .workspace_codebase import IndexedFolder
from .workspace_search import FoundPlace, WorkspaceSearch

BUILD_S = 60.0
"""Seconds after which a search takes an index as far as it is built."""


@dataclass(frozen=True)
class SearchAnswer:
    """The answer to a search.

    Attributes:
        root: The workspace folder.
        places: The places that answer the question, the best first.
        notice: What the places lack, as a sentence for a person; "" if the index is whole.
    """

    root: Path
    places: Sequence[FoundPlace]
    notice: str


def search_folder(
    folder: Path,
    text: str,
    limit: int,
    *,
    build_s: float = BUILD_S,
    check: Callable[[], None] = lambda: None,
    on_progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> SearchAnswer:
    """Search a folder.

    The index is that of the repository around the folder, or the folder's own where there is no repository.

    Args:
        folder: An absolute path.
        text: The question.
        limit: The number of results at most.
        build_s: Seconds after which the index is taken as far as it is built.
        check: Raises to cancel.
        on_progress: Called with what is done, how many files are done, and of how many.

    Raises:
        IndexNotReadyError: There is no folder, git ignores it, or there is no index and none can be built.
    """
    if not folder.is_dir():
        raise IndexNotReadyError(f"{folder} is no folder")
    root = _workspace_root(folder)
    settings = load_settings(os.environ, None, [root], user_dirs.config_folder()).settings
    encoder = open_search_encoder(settings)
    own = location.index_folder(
        user_dirs.index_folder(), root, load_or_create_user_secret(user_dirs.state_folder())
    )
    rules = ExclusionRules([root], IgnorePatterns(settings.exclude))
    indexed = IndexedFolder(root, own / location.DATABASE, rules)
    first = find_first_answer(indexed, settings, text, limit, within=folder, encoder=encoder, check=check)
    if first.answer is not None:
        return SearchAnswer(root, first.answer, first.notice)
    with open_index(root, settings, build_s=build_s, check=check, on_progress=on_progress) as current:
        notice = _notice(current)
        problems: list[str] = []
        search = WorkspaceSearch()
        try:
            found = search.search(
                [current.folder],
                text,
                limit,
                max_file_bytes=settings.max_file_bytes,
                within=folder,
                check=check,
                encoder=encoder,
                on_problem=problems.append,
            )
        finally:
            search.close()
    notices = [notice, *(f"The search is by words only: {problem}." for problem in problems)]
    return SearchAnswer(root, found, " ".join(filter(None, [*notices, first.notice])))


def _workspace_root(folder: Path) -> Path:
    """Return the repository around a folder; the folder itself without one.

    Raises:
        IndexNotReadyError: Git ignores the folder.
    """
    repository = find_repository(folder)
    if repository is None or repository.root == folder:
        return folder
    rules, path = ExclusionRules([repository.root], IgnorePatterns(())), folder.relative_to(repository.root)
    places = [path, *path.parents][:-1]
    if any(rules.excludes_entry(repository.root, place.as_posix(), is_folder=True) for place in places):
        raise IndexNotReadyError(f"git ignores {folder}, so its files are not read")
    return repository.root


def _notice(current: CurrentIndex) -> str:
    """Return what an index lacks.

    Raises:
        IndexNotReadyError: There is nothing to search.
    """
    reader = IndexReader(current.folder.database)
    try:
        files, is_limited = reader.counts().files, reader.meta().get("isLimited")
    except IndexUnusableError as error:
        raise IndexNotReadyError(f"there is nothing to search: {current.report.detail or error}") from None
    finally:
        reader.close()
    if current.is_whole:
        return "The folder has more files than are indexed (`index_max_files`)." if is_limited else ""
    if current.has_server:
        return (
            f"A running server still builds the index: the answers are from {files} files. "
            "`editahead index status` tells when it is done."
        )
    if current.report.state in ("full", "failed"):
        return f"The answers are from {files} files only: {current.report.detail}."
    left = current.report.total - current.report.done
    return (
        f"The index is not whole yet: the answers are from {files} files, and {left} are still to be read. "
        "`editahead index build` goes on."
    )
