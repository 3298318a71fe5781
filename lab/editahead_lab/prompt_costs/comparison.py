"""The same states rendered in two ways: what they cost, and where the prompts differ most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from heapq import nlargest

from editahead_evals.report.output import JsonObject

from .costs import Costs
from .rendered_prompts import Rendered


@dataclass(frozen=True)
class DifferentPrompts(JsonObject):
    """One request in both ways.

    Attributes:
        request: The number of the request in the file, from 0.
        changed_lines: The number of lines in the diff that differ.
        diff: The diff, which holds code.
    """

    request: int
    session: str
    changed_lines: int
    diff: tuple[str, ...] = field(metadata={"json": False})


@dataclass(frozen=True)
class OtherPrompts(JsonObject):
    """The other prompts.

    Attributes:
        name: The other format, or this one at another revision.
        equal: Requests whose prompts are equal.
        largest: At most one pair of each session, the largest difference first.
    """

    name: str
    costs: Costs
    requests: int
    equal: int
    largest: Sequence[DifferentPrompts] = field(metadata={"json": "mostDifferent"})


def compare(
    mine: Iterable[Rendered], theirs: Iterable[Rendered], names: tuple[str, str], max_pairs: int
) -> OtherPrompts:
    """Compare the prompts of two ways to render the same requests.

    `names` are the names of the two ways in the diffs, which lead from the second to the first. `max_pairs` is the
    number of diffs to keep.

    Raises:
        TooFewPromptsError: no session has two prompts.
        ValueError: the two ways have different numbers of requests.
    """
    ours, others = list(mine), list(theirs)
    pairs = list(zip(ours, others, strict=True))
    furthest: dict[str, tuple[int, int]] = {}
    equal = 0
    for number, (one, other) in enumerate(pairs):
        equal += one.text == other.text
        changed = _changed(one.text.splitlines(), other.text.splitlines())
        if changed > furthest.get(one.session, (0, 0))[0]:
            furthest[one.session] = changed, number
    found = nlargest(max_pairs, furthest.values(), key=lambda pair: (pair[0], -pair[1]))
    return OtherPrompts(
        names[1],
        Costs.from_rendered(others),
        len(pairs),
        equal,
        [_pair(number, *pairs[number], names) for _, number in found],
    )


def _changed(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of lines that only one prompt has, a cheap stand-in for the length of the diff."""
    return len(set(one) ^ set(other))


def _pair(number: int, one: Rendered, other: Rendered, names: tuple[str, str]) -> DifferentPrompts:
    lines = unified_diff(other.text.splitlines(), one.text.splitlines(), names[1], names[0], lineterm="", n=1)
    diff = tuple(lines)
    changed = sum(line[:1] in ("+", "-") for line in diff[2:])
    return DifferentPrompts(number, one.session, changed, diff)
