"""Commits with some hunks left out: what a person forgot, and what `finish` should find."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from editahead_evals.data.commit_replay import Hunk, diff
from editahead_evals.data.languages import language_of
from editahead_inference.finish.report import ChangedFile
from editahead_lab.commits.commit_records import FileChange, Workspace
from editahead_lab.training.data.replay_moments import ROOT
from editahead_prompts.text.identifiers import changed_spans, is_name, tokenize
from editahead_prompts.text.snapshot import Snapshot, split_lines

MAX_DROPPED = 3
"""Hunks that are left out of a commit, at most, where they are not a whole file's."""
MAX_FILE_HUNKS = 8
"""Hunks of a file that is forgotten as a whole, at most."""
MIN_LINE = 8
"""Characters of a line that is repeated as a whole."""

Mode = Literal["hunks", "file", "none"]
"""What is left out: some hunks, all of one file, or nothing."""
MODES: tuple[Mode, ...] = ("hunks", "file", "none")


@dataclass(frozen=True)
class Trial:
    """A commit without some of its hunks.

    Attributes:
        workspace: The commit, and what is known of its repository.
        mode: What was left out.
        change: The files of the change as they are without it.
        files: All texts of the workspace after the change, by path; valid until the next trial.
        dropped: What was left out, by path, in the lines of the present texts.
        repeating: Those of it that repeat a hunk that is left in: the path, and the number in `dropped`.
        final: The texts of the files with dropped hunks after the whole commit, by path.
    """

    workspace: Workspace
    mode: Mode
    change: tuple[ChangedFile, ...]
    files: Mapping[str, str]
    dropped: Mapping[str, tuple[Hunk, ...]]
    repeating: frozenset[tuple[str, int]]
    final: Mapping[str, str]


def make_trial(workspace: Workspace, mode: Mode, draw: int = 0) -> Trial | None:
    """Return a commit with some hunks left out; None where nothing else would be left, or nothing can be left out.

    What is left out is chosen at random, but always the same of the same commit and draw.

    Args:
        workspace: The commit.
        mode: What is left out.
        draw: The number of the choice.
    """
    commit = workspace.commit
    hunks = {
        file.path: diff(split_lines(file.before or ""), split_lines(file.after or ""))
        for file in commit.files
        if file.status == "M"
    }
    left_out = _choose(f"{mode} {commit.id}{draw or ''}", hunks, mode)
    if left_out is None:
        return None
    files = dict(workspace.files)
    change: list[ChangedFile] = []
    dropped: dict[str, tuple[Hunk, ...]] = {}
    final: dict[str, str] = {}
    for file in commit.files:
        missing = left_out.get(file.path, frozenset())
        text = file.after
        if missing:
            text, dropped[file.path] = _without(file, hunks[file.path], missing)
            final[file.path] = file.after or ""
        if text is None:
            files.pop(file.path, None)
        else:
            files[file.path] = text
        if text != file.before:
            change.append(ChangedFile(snapshot(file.path, file.before), snapshot(file.path, text)))
    kept = [
        hunk
        for path, found in hunks.items()
        for number, hunk in enumerate(found)
        if number not in left_out.get(path, frozenset())
    ]
    made = {rewrite for hunk in kept for rewrite in rewrites(hunk)}
    repeating = frozenset(
        (path, number)
        for path, found in dropped.items()
        for number, hunk in enumerate(found)
        if (own := rewrites(hunk)) and own <= made
    )
    return Trial(workspace, mode, tuple(change), files, dropped, repeating, final)


def snapshot(path: str, text: str | None) -> Snapshot | None:
    """Return a text of the workspace as a snapshot; None for None."""
    if text is None:
        return None
    return Snapshot.from_text(text, uri=f"{ROOT}/{path}", language=language_of(path) or "plaintext")


