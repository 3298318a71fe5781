"""The two architectures: static vectors of words, and a small bidirectional transformer. Needs torch."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from editahead_retrieval.vectors.static_encoder import DIMENSIONS

from .texts import SEQUENCE, EncodedTexts
from .vocabulary import Vocabulary

WIDTH, LAYERS, HEADS = 192, 3, 4
ALIKE = 128
"""Texts of about the same length that a transformer computes at once, so that few places are padding."""


class StaticNetwork(nn.Module):  # type: ignore[misc]  # mypy sees no torch
    """The sum of the vectors of a text's words, each times its weight in documents or in questions.

    Args:
        vocabulary: The words.
        weights: Whether the weights are learned; else each is the rarity of its word.
        roles: Whether questions have weights of their own.
    """

    def __init__(self, vocabulary: Vocabulary, *, weights: bool = True, roles: bool = True) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(vocabulary.size, DIMENSIONS) * 0.1)
        rarity = torch.tensor(vocabulary.rarity)
        self.log_weights = nn.Parameter(
            torch.log(rarity / rarity.mean()).repeat(2 if roles else 1, 1), requires_grad=weights
        )

    def gains(self, role: int) -> torch.Tensor:
        """Return the weight of each row in a role."""
        return torch.exp(self.log_weights[min(role, len(self.log_weights) - 1)])

    def forward(
        self, texts: EncodedTexts, numbers: list[int], role: int, dropped: float = 0.0
    ) -> torch.Tensor:
        """Return the vectors of some texts in a role, without a share of their words."""
        rows, factors, starts = texts.take(numbers, dropped)
        weights = factors * self.gains(role)[rows]
        return F.embedding_bag(
            rows, self.table, starts.to(rows.dtype), mode="sum", per_sample_weights=weights
        )


class TransformerNetwork(nn.Module):  # type: ignore[misc]  # mypy sees no torch
    """A small bidirectional transformer over the words of a text.

    At first, each layer returns what it reads where the mean of all places is the vector: that of the words by their rarity,
    so that training begins where a search by words is. A single place has to read the others from the first step on.

    Args:
        vocabulary: The words.
        pooling: What becomes the vector: the mean of all words, the first place ("cls"), or the last word.
    """

    def __init__(self, vocabulary: Vocabulary, pooling: str) -> None:
        super().__init__()
        self.pooling = pooling
        self.words = nn.Embedding(vocabulary.size, WIDTH)
        rarity = torch.tensor(vocabulary.rarity)
        with torch.no_grad():
            self.words.weight.normal_(std=0.1).mul_((rarity / rarity.mean())[:, None])
        self.positions = nn.Parameter(torch.zeros(SEQUENCE + 1, WIDTH))
        self.first = nn.Parameter(torch.randn(2, WIDTH) * 0.02)
        layer = nn.TransformerEncoderLayer(
            WIDTH, HEADS, 4 * WIDTH, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.layers = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        for each in self.layers.layers if pooling == "mean" else ():
            nn.init.zeros_(each.self_attn.out_proj.weight)
            nn.init.zeros_(each.linear2.weight)
            nn.init.zeros_(each.linear2.bias)
        self.out = nn.Linear(WIDTH, DIMENSIONS, bias=False)

    def forward(
        self, texts: EncodedTexts, numbers: list[int], role: int, dropped: float = 0.0
    ) -> torch.Tensor:
        """Return the vectors of some texts in a role, which the first place tells, without a share of their words."""
        rows, _, starts = texts.take(numbers, dropped)
        lengths = torch.diff(starts, append=torch.tensor([len(rows)]))
        order = torch.argsort(lengths)
        with torch.autocast("cpu", torch.bfloat16):
            vectors = [
                self._pooled(rows, starts[alike], lengths[alike], role) for alike in order.split(ALIKE)
            ]
        return torch.cat(vectors).float()[torch.argsort(order)]

    def _pooled(
        self, rows: torch.Tensor, starts: torch.Tensor, lengths: torch.Tensor, role: int
    ) -> torch.Tensor:
        """Return the vectors of the texts that begin at `starts` of `rows`, padded to the longest of them."""
        at = torch.arange(int(lengths.max()))[None, :]
        padded = rows[(starts[:, None] + at).clamp(max=len(rows) - 1)].long()
        first = self.first[role].expand(len(starts), 1, WIDTH)
        states = torch.cat([first, self.words(padded)], 1) + self.positions[: at.shape[1] + 1]
        present = torch.cat([torch.ones(len(starts), 1, dtype=torch.bool), at < lengths[:, None]], 1)
        states = self.layers(states, src_key_padding_mask=~present)
        if self.pooling == "cls":
            pooled = states[:, 0]
        elif self.pooling == "last":
            pooled = states[torch.arange(len(starts)), lengths]
        else:
            pooled = (states * present[..., None]).sum(1) / present.sum(1, keepdim=True)
        return self.out(pooled)


def contrastive_loss(
    questions: torch.Tensor,
    documents: torch.Tensor,
    excluded: torch.Tensor,
    sizes: tuple[int, ...],
    tau: float,
) -> torch.Tensor:
    """Return the InfoNCE loss of questions whose answers are the documents of the same number.

    Args:
        questions: The vectors of n questions.
        documents: The vectors of n answers, then those of other documents.
        excluded: Which documents are no negatives of a question, because they answer it too; n rows.
        sizes: The numbers of leading dimensions whose losses are added.
        tau: The temperature.
    """
    total: Any = 0.0
    answers = torch.arange(len(questions))
    for size in sizes:
        scores = F.normalize(questions[:, :size], dim=1) @ F.normalize(documents[:, :size], dim=1).T / tau
        total = total + F.cross_entropy(scores.masked_fill(excluded, float("-inf")), answers)
    return total / len(sizes)
