"""The lattice of an alignment: what each line of the sketch may be, and the cost of going from one to the next.

The best path through all lines of the sketch is the best alignment. Forward and backward scores, as in a hidden Markov
model, give for each choice the best path through it, and so the k best alignments that differ.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import merge, nlargest
from math import inf, log1p
from typing import Literal

from .operations import OperationModel

Operation = Literal["start", "match", "change", "insert", "end"]
Between = Literal["", "delete", "skip", "elide"]

_BEAM = 24
"""Nodes that are kept for one line of the sketch."""

_MAX_LAG = 25.0
"""How much worse than the best one a node may be so far."""

_MAX_PLACES = 12
"""Places of an insertion behind a marker."""

_MAX_REPEATS = 24
"""Equal lines of the file from which only those next below what is before them are looked at."""

_MAX_TAIL = 40
"""Lines that are deleted between a new line and a marker."""

_MAX_TAILS = 4
"""Ends of such lines that are looked at."""

_MAX_GAPS = 8
"""Gaps of the best path that are looked at one by one."""

_MAX_BLANKS = 8
"""Lines that are looked at for the next blank line."""


@dataclass(eq=False, slots=True)
class Node:
    """A line of the sketch that is line `start` of the file, changes it, or is new before it.

    Attributes:
        token: The number of the line among those of the sketch.
        end: The line of the file after it.
        score: That of the operation itself.
        similarity: From 0 to 1, that of a changed line with the line of the file.
        forward: The score of the best path up to this node, with it.
        backward: The score of the best path behind it.
        edges: All ways from nodes of the line before.
        before: The way by which the best path comes.
        behind: The way by which the best path goes on.
    """

    token: int
    operation: Operation
    start: int
    end: int
    score: float
    similarity: float = 1.0
    forward: float = -inf
    backward: float = -inf
    edges: list[Edge] = field(default_factory=list)
    before: Edge | None = None
    behind: Edge | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """The way from one node to the next.

    Attributes:
        score: That of all lines of the file between the two.
        between: What happens to the lines before `target`: deleted, skipped without a marker, or behind a marker.
        deleted: The line after those that are deleted before a marker begins.
        other: The same way with the lines between skipped in place of deleted, or the other way round.
    """

    source: Node
    target: Node
    score: float
    between: Between
    deleted: int
    other: Edge | None = None


class Lattice:
    """The nodes and edges of one sketch and one file.

    Args:
        model: The features and weights.
        check: Called between lines; may raise to cancel.
    """

    def __init__(self, model: OperationModel, check: Callable[[], None] = lambda: None) -> None:
        self.model = model
        self._tokens = model.sketch.tokens
        self._count = len(model.lines)
        self._known_boundaries: dict[tuple[str, int | None], dict[int, float]] = {}
        self._known_steps: dict[tuple[str, str], tuple[float, float, float]] = {}
        self._known_tails: dict[tuple[Node, int], list[tuple[int, float]]] = {}
        first = Node(-1, "start", 0, 0, 0.0, forward=0.0)
        self._layers: list[list[Node]] = []
        before = [first]
        for number in range(len(self._tokens)):
            check()
            before = self._add_layer(number, before)
            self._layers.append(before)
        self._last = Node(len(self._tokens), "end", self._count, self._count, 0.0)
        self._connect(self._last, before)
        self._go_back()

    # Nodes.

    def _add_layer(self, number: int, before: Sequence[Node]) -> list[Node]:
        nodes = list(self._nodes(number, before))
        for node in nodes:
            self._connect(node, before)
        kept = nlargest(_BEAM, (node for node in nodes if node.edges), key=lambda node: node.forward)
        return [node for node in kept if node.forward >= kept[0].forward - _MAX_LAG]

    def _nodes(self, number: int, before: Sequence[Node]) -> Iterator[Node]:
        model, token = self.model, self._tokens[number]
        score = model.weights.score
        is_free = token.marker is not None or number == 0
        for place in self._matches(number, before, is_free=is_free):
            yield Node(number, "match", place, place + 1, score(dict(model.match(number, place))))
        for place, similarity in model.versions(number):
            features = dict(model.change(number, place, similarity))
            yield Node(number, "change", place, place + 1, score(features), similarity)
        new = score(dict(model.insert(number)))
        if is_free:
            places = {*self._free_places(number, before)}
        else:
            ends = {node.end for node in before}
            places = ends.union(self.model.block_ends(number)) if token.line.key else ends
        for place in sorted(places):
            yield Node(number, "insert", place, place, new)

    def _matches(self, number: int, before: Sequence[Node], *, is_free: bool) -> Sequence[int]:
        """Return the lines of the file that a token may be."""
        line = self._tokens[number].line
        ends = sorted({node.end for node in before})
        if line.kind == "blank":
            found = (self._next_blank(end) for end in ends)
            return sorted({place for place in found if place is not None})
        places = self.model.places.get(line.key, [])
        if len(places) <= _MAX_REPEATS:
            return places
        if is_free:
            depth = line.depth
            return sorted(places, key=lambda place: (abs(self.model.lines[place].depth - depth), place))[
                : 3 * _MAX_REPEATS
            ]
        near: set[int] = set()
        for end in ends:
            at = bisect_left(places, end)
            near.update(places[at : at + 4])
        return sorted(near)

    def _next_blank(self, end: int) -> int | None:
        lines = self.model.lines[end : end + _MAX_BLANKS]
        return next((end + at for at, line in enumerate(lines) if line.kind == "blank"), None)

    def _free_places(self, number: int, before: Sequence[Node]) -> list[int]:
        """Return the best places for a new line behind a marker, or at the beginning of the sketch."""
        token = self._tokens[number]
        places = range(self._count + 1)
        here = [self._place_score(number, place) for place in places]
        if token.marker is not None:
            there = self._best_hidden(token.marker, before)
            here = [a + b for a, b in zip(here, there, strict=True)]
        else:
            here = [
                score + self._start_score(number, place) for place, score in zip(places, here, strict=True)
            ]
        best = {*nlargest(_MAX_PLACES, places, key=here.__getitem__), *self._next_matches(number)}
        return sorted(place for place in best if here[place] > -inf)

    def _next_matches(self, number: int) -> Sequence[int]:
        """Return the lines that the next line of the sketch may be that the file has, up to the next marker."""
        for token in self._tokens[number + 1 :]:
            if token.marker is not None:
                break
            places = self.model.places.get(token.line.key, []) if token.line.key else []
            if places:
                return places[:_MAX_REPEATS]
        return []

    def _best_hidden(self, depth: int, before: Sequence[Node]) -> list[float]:
        """Return for each place the best score of a marker that ends there."""
        model, weights = self.model, self.model.weights
        hidden, cap = model.hidden(depth), weights["hide.limit"]
        begins: dict[int, float] = {}
        for node in before:
            begins[node.end] = max(begins.get(node.end, -inf), node.forward)
        best = capped = -inf
        scores = []
        for place in range(self._count + 1):
            ends = self._boundary("elide to.", place, depth)
            scores.append(max(best + hidden[place], capped + cap) + ends)
            begin = begins.get(place)
            if begin is not None:
                scores[-1] = max(scores[-1], begin + self._nothing_hidden(place, depth))
                begin += self._boundary("elide from.", place, depth)
                best, capped = max(best, begin - hidden[place]), max(capped, begin)
        return scores

    # Edges.

    def _connect(self, node: Node, before: Sequence[Node]) -> None:
        for source in before:
            edge = self._edge(source, node)
            if edge is None:
                continue
            node.edges.append(edge)
            forward = source.forward + edge.score + node.score
            if forward > node.forward:
                node.forward, node.before = forward, edge

    def _edge(self, source: Node, target: Node) -> Edge | None:
        marker = self.marker_before(target)
        if source.operation == "start" and marker is None:
            score = self._start_score(target.token, target.start) + self._step("start", target)
            return Edge(source, target, score + self._entry(source, target, ""), "", 0)
        if target.operation == "end" and marker is None:
            return self._last_edge(source, target)
        if target.start < source.end:
            return None
        if marker is not None:
            return self._hiding_edge(source, target, marker)
        if target.start == source.end:
            score = self._steps(source, target)[0] + self._entry(source, target, "")
            return Edge(source, target, score, "", source.end)
        return self._gap_edge(source, target)

    def marker_before(self, node: Node) -> int | None:
        """Return the depth of the marker above a node; None without a marker."""
        return self.model.sketch.end if node.operation == "end" else self._tokens[node.token].marker

    def _step(self, source: str, target: Node) -> float:
        return self.model.weights[f"step.{source} {target.operation}"]

    def _entry(self, source: Node, target: Node, between: Between) -> float:
        """Return the score of the place of an insertion that begins with this node."""
        if target.operation != "insert" or (source.operation == "insert" and not between):
            return 0.0
        return self._place_score(target.token, target.start)

    def _steps(self, source: Node, target: Node) -> tuple[float, float, float]:
        """Return the scores of going on directly, over deleted lines and over skipped ones."""
        key = (source.operation, target.operation)
        known = self._known_steps.get(key)
        if known is None:
            weights = self.model.weights
            names = (f"step.{key[0]} {between}{key[1]}" for between in ("", "delete ", "skip "))
            direct, deleted, skipped = (weights[name] for name in names)
            skipped += weights["skip.stubs"] * self.model.sketch.stubs / 3
            known = self._known_steps[key] = direct, deleted, skipped
        return known

    def _gap_edge(self, source: Node, target: Node) -> Edge:
        """Return the way over lines that the sketch does not show and no marker hides: deleted, or skipped."""
        start, end = source.end, target.start
        _, deleted, skipped = self._steps(source, target)
        deleted += (
            self._boundary("delete from.", start)
            + self.model.deleted(start, end)
            + self._boundary("delete to.", end)
        )
        skipped += self._boundary("skip from.", start) + self._boundary("skip to.", end)
        weights, (kind, style) = self.model.weights, self.model.gaps.describe(start, end, target.token)
        deleted += weights[f"delete.{kind} {style}"]
        skipped += weights[f"skip.{kind} {style}"]
        entry = self._entry(source, target, "skip")
        deletion = Edge(source, target, deleted + entry, "delete", end)
        kept = Edge(source, target, skipped + entry, "skip", start)
        return replace(deletion, other=kept) if deleted >= skipped else replace(kept, other=deletion)

    def _hiding_edge(self, source: Node, target: Node, depth: int) -> Edge:
        """Return the way over lines behind a marker; those next to a new line may be deleted."""
        best = self._hidden_score(source, source.end, target, depth)
        deleted = source.end
        for place, tail in self._tails(source, depth):
            if place <= target.start:
                score = tail + self._hidden_score(source, place, target, depth)
                if score > best:
                    best, deleted = score, place
        score = best + self._step("elide", target) + self._entry(source, target, "elide")
        return Edge(source, target, score, "elide", deleted)

    def _tails(self, source: Node, depth: int) -> list[tuple[int, float]]:
        """Return the best places before a marker up to which lines below a new one are deleted, with their scores."""
        if source.operation not in ("insert", "change"):
            return []
        known = self._known_tails.get((source, depth))
        if known is None:
            hidden = self.model.hidden(depth)
            places = range(source.end + 1, min(source.end + _MAX_TAIL, self._count) + 1)
            scores = {place: self._tail_score(source, place) for place in places}

            def rank(place: int) -> float:
                return scores[place] + self._boundary("elide from.", place, depth) - hidden[place]

            best = nlargest(_MAX_TAILS, places, key=rank)
            known = self._known_tails[source, depth] = [(place, scores[place]) for place in best]
        return known

    def _tail_score(self, source: Node, place: int) -> float:
        model = self.model
        return (
            self._boundary("delete from.", source.end)
            + model.deleted(source.end, place)
            + self._boundary("delete to.", place)
            + model.weights[f"step.{source.operation} delete elide"]
        )

    def _hidden_score(self, source: Node, start: int, target: Node, depth: int) -> float:
        """Return the score of hiding the lines from `start` on, up to a node."""
        end = target.start
        score = 0.0
        if start == source.end:
            score = self.model.weights[f"step.{source.operation} elide"] + self._exit(source)
        if start == end:
            return score + self._nothing_hidden(start, depth)
        hidden = self.model.hidden(depth)
        inside = max(hidden[end] - hidden[start], self.model.weights["hide.limit"])
        return (
            score
            + self._boundary("elide from.", start, depth)
            + inside
            + self._boundary("elide to.", end, depth)
        )

    def _last_edge(self, source: Node, target: Node) -> Edge:
        """Return the way to the end of a sketch that no marker ends: what is below stays, except for replaced lines."""
        depth = self._tokens[-1].line.depth
        best = (
            self._end_score(source.end, depth)
            + self._exit(source)
            + self.model.weights[f"step.{source.operation} end"]
        )
        deleted = source.end
        if source.operation in ("insert", "change"):
            for place in range(source.end + 1, min(source.end + _MAX_TAIL, self._count) + 1):
                score = self._tail_score(source, place) + self._end_score(place, depth)
                if score > best:
                    best, deleted = score, place
        return Edge(source, target, best, "", deleted)

    # Scores of places.

    def _boundary(self, name: str, place: int, depth: int | None = None) -> float:
        known = self._known_boundaries.setdefault((name, depth), {})
        score = known.get(place)
        if score is None:
            names = self.model.boundaries.describe(place, depth)
            score = known[place] = self.model.weights.total(name, names)
        return score

    def _place_score(self, number: int, place: int) -> float:
        model, token = self.model, self._tokens[number]
        score = self._boundary("insert at.", place, token.line.depth)
        for kind, scope in model.scopes(token):
            if scope is not None and not scope.is_new:
                where = "in" if scope.holds_place(place) else "outside"
                score += model.weights[f"insert at.{where} the {kind}"]
        return score

    def _exit(self, source: Node) -> float:
        """Return the score of the place at which an insertion ends."""
        if source.operation != "insert":
            return 0.0
        return self._boundary("insert to.", source.end, self._tokens[source.token].line.depth)

    def _nothing_hidden(self, place: int, depth: int) -> float:
        weights = self.model.weights
        ends = "at the end of a block" in self.model.boundaries.describe(place, depth)
        return weights["hide.nothing"] + ends * weights["hide.nothing at the end"]

    def _start_score(self, number: int, place: int) -> float:
        return self._boundary("begin.", place, self._tokens[number].line.depth)

    def _end_score(self, place: int, depth: int) -> float:
        weights, cut = self.model.weights, self.cuts[place]
        return (
            self._boundary("end.", place, depth)
            + (cut > 0) * weights["end.cut"]
            + log1p(cut) * weights["end.lines"]
        )

    @cached_property
    def cuts(self) -> list[int]:
        """For each place the lines below that are deeper than the shallowest line of the sketch, up to one that is not."""
        floor = min((token.line.depth for token in self._tokens if token.line.depth >= 0), default=0)
        cuts = [0]
        for line in reversed(self.model.lines):
            cuts.append(cuts[-1] if line.depth < 0 else cuts[-1] + 1 if line.depth > floor else 0)
        return cuts[::-1]

    # Paths.

    def _go_back(self) -> None:
        self._last.backward = 0.0
        for node in (self._last, *(node for layer in reversed(self._layers) for node in layer)):
            for edge in node.edges:
                backward = edge.score + node.score + node.backward
                if backward > edge.source.backward:
                    edge.source.backward, edge.source.behind = backward, edge

    def paths(self, slack: float) -> Iterator[tuple[float, list[Edge]]]:
        """Yield the best path, then others that differ from all before them in a node or a gap, best first.

        Args:
            slack: How much worse than the best one a path may be.
        """
        floor = self._last.forward - slack
        through = self._paths_through_nodes(floor)
        best = next(through, None)
        if best is None:
            return
        ranked = [each for each in (best, *_with_other_gaps(*best)) if each[0] >= floor]
        ranked.sort(key=lambda each: -each[0])
        yield from merge(ranked, through, key=lambda each: -each[0])

    def _paths_through_nodes(self, floor: float) -> Iterator[tuple[float, list[Edge]]]:
        """Yield the best path through each node that no path before had, best first."""
        nodes = [node for layer in self._layers for node in layer]
        nodes = [node for node in nodes if node.forward + node.backward >= floor]
        seen: set[int] = set()
        for node in sorted(nodes, key=lambda node: -(node.forward + node.backward)):
            if id(node) not in seen:
                path = _path_through(node)
                seen.update(id(edge.target) for edge in path)
                yield node.forward + node.backward, path


def _with_other_gaps(score: float, path: Sequence[Edge]) -> Iterator[tuple[float, list[Edge]]]:
    """Yield a path with one gap deleted in place of skipped, or the other way round, then with all gaps alike."""
    gaps = [edge for edge in path if edge.other is not None]
    changes = [{gap} for gap in gaps[:_MAX_GAPS]]
    for between in ("delete", "skip"):
        changed = {gap for gap in gaps if gap.between != between}
        changes += [changed] if len(changed) > 1 else []
    for change in changes:
        other = [edge.other if edge.other is not None and edge in change else edge for edge in path]
        yield score + sum(b.score - a.score for a, b in zip(path, other, strict=True)), other


def _path_through(node: Node) -> list[Edge]:
    """Return the edges of the best path through a node."""
    path: list[Edge] = []
    edge = node.before
    while edge is not None:
        path.append(edge)
        edge = edge.source.before
    path.reverse()
    edge = node.behind
    while edge is not None:
        path.append(edge)
        edge = edge.target.behind
    return path
