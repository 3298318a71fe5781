"""One look at all files of a clone: what their contents are, and which of them have the words of a question."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from editahead_prompts.syntax.languages import language_of
from editahead_prompts.text.scripts import fold
from editahead_retrieval.errors import UnreadableFileError
from editahead_retrieval.files.content_hash import hash_clone, hash_content
from editahead_retrieval.files.walk import FoundFile, Walk
from editahead_retrieval.index.content import BINARY, decode_text

from .proofs import TeamKey, stored_name

MAX_WORDS = 12
"""Words of a question that are looked for, the first ones."""
PATH_BONUS = 0.5
"""What a word in the path counts, beside one in the text."""


@dataclass
class CloneLook:
    """What a look has found.

    Attributes:
        clone_hash: The hash of all files together.
        files: The files by the names under which a server knows their contents.
        proofs: The proofs of the contents.
        likely: The files with the rarest words of the question, the best first.
    """

    clone_hash: bytes
    files: dict[bytes, list[FoundFile]] = field(default_factory=dict)
    proofs: list[bytes] = field(default_factory=list)
    likely: list[FoundFile] = field(default_factory=list)


def look_at_clone(
    walk: Walk,
    max_files: int,
    key: TeamKey,
    words: Sequence[str],
    limit: int,
    check: Callable[[], None] = lambda: None,
) -> CloneLook:
    """Read all files of a clone once.

    Args:
        walk: The walk through the workspace.
        max_files: The number of files at most.
        key: The key of the team.
        words: Words as search compares them.
        limit: The number of likely files at most.
        check: Raises to cancel.
    """
    wanted = words[:MAX_WORDS]
    hashes, look = dict[str, bytes](), CloneLook(b"")
    held: list[tuple[FoundFile, frozenset[int], frozenset[int]]] = []
    for number, found in enumerate(walk):
        if number >= max_files:
            break
        check()
        try:
            data = walk.read(found.path)
        except (FileNotFoundError, UnreadableFileError):
            continue
        content_hash = hash_content(data)
        hashes[found.path] = content_hash
        text = decode_text(data)
        language = BINARY if text is None else language_of(found.path)
        proof = key.prove_content(content_hash, language)
        files = look.files.setdefault(stored_name(proof), [])
        files.append(found)
        if len(files) == 1:
            look.proofs.append(proof)
        if text is not None and wanted:
            folded, path = fold(text), fold(found.path)
            has = frozenset(at for at, word in enumerate(wanted) if word in folded)
            names = frozenset(at for at, word in enumerate(wanted) if word in path)
            if has or names:
                held.append((found, has, names))
    look.clone_hash = hash_clone(hashes)
    look.likely = _rank(held, limit)
    return look


def _rank(held: Sequence[tuple[FoundFile, frozenset[int], frozenset[int]]], limit: int) -> list[FoundFile]:
    """Return the files with the rarest words, the best first; among equals the smallest first."""
    often = Counter(at for _, has, names in held for at in has | names)
    rarity = {at: math.log(1 + len(held) / count) for at, count in often.items()}

    def score(entry: tuple[FoundFile, frozenset[int], frozenset[int]]) -> tuple[float, int, str]:
        found, has, names = entry
        total = sum(rarity[at] for at in has) + PATH_BONUS * sum(rarity[at] for at in names)
        return -total, found.stamp.size, found.path

    return [entry[0] for entry in sorted(held, key=score)[:limit]]
