"""Commits as pairs: what a subject, or a first change, says of the chunks that the commit changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from editahead_evals.data.commit_replay import Hunk, diff
from editahead_prompts.syntax.syntax_trees import find_parser
from editahead_retrieval.index.chunker import ChunkLines, split_into_chunks

from .pair import Pair

MAX_CHUNKS = 4
"""Changed chunks of a commit that become pairs."""
MAX_LINES = 1_500
MIN_SUBJECT_WORDS = 3
_CONTEXT = 2
"""Lines around a hunk that belong to it as a question."""
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_TRIVIAL = re.compile(r"^\W*(?:merge|bump|release|version|update changelog|typo|wip)\b", re.IGNORECASE)


def commit_pairs(repo: str, subject: str, files: Sequence[tuple[str, str, str, str]]) -> Iterator[Pair]:
    """Yield the pairs of one commit.

    Args:
        repo: The name of the repository.
        subject: The first line of the commit's message.
        files: Path, language, text before and text after of each changed file.
    """
    changed: list[tuple[str, str, str, str, Hunk, tuple[str, ...]]] = []
    for path, language, before, after in files:
        lines = tuple(before.split("\n"))
        if len(lines) > MAX_LINES:
            continue
        hunks = diff(lines, tuple(after.split("\n")))
        for chunk in _chunks(before, language):
            inside = [hunk for hunk in hunks if chunk.start <= hunk.start < chunk.end]
            if inside and len(changed) < 3 * MAX_CHUNKS:
                old = "\n".join(lines[chunk.start : chunk.end])
                new = _changed_text(lines, chunk, inside)
                changed.append((path, language, old, new, inside[0], lines))
    kept = _spread(changed)
    if len(_LETTERS.findall(subject)) >= MIN_SUBJECT_WORDS and not _TRIVIAL.match(subject):
        for path, language, old, _, _, _ in kept:
            yield Pair("subject", repo, language, subject, old, f"{repo}:{path}")
    for path, language, old, new, _, _ in kept[:1]:
        if new.strip():
            yield Pair("rewrite", repo, language, old, new, f"{repo}:{path}")
    if len(kept) > 1:
        path, _, _, _, hunk, lines = kept[0]
        question = hunk_text(hunk, lines)
        for other, language, old, _, _, _ in kept[1:]:
            if old != kept[0][2]:
                yield Pair("hunk", repo, language, question, old, f"{repo}:{other}")


def hunk_text(hunk: Hunk, lines: Sequence[str]) -> str:
    """Return a hunk as a question: its old and new lines, and some lines around them.

    Args:
        hunk: The hunk.
        lines: The lines of the file before.
    """
    above = lines[max(hunk.start - _CONTEXT, 0) : hunk.start]
    below = lines[hunk.end : hunk.end + _CONTEXT]
    return "\n".join((*above, *hunk.old, *hunk.new, *below))


def _spread(
    changed: list[tuple[str, str, str, str, Hunk, tuple[str, ...]]],
) -> list[tuple[str, str, str, str, Hunk, tuple[str, ...]]]:
    """Return some of the changed chunks, one of each file first."""
    seen: dict[str, int] = {}
    ranked = []
    for number, each in enumerate(changed):
        seen[each[0]] = seen.get(each[0], 0) + 1
        ranked.append((seen[each[0]], number))
    return [changed[number] for _, number in sorted(ranked)[:MAX_CHUNKS]]


def _chunks(text: str, language: str) -> list[ChunkLines]:
    parser = find_parser(language)
    root = None if parser is None else parser.parse(text.encode("utf-8", "replace")).root_node
    return split_into_chunks([line + "\n" for line in text.split("\n")], root)


def _changed_text(lines: Sequence[str], chunk: ChunkLines, hunks: Sequence[Hunk]) -> str:
    """Return a chunk after the hunks that begin in it."""
    made: list[str] = []
    at = chunk.start
    for hunk in hunks:
        made += [*lines[at : hunk.start], *hunk.new]
        at = hunk.end
    return "\n".join([*made, *lines[at : chunk.end]])
