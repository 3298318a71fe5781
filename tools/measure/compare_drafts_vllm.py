"""Send the same prompts to a real vLLM with and without our draft proposer, and write the comparison as JSON.

    PYTHONPATH=tests/support python tools/measure/compare_drafts_vllm.py FOLDER KIND...

The models have random weights, and are written to FOLDER/KIND, as is the comparison. They attend little to their context, so
their answer to a prompt that holds that answer as an edit's region is nearly the same. Those of kind "qwen2" say words only,
and are asked the two questions of `editahead-coder`. The first kind also answers a thousand meaningless prompts. One process
compares all kinds: its imports take ten seconds.
"""

from __future__ import annotations

import gc
import json
import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from editahead_prompts.composition.hf_tokenizer import HfTokenizer, bundled_tokenizer
from editahead_prompts.formats.next_edit import editahead_coder_2611
from editahead_prompts.formats.next_edit.editahead_2611 import CURSOR, GUESS, NEXT, REGION, REGION_END, SKETCH
from tiny_coder import coder_tokenizer

PROPOSER = "editahead_inference.speculation.vllm_proposer.FileDraftProposer"
CONTEXT, BLOCK, BLOCKS = 512, 32, 32
"""Fewer blocks than the concurrent requests need, so that requests are preempted."""
MAX_DRAFT = 64
HEEDED = 0.02
"""The factor for the output of attention."""
EDITS, OTHERS, GARBAGE = 10, 4, 1000
SAID = 90
"""Tokens of an answer."""


TWO_QUESTIONS = "qwen2"
"""The kind with the architecture and the tokenizer of `editahead-coder`."""


def make(kind: str, folder: Path) -> None:
    import torch
    from transformers import (
        AutoModelForCausalLM,
        MixtralConfig,
        OlmoeConfig,
        Qwen2Config,
        Qwen3Config,
        Qwen3MoeConfig,
    )

    tokenizer = tokenizer_of(kind)
    end = "<|endoftext|>" if kind == TWO_QUESTIONS else "<|end|>"
    sizes: dict[str, Any] = {
        "vocab_size": max(tokenizer.encoder.get_vocab().values()) + 1,
        "hidden_size": 64,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "head_dim": 32,
        "max_position_embeddings": CONTEXT,
        "initializer_range": 0.12,
        "tie_word_embeddings": False,
        "bos_token_id": None,
        "pad_token_id": None,
        "eos_token_id": tokenizer.encode(end)[0],
    }
    experts = {"num_experts": 4, "num_experts_per_tok": 2}
    made: dict[str, Any] = {
        "qwen3-moe": lambda: Qwen3MoeConfig(**sizes, **experts, moe_intermediate_size=64),
        TWO_QUESTIONS: lambda: Qwen2Config(**sizes),
        "qwen3": lambda: Qwen3Config(**sizes),
        "olmoe": lambda: OlmoeConfig(**sizes, **experts),
        "mixtral": lambda: MixtralConfig(**sizes, num_local_experts=4, num_experts_per_tok=2),
    }
    torch.manual_seed(3)
    model = AutoModelForCausalLM.from_config(made[kind]()).float()
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if "o_proj" in name:
                weights *= HEEDED
        if kind == TWO_QUESTIONS:
            head = model.lm_head.weight
            said = head[plain_words(tokenizer)]
            head.zero_()
            head[plain_words(tokenizer)] = said
    model.save_pretrained(folder)
    tokenizer.encoder.save(str(folder / "tokenizer.json"))


def tokenizer_of(kind: str) -> HfTokenizer:
    return coder_tokenizer() if kind == TWO_QUESTIONS else bundled_tokenizer()


def plain_words(tokenizer: HfTokenizer) -> list[int]:
    """Return tokens that are words behind a space, which stay tokens in any text of such words."""
    texts = {id: tokenizer.decode([id]) for id in tokenizer.encoder.get_vocab().values()}
    return sorted(
        id for id, text in texts.items() if text[:1] == " " and text[1:].isalpha() and text.isascii()
    )


class Engine:
    def __init__(self, folder: Path, drafts: bool) -> None:
        from vllm import LLM

        config = {"method": "custom_class", "model": PROPOSER, "num_speculative_tokens": MAX_DRAFT}
        self._llm = LLM(
            str(folder),
            skip_tokenizer_init=True,
            dtype="float32",
            enforce_eager=True,
            max_model_len=CONTEXT,
            max_num_seqs=8,
            max_num_batched_tokens=1024,
            block_size=BLOCK,
            num_gpu_blocks_override=BLOCKS,
            disable_log_stats=False,
            speculative_config=config if drafts else None,
        )

    def answers(self, prompts: Sequence[Sequence[int]], tokens: int, temperature: float = 0) -> list[Any]:
        """Return the token ids and the finish reason of each answer."""
        from vllm import SamplingParams

        how = SamplingParams(temperature=temperature, max_tokens=tokens, detokenize=False)
        outputs = self._llm.generate(
            [{"prompt_token_ids": list(ids)} for ids in prompts], how, use_tqdm=False
        )
        return [[list(output.outputs[0].token_ids), output.outputs[0].finish_reason] for output in outputs]

    def counted(self) -> dict[str, int]:
        wanted = {
            "vllm:spec_decode_num_drafts": "drafts",
            "vllm:spec_decode_num_draft_tokens": "drafted",
            "vllm:spec_decode_num_accepted_tokens": "accepted",
            "vllm:num_preemptions": "preempted",
        }
        found = {
            wanted[metric.name]: metric.value for metric in self._llm.get_metrics() if metric.name in wanted
        }
        return {name: int(value) for name, value in found.items()}

    def close(self) -> None:
        from vllm.distributed.parallel_state import cleanup_dist_env_and_memory

        self._llm.llm_engine.engine_core.shutdown()
        del self._llm
        gc.collect()
        cleanup_dist_env_and_memory()


