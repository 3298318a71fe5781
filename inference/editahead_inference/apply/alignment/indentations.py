"""The changes of indentation from a sketch to its file that lines of both explain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from editahead_inference.apply.placement.indent_transform import (
    IDENTITY,
    IndentTransform,
    Pair,
    infer_transform,
    uses_other_indent,
)
from editahead_inference.apply.placement.line_matching import FileLines, line_weight, normalize_line
from editahead_inference.apply.placement.line_names import identity
from editahead_prompts.text.indentation import indent_unit, indentation

_MAX_PLACES = 8
"""Lines of the file that a line of the sketch may be, to say something of its indentation."""

_MAX_PAIRS = 12
"""Pairs of indentations that are looked at, those of the heaviest lines."""

_MAX_FOUND = 3
"""Changes that are returned."""

_NAMED = 0.7
"""The weight of a line that only names what the file has, against one that the file has."""

_NEARLY = 0.8
"""The share of the support of the best change from which another one is returned."""


def find_transforms(shown: Sequence[str], file: FileLines) -> list[IndentTransform]:
    """Return the changes of indentation that explain lines of the sketch, the likeliest first; at least one.

    Args:
        shown: The lines of the sketch.
        file: The lines of the file.
    """
    spaces = {indentation(line) for line in shown if line.strip()}
    votes = list(_votes(shown, file))
    supported: dict[tuple[str, ...], tuple[float, IndentTransform]] = {}
    for rank, each in enumerate(_candidates(votes, shown, spaces, file)):
        changed = tuple(each.apply(f"{space}x") for space in sorted(spaces))
        support = sum(weight for (own, there), weight in votes if each.apply(f"{own}x") == f"{there}x")
        if changed not in supported:
            supported[changed] = support - 0.01 * rank, each
    ranked = sorted(supported.values(), key=lambda each: -each[0])
    best = ranked[0][0]
    return [each for support, each in ranked if support >= _NEARLY * best - 0.1][:_MAX_FOUND]


def _candidates(
    votes: Sequence[tuple[Pair, float]], shown: Sequence[str], spaces: set[str], file: FileLines
) -> Iterator[IndentTransform]:
    """Yield the changes that may be, the likeliest first where no line tells them apart."""
    own = indent_unit(shown)
    is_other = any(spaces) and uses_other_indent(shown, file)
    units = [unit for unit in (file.indent_unit, *sorted(file.indent_steps)) if unit != own]
    conversions = [infer_transform([("", ""), (own, unit)], shown, file) for unit in units if any(spaces)]
    pairs = sorted(votes, key=lambda vote: -vote[1])[:_MAX_PAIRS]
    moves = [infer_transform([pair], shown, file) for pair, _ in pairs if pair[0] != pair[1]]
    ordered = [*conversions, IDENTITY, *moves] if is_other else [IDENTITY, *moves, *conversions]
    for each in ordered:
        if each is not None and (
            each.change is None or all(each.change(space) is not None for space in spaces)
        ):
            yield each
    yield IDENTITY


def _votes(shown: Sequence[str], file: FileLines) -> Iterator[tuple[Pair, float]]:
    """Yield the indentations of lines of the sketch with those of lines of the file that they may be, with weights."""
    weights: defaultdict[Pair, float] = defaultdict(float)
    named: dict[str, list[int]] | None = None
    for line in shown:
        key = normalize_line(line)
        places = file.places.get(key, []) if key else []
        weight = line_weight(key)
        if key and not places and (name := identity(key)) is not None:
            named = _named(file) if named is None else named
            places, weight = named.get(name, []), weight * _NAMED
        if 0 < len(places) <= _MAX_PLACES:
            for place in places:
                weights[indentation(line), indentation(file.bodies[place])] += weight / len(places)
    yield from weights.items()


def _named(file: FileLines) -> dict[str, list[int]]:
    """Return the lines of the file by what they name."""
    found: dict[str, list[int]] = {}
    for place, key in enumerate(file.keys):
        name = identity(key) if key else None
        if name is not None:
            found.setdefault(name, []).append(place)
    return found
