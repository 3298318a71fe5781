"""The rules of one repository, with its place among the files of the editor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .rules import MinedRule


@dataclass(frozen=True)
class RepositoryRules:
    """The rules of a repository.

    Attributes:
        rules: The rules that are not off.
        path_of: Returns the path of a file from the root, with slashes, by its URI; None for one outside.
        uri_of: Returns the URI of a file by its path.
    """

    rules: Sequence[MinedRule]
    path_of: Callable[[str], str | None]
    uri_of: Callable[[str], str]
