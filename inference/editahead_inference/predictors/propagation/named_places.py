"""The places of a name in a document, and the types that have it as a member."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple, TypeAlias

from editahead_prompts.state import EditorState
from editahead_prompts.syntax.member_owners import HINT, related_types
from editahead_prompts.syntax.name_occurrences import Occurrence
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.identifiers import split_words
from editahead_prompts.text.scripts import spellings
from editahead_prompts.text.word_patterns import WordPattern

from .document_index import DocumentIndex

MODULE = 0
"""The binding of a name that no function defines."""
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


class Place(NamedTuple):
    """A place of a name: the 0-based line and column, and what the name is there."""

    line: int
    column: int
    occurrence: Occurrence


def matches_in(lines: Iterable[int], name: str, index: DocumentIndex) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the matches of a name in some lines of a document, each with its line; none of a line that is too wide."""
    for line in lines:
        if len(index.bodies[line]) <= MAX_WIDTH:
            yield from ((line, match) for match in whole_word(name).finditer(index.bodies[line]))


def occurrence_at(line: int, column: int, name: str, index: DocumentIndex, trees: SyntaxTrees) -> Occurrence:
    """Return what a name is at a 0-based line and column."""
    at = index.snapshot.starts[line] + column
    return trees.occurrence(index.snapshot, at, at + len(name))


def places_in(lines: Iterable[int], name: str, index: DocumentIndex, trees: SyntaxTrees) -> Iterator[Place]:
    """Yield the places of a name in some lines of a document."""
    for line, match in matches_in(lines, name, index):
        yield Place(line, match.start(), occurrence_at(line, match.start(), match[0], index, trees))


def occurrences_of(name: str, index: DocumentIndex, trees: SyntaxTrees, max_lines: int) -> list[Occurrence]:
    """Return the occurrences of a name on the first lines of a document that have it."""
    lines = index.lines_with(name)[:max_lines]
    return [place.occurrence for place in places_in(lines, name, index, trees)]


def has_parameter(function: str, name: str, index: DocumentIndex, trees: SyntaxTrees, max_lines: int) -> bool:
    """Return whether a function, or the constructor of a type, has a parameter of a name."""
    found = occurrences_of(name, index, trees, max_lines)
    return any(one.defines and one.role == "plain" and one.owner == function for one in found)


def start_of(line: int, index: DocumentIndex, trees: SyntaxTrees) -> Occurrence:
    """Return the occurrence of what a line begins with, for the functions and scopes around it."""
    at = index.snapshot.starts[line] + len(index.indent(line))
    return trees.occurrence(index.snapshot, at, at + 1)


def function_at(line: int, index: DocumentIndex, trees: SyntaxTrees) -> int:
    """Return the node id of the innermost function around the start of a line; `MODULE` without one."""
    functions = start_of(line, index, trees).functions
    return functions[0] if functions else MODULE


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
    places = places_in(index.lines_with(name)[:_MAX_LINES], name, index, trees)
    return any(place.occurrence.imports for place in places)


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
    owning: set[str] = set()
    for index in islice(indexes, _MAX_DOCUMENTS):
        owners = {
            found.owner
            for found in occurrences_of(name, index, trees, _MAX_LINES)
            if found.role == "member" and found.owner and not found.owner.startswith(HINT)
        } - {owner}
        related = kin | related_types(index.snapshot.text) if owners else kin
        owning |= {one for one in owners if (owner, one) not in related}
    return frozenset(owning)


def may_be_called(receiver: str, owner: str) -> bool:
    """Return whether a receiver's name says that it is of a type: a word of it, or its first letters."""
    words, own = split_words(receiver), split_words(owner)
    initials = "".join(word[0] for word in own)
    return bool(set(words) & set(own)) or any(
        word in (own[0], initials) or any(part.startswith(word) for part in own if len(word) <= 4)
        for word in words
    )
