"""The first answer to a search in a folder without an index: that of the team, where the settings name one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from editahead_lsp import user_dirs
from editahead_lsp.settings import Settings
from editahead_lsp.user_secret import load_or_create_user_secret
from editahead_retrieval.errors import EncoderError, IndexUnusableError, TeamIndexError
from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.files.walk import Walk
from editahead_retrieval.index import location
from editahead_retrieval.search.code_search import SearchScope

from .current_index import is_whole
from .search_encoder import open_search_encoder
from .workspace_search import FoundPlace


@dataclass(frozen=True)
class TeamAnswer:
    """What a team answers.

    Attributes:
        answer: The places, the best first; None where the folder's own index has to answer.
        notice: What a person should know about that, as sentences; "" for nothing.
    """

    answer: Sequence[FoundPlace] | None = None
    notice: str = ""


def find_first_answer(
    root: Path,
    settings: Settings,
    text: str,
    limit: int,
    *,
    within: Path,
    check: Callable[[], None] = lambda: None,
) -> TeamAnswer:
    """Return the team's answer to a question, where the folder has no whole index of its own.

    Args:
        root: The workspace folder.
        settings: The settings that hold there.
        text: The question.
        limit: The number of results at most.
        within: The folder to search.
        check: Raises to cancel.
    """
    if settings.team_index is None:
        return TeamAnswer()
    secret = load_or_create_user_secret(user_dirs.state_folder())
    folder = location.index_folder(user_dirs.index_folder(), root, secret)
    encoder = open_search_encoder(settings).encoder
    if encoder is None or is_whole(folder / location.DATABASE):
        return TeamAnswer()
    from editahead_retrieval.team.first_search import FirstSearch
    from editahead_retrieval.team.opening import open_team

    key_env, password_env = settings.team_index_key_env or "", settings.team_index_password_env or ""
    walk = Walk(root, ExclusionRules([root], IgnorePatterns(settings.exclude)), settings.max_file_bytes)
    scope = SearchScope("" if within == root else f"{within.relative_to(root).as_posix()}/")
    try:
        server, key = open_team(settings.team_index, key_env, password_env, encoder.name)
        try:
            clone = key.name_clone(str(root), secret)
            search = FirstSearch(walk, settings.index_max_files, server, key, encoder, clone, check)
            answer = search.search(text, limit, scope)
        finally:
            server.close()
    except TeamIndexError as error:
        return TeamAnswer(notice=f"The search is without the team: {error}.")
    except (EncoderError, IndexUnusableError):
        return TeamAnswer()
    if answer is None:
        return TeamAnswer(notice="The team's index knows too little of this clone.")
    places = [FoundPlace(root, result) for result in answer.results]
    return TeamAnswer(
        places,
        "This folder has no whole index: the answers come from the team's, which knows "
        f"{answer.known} of {answer.contents} contents, and from a look at the words. "
        "`editahead index build` builds its own.",
    )
