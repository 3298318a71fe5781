"""Counts what several repositories of a language have in common, for the completion (`LanguageNgrams`).

Each repository counts the same, however large. A longer context that tells no more than the shorter one in it is left out
(as by Stolcke, "Entropy-based pruning of backoff language models", 1998, but by the shares of its best followers).
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from editahead_inference.predictors.completion.language_ngrams import FAMILIES, MAX_ORDER, Key
from editahead_inference.predictors.completion.pieces import END, split_line
from editahead_prompts.text.snapshot import line_body, split_lines

FILES = 80
"""Files of each repository that are counted, at most."""
MIN_FILES = 4
"""A repository with fewer files of a language says nothing about it."""
MAX_FOLLOWERS = 6
"""Followers of a context that are kept."""
MIN_SHARE, MIN_BEST_SHARE = 0.08, 0.15
"""Of a follower, and of the best follower, or the context is left out."""
MIN_CONTEXT_RATE, MIN_WORD_RATE = 0.4, 0.3
"""Occurrences in 10,000 pieces."""
SAME_SHARE = 0.1
"""A longer context whose best followers are those of the shorter one, with shares nearer than that, is left out."""


@dataclass
class RepositoryCounts:
    """The counts of one repository's files of one language."""

    pieces: int = 0
    contexts: Counter[Key] = field(default_factory=Counter)
    followers: Counter[tuple[Key, str]] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)

    def add(self, text: str) -> None:
        """Count a file."""
        above: tuple[str, ...] = ()
        for line in split_lines(text):
            pieces, tokens = split_line(line_body(line))
            if not pieces or pieces[0] == END:
                above = ()
                continue
            context = (*above, *tokens)
            for at, piece in enumerate(pieces, len(context) - len(tokens) + 1):
                for order in range(1, min(MAX_ORDER, at) + 1):
                    key = context[at - order : at]
                    self.contexts[key] += 1
                    self.followers[key, piece] += 1
            self.pieces += len(pieces)
            self.words.update(token for token in tokens[1:] if token[0].isalpha() or token[0] == "_")
            above = (tokens[1], tokens[-1]) if len(tokens) > 1 else ()


Repository = tuple[str, str]
"""A family of languages, and the name of a repository."""


def count_repositories(records: Iterable[Mapping[str, Any]], seed: int) -> dict[Repository, RepositoryCounts]:
    """Count files (`repo`, `path`, `language`, `before`) by family of languages and repository."""
    texts: dict[Repository, dict[str, str]] = {}
    for record in records:
        family = FAMILIES.get(record["language"])
        if family is not None:
            texts.setdefault((family, record["repo"]), {}).setdefault(record["path"], record["before"])
    found: dict[Repository, RepositoryCounts] = {}
    for key, files in sorted(texts.items()):
        if len(files) < MIN_FILES:
            continue
        counts = found[key] = RepositoryCounts()
        for path in random.Random(f"{seed}:{key}").sample(sorted(files), min(len(files), FILES)):
            counts.add(files[path])
    return found


def common_counts(repositories: Sequence[RepositoryCounts]) -> dict[str, Any]:
    """Return what several repositories have in common, in the format of `LanguageNgrams`."""
    min_repositories = 3 if len(repositories) > 4 else 2
    contexts: Counter[Key] = Counter()
    followers: defaultdict[Key, Counter[str]] = defaultdict(Counter)
    words: Counter[str] = Counter()
    spread: Counter[Any] = Counter()
    for counts in repositories:
        scale = 1e4 / max(counts.pieces, 1) / len(repositories)
        for context, count in counts.contexts.items():
            contexts[context] += scale * count  # type: ignore[assignment]  # typeshed: counts are whole
        for (context, piece), count in counts.followers.items():
            followers[context][piece] += scale * count  # type: ignore[assignment]  # typeshed: counts are whole
        for word, count in counts.words.items():
            words[word] += scale * count  # type: ignore[assignment]  # typeshed: counts are whole
        spread.update(counts.followers.keys())
        spread.update(counts.words.keys())
    kept: dict[Key, dict[str, float]] = {}
    for context in sorted(followers, key=lambda key: (len(key), key)):
        rate = contexts[context]
        if rate < MIN_CONTEXT_RATE:
            continue
        shares = {
            piece: round(value / rate, 2)
            for piece, value in followers[context].most_common(MAX_FOLLOWERS)
            if spread[context, piece] >= min_repositories and value >= MIN_SHARE * rate
        }
        if (
            shares
            and max(shares.values()) >= MIN_BEST_SHARE
            and not _says_the_same(kept.get(context[1:]), shares)
        ):
            kept[context] = shares
    return {
        "contexts": {" ".join(context): shares for context, shares in sorted(kept.items())},
        "words": {
            word: round(rate, 1)
            for word, rate in sorted(words.items())
            if spread[word] >= min_repositories and rate >= MIN_WORD_RATE
        },
    }


def _says_the_same(shorter: Mapping[str, float] | None, longer: Mapping[str, float]) -> bool:
    if not shorter:
        return False
    best, known = (sorted(shares, key=lambda piece: -shares[piece])[:2] for shares in (longer, shorter))
    return set(best) <= set(known) and abs(longer[best[0]] - shorter[known[0]]) < SAME_SHARE
