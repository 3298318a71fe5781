"""Weights turned so that no channel is much larger than others, as those that are multiplied are rounded to 8 bits.

Without a turn, one large channel takes all steps of a token. The turned model computes the same: what writes to the residual
stream turns it, what reads from it turns it back, and the weights of norms move into the matrices behind them. Values are
turned within their head. The method is QuaRot's (arXiv 2404.00456), with random orthogonal matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .llama_shape import LlamaShape

EMBEDDING, HEAD = "model.embed_tokens.weight", "lm_head.weight"
_NORMS = {"self_attn": "input_layernorm", "mlp": "post_attention_layernorm"}
_ROWS = 8192
"""Rows that are turned at once, as that needs several times their memory."""


class TurnedWeights:
    """The weights of a Llama or Qwen2, turned.

    Args:
        shape: The sizes.
        take: Returns a weight by its name in transformers, float32.
        head_tokens: The tokens of the head; None for all.
    """

    def __init__(self, shape: LlamaShape, take: Callable[[str], Any], head_tokens: Any = None) -> None:
        import numpy

        self._numpy: Any = numpy
        self._take, self._width, self._head_tokens = take, shape.width, head_tokens
        self._residual = self._orthogonal(shape.hidden)
        self._value = self._orthogonal(shape.width)

    def _orthogonal(self, size: int) -> Any:
        noise = self._numpy.random.default_rng(size).normal(size=(size, size))
        return self._numpy.linalg.qr(noise)[0].astype(self._numpy.float32)

    def take(self, name: str) -> Any:
        """Return a turned weight by its name. `HEAD` has only the tokens of the head. Norms have none."""
        if name == EMBEDDING:
            return self._read(self._take(name), 1.0)
        if name == HEAD:
            head = self._read(self._take(EMBEDDING), self._take("model.norm.weight"))
            return head if self._head_tokens is None else head[self._head_tokens]
        layer, part, matrix, kind = name.rsplit(".", 3)
        weights = self._take(name)
        if kind == "bias":
            return self._turn_values(weights[:, None])[:, 0] if matrix == "v_proj" else weights
        if matrix == "o_proj":
            heads = weights.reshape(len(weights), -1, self._width)
            return self._residual.T @ (heads @ self._value).reshape(weights.shape)
        if matrix == "down_proj":
            return self._residual.T @ weights
        turned = self._read(weights, self._take(f"{layer}.{_NORMS[part]}.weight"))
        return self._turn_values(turned) if matrix == "v_proj" else turned

    def _read(self, weights: Any, norm: Any) -> Any:
        """Turn a matrix that reads from the residual stream behind a norm."""
        turned = self._numpy.empty_like(weights)
        for first in range(0, len(weights), _ROWS):
            rows = slice(first, first + _ROWS)
            turned[rows] = (weights[rows] * norm) @ self._residual
        return turned

    def _turn_values(self, weights: Any) -> Any:
        """Turn the rows of each head of values."""
        heads = weights.reshape(-1, self._width, weights.shape[1])
        return (self._value.T @ heads).reshape(weights.shape)
