"""The models that we train: their dimensions, and what runs them fast over rows of whole examples.

Two kinds at equal active parameters: a mixture of experts (`Qwen3MoeForCausalLM`), and its dense twin (`Qwen3ForCausalLM`).
Needs the extra `train`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from transformers import (
    AttentionInterface,
    AutoModelForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
    Qwen3MoeConfig,
    Qwen3MoeForCausalLM,
)
from transformers.integrations.moe import ALL_EXPERTS_FUNCTIONS

from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.formats.next_edit.editahead_2611 import END, PAD

EXPERTS, CHOSEN = 8, 2
"""Of each layer, and how many of them a token goes through."""

ATTENTION = "rows"
"""What transformers calls the attention that keeps the examples of a row apart."""

EXPERTS_IMPLEMENTATION = "slices"
"""What transformers calls the experts that are computed one after another."""

HEAD = 64
"""Dimensions of an attention head."""

QUERIES = 256
"""Of an example whose attention is computed at a time."""

ROUTER_LOSS = 0.01
"""What an even use of the experts weighs in the loss."""


@dataclass(frozen=True, slots=True)
class ModelSize:
    """The dimensions of a model.

    Attributes:
        inner: the inner size of each expert; the dense twin's layers have that of all experts of a token
            together.
        context: tokens.
    """

    hidden: int
    layers: int
    heads: int
    inner: int
    context: int
    rate: float
    """The learning rate at its highest."""


SIZES = {
    "tiny": ModelSize(hidden=64, layers=2, heads=1, inner=64, context=1280, rate=5e-3),
    "small": ModelSize(hidden=192, layers=5, heads=3, inner=192, context=1280, rate=5e-3),
    "large": ModelSize(hidden=320, layers=6, heads=5, inner=320, context=4096, rate=2e-3),
}


def build_model(size: ModelSize, *, dense: bool, seed: int) -> Any:
    """Return a model with random weights in float32, ready for training."""
    vocabulary = bundled_tokenizer().encoder
    shared = {
        "vocab_size": vocabulary.get_vocab_size(),
        "hidden_size": size.hidden,
        "intermediate_size": CHOSEN * size.inner,
        "num_hidden_layers": size.layers,
        "num_attention_heads": size.heads,
        "num_key_value_heads": 1,
        "head_dim": HEAD,
        "max_position_embeddings": size.context,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1_000_000.0},
        "tie_word_embeddings": True,
        "bos_token_id": None,
        "eos_token_id": vocabulary.token_to_id(END),
        "pad_token_id": vocabulary.token_to_id(PAD),
        "attn_implementation": ATTENTION,
    }
    torch.manual_seed(seed)
    if dense:
        return Qwen3ForCausalLM(Qwen3Config(**shared)).float()
    config = Qwen3MoeConfig(
        **shared,
        moe_intermediate_size=size.inner,
        num_experts=EXPERTS,
        num_experts_per_tok=CHOSEN,
        norm_topk_prob=True,
        router_aux_loss_coef=ROUTER_LOSS,
        experts_implementation=EXPERTS_IMPLEMENTATION,
    )
    return Qwen3MoeForCausalLM(config).float()


def load_weights(model: Any, folder: Path) -> None:
    """Load the weights of a trained model of the same size into the model.

    Raises:
        ValueError: the trained model is of another size.
        OSError: there is no trained model.
    """
    options = {"local_files_only": True, "trust_remote_code": False, "dtype": "float32"}
    weights = AutoModelForCausalLM.from_pretrained(folder, **options).state_dict()
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        raise ValueError(f"{folder}: a model of another size or kind") from error


def count_parameters(model: Any) -> tuple[int, int]:
    """Return the parameters of the model, and those that one token uses; the embedding counts once."""
    total = sum(weights.numel() for weights in model.parameters())
    experts = sum(weights.numel() for name, weights in model.named_parameters() if ".experts." in name)
    return total, total - experts * (EXPERTS - CHOSEN) // EXPERTS


def attention(
    module: Any, q: Any, k: Any, v: Any, mask: Any, scaling: float, spans: Sequence[tuple[int, int]], **_: Any
) -> tuple[Any, None]:
    """Compute attention within each example of a row.

    q, k and v have the shape (1, heads, tokens of the row, `HEAD`). `spans` are the spans of the examples.
    """
    apart = padded_attention if q.is_cuda else sliced_attention
    return apart(q, k, v, scaling, spans).transpose(1, 2), None


def sliced_attention(q: Any, k: Any, v: Any, scaling: float, spans: Sequence[tuple[int, int]]) -> Any:
    """Compute attention example by example, in slices of queries with the keys up to them, for one head of keys.

    Twice as fast as torch's own on a CPU, measured.
    """
    lengths = [end - start for start, end in spans]
    later = torch.full((QUERIES, QUERIES), float("-inf"), dtype=q.dtype).triu(1)
    said = []
    for queries, keys, values in zip(
        q[0].split(lengths, 1), k[0, 0].split(lengths), v[0, 0].split(lengths), strict=True
    ):
        seen = 0
        for part in queries.split(QUERIES, 1):
            heads, count, width = part.shape
            seen += count
            scores = (part.reshape(heads * count, width) @ keys[:seen].T).view(heads, count, seen)
            hidden = F.pad(later[:count, :count], (seen - count, 0))
            shares = torch.softmax(torch.add(hidden, scores, alpha=scaling), -1)
            said.append((shares.view(heads * count, seen) @ values[:seen]).view(heads, count, width))
    return torch.cat(said, 1)[None]


def padded_attention(q: Any, k: Any, v: Any, scaling: float, spans: Sequence[tuple[int, int]]) -> Any:
    """Compute attention of all examples at once, padded to the longest; padding is after the tokens and so is not seen."""
    starts, ends = torch.tensor(spans, device=q.device).T
    places = starts[:, None] + torch.arange(max(end - start for start, end in spans), device=q.device)
    inside = places < ends[:, None]
    places = torch.where(inside, places, 0)
    parts = [part[0, :, places].transpose(0, 1) for part in (q, k, v)]
    said = F.scaled_dot_product_attention(*parts, is_causal=True, scale=scaling, enable_gqa=True)
    return said.transpose(1, 2)[inside].transpose(0, 1)[None]


def experts(self: Any, hidden: Any, chosen: Any, shares: Any) -> Any:
    """Compute the layer of experts `self` for `hidden` (tokens, hidden).

    `chosen` and `shares` have the shape (tokens, `CHOSEN`).
    """
    order = chosen.reshape(-1).argsort(stable=True)
    counts = (chosen.reshape(-1, 1) == torch.arange(self.num_experts, device=chosen.device)).sum(0)
    compute = grouped_experts if hidden.is_cuda else sliced_experts
    said = compute(hidden[order // chosen.shape[1]], counts, self.gate_up_proj, self.down_proj)
    said = said * shares.reshape(-1)[order, None]
    back = torch.empty_like(order)
    back[order] = torch.arange(len(order), device=order.device)
    return said[back].view(len(hidden), chosen.shape[1], -1).sum(1).to(hidden.dtype)


def sliced_experts(read: Any, counts: Any, inwards: Any, outwards: Any) -> Any:
    """Compute expert by expert.

    `read` holds the tokens sorted by expert (tokens, hidden), `counts` the number of tokens of each expert.
    `inwards` and `outwards` are the weights of all experts in the layout of transformers.
    """
    said = []
    for number, tokens in enumerate(read.split(counts.tolist())):
        gate, up = F.linear(tokens, inwards[number]).chunk(2, -1)
        said.append(F.linear(F.silu(gate) * up, outwards[number]))
    return torch.cat(said)


def grouped_experts(read: Any, counts: Any, inwards: Any, outwards: Any) -> Any:
    """Compute all experts by one kernel, which does not support autocast."""
    device = read.device.type
    kind = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else read.dtype
    ends = counts.cumsum(0).to(torch.int32)
    gate, up = F.grouped_mm(read.to(kind), inwards.to(kind).mT, offs=ends).chunk(2, -1)
    return F.grouped_mm(F.silu(gate) * up, outwards.to(kind).mT, offs=ends)


AttentionInterface.register(ATTENTION, attention)
ALL_EXPERTS_FUNCTIONS.register(EXPERTS_IMPLEMENTATION, experts)
