"""What somebody who knows the code better says of deleted names: a language server, as it was before the change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from editahead_prompts.text.snapshot import Snapshot

from .deleted_names import DeletedName

Place: TypeAlias = tuple[str, int, int]
"""A use of a name: the file, and the 0-based line and column of its present text."""
NamedUses: TypeAlias = Mapping[tuple[str, int, int], frozenset[Place]]
"""All uses in code of the names that a witness knows, by `key_of`."""
Witness: TypeAlias = Callable[[Sequence[DeletedName], Sequence[Snapshot]], NamedUses]
"""Returns what it knows of some names, given the files that have these names."""


def no_witness(deleted: Sequence[DeletedName], documents: Sequence[Snapshot]) -> NamedUses:
    """Return no uses of any name."""
    return {}


def key_of(deleted: DeletedName) -> tuple[str, int, int]:
    """Return what tells one deleted name from another: its file, and where it was."""
    return deleted.origin.uri, deleted.old.line, deleted.old.column
