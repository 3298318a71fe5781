"""The features of a candidate, which order what the rankings have found."""

from __future__ import annotations

import json
import math
import re
import sqlite3
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from heapq import nlargest
from importlib import resources
from operator import mul

from editahead_prompts.syntax.symbols import Role
from editahead_prompts.text.identifiers import WORD, search_words, split_words
from editahead_prompts.text.scripts import compose, fold, is_unspaced

from . import path_kinds
from .places import FileText, Place, find_content
from .question import Question

SATURATION, LENGTH_SHARE, MEAN_WORDS = 1.2, 0.75, 130.0
"""The parameters k1 and b of BM25, and the words of a chunk on average."""
CENTRAL = 5
"""Candidates whose definitions others may use."""
MAX_NAMES = 400
"""Different names of a chunk that are looked up."""
_QUALIFIER = re.compile(r"\.|::|#")
_COMMENT = ("#", "//", "/*", "*", "--", ";", "<!--", '"""', "'''", "///", "%")
FEATURES = (
    "definitions", "words", "trigrams", "vectors", "fused", "bm25", "coverage", "rarest", "defines_name", "defines_words",
    "file_name", "folders", "comments", "file_coverage", "file_best", "neighbour", "uses_best", "literal", "test",
    "example", "generated", "automation", "prose", "data", "begins_file", "length", "newest", "open",
)  # fmt: skip  # a table


KINDS = ("test", "example", "prose", "data")
"""The features that tell what is no code of the project itself, though a change of the code often goes on there."""
SENTENCE, SENTENCE_MEANING, CODE = "sentence", "sentence with vectors", "code"
ORDERS = (SENTENCE, SENTENCE_MEANING, CODE)
"""The sets of weights, by the kind of the question and by whether vectors took part. Code is ordered by BM25 alone."""


@dataclass(frozen=True)
class Definition:
    """A name that a chunk defines: the name, its 0-based line in the file, and the types around it."""

    name: str
    line: int
    container: str = ""


@dataclass
class Candidate:
    """A place that a ranking found, and what is known of it.

    Attributes:
        place: The lines.
        text: The text of the file.
        ranks: The rank from 1 in each ranking that has the place.
        fused: The reciprocal rank fusion.
        counts: How often each word of the question is there, its forms counted for less.
        found: The forms that are there as they are written, in lower case, by word.
        definitions: The definitions there that share a word with the question.
        words: The number of words of the place.
        names: Its identifiers.
        related: Those of them that share a word with the question, in order.
        values: The features.
        order: The set of weights of the question, one of `ORDERS`.
        raised: What is added to the logarithm of the odds, beside what the features say.
    """

    place: Place
    text: FileText
    ranks: Mapping[str, int]
    fused: float
    counts: dict[str, float] = field(default_factory=dict)
    found: dict[str, list[str]] = field(default_factory=dict)
    definitions: list[Definition] = field(default_factory=list)
    words: int = 0
    names: frozenset[str] = frozenset()
    related: list[str] = field(default_factory=list)
    values: dict[str, float] = field(default_factory=dict)
    order: str = SENTENCE
    raised: float = 0.0

    @property
    def score(self) -> float:
        """How likely the place answers the question, from 0 to 1; comparable within one answer."""
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, self.log_odds + self.raised))))

    @property
    def log_odds(self) -> float:
        """The logarithm of the odds that the place answers the question."""
        weights = load_weights(self.order)
        total: float = sum(map(mul, map(weights.__getitem__, self.values), self.values.values()))
        return total + weights["bias"]

    @property
    def log_odds_of_any_kind(self) -> float:
        """The same, as if tests, examples, prose and data were as welcome as code."""
        weights = load_weights(self.order)
        return self.log_odds - sum(weights[name] * self.values[name] for name in KINDS)


@cache
def load_weights(order: str) -> dict[str, float]:
    """Return a set of weights of the features.

    Args:
        order: One of `ORDERS`.
    """
    text = resources.files(__package__).joinpath("weights.json").read_text("utf-8")
    weights: dict[str, float] = json.loads(text)["weights"][order]
    return weights