def rewrites(hunk: Hunk) -> frozenset[tuple[str, str]]:
    """Return what a hunk replaces by what: runs of tokens in lines that pair, else whole lines.

    A hunk repeats others if they have all its rewrites between them.
    """
    found: set[tuple[str, str]] = set()
    if len(hunk.old) == len(hunk.new):
        for old, new in zip(hunk.old, hunk.new, strict=True):
            a, b = tokenize(old), tokenize(new)
            for a1, a2, b1, b2 in changed_spans(a, b):
                if any(is_name(token) for token in (*a[a1:a2], *b[b1:b2])):
                    found.add(("".join(a[a1:a2]), "".join(b[b1:b2])))
        return frozenset(found)
    before, after = (Counter(line.strip() for line in lines) for lines in (hunk.old, hunk.new))
    found |= {(line, "") for line in before - after if len(line) >= MIN_LINE}
    found |= {("", line) for line in after - before if len(line) >= MIN_LINE}
    return frozenset(found)


def is_on_the_way(present: Sequence[str], place: Hunk, hunks: Sequence[Hunk]) -> bool:
    """Return whether an edit makes what is left to be done, or whole lines of it, and nothing else.

    The lines that then still differ are fewer by just those that the edit changes.

    Args:
        present: The lines of the text.
        place: The edit, in lines.
        hunks: What is left to be done.
    """
    near = [hunk for hunk in hunks if hunk.start <= place.end and place.start <= hunk.end]
    if not near:
        return False
    first = min(place.start, *(hunk.start for hunk in near))
    last = max(place.end, *(hunk.end for hunk in near))
    window = tuple(present[first:last])
    made = (*present[first : place.start], *place.new, *present[place.end : last])
    target: list[str] = []
    at = first
    for hunk in near:
        target += (*present[at : hunk.start], *hunk.new)
        at = hunk.end
    target += present[at:last]
    return _distance(window, made) + _distance(made, tuple(target)) == _distance(window, tuple(target))


def is_part(place: Hunk, hunk: Hunk) -> bool:
    """Return whether an edit in the lines of a hunk adds and removes only tokens that the hunk adds and removes."""
    if not hunk.start <= place.start < place.end <= hunk.end:
        return False
    was, becomes, before, after = (_tokens(lines) for lines in (place.old, place.new, hunk.old, hunk.new))
    added, removed = becomes - was, was - becomes
    return bool(added or removed) and added <= after - before and removed <= before - after


def _tokens(lines: Sequence[str]) -> Counter[str]:
    return Counter(token for line in lines for token in tokenize(line) if not token.isspace())


def _distance(a: Sequence[str], b: Sequence[str]) -> int:
    return sum(len(hunk.old) + len(hunk.new) for hunk in diff(tuple(a), tuple(b)))


def _choose(
    seed: str, hunks: Mapping[str, Sequence[Hunk]], mode: Mode
) -> Mapping[str, frozenset[int]] | None:
    """Return the numbers of the hunks to leave out, by path."""
    every = [(path, number) for path, found in hunks.items() for number in range(len(found))]
    if mode == "none":
        return {} if every else None
    chance = random.Random(seed)
    if mode == "file":
        paths = [path for path, found in hunks.items() if 0 < len(found) <= MAX_FILE_HUNKS]
        if len(hunks) < 2 or not paths:
            return None
        path = chance.choice(paths)
        return {path: frozenset(range(len(hunks[path])))}
    if len(every) < 3:
        return None
    chosen = chance.sample(every, min(MAX_DROPPED, len(every) // 3))
    return {path: frozenset(number for one, number in chosen if one == path) for path, _ in chosen}


def _without(
    file: FileChange, hunks: Sequence[Hunk], missing: frozenset[int]
) -> tuple[str, tuple[Hunk, ...]]:
    """Return the text with all hunks but those missing, and these in its lines."""
    lines = split_lines(file.before or "")
    out: list[str] = []
    moved: list[Hunk] = []
    at = shift = 0
    for number, hunk in enumerate(hunks):
        out += lines[at : hunk.start]
        if number in missing:
            moved.append(hunk.moved(shift))
            out += hunk.old
        else:
            out += hunk.new
            shift += len(hunk.new) - len(hunk.old)
        at = hunk.end
    return "".join((*out, *lines[at:])), tuple(moved)