def ids(text: str) -> list[int]:
    return list(bundled_tokenizer().encode(text))


def words(dice: random.Random, count: int) -> list[int]:
    return [dice.randrange(300, 8000) for _ in range(count)]


def noisy(dice: random.Random, tokens: Sequence[int]) -> list[int]:
    """Return the tokens with some replaced and some left out."""
    at = dice.randrange(len(tokens))
    return [*tokens[:at], *words(dice, dice.randrange(6)), *tokens[at + dice.randrange(6) :]]


def edits(dice: random.Random, said: Sequence[tuple[int, Sequence[int]]]) -> list[list[int]]:
    """Return prompts that hold a noisy copy of the answer after its first token; some have no guess."""
    made = []
    for number, (start, answer) in enumerate(said):
        text = [start, *answer]
        prompt = [*ids(REGION), *noisy(dice, text), *ids(CURSOR + REGION_END), *ids(SKETCH), *answer[20:40]]
        if number % 2:
            prompt += [*ids(GUESS), *noisy(dice, text)]
        made.append([*prompt, *ids(NEXT), start])
    return made


def questions(
    dice: random.Random, said: Sequence[tuple[int, Sequence[int]]], tokenizer: HfTokenizer
) -> list[list[int]]:
    """Return prompts of the two questions that hold a noisy copy of the answer after its first token."""
    head, behind, before, asks = (
        list(tokenizer.encode(text))
        for text in (
            f"{editahead_coder_2611.FILE}a.py\n{editahead_coder_2611.SUFFIX}\n",
            f"\n{editahead_coder_2611.PREFIX}",
            "price =",
            f"\n{editahead_coder_2611.OPEN}+price\n{editahead_coder_2611.NEXT}",
        )
    )
    made = []
    for number, (start, answer) in enumerate(said):
        prompt = [*head, *noisy(dice, [start, *answer]), *behind, *before]
        made.append([*prompt, *(asks if number % 2 else ()), start])
    return made


def garbage(dice: random.Random, edit: Sequence[int]) -> list[list[int]]:
    pieces = [ids(mark) for mark in (REGION, REGION_END, SKETCH, GUESS, NEXT, CURSOR)]
    pieces += [list(edit), list(edit[:-5]), list(edit[5:])]
    made = []
    for _ in range(GARBAGE):
        wild = [words(dice, dice.randrange(30)), [dice.randrange(8192) for _ in range(dice.randrange(30))]]
        prompt = [id for piece in dice.choices([*pieces, *wild], k=dice.randrange(1, 6)) for id in piece]
        made.append(prompt[: CONTEXT - 1] or [0])
    return made


def run(kind: str, folder: Path, thousand: bool) -> dict[str, Any]:
    make(kind, folder)
    dice = random.Random(9)
    asks_two, tokenizer = kind == TWO_QUESTIONS, tokenizer_of(kind)
    starts = dice.choices(plain_words(tokenizer), k=EDITS) if asks_two else words(dice, EDITS)
    others = [words(dice, dice.randrange(1, 90)) for _ in range(OTHERS)]
    engine = Engine(folder, drafts=False)
    noise = words(dice, 60)
    first = engine.answers(
        [[*ids(REGION), *noise, *ids(REGION_END + NEXT), start] for start in starts], SAID - 10
    )
    said = [(start, answer) for start, (answer, _) in zip(starts, first, strict=True)]
    prompts = questions(dice, said, tokenizer) if asks_two else edits(dice, said)
    # A prompt whose answer reaches the end of the context, with a region that is longer still.
    long = [[*words(dice, CONTEXT - 25 - number - len(prompts[0])), *prompts[0]] for number in (0, 9, 24)]
    mixed = [*prompts, *others, *long]
    plain = engine.answers(mixed, SAID)
    preempted = engine.counted()["preempted"]
    engine.close()

    engine = Engine(folder, drafts=True)
    drafted = engine.answers(mixed, SAID)
    report: dict[str, Any] = {
        "kind": kind,
        "requests": len(mixed),
        **engine.counted(),
        "preempted plain": preempted,
    }
    report["different"] = [n for n, (a, b) in enumerate(zip(plain, drafted, strict=True)) if a != b]
    report["tokens"] = sum(len(answer) for answer, _ in drafted)
    before = engine.counted()["drafted"]
    engine.answers([*others, words(dice, CONTEXT - 30)], 29)
    report["drafted for others"] = engine.counted()["drafted"] - before
    report["sampled"] = len(engine.answers(mixed, 10, temperature=1.0))
    if thousand:
        report["garbage"] = len(engine.answers(garbage(dice, prompts[1]), 2))
    again = engine.answers(prompts, SAID)
    report["different afterwards"] = [n for n, (a, b) in enumerate(zip(plain, again, strict=False)) if a != b]
    engine.close()
    return report


if __name__ == "__main__":
    os.environ |= {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"  # saves a process
    os.environ |= {
        "OMP_NUM_THREADS": "1",
        "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    }  # the model is too small for two workers
    out, *kinds = sys.argv[1:]
    for kind in kinds:
        folder = Path(out, kind)
        report = run(kind, folder, thousand=kind == kinds[0])
        (folder / "told.json").write_text(json.dumps(report))
        print(report)
