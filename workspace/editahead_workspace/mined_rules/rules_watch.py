"""The mined rules of the workspace's repositories inside the server, read again when their files change."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_workspace.errors import ChangeError

if TYPE_CHECKING:
    from editahead_inference.mined_rules.repository import RepositoryRules

log = logging.getLogger(__name__)

Stamps = dict[Path, tuple[int, int]]
"""The time and size of each file of rules, by the root of its repository."""


class RulesWatch:
    """What the server knows of mined rules. Call its methods on the event loop.

    Args:
        state: The folder of the user's state.
        read_off_loop: Calls a function off the event loop, and another with its result on it.
        use: Takes the rules of all repositories when they have changed.
    """

    def __init__(
        self,
        state: Path,
        read_off_loop: Callable[
            [
                Callable[[], tuple[Stamps, list[RepositoryRules]] | None],
                Callable[[tuple[Stamps, list[RepositoryRules]] | None], None],
            ],
            None,
        ],
        use: Callable[[Sequence[RepositoryRules]], None],
    ) -> None:
        self._state, self._read_off_loop, self._use = state, read_off_loop, use
        self._folders: tuple[Path, ...] = ()
        self._stamps: Stamps = {}

    def look(self, folders: Sequence[Path] | None = None) -> None:
        """Read the rules again if their files have changed.

        Args:
            folders: The workspace folders; None = as before.
        """
        if folders is not None:
            self._folders = tuple(folders)
        if self._folders:
            known, wanted = self._stamps, self._folders
            self._read_off_loop(lambda: _read(self._state, wanted, known), self._set)

    def _set(self, found: tuple[Stamps, list[RepositoryRules]] | None) -> None:
        if found is not None:
            self._stamps = found[0]
            self._use(found[1])


def _read(state: Path, folders: Sequence[Path], known: Stamps) -> tuple[Stamps, list[RepositoryRules]] | None:
    """Return the rules of all repositories that are workspace folders; None if no file has changed."""
    from .mined_history import repository_rules
    from .rules_file import rules_path

    if not state.is_dir():
        return None
    stamps: Stamps = {}
    for root in folders:
        if (root / ".git").exists():
            try:
                found = rules_path(root, state).stat()
            except OSError:
                continue
            stamps[root] = found.st_mtime_ns, found.st_size
    if stamps == known:
        return None
    rules: list[RepositoryRules] = []
    for root in stamps:
        try:
            one = repository_rules(root, state)
        except ChangeError as error:
            log.warning("%s", error)
            continue
        if one is not None:
            rules.append(one)
    return stamps, rules
