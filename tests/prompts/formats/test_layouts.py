"""The costs of prompts on a server with a prefix cache during typing.

The sessions are cut from this repository's own history: `sessions.jsonl.zst` holds, of three of its commits, up to three
files as `recent_records` reads them; in the first of each commit its first hunks are typed, with the others open.
`tests/benchmarks/test_layouts.py` measures the same on more.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest

pytest.importorskip("tokenizers", reason="real tokenizers need an extra that brings models")

from editahead_evals.data.edit_records import read_records
from editahead_lab.prompt_costs.costs import Costs
from editahead_lab.prompt_costs.prefix_cache import PrefixCache
from editahead_lab.prompt_costs.rendered_prompts import render_all
from editahead_lab.prompt_costs.typing_sessions import sessions, typing_states
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.formats.base import Format
from editahead_prompts.formats.next_edit.editahead_2611 import EDITAHEAD
from editahead_prompts.formats.registry import FORMATS
from editahead_prompts.state import EditorState

pytestmark = pytest.mark.slow


HUNKS = 4
MOST = 40
"""Requests of a session."""


@cache
def requests() -> tuple[tuple[str, EditorState], ...]:
    """Return the states, each with its session's name."""
    found = sessions(read_records(Path(__file__).with_name("sessions.jsonl.zst")))
    first = (next(group) for _, group in groupby(found, key=lambda session: session.record.commit))
    return tuple(typing_states(first, HUNKS, MOST))


def costs_of(format: Format, requests: Sequence[tuple[str, EditorState]]) -> Costs:
    return Costs.from_rendered(render_all(format, requests, bundled_tokenizer(), EDITAHEAD.context))


def test_our_own_format_costs_the_rest_of_the_region() -> None:
    costs = costs_of(EDITAHEAD, requests())
    assert costs.refused == 0
    assert costs.tokens > 2000
    small, large = costs.prefill[16], costs.prefill[128]
    assert (small.mean <= 250, small.p95 <= 400, large.mean <= 310, large.p95 <= 530) == (True,) * 4
    assert costs.shared > 0.9


@pytest.mark.parametrize(
    ("name", "limits"),
    [("zeta-2", {16: (650, 2200), 128: (720, 2200)}), ("sweep", {16: (1000, 2300), 128: (1100, 2400)})],
)
def test_windows_of_other_formats_stand_still(name: str, limits: dict[int, tuple[int, int]]) -> None:
    """Mean and 95th percentile: beyond the history with the growing edit, and what their templates put behind it, whole
    prompts at the first requests, which are many of so few."""
    costs = costs_of(FORMATS[name], requests()[:MOST])
    assert costs.refused == 0
    for block, (mean, high) in limits.items():
        assert costs.prefill[block].mean <= mean
        assert costs.prefill[block].p95 <= high


def test_a_prefix_cache_keeps_whole_blocks() -> None:
    cache = PrefixCache(4)
    assert cache.prefill(range(10)) == 10
    assert cache.prefill(range(10)) == 2
    assert cache.prefill([*range(8), 9, 9, 9]) == 3
    assert cache.prefill([9, *range(1, 10)]) == 10
    assert cache.prefill(range(12)) == 4
