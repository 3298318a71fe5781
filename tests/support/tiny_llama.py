"""A dense model of SmolLM2's kind with random weights, and examples that it can learn."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import transformers

from editahead_prompts.composition.hf_tokenizer import HfTokenizer, bundled_tokenizer
from editahead_prompts.formats.next_edit import editahead_lines_2611 as lines_format
from editahead_training.data import packed_dataset
from editahead_training.data.example import Example, plain


def tiny_llama(vocabulary: int, *, hidden: int = 32, inner: int = 64, heads: int = 4, seed: int = 1) -> Any:
    """Return a model with random weights."""
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=hidden,
        intermediate_size=inner,
        num_hidden_layers=2,
        num_attention_heads=heads,
        num_key_value_heads=heads // 2,
        max_position_embeddings=1024,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=0,
    )
    return transformers.LlamaForCausalLM(config)


def write_base(folder: Path, model: Any) -> Path:
    """Write a model with our own tokenizer, as a base, and return the folder."""
    tokenizer = bundled_tokenizer().encoder
    model.save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=type(tokenizer).from_str(tokenizer.to_str())
    ).save_pretrained(folder)
    (folder / "LICENSE").write_text("a licence")
    return folder


def counting_groups(count: int, vocabulary: HfTokenizer) -> Iterator[list[Example]]:
    """Yield groups of examples that begin alike: silence, or a line that counts up."""
    chance = random.Random(1)
    silence = vocabulary.encode(lines_format.SILENT + lines_format.END)
    for number in range(count):
        trunk = [300 + chance.randrange(50) for _ in range(12)]
        group = []
        for branch in range(1 + number % 3):
            start = chance.randrange(100)
            prompt = [*trunk, *(400 + start + n for n in range(9))]
            if branch:
                group.append(plain("silence", prompt, silence))
            else:
                group.append(plain("next edit", prompt, [409 + start + n for n in range(6)]))
        yield group


def write_examples(path: Path, vocabulary: HfTokenizer) -> Path:
    """Write 60 groups of packed examples, every other one hard, and return the path."""
    made = list(counting_groups(60, vocabulary))
    packed_dataset.write(
        path,
        [example for group in made for example in group],
        {"format": "editahead-lines"},
        vocabulary=vocabulary,
        groups=[number for number, group in enumerate(made) for _ in group],
        hard=[number % 2 == 0 for number, group in enumerate(made) for _ in group],
    )
    return path
