"""Benchmark of prompt layouts: the costs of each format's prompts on a server with a prefix cache, and of our tokens.

The edits are real commits where there are some (EDITAHEAD_EDITS names a file of them), else this repository's own. Prompts
have at most the budget of our own format; all are counted in its tokens.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import astuple
from itertools import islice
from pathlib import Path

import pytest

from editahead_evals.data.edit_records import Record, read_records, sample
from editahead_evals.data.git_records import recent_records
from editahead_lab.prompt_costs.costs import Costs
from editahead_lab.prompt_costs.rendered_prompts import BLOCKS, render_all
from editahead_lab.prompt_costs.typing_sessions import sample_large, sessions, typing_states
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.next_edit.editahead_2611 import EDITAHEAD
from editahead_prompts.formats.registry import FORMATS
from figures import SHORT, show

pytestmark = pytest.mark.benchmark

ROOT = Path(__file__).parents[2]
EDITS = Path(os.environ.get("EDITAHEAD_EDITS", ROOT.parent / "shared/data/edits/dev.jsonl.zst"))
BUDGET = EDITAHEAD.context
SESSIONS, HUNKS, MOST, SEED = (1 if SHORT else 12), 6, (10 if SHORT else 300), 0
"""So many sessions, of each the first hunks and requests."""

READ = 400 if SHORT else 4000
"""Records that sessions are drawn from."""


def records() -> Iterable[Record]:
    return islice(read_records(EDITS), READ) if EDITS.is_file() else recent_records(ROOT)


def test_tokens_to_compute_for_each_request() -> None:
    drawn = sample_large(sessions(records()), SESSIONS, SEED)
    rows = []
    for name, format in FORMATS.items():
        costs = Costs.from_rendered(
            render_all(format, typing_states(drawn, HUNKS, MOST), bundled_tokenizer(), BUDGET)
        )
        cells = [f"{figure:.0f}" for block in BLOCKS for figure in astuple(costs.prefill[block])]
        part, first = next(iter(costs.differs.items()))
        blamed = f"{part} {first.tokens / sum(each.tokens for each in costs.differs.values()):.0%}"
        rows.append([name, f"{costs.prompts}", f"{costs.refused}", f"{costs.tokens:.0f}", *cells, blamed])
    kinds = [f"{kind} {block}" for block in BLOCKS for kind in ("mean", "p95")]
    columns = ["format", "requests", "too large", "prompt", *kinds, "first to differ"]
    title = f"tokens to compute at each request, by block size; {len(drawn)} sessions of {EDITS.name}"
    show(title, columns, rows)


def test_bytes_of_a_token() -> None:
    """Beside what is reckoned with where no tokenizer is at hand."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for record in sample(records(), 40 if SHORT else 400, SEED):
        texts[record.language].append(record.before)
    rows = []
    for language, found in sorted(texts.items(), key=lambda pair: -len(pair[1])):
        text = "".join(found)
        size, tokens = len(text.encode()), bundled_tokenizer().count(text)
        rows.append(
            [
                language,
                f"{len(found)}",
                f"{size}",
                f"{size / tokens:.2f}",
                f"{ESTIMATE.count(text) / tokens:.2f}",
            ]
        )
    show("our own vocabulary", ["language", "files", "bytes", "bytes/token", "estimated/real"], rows)
