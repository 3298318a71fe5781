"""The features of each operation of an alignment: a line of the sketch matches or changes one of the file, or is new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from rapidfuzz.fuzz import ratio
from rapidfuzz.process import extract

from editahead_inference.apply.placement.line_matching import TERMINAL

from .boundaries import Boundaries
from .gaps import Gaps
from .lines import Line
from .scopes import Scope, ScopeIndex
from .tokens import SketchTokens, Token
from .weights import Weights

MIN_SIMILARITY = 50
"""Percent of similarity from which a line of the sketch may be a new version of a line of the file."""

_MAX_VERSIONS = 8
"""Lines of the file that a line of the sketch may be a new version of."""

_MAX_COMPARED_LINES, _MAX_COMPARED_CHARS = 1_000_000, 200_000_000
"""Lines, and characters, of the sketch times those of the file that are compared, which bounds the time."""

_MAX_DEPTHS = 3.0
"""Levels of indentation by which the depths of two lines differ, at most."""

Pairs = Iterator[tuple[str, float]]
"""Names of features with their values."""


class OperationModel:
    """The features and scores of all operations on one sketch and one file.

    Args:
        sketch: The tokens of the sketch.
        lines: The lines of the file.
        weights: The weights of the features.
    """

    def __init__(self, sketch: SketchTokens, lines: Sequence[Line], weights: Weights) -> None:
        self.sketch, self.lines, self.weights = sketch, lines, weights
        self.boundaries = Boundaries(lines)
        self.gaps = Gaps(lines, sketch)
        self._scopes = ScopeIndex(lines)
        self._keys = [line.key for line in lines]
        shown = sum(len(token.line.key) for token in sketch.tokens)
        self._may_compare = (
            len(sketch.tokens) * len(lines) <= _MAX_COMPARED_LINES
            and shown * sum(map(len, self._keys)) <= _MAX_COMPARED_CHARS
        )
        self.places: dict[str, list[int]] = {}
        for number, key in enumerate(self._keys):
            self.places.setdefault(key, []).append(number)
        code = [token.line for token in sketch.tokens if token.line.key]
        self._shown = {line.key for line in code}
        self._names = Counter(line.name for line in code if line.name)
        self._named: dict[str, list[int]] = {}
        for number, each in enumerate(lines):
            if each.name is not None:
                self._named.setdefault(each.name, []).append(number)
        self._declared = {line.name for line in lines if line.name and line.kind != "value"}
        self._known = list(_known_runs(sketch.tokens, [key for key in self._keys if key]))
        self._deleted = [
            0.0,
            *accumulate(weights.score(dict(self._delete_line(line))) for line in lines),
        ]
        self._hidden: dict[int, list[float]] = {}

    # What a line of the sketch may be.

    def versions(self, number: int) -> list[tuple[int, float]]:
        """Return the lines of the file that a token may be a new version of, with their similarity from 0 to 1."""
        line = self.sketch.tokens[number].line
        if not line.key or not self._may_compare:
            return []
        found = extract(
            line.key,
            self._keys,
            scorer=ratio,
            score_cutoff=MIN_SIMILARITY,
            limit=_MAX_VERSIONS,
            processor=None,
        )
        versions = {place: score / 100 for key, score, place in found if key != line.key}
        named = self._named.get(line.name, []) if line.name is not None else []
        for place in (*named[:_MAX_VERSIONS], *self._last_statements(number)):
            there = self._keys[place]
            if there != line.key and place not in versions:
                versions[place] = ratio(line.key, there) / 100
        return list(versions.items())

    def _last_statements(self, number: int) -> Iterator[int]:
        """Yield the lines that leave a block as the token does, in the block that it is shown in."""
        token = self.sketch.tokens[number]
        word = TERMINAL.match(token.line.key)
        scope = self._block(token) if word is not None else None
        if word is None or scope is None:
            return
        for end in scope.ends:
            there = self.lines[end - 1]
            if there.depth == token.line.depth and there.key.startswith(word[0]):
                yield end - 1

    def block_ends(self, number: int) -> tuple[int, ...]:
        """Return the places at the ends of the blocks that a token is shown in."""
        scope = self._block(self.sketch.tokens[number])
        return scope.ends[:_MAX_VERSIONS] if scope is not None else ()

    def _block(self, token: Token) -> Scope | None:
        return None if token.block is None else self._scopes.find(self.sketch.tokens[token.block].line)

    # Operations on one line of the sketch.

    def match(self, number: int, place: int) -> Pairs:
        """Yield the features of a token that is line `place` of the file."""
        token, there = self.sketch.tokens[number], self.lines[place]
        line = token.line
        yield f"match.{line.kind}", 1.0
        if line.kind == "blank":
            return
        count = len(self.places[there.key])
        yield "match.same text", float(line.text.strip() == there.text.strip())
        yield from _depth_features("match", line, there)
        yield "match.weight", line.weight
        yield "match.weak", float(line.weight < 0.15)
        yield "match.rarity", line.weight / count
        yield "match.unique", float(count == 1)
        yield from self._scope_features("match", token, place)

    def change(self, number: int, place: int, similarity: float) -> Pairs:
        """Yield the features of a token that is a new version of line `place` of the file."""
        token, there = self.sketch.tokens[number], self.lines[place]
        line, (one, two, three) = token.line, self._known[number]
        yield f"change.{line.kind}", 1.0
        yield "change.one", 1.0
        yield "change.similarity", similarity
        yield "change.similarity above 0.7", max(similarity - 0.7, 0.0) * 3
        yield "change.similarity above 0.85", max(similarity - 0.85, 0.0) * 6
        yield "change.nearly equal", float(similarity >= 0.99)
        yield "change.only the separator", float(line.key.rstrip(",;") == there.key.rstrip(",;"))
        yield "change.opens a marker", float(self.sketch.opens_marker(number))
        yield from _depth_features("change", line, there)
        yield "change.not similar", float(similarity < MIN_SIMILARITY / 100)
        yield "change.last statement", float(line.leaves and there.leaves)
        yield "change.same kind", float(line.kind == there.kind)
        if line.name is not None:
            yield "change.same name", float(line.name == there.name)
            yield "change.other name", float(there.name not in (None, line.name))
            yield "change.other parameters", float(_has_other_parameters(line, there))
        yield "change.names a block", float(self._names_block(number))
        yield "change.known line", one
        yield "change.known run", max(two, three)
        yield "change.shown elsewhere", there.weight * (there.key in self._shown)
        yield "change.weight", line.weight
        yield from self._scope_features("change", token, place)

    def insert(self, number: int) -> Pairs:
        """Yield the features of a token that is a new line, wherever it is."""
        token = self.sketch.tokens[number]
        line, (one, two, three) = token.line, self._known[number]
        yield f"insert.{line.kind}", 1.0
        if line.kind == "blank":
            return
        yield "insert.weight", line.weight
        yield "insert.known line", one
        yield "insert.known pair", two
        yield "insert.known three", three
        is_declaration = line.kind == "declaration"
        if line.kind != "value" and line.name is not None and line.name in self._declared:
            yield f"insert.declared {self._where_declared(token)}", 1.0
        yield "insert.named twice", float(line.name is not None and self._names[line.name] > 1)
        yield "insert.new declaration", float(is_declaration and line.name not in self._declared)
        yield "insert.opens a marker", float(self.sketch.opens_marker(number))
        for kind, scope in self.scopes(token):
            yield f"insert.in a new {kind}", float(scope is not None and scope.is_new)

    def _names_block(self, number: int) -> bool:
        """Return whether a token is the first line of an element that is shown whole, and whose opening has no name."""
        block = self.sketch.tokens[number].block
        is_first = block == number - 1 and self.sketch.tokens[number].marker is None
        return block is not None and is_first and self.sketch.tokens[block].line.name is None

    def _where_declared(self, token: Token) -> str:
        """Return where the file declares what a token names, seen from the block that it is shown in."""
        scope = self._block(token)
        if scope is None or scope.is_new or token.line.name is None:
            return "in the file"
        return "here" if any(scope.inside[at] for at in self._named[token.line.name]) else "elsewhere"

    def insert_at(self, number: int, place: int) -> Pairs:
        """Yield the features of the place at which the first line of an insertion is."""
        token = self.sketch.tokens[number]
        for kind, scope in self.scopes(token):
            if scope is not None and not scope.is_new:
                inside = scope.holds_place(place)
                yield f"insert at.{'in' if inside else 'outside'} the {kind}", 1.0
        for name in self.boundaries.describe(place, token.line.depth):
            yield f"insert at.{name}", 1.0

    def scopes(self, token: Token) -> Iterator[tuple[str, Scope | None]]:
        """Yield the declaration and the block that a token is shown in."""
        for kind, opening in (("declaration", token.declaration), ("block", token.block)):
            yield (
                kind,
                None if opening is None else self._scopes.find(self.sketch.tokens[opening].line),
            )

    def _scope_features(self, operation: str, token: Token, place: int) -> Pairs:
        for kind, scope in self.scopes(token):
            if scope is None:
                continue
            if scope.is_new:
                yield f"{operation}.in a new {kind}", 1.0
                continue
            inside = bool(scope.inside[place])
            yield f"{operation}.{'in' if inside else 'outside'} the {kind}", 1.0
            if kind == "block" and not inside:
                yield f"{operation}.weight outside the block", token.line.weight
                yield f"{operation}.{token.line.kind} outside the block", 1.0

    # Lines of the file that the sketch does not show.

    def deleted(self, start: int, end: int) -> float:
        """Return the score of deleting lines [start, end), without that of where they begin and end."""
        return self._deleted[end] - self._deleted[start]

    def hidden(self, depth: int) -> list[float]:
        """Return for each place the score of hiding all lines above it behind a marker of some depth."""
        known = self._hidden.get(depth)
        if known is None:
            score = self.weights.score
            known = [0.0, *accumulate(score(dict(self._hide_line(line, depth))) for line in self.lines)]
            self._hidden[depth] = known
        return known

    def delete_lines(self, start: int, end: int) -> Pairs:
        """Yield the features of deleting lines [start, end)."""
        for line in self.lines[start:end]:
            yield from self._delete_line(line)

    def hide_lines(self, start: int, end: int, depth: int) -> Pairs:
        """Yield the features of hiding lines [start, end) behind a marker of some depth."""
        for line in self.lines[start:end]:
            yield from self._hide_line(line, depth)

    def _delete_line(self, line: Line) -> Pairs:
        yield f"delete.{line.kind}", 1.0
        if line.kind == "blank":
            return
        is_shown = line.key in self._shown
        yield "delete.weight", line.weight
        yield "delete.shown elsewhere", line.weight * is_shown
        yield "delete.not shown", float(not is_shown)
        if line.kind == "declaration":
            yield "delete.declaration beside stubs", self.sketch.stubs / 3
            yield "delete.declaration not shown", float(not is_shown)

    def _hide_line(self, line: Line, depth: int) -> Pairs:
        if line.kind == "blank":
            return
        if line.depth < depth:
            yield f"hide.shallower {'closer' if line.kind == 'closer' else 'line'}", 1.0
        if line.key in self._shown:
            yield "hide.shown elsewhere", line.weight


def _has_other_parameters(line: Line, there: Line) -> bool:
    """Return whether two lines declare functions of one name that may be overloads."""
    if line.kind != "declaration" or line.name != there.name:
        return False
    return line.key.partition("(")[2].rpartition(")")[0] != there.key.partition("(")[2].rpartition(")")[0]


def _depth_features(operation: str, line: Line, there: Line) -> Pairs:
    distance = abs(line.depth - there.depth)
    yield f"{operation}.depth", min(distance / 4, _MAX_DEPTHS)
    yield f"{operation}.far depth", float(distance > 8)


def _known_runs(tokens: Sequence[Token], keys: Sequence[str]) -> Iterator[tuple[float, float, float]]:
    """Yield for each token how much the file has it by itself, and in runs of two and three lines with its neighbours."""
    counts = [Counter(zip(*(keys[shift:] for shift in range(size)), strict=False)) for size in (1, 2, 3)]
    runs = {number: (run, at) for run in _runs(tokens) for at, number in enumerate(run)}
    for number in range(len(tokens)):
        numbers, at = runs.get(number, ((), 0))
        run = [tokens[n].line for n in numbers]
        one, two, three = (_known_part(run, at, size, counts[size - 1]) for size in (1, 2, 3))
        yield one, two, three


def _known_part(run: Sequence[Line], at: int, size: int, counts: Counter[tuple[str, ...]]) -> float:
    """Return how distinctive a run of lines around one is that the file has, divided by how often it has it."""
    best = 0.0
    for first in range(max(0, at - size + 1), min(at, len(run) - size) + 1):
        window = run[first : first + size]
        count = counts.get(tuple(line.key for line in window), 0)
        if count:
            best = max(best, (0.15 + 0.85 * max(line.weight for line in window)) / count)
    return best


def _runs(tokens: Sequence[Token]) -> list[list[int]]:
    """Return the numbers of the tokens with code between two markers."""
    borders = [n for n, token in enumerate(tokens) if n and token.marker is not None]
    return [
        [number for number in range(start, end) if tokens[number].line.key]
        for start, end in pairwise([0, *borders, len(tokens)])
    ]
