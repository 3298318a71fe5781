"""The base that an adapter is trained on."""

from __future__ import annotations

from pathlib import Path

from editahead_inference.backends.local.gguf_weights import GgufWeights

CONTEXT = 2048
"""The most tokens of an example: those of the longest prompt and answer, and some more."""


def open_base(base: Path) -> GgufWeights:
    """Return the weights, the configuration and the tokenizer of a base.

    Raises:
        SmallModelError: It cannot be read.
    """
    return GgufWeights(base, CONTEXT)
