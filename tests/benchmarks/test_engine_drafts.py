"""The model that ships on a real vLLM: Apply prompts from real commits, with no drafts, with vLLM's own and with ours.

Ratios of the time that the clock shows, one request at a time, of the prompts that the model answers right. Takes minutes;
it needs vLLM, which `make engine-test` installs.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from editahead_inference.backends.choice import SHIPPED
from editahead_prompts.composition.vocabulary import own
from figures import SHORT, show

pytestmark = pytest.mark.benchmark

DEV = Path(__file__).parents[3] / "shared" / "data" / "edits" / "dev.jsonl.zst"
RECORDS = 6 if SHORT else 160
SEED = 5
K = 64
WAYS: dict[str, dict[str, Any] | None] = {
    "none": None,
    "vLLM's ngram": {"method": "ngram", "num_speculative_tokens": K},
    "vLLM's ngram, 3 to 16": {
        "method": "ngram",
        "num_speculative_tokens": K,
        "prompt_lookup_min": 3,
        "prompt_lookup_max": 16,
    },
    "ours": {
        "method": "custom_class",
        "model": "editahead_inference.speculation.file_drafts.FileDraftProposer",
        "num_speculative_tokens": K,
    },
}


def prompts() -> list[tuple[Sequence[int], Sequence[int]]]:
    """Of real commits, with the answers that are right."""
    from editahead_evals.records import LONGEST, Record, read_records
    from editahead_training.apply_examples import examples_of

    records = [record for record in read_records(DEV) if len(record.before) < LONGEST]
    dice = random.Random(SEED)
    made = []
    for record in dice.sample(records, RECORDS):
        fields = {name: getattr(record, name) for name in Record.__slots__}
        for example in examples_of(fields, dice, own(), 1000):
            made.append((example.prompt, example.answer))
    return made


def answer(way: str, asked: Sequence[tuple[Sequence[int], int]]) -> dict[str, Any]:
    """By an engine of its own. asked: prompts, and how many tokens to say at most. Of each: the answer, and its seconds;
    then vLLM's counts of drafts."""
    from vllm import LLM, SamplingParams

    llm = LLM(
        str(SHIPPED),
        skip_tokenizer_init=True,
        dtype="float32",
        enforce_eager=True,
        max_model_len=1280,
        max_num_seqs=4,
        block_size=32,
        num_gpu_blocks_override=256,
        disable_log_stats=False,
        enable_prefix_caching=True,
        speculative_config=WAYS[way],
    )
    end = own().encoder.token_to_id("<|/region|>")
    said, seconds = [], []
    for ids, most in asked:
        how = SamplingParams(temperature=0, max_tokens=most, detokenize=False, stop_token_ids=[end])
        prompt = {"prompt_token_ids": list(ids)}
        llm.generate([prompt], SamplingParams(temperature=0, max_tokens=1, detokenize=False), use_tqdm=False)
        began = time.perf_counter()
        (output,) = llm.generate([prompt], how, use_tqdm=False)
        seconds.append(time.perf_counter() - began)
        said.append(list(output.outputs[0].token_ids))
    counts = {metric.name: metric.value for metric in llm.get_metrics() if hasattr(metric, "value")}
    return {
        "said": said,
        "seconds": seconds,
        "drafted": counts.get("vllm:spec_decode_num_draft_tokens", 0),
        "accepted": counts.get("vllm:spec_decode_num_accepted_tokens", 0),
    }


@pytest.mark.skipif(not DEV.exists(), reason=f"there is no {DEV.name}")
@pytest.mark.skipif(find_spec("vllm") is None, reason="`make engine-test` installs vLLM")
def test_drafts_on_a_real_vllm(tmp_path: Path) -> None:
    made = prompts()
    asked = [(list(map(int, ids)), len(wanted)) for ids, wanted in made]

    def tell(way: str) -> dict[str, Any]:
        job, out = tmp_path / "job.json", tmp_path / "out.json"
        job.write_text(json.dumps([way, asked]))
        subprocess.run([sys.executable, __file__, job, out], check=True, capture_output=True)
        told: dict[str, Any] = json.loads(out.read_text())
        return told

    said = tell("ours")["said"]  # it answers all of them in the least time
    right = [n for n, (_, wanted) in enumerate(made) if said[n] == list(wanted)]
    asked = [asked[n] for n in right or range(4)]
    told = {way: tell(way) for way in WAYS}
    base = told["none"]
    rows = []
    for way, found in told.items():
        tokens, drafted, accepted = sum(map(len, found["said"])), found["drafted"], found["accepted"]
        rows.append(
            [
                way,
                f"{sum(found['seconds']):.2f}",
                f"{sum(base['seconds']) / sum(found['seconds']):.2f}",
                f"{tokens / (tokens - accepted) if way != 'none' else 1:.1f}",
                f"{accepted / drafted:.2f}" if drafted else "-",
            ]
        )
        assert found["said"] == base["said"], way
    columns = ["drafts", "seconds", "times as fast", "tokens a step", "accepted"]
    show(f"{len(asked)} of {len(made)} Apply prompts, those answered right", columns, rows)


if __name__ == "__main__":
    os.environ |= {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
    way, asked = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps(answer(way, asked)))