def describe_candidates(
    connection: sqlite3.Connection,
    question: Question,
    candidates: Sequence[Candidate],
    rarity: Mapping[str, float],
    newest: Mapping[str, float],
    open_files: frozenset[str],
) -> None:
    """Find the features of candidates.

    Args:
        connection: The index.
        question: The question.
        candidates: The candidates; their features are set.
        rarity: What each word counts by its rarity.
        newest: How new each file is, from 0 to 1.
        open_files: The paths of the open files.
    """
    whole = sum(rarity.values()) or 1.0
    contents: dict[bytes, int | None] = {}
    names = _AskedNames(question)
    for candidate in candidates:
        _count_words(question, candidate, names)
        candidate.definitions = _definitions(connection, candidate, contents)
    by_file: dict[str, set[str]] = {}
    for candidate in candidates:
        by_file.setdefault(candidate.place.path, set()).update(candidate.counts)
    scores = {candidate.place: _bm25(candidate, rarity) / whole for candidate in candidates}
    ends = {(place.path, place.end_line): score for place, score in scores.items()}
    begins = {(place.path, place.line): score for place, score in scores.items()}
    file_best: dict[str, float] = {}
    for place, score in scores.items():
        file_best[place.path] = max(score, file_best.get(place.path, 0.0))
    central = _central_names(candidates, scores)
    best = max((candidate.fused for candidate in candidates), default=1.0) or 1.0
    order = _order_of(question, candidates)
    rarest = max(rarity, key=rarity.__getitem__, default=None)
    of_paths = {path: _path_features(question, names, path, rarity, whole) for path in by_file}
    for candidate in candidates:
        path, values = candidate.place.path, candidate.values
        candidate.order = order
        for name in ("definitions", "words", "trigrams", "vectors"):
            values[name] = 10.0 / (9 + candidate.ranks[name]) if name in candidate.ranks else 0.0
        values["fused"] = candidate.fused / best
        values["bm25"] = scores[candidate.place]
        values["coverage"] = _share(candidate.counts, rarity, whole)
        values["rarest"] = float(rarest in candidate.counts)
        values["defines_name"] = _defines_name(question, candidate)
        values["defines_words"] = max(
            (_name_share(question, definition.name, rarity, whole) for definition in candidate.definitions),
            default=0.0,
        )
        values["comments"] = _share(names.matched(_comment_words(candidate, names)), rarity, whole)
        values["file_coverage"] = _share(by_file[path], rarity, whole)
        values["file_best"] = file_best[path]
        values["neighbour"] = max(
            ends.get((path, candidate.place.line), 0.0), begins.get((path, candidate.place.end_line), 0.0)
        )
        defined = {definition.name for definition in candidate.definitions}
        values["uses_best"] = float(not central.isdisjoint(candidate.names - defined))
        values["begins_file"] = float(candidate.place.line == 0)
        values["length"] = math.log1p(candidate.words) / 5
        values["literal"] = _literal(question, candidate)
        values |= of_paths[path]
        values["newest"] = newest.get(path, 0.0)
        values["open"] = float(path in open_files)


def _path_features(
    question: Question, names: _AskedNames, path: str, rarity: Mapping[str, float], whole: float
) -> dict[str, float]:
    folder, _, name = path.rpartition("/")
    return {
        "file_name": _name_share(question, name.partition(".")[0], rarity, whole),
        "folders": _share(names.matched(search_words(folder.replace("/", "_"))), rarity, whole),
        "test": 0.0 if question.about_tests else float(path_kinds.is_test(path)),
        "example": float(path_kinds.is_example(path)),
        "generated": float(path_kinds.is_generated(path)),
        "automation": 0.0 if question.about_automation else float(path_kinds.is_automation(path)),
        "prose": float(path_kinds.is_prose(path)),
        "data": float(path_kinds.is_data(path)),
    }


def _order_of(question: Question, candidates: Sequence[Candidate]) -> str:
    """Return the set of weights for a question and what took part in its answer."""
    if question.is_code:
        return CODE
    took_part = any("vectors" in candidate.ranks for candidate in candidates)
    return SENTENCE_MEANING if took_part else SENTENCE


def _central_names(candidates: Sequence[Candidate], scores: Mapping[Place, float]) -> set[str]:
    """Return the names that the best candidates by their words define, of those that share a word with the question."""
    best = nlargest(CENTRAL, candidates, key=lambda candidate: (scores[candidate.place], candidate.place))
    return {definition.name for candidate in best for definition in candidate.definitions}


class _AskedNames:
    """The names of the candidates. They share most of them, so each name is split once.

    Args:
        question: The question.

    Attributes:
        forms: The words of the question by their forms.
        sizes: The number of words of each name.
        asked: The words that are forms of the question's words, of each name that has some.
        written: The words as they are written, by the form in which search compares them, where that is another.
    """

    def __init__(self, question: Question) -> None:
        self.forms: dict[str, set[str]] = {}
        for word in question.words:
            for form in word.forms:
                self.forms.setdefault(form, set()).add(word.text)
        self.sizes: dict[str, int] = {}
        self.asked: dict[str, list[str]] = {}
        self.written: dict[str, str] = {}
        self._signs = {form for form in self.forms if len(form) == 1 and is_unspaced(form)}

    def add(self, names: frozenset[str]) -> None:
        """Split names."""
        for name in names.difference(self.sizes):
            parts = search_words(name)
            self.sizes[name] = len(parts)
            asked = [part for part in parts if part in self.forms]
            asked += self._signs.intersection(name).difference(asked)
            if asked:
                self.asked[name] = asked
                if not name.isascii():
                    self.written.update((fold(word), word) for word in split_words(name))

    def matched(self, words: Iterable[str]) -> set[str]:
        """Return the words of the question that have a form among some words."""
        return set().union(*(self.forms[word] for word in words if word in self.forms))


