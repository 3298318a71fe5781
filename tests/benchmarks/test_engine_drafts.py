"""Benchmark of a small model on a real vLLM: real commits without drafts, with vLLM's drafts and with ours.

It reports ratios of elapsed time, one request at a time: for Apply prompts that the model answers correctly, and for prompts
of each kind with any answer. It takes minutes and needs vLLM, which tools/environment/get-vllm.sh installs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from commit_prompts import DEV, applies, records, windows
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from figures import SHORT, show
from small_model import TRAINED

pytestmark = pytest.mark.benchmark

RECORDS, LOOKED_AT, OF_EACH = (6, 60, 2) if SHORT else (160, 2500, 16)
"""Commits whose Apply prompts are asked, to find those that are answered right; sketches that are looked at for prompts of
each kind, whatever is answered, and how many of these are asked."""
K = 64
CONTEXT = 1280
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
        "model": "editahead_inference.speculation.vllm_proposer.FileDraftProposer",
        "num_speculative_tokens": K,
    },
}


Query = tuple[list[int], list[int]]
"""The prompt, and what is right."""


def to_be_right() -> list[Query]:
    """Return Apply prompts of other commits whose guess is right."""
    made = applies(records(), LOOKED_AT, RECORDS)["Apply, region, guess right"]
    return [(list(asked.prompt), list(asked.answer)) for asked in made]


def of_each_kind() -> dict[str, list[Query]]:
    found = records()
    made = applies(found, LOOKED_AT, 4 * OF_EACH)
    kinds = {f"Apply, guess {how}": made[f"Apply, region, guess {how}"] for how in ("right", "wrong")}
    kinds["next edits"] = windows(found, "editahead", 4 * OF_EACH)
    return {
        kind: [
            (list(asked.prompt), list(asked.answer))
            for asked in all_of_it
            if len(asked.prompt) + len(asked.answer) + K < CONTEXT
        ][:OF_EACH]
        for kind, all_of_it in kinds.items()
    }


def answer(way: str, kinds: dict[str, list[Query]]) -> dict[str, Any]:
    """By an engine of its own. Of each kind: the answers, each of as many tokens as the right one at most; their seconds and
    the engine's steps; and vLLM's counts of drafts."""
    from vllm import LLM, SamplingParams

    llm = LLM(
        str(TRAINED),
        skip_tokenizer_init=True,
        dtype="float32",
        enforce_eager=True,
        max_model_len=CONTEXT,
        max_num_seqs=4,
        block_size=32,
        num_gpu_blocks_override=256,
        disable_log_stats=False,
        enable_prefix_caching=True,
        speculative_config=WAYS[way],
    )
    end = bundled_tokenizer().encoder.token_to_id("<|/region|>")

    def counts() -> list[int]:
        """Return the drafted and the accepted tokens, and the steps."""
        found = {metric.name: metric for metric in llm.get_metrics()}
        names = [f"vllm:spec_decode_num_{name}_tokens" for name in ("draft", "accepted")]
        tokens = [int(getattr(found.get(name), "value", 0)) for name in names]
        return [*tokens, int(getattr(found["vllm:iteration_tokens_total"], "count", 0))]

    measured = {}
    for kind, queries in kinds.items():
        said, seconds, before = [], 0.0, counts()
        for ids, right in queries:
            how = SamplingParams(temperature=0, max_tokens=len(right), detokenize=False, stop_token_ids=[end])
            prompt = {"prompt_token_ids": ids}
            llm.generate(
                [prompt], SamplingParams(temperature=0, max_tokens=1, detokenize=False), use_tqdm=False
            )
            began = time.perf_counter()
            (output,) = llm.generate([prompt], how, use_tqdm=False)
            seconds += time.perf_counter() - began
            said.append(list(output.outputs[0].token_ids))
        drafted, accepted, steps = (after - now for after, now in zip(counts(), before, strict=True))
        steps -= len(queries)  # those of the prompts, computed before
        measured[kind] = {
            "said": said,
            "seconds": seconds,
            "drafted": drafted,
            "accepted": accepted,
            "steps": steps,
        }
    return measured


@pytest.mark.skipif(not DEV.exists(), reason=f"there is no {DEV.name}")
@pytest.mark.skipif(find_spec("vllm") is None, reason="tools/environment/get-vllm.sh installs vLLM")
def test_drafts_on_a_real_vllm(tmp_path: Path) -> None:
    def measure(way: str, kinds: dict[str, list[Query]]) -> dict[str, Any]:
        job, out = tmp_path / "job.json", tmp_path / "out.json"
        job.write_text(json.dumps([way, kinds]))
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        subprocess.run([sys.executable, __file__, job, out], check=True, env=environment)
        measured: dict[str, Any] = json.loads(out.read_text())
        return measured

    made = to_be_right()
    said = measure("ours", {"all": made})["all"]["said"]  # it answers so many in the least time
    right = [query for query, tokens in zip(made, said, strict=True) if tokens == query[1]]
    kinds = {f"Apply, the {len(right)} of {len(made)} answered right": right} if right else {}
    kinds |= of_each_kind()
    measured = {way: measure(way, kinds) for way in WAYS}
    for kind, queries in kinds.items():
        if not queries:
            continue
        base = measured["none"][kind]
        rows = []
        for way in WAYS:
            found = measured[way][kind]
            tokens, drafted, accepted = sum(map(len, found["said"])), found["drafted"], found["accepted"]
            # Of a draft that goes on behind an answer's end, more may be accepted than the answer has.
            rows.append(
                [
                    way,
                    f"{found['seconds']:.2f}",
                    f"{base['seconds'] / found['seconds']:.2f}",
                    f"{tokens / found['steps']:.1f}",
                    f"{accepted / drafted:.2f}" if drafted else "-",
                ]
            )
            assert found["said"] == base["said"], (kind, way)
        columns = ["drafts", "seconds", "times as fast", "tokens a step", "accepted"]
        show(f"{kind}: {len(queries)} prompts", columns, rows)


if __name__ == "__main__":
    os.environ |= {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
    way, kinds = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps(answer(way, kinds)))
