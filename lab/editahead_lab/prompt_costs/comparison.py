"""The same states rendered in two ways: what they cost, and where the prompts differ most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from heapq import nlargest

from editahead_lab.json_types import OtherPrompts

from .costs import Costs
from .rendered_prompts import Rendered


@dataclass(frozen=True)
class Pair:
    """One request in both ways.

    Attributes:
        number: the number of the request in the file, from 0.
        changed: the number of lines in the diff that differ.
    """

    number: int
    session: str
    diff: tuple[str, ...]
    changed: int


@dataclass(frozen=True)
class Comparison:
    """The costs of two ways to render the same requests.

    Attributes:
        equal: the number of equal prompts.
        largest: at most one pair of each session, the largest difference first.
    """

    mine: Costs
    theirs: Costs
    requests: int
    equal: int
    largest: tuple[Pair, ...]

    def as_json(self, name: str) -> OtherPrompts:
        """Return the figures of theirs, which has that name, without any code."""
        return {
            "name": name,
            "costs": self.theirs.as_json(),
            "requests": self.requests,
            "equal": self.equal,
            "mostDifferent": [
                {"request": pair.number, "session": pair.session, "changedLines": pair.changed}
                for pair in self.largest
            ],
        }


def compare(
    mine: Iterable[Rendered], theirs: Iterable[Rendered], names: tuple[str, str], max_pairs: int
) -> Comparison:
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
    return Comparison(
        Costs.from_rendered(ours),
        Costs.from_rendered(others),
        len(pairs),
        equal,
        tuple(_pair(number, *pairs[number], names) for _, number in found),
    )


def _changed(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of lines that only one prompt has, a cheap stand-in for the length of the diff."""
    return len(set(one) ^ set(other))


def _pair(number: int, one: Rendered, other: Rendered, names: tuple[str, str]) -> Pair:
    lines = unified_diff(other.text.splitlines(), one.text.splitlines(), names[1], names[0], lineterm="", n=1)
    diff = tuple(lines)
    return Pair(number, one.session, diff, sum(line[:1] in ("+", "-") for line in diff[2:]))