def _count_words(question: Question, candidate: Candidate, names: _AskedNames) -> None:
    counts: Counter[str] = Counter()
    found = Counter(WORD.findall(candidate.text.text_of(candidate.place)))
    candidate.names = frozenset(found)
    names.add(candidate.names)
    candidate.words = sum(map(mul, map(names.sizes.__getitem__, found), found.values()))
    candidate.related = sorted(candidate.names.intersection(names.asked))
    for name in candidate.related:
        for part in names.asked[name]:
            counts[part] += found[name]
    for word in question.words:
        forms = [form for form in word.forms if form in counts]
        if forms:
            forms.sort(key=lambda form: (-word.forms[form], -counts[form]))
            candidate.found[word.text] = [names.written.get(form, form) for form in forms]
            candidate.counts[word.text] = sum(word.forms[form] * counts[form] for form in forms)


def _bm25(candidate: Candidate, rarity: Mapping[str, float]) -> float:
    damped = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * candidate.words / MEAN_WORDS)
    return sum(rarity[word] * count / (count + damped) for word, count in candidate.counts.items())


def _share(words: Container[str], rarity: Mapping[str, float], whole: float) -> float:
    return sum(weight for word, weight in rarity.items() if word in words) / whole


def _name_share(question: Question, name: str, rarity: Mapping[str, float], whole: float) -> float:
    """Return how much of the question is in a name, and of the name in the question: the geometric mean."""
    parts = search_words(name)
    if not parts:
        return 0.0
    matched = [
        (word.text, max(counts for form, counts in word.forms.items() if form in parts))
        for word in question.words
        if not word.forms.keys().isdisjoint(parts)
    ]
    asked = sum(rarity[word] * counts for word, counts in matched) / whole
    named = sum(any(part in word.forms for word in question.words) for part in parts) / len(parts)
    return math.sqrt(asked * named)


def _definitions(
    connection: sqlite3.Connection,
    candidate: Candidate,
    contents: dict[bytes, int | None],
) -> list[Definition]:
    """Return the definitions of a candidate that share a word with the question, by line."""
    text, place = candidate.text, candidate.place
    if not candidate.related:
        return []
    if text.content_hash not in contents:
        contents[text.content_hash] = find_content(connection, text)
    content = contents[text.content_hash]
    if content is None:
        return []
    return sorted(
        _defined(connection, content, place, candidate.related[:MAX_NAMES]),
        key=lambda found: (found.line, found.name),
    )


def _defined(
    connection: sqlite3.Connection, content: int, place: Place, names: Sequence[str]
) -> Iterator[Definition]:
    """Yield which of some names a place defines."""
    marks = ",".join("?" * len(names))
    for name, line, container in connection.execute(
        f"SELECT name, line, container FROM symbol WHERE name IN ({marks}) AND content = ? AND roles & ?",
        (*names, content, int(Role.DEFINITION)),
    ):
        if place.line <= line < place.end_line:
            yield Definition(name, line, container or "")


def _defines_name(question: Question, candidate: Candidate) -> float:
    """Return 1 where a name is defined that is in the question as it is written; less where it is one of several.

    A name with that of its type, as in `Memory.cache`, counts three times where the type has it.
    """
    qualified = {tuple(_QUALIFIER.split(piece)[-2:]) for piece in question.literals}
    if any((found.container.rpartition(".")[2], found.name) in qualified for found in candidate.definitions):
        return 3.0
    defined = {compose(definition.name) for definition in candidate.definitions}
    named = [name for name in question.names if compose(name) in defined]
    if not named:
        return 0.0
    if len(question.words) == 1 or any(len(split_words(name)) > 1 for name in named):
        return 1.0
    return 1.0 / len(question.names)


def _comment_words(candidate: Candidate, names: _AskedNames) -> set[str]:
    """Return the forms of the question's words that are in comments and documentation."""
    if not candidate.related:
        return set()
    comments: list[str] = []
    within = ""
    place = candidate.place
    for line in candidate.text.lines[place.line : place.end_line]:
        stripped = line.strip()
        quotes = ""
        if '"""' in stripped or "'''" in stripped:
            quotes = next((mark for mark in ('"""', "'''") if stripped.count(mark) == 1), "")
        if within or quotes or stripped.startswith(_COMMENT):
            comments.append(stripped)
        if quotes and (not within or quotes == within):
            within = "" if within else quotes
    there = set(WORD.findall("\n".join(comments))).intersection(names.asked)
    return {part for name in there for part in names.asked[name]}


def _literal(question: Question, candidate: Candidate) -> float:
    """Return the share of the literal pieces that are there; one in other case counts a quarter."""
    if not question.literals:
        return 0.0
    text = candidate.text.text_of(candidate.place)
    other = fold(text)
    found = (1.0 if piece in text else 0.25 if fold(piece) in other else 0.0 for piece in question.literals)
    return sum(found) / len(question.literals)
