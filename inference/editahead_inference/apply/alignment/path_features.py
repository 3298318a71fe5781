"""The features of a path through the lattice, whose weighted sum is its score. The weights are fitted by them."""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p

from .lattice import Edge, Lattice, Node
from .operations import Pairs


class PathFeatures:
    """The features of the paths of one lattice."""

    def __init__(self, lattice: Lattice) -> None:
        self._lattice = lattice
        self._model = lattice.model
        self._tokens = lattice.model.sketch.tokens

    def of(self, path: Sequence[Edge]) -> Pairs:
        """Yield the features of a path."""
        for edge in path:
            yield from self._edge_features(edge)
            yield from self._node_features(edge.target)

    def _node_features(self, node: Node) -> Pairs:
        if node.operation == "match":
            yield from self._model.match(node.token, node.start)
        elif node.operation == "change":
            yield from self._model.change(node.token, node.start, node.similarity)
        elif node.operation == "insert":
            yield from self._model.insert(node.token)

    def _edge_features(self, edge: Edge) -> Pairs:
        source, target, marker = edge.source, edge.target, self._lattice.marker_before(edge.target)
        if source.operation == "start" and marker is None:
            yield f"step.start {target.operation}", 1.0
            yield from self._flags("begin.", target.start, self._tokens[target.token].line.depth)
        elif marker is not None or target.operation == "end":
            yield from self._tail_features(edge, marker)
        elif not edge.between:
            yield f"step.{source.operation} {target.operation}", 1.0
        else:
            yield from self._gap_features(edge)
        if target.operation == "insert" and not (source.operation == "insert" and not edge.between):
            yield from self._model.insert_at(target.token, target.start)

    def _gap_features(self, edge: Edge) -> Pairs:
        start, end, name = edge.source.end, edge.target.start, edge.between
        yield f"step.{edge.source.operation} {name} {edge.target.operation}", 1.0
        yield from self._flags(f"{name} from.", start)
        yield from self._flags(f"{name} to.", end)
        kind, style = self._model.gaps.describe(start, end, edge.target.token)
        yield f"{name}.{kind} {style}", 1.0
        if name == "delete":
            yield from self._model.delete_lines(start, end)
        else:
            yield "skip.stubs", self._model.sketch.stubs / 3

    def _tail_features(self, edge: Edge, marker: int | None) -> Pairs:
        """Yield the features of a way over a marker or to the end."""
        source, start = edge.source, edge.deleted
        if start > source.end:
            yield f"step.{source.operation} delete elide", 1.0
            yield from self._flags("delete from.", source.end)
            yield from self._flags("delete to.", start)
            yield from self._model.delete_lines(source.end, start)
        elif source.operation == "insert":
            yield from self._flags("insert to.", source.end, self._tokens[source.token].line.depth)
        if marker is None:
            if start == source.end:
                yield f"step.{source.operation} end", 1.0
            cut = self._lattice.cuts[start]
            yield from self._flags("end.", start, self._tokens[-1].line.depth)
            yield "end.cut", float(cut > 0)
            yield "end.lines", log1p(cut)
            return
        if start == source.end:
            yield f"step.{source.operation} elide", 1.0
        yield f"step.elide {edge.target.operation}", 1.0
        yield from self._hide_features(start, edge.target.start, marker)

    def _hide_features(self, start: int, end: int, depth: int) -> Pairs:
        if start == end:
            yield "hide.nothing", 1.0
            ends = "at the end of a block" in self._model.boundaries.describe(start, depth)
            yield "hide.nothing at the end", float(ends)
            return
        yield from self._flags("elide from.", start, depth)
        yield from self._flags("elide to.", end, depth)
        hidden = self._model.hidden(depth)
        if hidden[end] - hidden[start] >= self._model.weights["hide.limit"]:
            yield from self._model.hide_lines(start, end, depth)
        else:
            yield "hide.limit", 1.0

    def _flags(self, prefix: str, place: int, depth: int | None = None) -> Pairs:
        return ((f"{prefix}{name}", 1.0) for name in self._model.boundaries.describe(place, depth))
