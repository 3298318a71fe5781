"""The rankings of chunks by literal pieces of text, and by the names that they define."""

from __future__ import annotations

import math
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from heapq import nlargest
from operator import itemgetter

from editahead_prompts.syntax.symbols import Role
from editahead_prompts.text.identifiers import STYLES, apply_case_style, split_words
from editahead_prompts.text.scripts import fold, spellings
from editahead_retrieval.index import schema, terms

from .places import FileTexts, Place, places_in
from .question import MIN_LITERAL, Question
from .word_ranking import best_numbers

MAX_CONTENTS = 20_000
"""Contents of one piece that are looked at."""
MAX_FILES = 40
"""Files that are read to find pieces in them."""
MAX_DEFINITIONS = 60
"""Definitions of one name that are looked at."""


def rank_by_pieces(
    connection: sqlite3.Connection, pieces: Sequence[str], folder: str, texts: FileTexts, limit: int
) -> list[Place]:
    """Return the chunks that hold pieces of text, whatever their case: the most and the rarest first.

    Args:
        connection: The index.
        pieces: The pieces, of three characters or more.
        folder: The folder in which the files are, from the root, with a slash at the end; "" for all.
        texts: The texts of the files.
        limit: The number of places at most.
    """
    (total,) = connection.execute("SELECT coalesce(max(id), 0) FROM content").fetchone()
    contents: defaultdict[int, float] = defaultdict(float)
    weights: dict[str, float] = {}
    for piece in pieces:
        trigrams = terms.find_trigrams(piece)
        if len(piece) < MIN_LITERAL or not trigrams:
            continue
        rows = connection.execute(
            "SELECT rowid FROM trigrams WHERE trigrams MATCH ? ORDER BY rowid DESC LIMIT ?",
            (terms.match_all(trigrams), MAX_CONTENTS),
        ).fetchall()
        weights[piece] = weight = math.log1p((total + 1) / (len(rows) + 0.5))
        for (content,) in rows:
            contents[content] += weight
    folded = {piece: fold(piece) for piece in weights}
    scores: dict[Place, float] = {}
    for content in best_numbers(contents, MAX_FILES):
        text = next((text for path in _paths(connection, content, folder) if (text := texts.get(path))), None)
        for place in places_in(connection, text) if text is not None else ():
            assert text is not None
            score = _piece_score(text.text_of(place), weights, folded)
            if score:
                scores[place] = score
    return [place for place, _ in nlargest(limit, scores.items(), key=itemgetter(1))]


def _piece_score(text: str, weights: Mapping[str, float], folded: Mapping[str, str]) -> float:
    """Return what the pieces in a text count; in the same spelling they count a tenth more."""
    other, score = fold(text), 0.0
    for piece, weight in weights.items():
        if folded[piece] in other:
            score += weight * (1.1 if piece in text else 1.0)
    return score


def _paths(connection: sqlite3.Connection, content: int, folder: str) -> Iterator[str]:
    rows = connection.execute(
        "SELECT path FROM file WHERE content = ? AND substr(path, 1, ?) = ? ORDER BY length(path), path LIMIT 2",
        (content, len(folder), folder),
    )
    yield from (schema.check_row(row, str)[0] for row in rows)


def rank_by_definitions(
    connection: sqlite3.Connection, question: Question, folder: str, limit: int
) -> list[Place]:
    """Return the chunks that define a name of the question, as it is written or of two or three of its words.

    Args:
        connection: The index.
        question: The question.
        folder: The folder in which the files are, from the root, with a slash at the end; "" for all.
        limit: The number of places at most.
    """
    places: dict[Place, None] = {}
    for name in _possible_names(question):
        rows = connection.execute(
            "SELECT path, piece.line, end_line FROM symbol CROSS JOIN file ON file.content = symbol.content"
            " JOIN piece ON piece.content = symbol.content"
            " AND piece.line <= symbol.line AND piece.end_line > symbol.line"
            " WHERE symbol.name = ? AND roles & ? AND substr(path, 1, ?) = ?"
            " ORDER BY length(path), path, symbol.line LIMIT ?",
            (name, int(Role.DEFINITION), len(folder), folder, MAX_DEFINITIONS),
        ).fetchall()
        for row in rows:
            places.setdefault(Place(*schema.check_row(row, str, int, int)))
            if len(places) >= limit:
                return list(places)
    return list(places)


def _possible_names(question: Question) -> list[str]:
    words = [word.text for word in question.words]
    runs = [run for size in (3, 2) for run in _runs(words, size)]
    styled = [
        apply_case_style(run, style) for run in [*runs, *([word] for word in words)] for style in STYLES
    ]
    names = [name for name in question.names if len(split_words(name)) > 1]
    return list(dict.fromkeys(one for name in (*names, *question.names, *styled) for one in spellings(name)))


def _runs(words: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    yield from (words[at : at + size] for at in range(len(words) - size + 1))
