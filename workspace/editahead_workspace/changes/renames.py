"""Moved files: a deleted file and an added one whose lines are mostly the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

MIN_SIMILARITY = 0.5
"""Share of common lines from which a file counts as moved, as in git."""
MAX_PAIRS = 250_000
"""Pairs of files that are compared. Beyond them, only files with the same text count as moved, as in git."""


def find_renames(
    deleted: Mapping[str, str], added: Mapping[str, str], check: Callable[[], None] = lambda: None
) -> dict[str, str]:
    """Return the new path of each moved file, by its old path. No file is moved twice, and none to two places.

    Args:
        deleted: The texts of the deleted files, by path.
        added: The texts of files that were added, by path.
        check: Raises to cancel.
    """
    renames: dict[str, str] = {}
    by_text: dict[str, list[str]] = {}
    for path, text in sorted(added.items()):
        if text.strip():
            by_text.setdefault(text, []).append(path)
    for path, text in sorted(deleted.items()):
        if same := by_text.get(text):
            renames[path] = min(same, key=lambda new: (_name(new) != _name(path), new))
            same.remove(renames[path])
    taken = set(renames.values())
    left = {path: _weigh(text) for path, text in sorted(deleted.items()) if path not in renames}
    new = {path: _weigh(text) for path, text in sorted(added.items()) if path not in taken}
    if len(left) * len(new) > MAX_PAIRS:
        return renames
    scored = []
    for path, lines in left.items():
        check()
        for other, others in new.items():
            similarity = _similarity(lines, others)
            if similarity >= MIN_SIMILARITY:
                scored.append((-similarity, _name(path) != _name(other), path, other))
    for _, _, path, other in sorted(scored):
        if path not in renames and other not in taken:
            renames[path] = other
            taken.add(other)
    return renames


def _weigh(text: str) -> Counter[str]:
    """Return the characters of each line of a text, without white space at its ends. Empty lines say nothing."""
    weights: Counter[str] = Counter()
    for line in text.split("\n"):
        if stripped := line.strip():
            weights[stripped] += len(stripped)
    return weights


def _similarity(one: Counter[str], other: Counter[str]) -> float:
    """Return the share of the larger text that both have."""
    sizes = one.total(), other.total()
    if min(sizes) < MIN_SIMILARITY * max(sizes) or not max(sizes):
        return 0.0
    common = sum(min(weight, other[line]) for line, weight in one.items() if line in other)
    return common / max(sizes)


def _name(path: str) -> str:
    return path.rpartition("/")[2]
