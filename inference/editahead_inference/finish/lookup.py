"""The files that are not open in which a change may go on, from the index of the codebase."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from editahead_inference.closed_documents import Query, find_importers, queries_of
from editahead_inference.codebase import Codebase
from editahead_prompts.state import MovedFile, PastEdit
from editahead_prompts.text.snapshot import Snapshot

from .names import ReplacedName

MAX_FILES = 80
"""Files that are searched besides those of the change: those that the most look-ups find."""
MAX_FOUND = 100
"""Files of one look-up. Tokens of more files lead nowhere."""
MAX_QUERIES = 100
"""Look-ups of one change."""
MAX_EDIT_QUERIES = 8
"""Look-ups of one edit."""
MAX_CHARS = 400_000
"""Characters of a file that is searched."""


def files_to_search(
    codebase: Codebase,
    edits: Sequence[PastEdit],
    names: Sequence[ReplacedName],
    moves: Sequence[MovedFile],
    known: frozenset[str],
    check: Callable[[], None],
) -> list[Snapshot]:
    """Return the files in which a change may go on.

    Args:
        codebase: The index.
        edits: The edits of the change.
        names: The names that they replaced.
        moves: The files that the change moved.
        known: URIs of files that are searched anyway.
        check: Raises `Cancelled` if the result is no longer wanted.
    """
    votes: Counter[str] = Counter()
    for moved in moves:
        votes.update(uri for uri in find_importers(codebase, moved, check) if uri not in known)
    for query, near in islice(_queries(edits, names), MAX_QUERIES):
        check()
        look_up = codebase.files_containing if isinstance(query, str) else codebase.files_with
        found = [uri for uri in look_up(query, MAX_FOUND + 1, near) if uri not in known]  # type: ignore[arg-type]  # each gets its kind
        if len(found) <= MAX_FOUND:
            votes.update(found)
    return list(islice(_small(codebase, votes, check), MAX_FILES))


def _small(codebase: Codebase, votes: Counter[str], check: Callable[[], None]) -> Iterator[Snapshot]:
    """Yield the files that are not too large, those with the most votes first."""
    for uri, _ in votes.most_common():
        check()
        snapshot = codebase.snapshot(uri)
        if snapshot is not None and snapshot.length <= MAX_CHARS:
            yield snapshot


def _queries(edits: Sequence[PastEdit], names: Sequence[ReplacedName]) -> Iterator[tuple[Query, str]]:
    """Yield each look-up once, with the file to which the answer should be near."""
    seen: set[Query] = set()
    for name in names:
        if name.tokens and name.tokens not in seen:
            seen.add(name.tokens)
            yield name.tokens, name.edits[0].uri if name.edits else ""
    for edit in edits:
        for query in islice(queries_of(edit), MAX_EDIT_QUERIES):
            if query not in seen:
                seen.add(query)
                yield query, edit.uri
