"""The results of Apply: an edit that is certain, or a refusal with a best guess."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

RefusalReason = Literal[
    "unplaced",
    "ambiguous",
    "unparsed",
    "would-break-syntax",
    "would-lose-code",
    "stale",
    "outside-workspace",
    "too-large",
    "engine-unavailable",
]
"""The reason why nothing was changed. The list is closed, as part of the wire contract."""

HunkClass = Literal["semantic", "rename", "moved", "import", "comment", "formatting"]
"""The kind of change. "semantic" needs reading most. The list is closed, as part of the wire contract."""

HunkOrigin = Literal["matched", "model"]
"""The source of a hunk: the merge, or the rewrite of a model."""


@dataclass(frozen=True, slots=True)
class SimilarLines:
    """Lines of the file that resemble lines without a place.

    Attributes:
        start: The first line, 0-based.
        end: The line after the last one.
        similarity: From 0 to 1.
    """

    start: int
    end: int
    similarity: float


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal to change a file.

    Attributes:
        reason: The kind of reason.
        detail: One sentence for a person.
        part: The lines of the sketch concerned, joined by line feeds.
        near: Similar lines of the file.
        model: One sentence about why a model could not help; "" if none was asked.
    """

    reason: RefusalReason
    detail: str
    part: str = ""
    near: tuple[SimilarLines, ...] = ()
    model: str = ""


@dataclass(frozen=True)
class MergeResult:
    """The sketch for one file, merged into its text.

    Attributes:
        original: The text before; empty for a file to be created.
        guess: The best guess of the whole new text, certain or not. If not, a rewrite by a model starts from it.
        edit: The minimal edit from `original` to `guess`; empty if the file already agrees with the sketch.
        refusal: None = certain, or written by a model.
        confidence: From 0 to 1, how well the anchors of the sketch match; 1 = each exactly and at one place only.
        origin: "model" = a rewrite by a model that passed the checks and that a person has to confirm.
    """

    original: Snapshot
    guess: str
    edit: Edit
    refusal: Refusal | None
    confidence: float = 1.0
    origin: HunkOrigin = "matched"
