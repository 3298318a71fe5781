"""What Apply answers with: the edit it is sure of, or a refusal, and its best guess in either case."""

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
"""Why nothing was changed. The list is closed: it is part of the wire contract."""

HunkClass = Literal["semantic", "rename", "moved", "import", "comment", "formatting"]
"""What a hunk changes; the first needs reading most. The list is closed: it is part of the wire contract."""

HunkOrigin = Literal["matched", "model"]
"""Whether a hunk comes of the merge or of a model's rewrite."""


@dataclass(frozen=True, slots=True)
class SimilarLines:
    """Lines of the file that resemble what could not be placed: from `start` up to, not including, `end`, 0-based.
    similarity: 0..1."""

    start: int
    end: int
    similarity: float


@dataclass(frozen=True, slots=True)
class Refusal:
    """reason, detail: the latter one sentence for a person. part: the sketch's lines that it is about, joined by `\\n`.
    model: why a model that was asked could not help, a sentence; "" where none was."""

    reason: RefusalReason
    detail: str
    part: str = ""
    near: tuple[SimilarLines, ...] = ()
    model: str = ""


@dataclass(frozen=True)
class MergeResult:
    """One file's sketch put into its text.

    original: the text it was made for (empty for a file to be created). guess: the best guess at the whole new text, also
    when not sure (it is then the draft of a model's rewrite). edit: minimal, over `original`, from it to `guess`; empty
    when the sketch is there already. refusal: None = sure, or by a model. confidence: 0..1, how well the sketch's anchors
    fitted; 1 when each was met exactly and in one place only. origin: "model" = a model's rewrite, which passed the checks
    and is to be confirmed by a person.
    """

    original: Snapshot
    guess: str
    edit: Edit
    refusal: Refusal | None
    confidence: float = 1.0
    origin: HunkOrigin = "matched"
