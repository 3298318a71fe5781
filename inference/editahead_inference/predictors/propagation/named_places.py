"""The places of a name in a document, and the types that have it as a member."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import islice
from typing import TypeAlias

from editahead_prompts.state import EditorState
from editahead_prompts.syntax.member_owners import HINT, related_types
from editahead_prompts.syntax.name_occurrences import Occurrence
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.identifiers import split_words
from editahead_prompts.text.scripts import spellings
from editahead_prompts.text.word_patterns import WordPattern

from .document_index import DocumentIndex

MAX_WIDTH = 4000
"""Characters of a line whose names are classified. A longer line is generated."""
_MAX_PATTERNS = 1024
"""Patterns of names that are cached."""
_MAX_DOCUMENTS = 8
"""Documents in which types are looked for."""
_MAX_LINES = 40
"""Lines of a document with the name. Each one costs a look at the syntax tree."""

OtherIndexes: TypeAlias = Callable[[], Iterable[DocumentIndex]]
"""A function that returns the indexes of the other documents that are searched."""


@lru_cache(_MAX_PATTERNS)
def whole_word(name: str) -> WordPattern:
    """Compile a pattern that matches the name as a whole word, however its accents are written."""
    return WordPattern(rf"(?<!\w)(?:{'|'.join(map(re.escape, spellings(name)))})(?!\w)")


def occurrences_of(name: str, index: DocumentIndex, trees: SyntaxTrees, max_lines: int) -> list[Occurrence]:
    """Return the occurrences of a name on the first lines of a document that have it."""
    snapshot = index.snapshot
    found: list[Occurrence] = []
    for line in index.lines_with(name)[:max_lines]:
        if len(index.bodies[line]) > MAX_WIDTH:
            continue
        for match in whole_word(name).finditer(index.bodies[line]):
            at = snapshot.starts[line] + match.start()
            found.append(trees.occurrence(snapshot, at, at + len(match[0])))
    return found


def other_indexes(
    state: EditorState, index: DocumentIndex, home: Callable[[str], DocumentIndex | None]
) -> OtherIndexes:
    """Return a function that returns the indexes of a state's documents other than that of `index`."""

    def others() -> Iterable[DocumentIndex]:
        for document in (state.document, *state.other_documents, *state.closed_documents):
            found = home(document.uri) if document.uri != index.snapshot.uri else None
            if found is not None:
                yield found

    return others


def knows_name(name: str, index: DocumentIndex, other: DocumentIndex, trees: SyntaxTrees) -> bool:
    """Return whether a document knows a name of another one: it imports the name, or both are of one Go package."""
    ours, theirs = index.snapshot, other.snapshot
    if ours.language == "go":
        return posixpath.dirname(ours.uri) == posixpath.dirname(theirs.uri)
    return any(
        trees.occurrence(ours, at, at + len(name)).imports
        for line in index.lines_with(name)[:_MAX_LINES]
        for match in whole_word(name).finditer(index.bodies[line][:MAX_WIDTH])
        if (at := ours.starts[line] + match.start()) >= 0
    )


def other_owners(
    name: str,
    owner: str,
    kin: frozenset[tuple[str, str]],
    indexes: Iterable[DocumentIndex],
    trees: SyntaxTrees,
) -> frozenset[str]:
    """Return the types that have a member of a name as the text shows, but for one type and those related to it.

    Args:
        name: The member.
        owner: The type that is left out.
        kin: Pairs of related types, in both orders. What the documents say of types adds to them.
        indexes: The indexes of the documents.
        trees: The syntax trees of all documents.
    """
    found: set[str] = set()
    for index in islice(indexes, _MAX_DOCUMENTS):
        if not index.lines_with(name):
            continue
        owners = {
            occurrence.owner
            for occurrence in occurrences_of(name, index, trees, _MAX_LINES)
            if occurrence.role == "member" and occurrence.owner and not occurrence.owner.startswith(HINT)
        } - {owner}
        related = kin | related_types(index.snapshot.text) if owners else kin
        found |= {one for one in owners if (owner, one) not in related}
    return frozenset(found)


def may_be_called(receiver: str, owner: str) -> bool:
    """Return whether a receiver's name says that it is of a type: a word of it, or its first letters."""
    words, own = split_words(receiver), split_words(owner)
    initials = "".join(word[0] for word in own)
    return bool(set(words) & set(own)) or any(
        word in (own[0], initials) or any(part.startswith(word) for part in own if len(word) <= 4)
        for word in words
    )
