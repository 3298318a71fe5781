"""Benchmark of typing on a real vLLM with a small model, with and without its prefix cache.

Both get the same keys of the same sessions on one machine. It takes ten minutes and needs vLLM, which
tools/environment/get-vllm.sh installs. For larger models, by their shape: `python tests/benchmarks/gpu --small`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

from editahead_evals.data.edit_records import MAX_FILE_CHARACTERS, read_records
from editahead_serving.launch_plan import NUM_SPECULATIVE_TOKENS
from editahead_serving.vllm_probe import PROPOSER
from figures import SHORT, percentile, show
from real_vllm import serving
from small_model import TRAINED
from typing_sessions import Cost, Session, When, play, synthetic

pytestmark = pytest.mark.benchmark

DEV = Path(__file__).parents[3] / "shared" / "data" / "edits" / "dev.jsonl.zst"
FILES, PIECES = (2, 6) if SHORT else (12, 14)
SEED = 8
TOKENS = ["", "asked", "queries", "prompt tokens", "computed", "for each asked", "per accept"]
TIMES = ["ms", "first token: opened", "back", "later", "shown: p50", "p95"]
WITH_DRAFTS = (
    "--speculative-config",
    json.dumps(
        {"method": "custom_class", "model": PROPOSER, "num_speculative_tokens": NUM_SPECULATIVE_TOKENS}
    ),
)
"""As `editahead engine` has it; without, answers of the whole region would come late."""


def sessions() -> list[Session]:
    if not DEV.exists():
        print(f"There is no {DEV.name}: the sessions are made up.")
        return synthetic()
    records = [record for record in read_records(DEV) if len(record.before) < MAX_FILE_CHARACTERS]
    chosen = random.Random(SEED).sample(records, FILES)
    return [Session(Path(r.path).name, r.language, r.before, r.after) for r in chosen]


@pytest.mark.skipif(find_spec("vllm") is None, reason="tools/environment/get-vllm.sh installs vLLM")
def test_typing_on_a_real_vllm(tmp_path: Path) -> None:
    typed = sessions()
    costs: dict[str, Cost] = {}

    def measure(name: str, url: str) -> None:
        costs[name] = play(typed, url, tmp_path / name, pieces=PIECES)
        title = f"{len(typed)} files, each visited twice"
        show(title, TOKENS, [tokens_of(*known) for known in costs.items()])
        show(title, TIMES, [times_of(*known) for known in costs.items()])

    with serving(TRAINED, tmp_path / "vllm.log", *WITH_DRAFTS) as url:
        play(synthetic(), url, tmp_path / "first", pieces=2)  # what vLLM loads late
        measure("prefix cache", url)
    with serving(TRAINED, tmp_path / "vllm-without.log", "--no-enable-prefix-caching", *WITH_DRAFTS) as url:
        play(synthetic(), url, tmp_path / "first-without", pieces=2)
        measure("no prefix cache", url)
    assert costs["no prefix cache"].computed == costs["no prefix cache"].prompt
    assert costs["prefix cache"].computed < costs["prefix cache"].prompt


def tokens_of(name: str, cost: Cost) -> Sequence[str]:
    return [
        name,
        f"{len(cost.asked)}",
        f"{cost.queries}",
        f"{cost.prompt:.0f}",
        f"{cost.computed:.0f}",
        f"{cost.computed / len(cost.asked):.0f}",
        "-" if cost.per_accept is None else f"{cost.per_accept:.0f} ({cost.accepted})",
    ]


def times_of(name: str, cost: Cost) -> Sequence[str]:
    whens: Sequence[When] = ("opened", "back", "later")
    shown = [one.ms for one in cost.asked]
    return [
        name,
        *(f"{percentile(first, 0.5):.0f}" if (first := cost.first_ms(when)) else "-" for when in whens),
        f"{percentile(shown, 0.5):.0f}",
        f"{percentile(shown, 0.95):.0f}",
    ]
