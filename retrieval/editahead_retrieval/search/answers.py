"""Answers for people and agents: the lines of a candidate that matter, and why it is one, in words."""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from editahead_prompts.syntax.symbols import Role
from editahead_prompts.text.identifiers import WORD, search_words, split_words
from editahead_prompts.text.indentation import indentation_length
from editahead_prompts.text.scripts import compose, fold, is_unspaced, unspaced_runs

from . import path_kinds
from .features import MAX_NAMES, Candidate, Definition
from .places import FileText, Place
from .question import MAX_LITERAL, MIN_LITERAL, Question

MAX_MATCHING_LINES = 5
"""Matching lines of a result, the best ones."""
_INSIDE = 0.5
"""What a word counts for a line that has it inside of another one."""
_LONGEST_PART = 30
"""Characters of a part of a run that is named in a reason."""
NEAR_RANK = 20
"""The last rank by meaning that is a reason to name."""
_DECORATION = ("@", "#", "//", "/*", "*", "///", "--", "[")


@dataclass(frozen=True)
class SearchResult:
    """A place that answers a question.

    Attributes:
        path: The path of the file from the root, with slashes.
        line: The 0-based first line.
        end_line: The line after the last one.
        score: From 0 to 1; higher is better, comparable within one answer only.
        text: The lines, with spaces in place of secrets.
        matches: The 0-based lines of the file that match best, in order.
        why: Why the place is a result, the strongest reason first.
    """

    path: str
    line: int
    end_line: int
    score: float
    text: str
    matches: tuple[int, ...]
    why: tuple[str, ...]


def make_result(
    connection: sqlite3.Connection, question: Question, candidate: Candidate, rarity: Mapping[str, float]
) -> SearchResult:
    """Return a candidate as a result: of a chunk of several declarations, the one that matches best.

    Args:
        connection: The index.
        question: The question.
        candidate: The candidate.
        rarity: What each word counts by its rarity.
    """
    text, place = candidate.text, candidate.place
    scores = _line_scores(question, candidate, rarity)
    best = max(range(place.line, place.end_line), key=lambda line: (scores[line], -line))
    shown = _declaration(connection, text, place, best)
    order = sorted(range(shown.line, shown.end_line), key=lambda line: (-scores[line], line))
    matches = [
        line for line in order[:MAX_MATCHING_LINES] if scores[line] >= scores[best] / 4 and scores[line] > 0
    ]
    return SearchResult(
        place.path,
        shown.line,
        shown.end_line,
        candidate.score,
        "".join(text.shown_lines[shown.line : shown.end_line]),
        tuple(sorted(matches or [shown.line])),
        tuple(_reasons(question, candidate, shown, rarity)),
    )


def _line_scores(question: Question, candidate: Candidate, rarity: Mapping[str, float]) -> dict[int, float]:
    """Return how well each line of a candidate matches."""
    place, lines = candidate.place, candidate.text.lines
    defined = {found.line: _definition_score(question, found, rarity) for found in candidate.definitions}
    literals, inside = list(map(fold, question.literals)), _words_inside(question, candidate)
    signs = {word.text for word in question.words if len(word.text) == 1 and is_unspaced(word.text)}
    scores: dict[int, float] = {}
    for line in range(place.line, place.end_line):
        text = lines[line]
        folded = fold(text)
        parts = {part for name in WORD.findall(text) for part in search_words(name)} | signs.intersection(
            folded
        )
        score = sum(
            rarity[word.text] * max(word.forms[form] for form in parts & word.forms.keys())
            for word in question.words
            if not parts.isdisjoint(word.forms)
        )
        score += sum(10.0 for piece in literals if piece in folded)
        score += sum(_INSIDE * rarity[word] for word in inside if word in folded)
        scores[line] = score + defined.get(line, 0.0)
    return scores


def _words_inside(question: Question, candidate: Candidate) -> list[str]:
    """Return the words of a question that a candidate has inside of longer words, where it has none as a word."""
    if candidate.found:
        return []
    text = fold(candidate.text.text_of(candidate.place))
    return [word.text for word in question.words if len(word.text) >= MIN_LITERAL and word.text in text]


def _definition_score(question: Question, definition: Definition, rarity: Mapping[str, float]) -> float:
    parts = search_words(definition.name)
    matched = [word.text for word in question.words if not word.forms.keys().isdisjoint(parts)]
    return sum(rarity[word] for word in matched) * (
        2.0 if compose(definition.name) in map(compose, question.names) else 1.0
    )


