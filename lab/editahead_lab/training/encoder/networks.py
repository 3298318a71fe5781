"""The network of the encoder, static vectors of words, and its loss. Needs torch."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from editahead_retrieval.vectors.static_encoder import DIMENSIONS

from .texts import EncodedTexts
from .vocabulary import Vocabulary


class StaticNetwork(nn.Module):  # type: ignore[misc]  # mypy sees no torch
    """The sum of the vectors of a text's words, each times its weight in documents or in questions.

    Args:
        vocabulary: The words.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(vocabulary.size, DIMENSIONS) * 0.1)
        rarity = torch.tensor(vocabulary.rarity)
        self.log_weights = nn.Parameter(torch.log(rarity / rarity.mean()).repeat(2, 1))

    def gains(self, role: int) -> torch.Tensor:
        """Return the weight of each row in a role."""
        return torch.exp(self.log_weights[role])

    def forward(
        self, texts: EncodedTexts, numbers: list[int], role: int, dropped: float = 0.0
    ) -> torch.Tensor:
        """Return the vectors of some texts in a role, without a share of their words."""
        rows, factors, starts = texts.take(numbers, dropped)
        weights = factors * self.gains(role)[rows]
        return F.embedding_bag(
            rows, self.table, starts.to(rows.dtype), mode="sum", per_sample_weights=weights
        )


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
