"""The first answer to a search in a folder without an index: that of the team, where the settings name one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from editahead_retrieval.errors import EncoderError, IndexUnusableError, TeamIndexError
from editahead_retrieval.files.walk import Walk
from editahead_retrieval.search.code_search import SearchScope
from editahead_workspace import user_dirs
from editahead_workspace.settings import Settings
from editahead_workspace.user_secret import load_or_create_user_secret

from .current_index import is_whole
from .search_encoder import SearchEncoder
from .workspace_codebase import IndexedFolder
from .workspace_search import FolderTexts, FoundPlace

RETRY_S = 300.0
"""Seconds for which a team that was asked in vain is left alone."""


@dataclass(frozen=True)
class TeamAnswer:
    """What a team answers.

    Attributes:
        answer: The places, the best first; None where the folder's own index has to answer.
        notice: What a person should know about that, as sentences; "" for nothing.
        has_failed: Whether the team was asked in vain.
    """

    answer: Sequence[FoundPlace] | None = None
    notice: str = ""
    has_failed: bool = False


class TeamAnswers:
    """The answers of a team to one client. A team that was asked in vain is left alone for some time.

    Args:
        clock: Returns monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._next: dict[Path, float] = {}

    def find(self, folder: IndexedFolder, settings: Settings, find: Callable[[], TeamAnswer]) -> TeamAnswer:
        """Return the team's answer for a workspace folder.

        Args:
            folder: The workspace folder.
            settings: The settings that hold there.
            find: Asks the team.
        """
        if settings.team_index is None or self._clock() < self._next.get(folder.root, 0.0):
            return TeamAnswer()
        answer = find()
        if answer.has_failed:
            self._next[folder.root] = self._clock() + RETRY_S
        return answer


def find_first_answer(
    folder: IndexedFolder,
    settings: Settings,
    text: str,
    limit: int,
    *,
    within: Path,
    encoder: SearchEncoder,
    open_texts: Callable[[str], str | None] = lambda uri: None,
    check: Callable[[], None] = lambda: None,
) -> TeamAnswer:
    """Return the team's answer to a question, where the folder has no whole index of its own.

    Args:
        folder: The workspace folder and its own index.
        settings: The settings that hold there.
        text: The question.
        limit: The number of results at most.
        within: The folder to search.
        encoder: The encoder of the question.
        open_texts: Returns the text of an open document by its URI; None if the document is not open.
        check: Raises to cancel.
    """
    if settings.team_index is None:
        return TeamAnswer()
    if encoder.encoder is None or is_whole(folder.database):
        return TeamAnswer()
    root, secret = folder.root, load_or_create_user_secret(user_dirs.state_folder())
    from editahead_retrieval.team.first_search import FirstSearch
    from editahead_retrieval.team.opening import open_team

    key_env, password_env = settings.team_index_key_env or "", settings.team_index_password_env or ""
    walk = Walk(root, folder.rules, settings.max_file_bytes)
    texts = FolderTexts(folder, settings.max_file_bytes, open_texts, check)
    scope = SearchScope("" if within == root else f"{within.relative_to(root).as_posix()}/")
    try:
        server, key = open_team(settings.team_index, key_env, password_env, encoder.encoder.name)
        try:
            clone = key.name_clone(str(root), secret)
            search = FirstSearch(
                walk, settings.index_max_files, server, key, encoder.encoder, clone, texts.read, check
            )
            answer = search.search(text, limit, scope)
        finally:
            server.close()
    except TeamIndexError as error:
        return TeamAnswer(notice=f"The search is without the team: {error}.", has_failed=True)
    except (EncoderError, IndexUnusableError):
        return TeamAnswer()
    if answer is None:
        return TeamAnswer(notice="The team's index knows too little of this clone.", has_failed=True)
    places = [FoundPlace(root, result) for result in answer.results]
    return TeamAnswer(
        places,
        "This folder has no whole index: the answers come from the team's, which knows "
        f"{answer.known} of {answer.contents} contents, and from a look at the words. "
        "`editahead index build` builds its own.",
    )