def _declaration(connection: sqlite3.Connection, text: FileText, place: Place, line: int) -> Place:
    """Return the declaration around a line, with the comments above it, within a place; the place if there is none."""
    starts = sorted(set(_defining_lines(connection, text, place)))
    above = [start for start in starts if start <= line and _indent(text, start) <= _indent(text, line)]
    if not above:
        return place
    start = above[-1]
    following = (other for other in starts if other > start and _indent(text, other) <= _indent(text, start))
    end = next(following, None)
    end = place.end_line if end is None else _first_of(text, end, start + 1)
    while end > start + 1 and not text.lines[end - 1].strip():
        end -= 1
    return Place(place.path, _first_of(text, start, place.line), end) if line < end else place


def _defining_lines(connection: sqlite3.Connection, text: FileText, place: Place) -> Sequence[int]:
    """Return the lines of a place that define a function or a type, as far as the index knows this text."""
    names = sorted(set(WORD.findall(text.text_of(place))))[:MAX_NAMES]
    marks = ",".join("?" * len(names))
    rows = connection.execute(
        "SELECT line, kind.name FROM symbol JOIN kind ON kind.id = symbol.kind"
        " WHERE content = (SELECT id FROM content WHERE hash = ? AND language = ?) AND roles & ?"
        f" AND symbol.name IN ({marks})",
        (text.content_hash, text.language, int(Role.DEFINITION), *names),
    )
    return [
        line
        for line, kind in rows
        if place.line <= line < place.end_line and not kind.startswith(("assignment", "variable", "field"))
    ]


def _first_of(text: FileText, line: int, min_line: int) -> int:
    """Return the first line of the comments and decorators above a line."""
    while line > min_line and text.lines[line - 1].strip().startswith(_DECORATION):
        line -= 1
    return line


def _indent(text: FileText, line: int) -> int:
    content = text.lines[line]
    return indentation_length(content) if content.strip() else 1_000


def _reasons(
    question: Question, candidate: Candidate, shown: Place, rarity: Mapping[str, float]
) -> list[str]:
    text = fold(candidate.text.text_of(candidate.place))
    whole = [piece for piece in question.literals if fold(piece) in text]
    whole += [word for word in _words_inside(question, candidate) if word not in map(fold, whole)]
    words = sorted(candidate.found, key=lambda word: -rarity[word])
    mentioned = [candidate.found[word][0] for word in words if not is_unspaced(word)]
    mentioned += _mentioned_runs(question, text, set(map(fold, whole)))
    in_path = _words_in_path(question, candidate.place.path)
    return [
        *_definition_reason(question, candidate, shown, rarity),
        *(f'has "{piece}"' for piece in whole),
        *([f"mentions {', '.join(mentioned)}"] if mentioned else ()),
        *([f"path has {', '.join(in_path)}"] if in_path else ()),
        *(["near in meaning"] if candidate.ranks.get("vectors", NEAR_RANK + 1) <= NEAR_RANK else ()),
        *(["a test"] if path_kinds.is_test(candidate.place.path) else ()),
    ]


def _definition_reason(
    question: Question, candidate: Candidate, shown: Place, rarity: Mapping[str, float]
) -> list[str]:
    """Return the definition in the shown lines that the question asks for most, as a reason; none without one."""
    here = [found for found in candidate.definitions if shown.line <= found.line < shown.end_line]
    scores = {found: _definition_score(question, found, rarity) for found in here}
    best = min(here, key=lambda found: (-scores[found], found.line), default=None)
    if best is None or scores[best] <= 0:
        return []
    inside = f" in {best.container}" if best.container else ""
    return [f"defines {best.name}{inside}"]


def _words_in_path(question: Question, path: str) -> list[str]:
    """Return the words of a path that the question has in some form."""
    forms = {form for word in question.words for form in word.forms}
    parts = dict.fromkeys(split_words(path.replace("/", "_").replace(".", "_")))
    return [part for part in parts if not forms.isdisjoint(search_words(part))]


def _mentioned_runs(question: Question, text: str, whole: Container[str]) -> Iterator[str]:
    """Yield the longest parts that a text has of the question's runs of a script without spaces, but not whole runs.

    Args:
        question: The question.
        text: The text as search compares it.
        whole: The runs that are there as a whole.
    """
    for run, is_run in unspaced_runs(fold(question.text[:MAX_LITERAL])):
        at = 0 if is_run and run not in whole else len(run)
        while at < len(run):
            longest, shortest = min(len(run), at + _LONGEST_PART), at + min(len(run), 2)
            ends = (end for end in range(longest, shortest - 1, -1) if run[at:end] in text)
            end = next(ends, at)
            if end > at:
                yield run[at:end]
            at = max(end, at + 1)
