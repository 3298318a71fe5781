"""How often one of several sampled answers is right: the ceiling of a better choice, of policy gradients and of preferences.

    python tests/benchmarks/best_of_samples.py MODEL HELD.tokens --examples 150 --samples 16

MODEL is what `editahead train tune` wrote, HELD.tokens what `editahead train data --base` held out. Needs the extra `train`.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModelForCausalLM

from editahead_training.data.base_dataset import format_of, vocabulary_of
from editahead_training.data.example import TASKS
from editahead_training.data.packed_dataset import PackedDataset, read


def sampled(
    model: torch.nn.Module, prompt: np.ndarray, count: int, longest: int, end: int
) -> list[list[int]]:
    """Return `count` answers at temperature 1, as token ids up to and with the end."""
    ids = torch.from_numpy(prompt.astype(np.int64))[None]
    with torch.inference_mode():
        said = model.generate(  # type: ignore[operator]
            ids,
            attention_mask=torch.ones_like(ids),
            do_sample=True,
            temperature=1.0,
            top_k=0,
            num_return_sequences=count,
            max_new_tokens=longest,
            eos_token_id=end,
            pad_token_id=end,
        )
    answers = []
    for row in said[:, ids.shape[1] :].tolist():
        answers.append(row[: row.index(end) + 1] if end in row else row)
    return answers


def chosen(data: PackedDataset, count: int) -> list[int]:
    """Return some examples of next edits, the same each time."""
    edits = [n for n in range(len(data)) if TASKS[data.tasks[n]] == "next edit"]
    return np.random.default_rng(0).permutation(edits)[:count].tolist()


def main() -> None:
    """Print the share of examples with a right answer among the first 1, 2, 4, ... samples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("held", type=Path)
    parser.add_argument("--examples", type=int, default=150)
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    data = read(args.held, vocabulary_of(args.model, format_of(args.held)))
    model = AutoModelForCausalLM.from_pretrained(
        args.model, dtype=torch.bfloat16, local_files_only=True
    ).eval()
    first_right, tokens = [], 0
    began = time.process_time()
    for number in chosen(data, args.examples):
        start, end = data.span(number)
        ids = data.tokens[start:end]
        answer = int(np.flatnonzero(data.weights[start:end])[0])
        wanted = ids[answer:].tolist()
        answers = sampled(model, ids[:answer], args.samples, len(wanted), wanted[-1])
        tokens += sum(map(len, answers))
        first_right.append(answers.index(wanted) if wanted in answers else args.samples)
    spent = time.process_time() - began
    ranks, count = np.array(first_right), 1
    while count <= args.samples:
        share = (ranks < count).mean()
        print(f"one of {count} right: {share:.3f} (+-{1.96 * (share * (1 - share) / len(ranks)) ** 0.5:.3f})")
        count *= 2
    print(f"{len(ranks)} examples, {tokens} tokens sampled, {tokens / spent:.0f} tokens per second of CPU")


if __name__ == "__main__":
    main()
