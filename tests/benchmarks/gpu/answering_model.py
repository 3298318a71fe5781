"""Models of any shape that answer known edits, at the cost of a trained model of this shape.

Attention and the feed-forward parts end with matrices of zeros, so that the last token alone decides the next one: its
successor in a fixed random order of the vocabulary. All matrices are computed as ever.
"""

from __future__ import annotations

import random
from typing import Any

SEED = 5
FIRST = 8192
"""The first token of the order. Those before it are words and markers of the tokenizer."""
LOAD_FORMAT = "answering"
_ZERO = ("o_proj.weight", "down_proj.weight", "w2_weight")
_NORM = "norm.weight"


def successors(vocabulary: int) -> list[int]:
    """Return the next token by token; those before `FIRST` are followed by themselves."""
    order = list(range(FIRST, vocabulary))
    random.Random(SEED).shuffle(order)
    following = list(range(vocabulary))
    for token, next_token in zip(order, [*order[1:], order[0]], strict=True):
        following[token] = next_token
    return following


def register_loader() -> None:
    """Let vLLM know `LOAD_FORMAT`: weights of the configuration's shape, made in memory."""
    import torch
    from vllm.model_executor.model_loader import register_model_loader
    from vllm.model_executor.model_loader.dummy_loader import DummyModelLoader

    class AnsweringModelLoader(DummyModelLoader):  # type: ignore[misc]  # vLLM has no types
        def load_weights(self, model: torch.nn.Module, model_config: Any) -> None:
            super().load_weights(model, model_config)
            with torch.no_grad():
                _teach(model, model_config.get_vocab_size())

    register_model_loader(LOAD_FORMAT)(AnsweringModelLoader)


def _teach(model: Any, vocabulary: int) -> None:
    """Write the successors into the weights of the embedding and of the head."""
    weights = dict(model.named_parameters())
    for name, weight in weights.items():
        if name.endswith(_ZERO):
            weight.zero_()
        elif name.endswith(_NORM):
            weight.fill_(1)
    embedding, head = weights["model.embed_tokens.weight"], weights["lm_head.weight"]
    embedding.normal_()
    head.zero_()
    head[successors(vocabulary)] = embedding[:vocabulary]
