"""The results of Apply: an edit that is certain, or a refusal with a best guess."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

from .review.hunk_kinds import HunkOrigin

if TYPE_CHECKING:
    from .file_change import FileChange

MAX_CHOICES = 4
"""Choices offered to a person. More could not be told apart at a glance."""

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

SettledBy = Literal["likelihood", "shown-ends", "person"]
"""What settles a doubt: that one reading is far likelier than the others, that the sketch shows lines at the ends of each
run that the file has only there, or a person alone."""


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
class ChoicePlace:
    """A place that a choice changes.

    Attributes:
        uri: The file.
        line: The first line that changes, 0-based, in the file as it is.
    """

    uri: str
    line: int


@dataclass(frozen=True, slots=True)
class Choice:
    """A plausible reading of a sketch that is not certain.

    Attributes:
        title: What the reading does, in plain words: "replace `load()`".
        places: The places that change, at least one.
        changes: The change of each file, as the plan of a sketch that is certain.
        likelihood: From 0 to 1, by the rules. The likelihoods of all choices have the sum 1 or less.
        number: Its place from 1 by the rules, by which a person names it. It stays in any other order.
    """

    title: str
    places: tuple[ChoicePlace, ...]
    changes: tuple[FileChange, ...]
    likelihood: float
    number: int = 1

    @property
    def id(self) -> str:
        """The name of the choice: equal for the same result of the same files."""
        digest = hashlib.sha256()
        for change in self.changes:
            for text in (change.action, change.original.uri, change.moved_to or "", change.new_text):
                digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
        return digest.hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal to change a file.

    Attributes:
        reason: The kind of reason.
        detail: One sentence for a person.
        part: The lines of the sketch concerned, joined by line feeds.
        near: Similar lines of the file.
        model: One sentence about why a model could not help; "" if none was asked.
        choices: Two to `MAX_CHOICES` plausible readings of the whole sketch, likeliest first; empty if there are none.
        settled_by: What settles the doubt about a snippet.
        is_final: Whether no model may help, as the sketch itself says how it fits.
    """

    reason: RefusalReason
    detail: str
    part: str = ""
    near: tuple[SimilarLines, ...] = ()
    model: str = ""
    choices: tuple[Choice, ...] = ()
    settled_by: SettledBy = "likelihood"
    is_final: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A plausible reading of the sketch for one file.

    Attributes:
        title: What the reading does, in plain words.
        edit: The edit of the file that it makes.
        likelihood: From 0 to 1.
    """

    title: str
    edit: Edit
    likelihood: float


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
        readings: Beside a refusal: two to `MAX_CHOICES` plausible readings, likeliest first; empty if there are none.
    """

    original: Snapshot
    guess: str
    edit: Edit
    refusal: Refusal | None
    confidence: float = 1.0
    origin: HunkOrigin = "matched"
    readings: tuple[Reading, ...] = ()
