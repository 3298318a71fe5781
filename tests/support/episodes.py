"""Episodes: what a person wants to change in a repository, and the first places that the person changes by hand.

A file of episodes is TOML: `repository` names a folder beside the file (or in another folder of repositories), and each
`[[episode]]` has

- `name`, and `kind` for the table;
- `hand`, the edits by hand in their order: `[path, old, new]`, where `old` is in the text once. `["mv", old path, new
  path]` is a `git mv` outside of the editor;
- `rest`, what a good tool does after that: `[path, old, new]`, or `[path, old, new, times]`. Without it, the episode is
  about ghost text.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from editahead_prompts.text.affixes import common_affixes

MAX_BYTES = 400_000
"""Larger files are not part of what a person looks at."""
Texts = Mapping[str, str]


class Change(NamedTuple):
    """A piece of a file with another in its stead, or, with `path` at "mv", a file with another name."""

    path: str
    old: str
    new: str
    times: int = 1

    @property
    def is_move(self) -> bool:
        return self.path == "mv"

    def made(self, texts: Texts) -> dict[str, str]:
        """Return the texts after the change."""
        if self.is_move:
            return {(self.new if path == self.old else path): text for path, text in texts.items()}
        found = texts[self.path].count(self.old)
        if found != self.times:
            raise ValueError(f"{self.path} has {self.old!r} {found} times, not {self.times}")
        return {**texts, self.path: texts[self.path].replace(self.old, self.new)}

    def is_due(self, texts: Texts) -> bool:
        """Return whether the change is not made yet."""
        if self.is_move:
            return self.old in texts
        text = texts[self.path]
        return self.old in text and not (self.old in self.new and self.new in text)


@dataclass(frozen=True)
class Episode:
    name: str
    kind: str
    repository: Path
    hand: tuple[Change, ...]
    rest: tuple[Change, ...]

    @property
    def first_path(self) -> str:
        return next(change.path for change in (*self.hand, *self.rest) if not change.is_move)

    def before(self) -> dict[str, str]:
        """Return the texts of the repository as the person finds them."""
        return read_texts(self.repository)

    def wanted(self) -> dict[str, str]:
        texts = self.before()
        for change in (*self.hand, *self.rest):
            texts = change.made(texts)
        return texts


def read_texts(folder: Path) -> dict[str, str]:
    """Return the text files of a folder by their path in it, without hidden folders."""
    texts = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and not name.parts[0].startswith(".") and path.stat().st_size < MAX_BYTES:
            try:
                texts[name.as_posix()] = path.read_text("utf-8")
            except UnicodeDecodeError:
                continue
    return texts


def read_episodes(file: Path, repositories: Path | None = None) -> list[Episode]:
    """Read a file of episodes."""
    data = tomllib.loads(file.read_text("utf-8"))
    folder = (repositories or file.parent) / data["repository"]
    return [
        Episode(
            one["name"],
            one.get("kind", "other"),
            folder,
            tuple(Change(*change) for change in one["hand"]),
            tuple(Change(*change) for change in one.get("rest", ())),
        )
        for one in data["episode"]
    ]


class Span(NamedTuple):
    """What a person deletes, offsets `start` to `end`, and types there."""

    start: int
    end: int
    typed: str


def by_hand(change: Change, text: str) -> Span:
    """Return the keys' part of a change: whole words, as with `cw`, or whole lines where it can be seen so."""
    old, new = change.old, change.new
    at = text.index(old)
    first, last = common_affixes(old, new)
    if first + last in (len(old), len(new)):
        first, last = _from_line_start(old, new, first, last)
    while 0 < first < len(old) and re.fullmatch(r"\w\w", old[first - 1 : first + 1]):
        first -= 1
    while 0 < last < len(old) and re.fullmatch(r"\w\w", old[len(old) - last - 1 : len(old) - last + 1]):
        last -= 1
    return Span(at + first, at + len(old) - last, new[first : len(new) - last])


def _from_line_start(old: str, new: str, first: int, last: int) -> tuple[int, int]:
    """Return the common affixes such that what is only in the longer text begins a line there, where that is possible."""
    longer = max(old, new, key=len)
    for start in range(first, -1, -1):
        end = start + abs(len(old) - len(new))
        if longer[:start] + longer[end:] != min(old, new, key=len):
            break
        if start == 0 or longer[start - 1] == "\n":
            return start, len(longer) - end
    return first, last


def distance(texts: Texts, wanted: Texts) -> int:
    """Return how far texts are from the wanted ones: characters to delete and to insert."""
    return sum(len(old) + len(new) for old, new in _differing_words(texts, wanted))


def keys_between(before: Texts, after: Texts) -> int:
    """Return the keys that type a change: one for what is deleted in a place, and the new characters."""
    return sum(len(new) + (old != "") for old, new in _differing_words(before, after))


def _differing_words(before: Texts, after: Texts) -> Iterator[tuple[str, str]]:
    for path in {*before, *after}:
        old, new = before.get(path, ""), after.get(path, "")
        if old != new:
            lines = old.splitlines(keepends=True), new.splitlines(keepends=True)
            for a, b in _differing(*lines):
                words = re.findall(r"\w+|\W", "".join(a)), re.findall(r"\w+|\W", "".join(b))
                yield from (("".join(c), "".join(d)) for c, d in _differing(*words))


def _differing(left: Sequence[str], right: Sequence[str]) -> list[tuple[Sequence[str], Sequence[str]]]:
    codes = difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return [(left[a:b], right[c:d]) for tag, a, b, c, d in codes if tag != "equal"]
