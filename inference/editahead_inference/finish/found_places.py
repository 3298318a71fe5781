"""What a search for places is about, and a place that it found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from editahead_prompts.state import MovedFile, PastEdit
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

from .names import ReplacedName
from .report import PlaceKind
from .taught_rules import TaughtRule


@dataclass(frozen=True, slots=True)
class FinishCandidate:
    """A place that a change may lack.

    Attributes:
        snapshot: The file.
        edit: The edit of its text.
        rule: The id of the rule.
        label: The rule as a short phrase.
        kind: The kind of the rule.
        taught_by: The edits of the change that made the same.
        place: What the file is for.
        features: The values that tell how likely it is, by name.
        reason: Why it is the same, as one sentence; "" where the kind says it.
    """

    snapshot: Snapshot
    edit: Edit
    rule: str
    label: str
    kind: str
    taught_by: tuple[PastEdit, ...]
    place: PlaceKind
    features: Mapping[str, float]
    reason: str = ""


@dataclass(frozen=True)
class FinishSearch:
    """What is looked for, and where.

    Attributes:
        edits: The edits of the change.
        rules: The rules that they teach, by id.
        names: The names that they replaced.
        moves: The files that the change moved.
        present: The changed files as they are now, by URI.
        documents: All other files that are searched.
    """

    edits: tuple[PastEdit, ...]
    rules: Mapping[str, TaughtRule]
    names: Sequence[ReplacedName]
    moves: tuple[MovedFile, ...]
    present: Mapping[str, Snapshot]
    documents: Sequence[Snapshot]
