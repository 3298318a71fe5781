"""The heads by which a model copies, set before it is trained: what is rewritten is mostly copied.

In the first layer, heads that look back n tokens, for each n up to the number of heads; in the second, heads that find where
the last few tokens stood before, and say what followed there (induction heads: Olsson et al. 2022, arXiv:2209.11895).
Training comes to them by itself, but late, and sharpens them from here. Measured: docs/training.md.

Needs the extra `train`.
"""

from __future__ import annotations

from typing import Any

import torch

FAST = 4
"""Pairs of a head's dimensions, of those that turn most from one position to the next, that tell how far back a token is."""
SLOW = 12
"""From this pair of dimensions on, rotation is small enough to identify a token at any position."""

TABLE = 0.03
"""Standard deviation of the embedding; its first dimension is the same for all tokens, `CONSTANT` times that."""
CONSTANT = 5.0
QUIET = 0.1
"""What else writes to the residual stream begins so much below its usual scale."""
SHARP = 2.0
"""Weights of the norms of queries and keys: attention is nearly on one token."""
BACK, COPIED = 1.5, 20.0
"""Scale of the preceding tokens, and of a token to copy, relative to the token's own embedding."""
OLDER = 1.2
"""What each token further back weighs in what is looked for."""


def install_copy_heads(model: Any, seed: int) -> None:
    """Set the copy heads in an untrained model of `build_model`; the same for the same seed."""
    with torch.no_grad():
        _install(model, torch.Generator().manual_seed(seed))


def _install(model: Any, generator: Any) -> None:
    table, layers = model.model.embed_tokens.weight, model.model.layers
    table.normal_(0, TABLE, generator=generator)
    table[:, 0] = CONSTANT * TABLE
    for layer in layers:
        layer.self_attn.o_proj.weight.mul_(QUIET)
        (layer.mlp.experts.down_proj if hasattr(layer.mlp, "experts") else layer.mlp.down_proj.weight).mul_(
            QUIET
        )
    first, second = layers[0].self_attn, layers[1].self_attn
    for attention in (first, second):
        attention.q_norm.weight.fill_(SHARP)
        attention.k_norm.weight.fill_(SHARP)
    here = _orthogonal(first.head_dim, table.shape[1], generator)
    here[:, 0] = 0
    back = _look_back(first, here, model.config.rope_parameters["rope_theta"], generator)
    _look_up(second, here, back, generator)


def _look_back(attention: Any, here: Any, theta: float, generator: Any) -> list[Any]:
    """Set head n to write the token n + 1 places before, as far as `here` (head, hidden) reads it.

    Returns what reads it again, by head.
    """
    width, hidden = here.shape
    pairs = width // 2
    heads = attention.q_proj.weight.shape[0] // width
    angles = theta ** (-torch.arange(FAST) / pairs)
    attention.k_proj.weight.mul_(QUIET)[:FAST, 0] += 1
    attention.q_proj.weight.mul_(QUIET)
    for head, rows in enumerate(attention.q_proj.weight.split(width)):
        rows[:FAST, 0] += (angles * (head + 1)).cos()
        rows[pairs : pairs + FAST, 0] -= (angles * (head + 1)).sin()
    attention.v_proj.weight.copy_(here)
    written = _orthogonal(hidden, heads * width, generator)
    written[0] = 0
    attention.o_proj.weight.copy_(TABLE * BACK * written)
    return [part.T for part in written.split(width, 1)]


def _look_up(attention: Any, here: Any, back: list[Any], generator: Any) -> None:
    """Set the heads that find a match of the last tokens.

    The key of a place is the token before it, the query the last tokens, one fewer with each head. So all
    heads agree on a long match, and the last one finds a match of one token.
    """
    width, hidden = here.shape
    pairs, heads = width // 2, len(back)
    still = torch.cat([torch.arange(SLOW, pairs), torch.arange(pairs + SLOW, width)])
    attention.k_proj.weight.mul_(QUIET**2)
    attention.q_proj.weight.mul_(QUIET**2)
    for n, (now, before) in enumerate(zip([here, *back], back, strict=False)):
        part = OLDER**n * _orthogonal(len(still), width, generator)
        attention.k_proj.weight[still] += part @ before
        for head in range(heads - n):
            attention.q_proj.weight[still + head * width] += part @ now
    copied = _orthogonal(width, hidden, generator)
    copied[:, 0] = 0
    attention.v_proj.weight.copy_(copied)
    attention.o_proj.weight.copy_(TABLE * COPIED / heads * copied.T.repeat(1, heads))


def _orthogonal(rows: int, columns: int, generator: Any) -> Any:
    return torch.nn.init.orthogonal_(torch.empty(rows, columns), generator=generator)
