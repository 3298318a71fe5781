"""The k best alignments of a sketch with a file, each as the splices that it makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from editahead_inference.apply.placement.line_matching import DISTINCTIVE
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, drop_noops
from editahead_prompts.sketches.sketch import Snippet

from .lattice import Edge, Lattice, Node
from .lines import describe_lines
from .operations import OperationModel
from .path_features import PathFeatures
from .spacing import Spacing
from .tokens import SketchTokens, Token, read_tokens
from .weights import Weights, add_features, fitted_weights

_SLACK = 8.0
"""How much worse than the best alignment another one may be."""

_MAX_TOKENS = 250
"""Lines of a sketch that are aligned."""

_MAX_HIDDEN = 200_000
"""Lines of the file that all markers together may hide, which bounds the time."""

_MAX_PATHS = 60
"""Paths that are looked at for alignments that differ."""


@dataclass(frozen=True)
class Alignment:
    """One way in which the lines of a sketch are lines of the file, new versions of these, or new.

    Attributes:
        splices: What it changes.
        score: A logarithm of odds against the other alignments of the sketch: higher is likelier.
        features: The features whose weighted sum is the score.
        is_anchored: A distinctive line of the sketch is a line of the file, or a new version of one.
    """

    splices: tuple[Splice, ...]
    score: float
    features: dict[str, float] = field(repr=False, compare=False)
    is_anchored: bool


def align(snippet: Snippet, target: Target, limit: int, weights: Weights | None = None) -> list[Alignment]:
    """Return the best alignments that make different texts, best first; none of a sketch or a file that is too large.

    Args:
        snippet: The sketch.
        target: The file.
        limit: How many alignments at most.
        weights: The weights; None = those of this package.
    """
    language = target.original.language
    readings = read_tokens(snippet, target.lines, language)
    markers = sum(token.marker is not None for token in readings[0].tokens)
    size = len(readings[0].tokens)
    if not 0 < size <= _MAX_TOKENS or markers * len(target.lines) > _MAX_HIDDEN:
        return []
    lines = describe_lines(target.lines.bodies, language)
    found: list[Alignment] = []
    spacing = Spacing(lines, language)
    for sketch in readings:
        model = OperationModel(sketch, lines, weights or fitted_weights())
        found += _align(Lattice(model, target.check), sketch, target, spacing, limit)
    return found if len(readings) == 1 else list(_best(found, target, limit))


def _align(
    lattice: Lattice, sketch: SketchTokens, target: Target, spacing: Spacing, limit: int
) -> Iterator[Alignment]:
    """Yield the best alignments of a sketch in one indentation."""
    seen: set[tuple[str, ...]] = set()
    for number, (score, path) in enumerate(lattice.paths(_SLACK)):
        if number == _MAX_PATHS or len(seen) == limit:
            return
        splices = to_splices(path, sketch, target, spacing)
        text = tuple(target.lines_after(splices))
        if text not in seen:
            seen.add(text)
            features: dict[str, float] = {}
            add_features(features, PathFeatures(lattice).of(path))
            yield Alignment(splices, score, features, _is_anchored(path, sketch.tokens))


def _best(found: Sequence[Alignment], target: Target, limit: int) -> Iterator[Alignment]:
    """Yield the best of the alignments that make different texts, down to those that are much worse."""
    ranked = sorted(found, key=lambda each: -each.score)
    seen: set[tuple[str, ...]] = set()
    for each in ranked:
        if len(seen) == limit or each.score < ranked[0].score - _SLACK:
            return
        text = tuple(target.lines_after(each.splices))
        if text not in seen:
            seen.add(text)
            yield each


def _is_anchored(path: Sequence[Edge], tokens: Sequence[Token]) -> bool:
    return any(
        edge.target.operation in ("match", "change") and tokens[edge.target.token].line.weight >= DISTINCTIVE
        for edge in path
    )


def to_splices(
    path: Sequence[Edge], sketch: SketchTokens, target: Target, spacing: Spacing
) -> tuple[Splice, ...]:
    """Return what a path changes, as small as possible, with the blank lines and commas of the file around it."""
    joined: list[Splice] = []
    for splice in _raw_splices(path, sketch.tokens, target):
        last = joined[-1] if joined else None
        if last is not None and last.end == splice.start:
            joined[-1] = Splice(
                last.start, splice.end, last.lines + splice.lines, last.sketch_start, splice.sketch_end
            )
        else:
            joined.append(splice)
    settled: list[Splice] = []
    for splice in drop_noops(joined, target.lines.bodies):
        spaced = spacing.settle(splice)
        settled.append(splice if settled and settled[-1].end > spaced.start else spaced)
    return drop_noops(settled, target.lines.bodies)


def _raw_splices(path: Sequence[Edge], tokens: Sequence[Token], target: Target) -> Iterator[Splice]:
    for edge in path:
        source, node = edge.source, edge.target
        at = tokens[max(source.token, 0)].at
        if edge.deleted > source.end:
            yield Splice(source.end, edge.deleted, (), at, at + 1)
        if node.operation == "end":
            continue
        token = tokens[node.token]
        lines = _new_lines(edge, tokens)
        if node.operation == "match" and _is_same(token, target.lines.bodies[node.start]):
            continue
        yield Splice(node.start, node.end, lines, token.at, token.at + 1)


def _new_lines(edge: Edge, tokens: Sequence[Token]) -> tuple[str, ...]:
    """Return the lines that a node writes: its own, and the blank lines between it and a marker if it is new."""
    node: Node = edge.target
    token = tokens[node.token]
    if node.operation != "insert":
        return (token.line.text,)
    return (*token.blanks, token.line.text, *token.blanks_below)


def _is_same(token: Token, there: str) -> bool:
    """Return whether a line of the sketch is one of the file but for white space that says nothing."""
    own = token.line.text
    if not own.strip() or token.shown.rstrip() == there.rstrip():
        return True
    return own.strip() == there.strip() and own.expandtabs(4).rstrip() == there.expandtabs(4).rstrip()
