"""Write a tiny model with random weights and a tokenizer trained on this repository.

The model is a mixture of experts, or a dense one with sliding-window attention.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

ROOT = Path(__file__).parent.parent.parent
END, START, STOP = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
CONTEXT = 16_384
"""The context in tokens. The longest answers take half a minute, which leaves time to cancel them."""
TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def texts() -> list[str]:
    """Return code for the vocabulary and for prompts."""
    folder = ROOT / "prompts" / "editahead_prompts"
    sources = [path.read_text("utf-8") for path in sorted(folder.rglob("*.py"))]
    return [source for source in sources if len(source) > 2000]


def make(folder: Path, window: int | None = None, seed: int = 7) -> Path:
    """Write the folder, which any library for such models can load. The model has 0.2 million weights."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import AutoModelForCausalLM, MistralConfig, PreTrainedTokenizerFast, Qwen3MoeConfig

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=640,
        special_tokens=[END, START, STOP],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts(), trainer)
    wrapped = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END, pad_token=END)
    wrapped.chat_template = TEMPLATE
    wrapped.save_pretrained(folder)

    torch.manual_seed(seed)
    sizes = {
        "vocab_size": len(wrapped),
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 32,
        "max_position_embeddings": CONTEXT,
        "initializer_range": 0.12,
        "eos_token_id": wrapped.eos_token_id,
        "pad_token_id": wrapped.pad_token_id,
        "tie_word_embeddings": False,
    }
    if window is None:
        config = Qwen3MoeConfig(**sizes, moe_intermediate_size=64, num_experts=4, num_experts_per_tok=2)
    else:
        config = MistralConfig(**sizes, sliding_window=window)
    model = AutoModelForCausalLM.from_config(config).float()
    with torch.no_grad():
        # Greedy answers are readable text of one character or more a token, and do not end by themselves.
        model.lm_head.weight[[index for index in range(len(wrapped)) if not _readable(wrapped, index)]] = 0
    model.save_pretrained(folder)
    return folder


def _readable(tokenizer: PreTrainedTokenizerFast, index: int) -> bool:
    """Return True for a token of whole characters that is neither special nor a control character."""
    text = tokenizer.decode([index])
    return (
        index not in tokenizer.all_special_ids and text.isascii() and (text.isprintable() or text.isspace())
    )


if __name__ == "__main__":
    print(make(Path(sys.argv[1]), *map(int, sys.argv[2:])))
