"""How well vectors find the answers of held-out pairs among the documents of their repository."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .pair import Pair

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[Any, Any]

MAX_QUESTIONS, MAX_DOCUMENTS = 500, 1_000
"""Questions of each kind, and documents of each kind and repository among which an answer is found."""
TOP = 10


def mean_reciprocal_rank(
    pairs: Sequence[Pair],
    encode: Callable[[Sequence[str], int], Numbers],
    *,
    documents: int = MAX_DOCUMENTS,
    questions: int = MAX_QUESTIONS,
) -> dict[str, float]:
    """Return the mean reciprocal rank of the answers among the first ten, by kind of pair and on average ("mean").

    Args:
        pairs: The held-out pairs.
        encode: Returns the vectors of texts in a role, one a row.
        documents: Documents of each kind and repository, at most.
        questions: Questions of each kind, at most.
    """
    import numpy as np

    from editahead_retrieval.vectors.static_encoder import DOCUMENT, QUESTION

    groups: defaultdict[tuple[str, str], list[Pair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.kind, pair.repo].append(pair)
    total: defaultdict[str, int] = defaultdict(int)
    for (kind, _), group in groups.items():
        total[kind] += len(group)
    ranks: defaultdict[str, list[float]] = defaultdict(list)
    for (kind, repo), group in sorted(groups.items()):
        rng = random.Random(f"{kind}:{repo}")
        asked = rng.sample(group, min(len(group), max(1, questions * len(group) // total[kind])))
        pool = list(dict.fromkeys(pair.document for pair in [*asked, *rng.sample(group, len(group))]))[
            :documents
        ]
        answers: defaultdict[str, set[int]] = defaultdict(set)
        at = {document: number for number, document in enumerate(pool)}
        for pair in group:
            if pair.document in at:
                answers[pair.query].add(at[pair.document])
        scores = _unit(encode([pair.query for pair in asked], QUESTION)) @ _unit(encode(pool, DOCUMENT)).T
        order = np.argsort(-scores, axis=1, kind="stable")[:, :TOP]
        for row, pair in enumerate(asked):
            found = [rank for rank, number in enumerate(order[row], 1) if int(number) in answers[pair.query]]
            ranks[kind].append(1 / found[0] if found else 0.0)
    figures = {kind: round(sum(each) / len(each), 4) for kind, each in sorted(ranks.items())}
    if figures:
        figures["mean"] = round(sum(figures.values()) / len(figures), 4)
    return figures


def _unit(vectors: Numbers) -> Numbers:
    import numpy as np

    floats = vectors.astype(np.float32)
    norms: Numbers = np.linalg.norm(floats, axis=1, keepdims=True)
    scaled: Numbers = floats / np.maximum(norms, 1e-9)
    return scaled
