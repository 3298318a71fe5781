"""The values of `finish`: the files of a change, and what it still lacks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

PlaceKind = Literal["code", "test", "documentation", "configuration", "translation"]
"""What a file is for. Each kind has a threshold of its own."""


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file of a change. At least one of both texts is there.

    Attributes:
        before: The file before the change; None for an added file.
        after: The file after the change, which is the present text; None for a deleted file. A move changes the URI.
    """

    before: Snapshot | None
    after: Snapshot | None


@dataclass(frozen=True, slots=True)
class FinishRule:
    """A rewrite that the change made, and that may go on.

    Attributes:
        id: A key that is stable for one change.
        label: A short phrase, such as "rename user -> account".
        kind: The kind of rule, such as "rename".
        shown_at: Where the change made it: URIs with 0-based lines of the present text.
    """

    id: str
    label: str
    kind: str
    shown_at: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class MissingPlace:
    """A place that a change lacks.

    Attributes:
        uri: The file.
        line: The 0-based first line that changes.
        end_line: The line after the last one that changes; equal to `line` for inserted lines.
        old: The lines as they are, with their line ends.
        new: The lines as they should be.
        edit: The same over the file's whole present text.
        rule: The id of the rule.
        confidence: The probability (0..1) that the change lacks it.
        kind: What the file is for.
        is_likely: Whether the confidence reaches the threshold of its kind.
        reason: Why it is the same, as one sentence.
    """

    uri: str
    line: int
    end_line: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    edit: Edit
    rule: str
    confidence: float
    kind: PlaceKind
    is_likely: bool
    reason: str


@dataclass(frozen=True, slots=True)
class LeftUse:
    """A use of a definition that the change took away, which no likely place rewrites: a person must look at it.

    Attributes:
        uri: The file.
        line: The 0-based line.
        column: The 0-based column of the name, in code points.
        text: The line, without its end.
        name: The old name.
        new: The new name; "" where nothing replaced the old one.
        deleted_at: Where the definition was: the file, and the 0-based line of its present text.
        kind: What the file is for.
        reason: What was taken away, and where, as one sentence.
    """

    uri: str
    line: int
    column: int
    text: str
    name: str
    new: str
    deleted_at: tuple[str, int]
    kind: PlaceKind
    reason: str


@dataclass(frozen=True)
class FinishReport:
    """What a change lacks.

    Attributes:
        rules: The rewrites of the change that were looked for, those with likely places first.
        places: The places, the likeliest first. Edits of likely places in one file do not overlap.
        snapshots: The present texts of all files with places.
        files: The number of files that were searched, those of the change included.
        uses: The uses of what the change took away that no likely place rewrites, by file and line.
        unsearched: Deleted names that more files have than are looked at.
    """

    rules: tuple[FinishRule, ...]
    places: tuple[MissingPlace, ...]
    snapshots: tuple[Snapshot, ...]
    files: int
    uses: tuple[LeftUse, ...] = ()
    unsearched: tuple[str, ...] = ()

    @cached_property
    def likely(self) -> tuple[MissingPlace, ...]:
        """The places that reach the threshold."""
        return tuple(place for place in self.places if place.is_likely)

    @property
    def is_complete(self) -> bool:
        """Whether no place is likely, and no use is left of what the change took away."""
        return not (self.likely or self.uses or self.unsearched)

    def edits(self, places: tuple[MissingPlace, ...] | None = None) -> dict[str, Edit]:
        """Return one edit for each file with some places; by default, with the likely ones."""
        by_uri: dict[str, list[Edit]] = {}
        for place in self.likely if places is None else places:
            by_uri.setdefault(place.uri, []).append(place.edit)
        return {
            uri: Edit(
                tuple(
                    sorted((r for edit in edits for r in edit.replacements), key=lambda r: (r.start, r.end))
                )
            )
            for uri, edits in by_uri.items()
        }
