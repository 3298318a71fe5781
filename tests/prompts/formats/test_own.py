"""Our own format: what a keystroke costs a server that keeps what it has computed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import mean

from editahead_prompts.composition.compare import Difference, first_difference
from editahead_prompts.composition.render import Prompt
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.edits import Edit
from editahead_prompts.formats.format import Format
from editahead_prompts.formats.own import OWN
from editahead_prompts.formats.zeta2 import ZETA_2
from editahead_prompts.snapshot import Snapshot
from editahead_prompts.state import State
from typist import Typist


@dataclass(frozen=True)
class Words:
    """Pieces of words, white space and signs as tokens: a little more of them than a real tokenizer has for code."""

    def count(self, text: str) -> int:
        return len(self.encode(text))

    def encode(self, text: str) -> tuple[int, ...]:
        found = re.findall(
            r"<\|/?\w+\|>|[^\W\d_]{1,6}|\d{1,3}|\n[ \t]*|[ \t]+|[^\w\s]{1,2}|.", text, re.DOTALL
        )
        return tuple(map(hash, found))


TEXT = "".join(
    f"def function_{n}(first, second):\n"
    + "".join(f"    value_{m} = first.part_{m} + second[{m}] * {n}\n" for m in range(8))
    + f"    return check(value_{n % 8})\n\n\n"
    for n in range(40)
)
OTHER = Snapshot.of("".join(f"def helper_{n}(): ...\n" for n in range(50)), uri="file:///other.py")


def session(format: Format, functions: Sequence[int], typed: str) -> list[tuple[Prompt, Difference]]:
    """Each prompt of a session in which `typed` goes to the end of some functions' parameters, with a request for every two
    characters, and where it parts from the one before."""
    typist = Typist(TEXT)
    prompts: list[Prompt] = []
    for n in functions:
        head = f"function_{n}(first, second"
        at = typist.text.index(head) + len(head)
        typist.at += 5
        for k in range(0, len(typed), 2):
            typist.make(Edit.replace(at + k, at + k, typed[k : k + 2]))
            typist.cursor = at + k + len(typed[k : k + 2])
            state = State(typist.snapshot, typist.cursor, typist.past, (OTHER,))
            prompts.append(format.build(state, Words(), budget=2500).prompt)
    return [
        (now, found) for then, now in pairwise(prompts) if (found := first_difference(then, now)) is not None
    ]


def test_a_keystroke_costs_the_rest_of_the_region() -> None:
    edits = (3, 4, 17, 30)
    found = session(
        OWN,
        edits,
        ", third=None):\n    value = third or second\n    check(value, first, second)",
    )
    fresh = sorted(difference.fresh for _, difference in found)
    whole = mean(prompt.tokens for prompt, _ in found)
    assert whole > 1500
    assert mean(fresh) < whole / 5
    assert fresh[len(fresh) * 19 // 20] < whole / 4
    # Going elsewhere shows another part of the file; a chapter that ends shows it anew; a closed edit is added.
    slow = [difference.now for _, difference in found if (difference.now or "").partition("/")[0] != "region"]
    assert len(slow) <= 2 * len(edits)


def test_it_costs_less_than_a_format_that_shows_the_growing_edit_first() -> None:
    ours, theirs = (
        mean(d.fresh for _, d in session(format, (3, 4), ", third=None")) for format in (OWN, ZETA_2)
    )
    assert ours * 2 < theirs


def test_the_slow_parts_never_crowd_out_the_region() -> None:
    long = Snapshot.of("".join(f"{'x' * 90} = {n}\n" for n in range(500)), uri="file:///a.py")
    others = tuple(replace(long, uri=f"file:///{n}.py") for n in range(5))
    for budget in (1000, 2500):
        prompt = OWN.build(State(long, long.length // 2, (), others), ESTIMATE, budget=budget).prompt
        assert budget * 0.4 < prompt.tokens <= budget
        assert "<|cursor|>" in prompt.text
