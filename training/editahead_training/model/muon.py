"""The optimizers of a run: Muon for the matrices between layers, AdamW for the embedding, the routers and the norms.

Muon: Jordan et al. 2024 (https://kellerjordan.github.io/posts/muon), with the scale of Liu et al. 2025 (arXiv:2502.16982),
so that both take the same learning rate. torch.optim.Muon takes no stacks of matrices, as experts are.

Needs the extra `train`.
"""

from __future__ import annotations

from typing import Any

import torch

BETAS, WEIGHT_DECAY = (0.9, 0.95), 0.1
MOMENTUM = 0.95
ITERATION = (3.4445, -4.7750, 2.0315)
ITERATIONS = 5
"""Of Newton and Schulz: the polynomial's coefficients, and how often it is applied."""
SCALE = 0.2
"""Root mean square of an update, which is that of AdamW's."""


def optimizers(model: Any, rate: float) -> list[torch.optim.Optimizer]:
    """Return the optimizers for all weights of a model of `build_model`."""
    matrices: list[Any] = []
    tables: list[Any] = []
    vectors: list[Any] = []
    for name, weights in model.named_parameters():
        is_table = "embed_tokens" in name or name.endswith("mlp.gate.weight")
        (vectors if weights.ndim < 2 else tables if is_table else matrices).append(weights)
    groups = [{"params": tables, "weight_decay": WEIGHT_DECAY}, {"params": vectors, "weight_decay": 0.0}]
    return [Muon(matrices, rate), torch.optim.AdamW(groups, lr=rate, betas=BETAS, fused=True)]


class Muon(torch.optim.Optimizer):  # type: ignore[misc]
    """The Muon optimizer of matrices, or of stacks of them: (..., rows, columns)."""

    def __init__(self, params: Any, lr: float) -> None:
        super().__init__(params, {"lr": lr})

    def step(self) -> None:
        with torch.no_grad():
            for group in self.param_groups:
                for weights in group["params"]:
                    if weights.grad is not None:
                        self._update(weights, group["lr"])

    def _update(self, weights: Any, rate: float) -> None:
        state = self.state[weights]
        if not state:
            state["momentum"] = torch.zeros_like(weights)
        state["momentum"].lerp_(weights.grad, 1 - MOMENTUM)
        update = orthogonalize(weights.grad.lerp(state["momentum"], MOMENTUM))
        weights.mul_(1 - rate * WEIGHT_DECAY)
        weights.add_(update, alpha=-rate * SCALE * max(weights.shape[-2:]) ** 0.5)


def orthogonalize(matrices: torch.Tensor) -> torch.Tensor:
    """Return nearly the nearest orthogonal matrices, with singular values between 0.7 and 1.2.

    Computed in bfloat16, which is precise enough.
    """
    kind, is_tall = matrices.dtype, matrices.shape[-2] > matrices.shape[-1]
    x = (matrices.mT if is_tall else matrices).bfloat16()
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    a, b, c = ITERATION
    for _ in range(ITERATIONS):
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    return (x.mT if is_tall else x).to(kind)
