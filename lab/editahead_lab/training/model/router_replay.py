"""Router replay: the experts that a server chose, forced on the trainer's forward pass (arXiv 2510.11370).

The server computes in another type and with other kernels than the trainer, so their routers choose differently where two
scores are close, and the log-probabilities of the same tokens diverge. With the choices forced, only the weights of the
chosen experts are computed again, and gradients reach the router through them.

Needs the extra `train`.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import torch


def routers_of(model: Any) -> list[Any]:
    """Return the routers of a mixture of experts, layer by layer; each has `top_k` and `weight` (experts, hidden)."""
    return [layer.mlp.gate for layer in model.model.layers]


def decode_choices(answer: Mapping[str, Any]) -> Any:
    """Return the log of a server (`WorkerExtension.take_expert_log`) as numbers of experts (tokens, layers, active)."""
    experts = np.frombuffer(base64.b64decode(answer["experts"]), np.uint8).reshape(answer["shape"])
    return torch.from_numpy(experts.astype(np.int64))


@contextmanager
def replayed(model: Any, choices: Any) -> Iterator[None]:
    """Force the choices of experts in each forward pass of the model inside the context.

    Args:
        choices: (tokens of the pass, layers, active experts).

    Raises:
        ValueError: the choices have another number of layers or of active experts than the model.
    """
    routers = routers_of(model)
    if choices.shape[1:] != (len(routers), routers[0].top_k):
        raise ValueError(f"the choices are for another model: {tuple(choices.shape)}")
    hooks = [
        router.register_forward_hook(partial(_force, choices[:, layer]))
        for layer, router in enumerate(routers)
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


@contextmanager
def recorded(model: Any, choices: list[Any]) -> Iterator[None]:
    """Append to a list what the routers choose in each forward pass inside the context: (tokens, layers, active experts)."""
    routers = routers_of(model)
    rows: list[Any] = []

    def keep(module: Any, given: Any, said: Any) -> None:
        rows.append(said[2].cpu())
        if len(rows) == len(routers):
            choices.append(torch.stack(rows, 1))
            rows.clear()

    hooks = [router.register_forward_hook(keep) for router in routers]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _force(chosen: Any, router: Any, given: Any, said: Any) -> Any:
    """Return what a router says, with other experts chosen: their weights are their shares of the softmax."""
    scores, weights, _ = said
    chosen = chosen.to(scores.device)
    shares = torch.softmax(scores.float(), -1).gather(1, chosen)
    return scores, shares.to(weights.dtype), chosen
