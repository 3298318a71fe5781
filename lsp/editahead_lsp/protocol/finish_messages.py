"""The messages of `editahead.finish` and `editahead.commitMessage`, and the count of the places that are left."""

from __future__ import annotations

from typing import Any

import attrs

from editahead_inference.finish.report import PlaceKind

from .custom_messages import Range
from .lsp_types import WorkspaceEdit


@attrs.frozen
class FinishArgument:
    """The argument of the command.

    Attributes:
        uri: A document or folder of the repository that is meant; by default, the document in focus.
        all: Whether unlikely places are listed, too. The edit never has them.
        show: Whether the server marks the places as diagnostics, for a client that has no way to list them.
        work_done_token: The token of `$/progress` for begin, report and end.
    """

    uri: str | None = None
    all: bool = False
    show: bool = False
    work_done_token: Any = None


@attrs.frozen
class ShownAt:
    """A place where the change made a rewrite; the line is 0-based."""

    uri: str
    line: int


@attrs.frozen
class FinishedRule:
    """A rewrite of the change that was looked for."""

    id: str
    label: str
    shown_at: list[ShownAt]


@attrs.frozen
class LeftPlace:
    """A place that the change lacks: the lines in `range` should become `new`.

    Attributes:
        uri: The file.
        version: Its version; null for a file that is not open.
        range: The lines that change.
        old: Their text.
        new: Their text after the edit.
        rule: The id of the rule.
        confidence: 0 to 1.
        kind: What the file is for.
        likely: Whether it is likely, and part of the edit.
        why: Why it is the same, as one sentence.
    """

    uri: str
    version: int | None
    range: Range
    old: str
    new: str
    rule: str
    confidence: float
    kind: PlaceKind
    likely: bool
    why: str


@attrs.frozen
class LeftUse:
    """A use of a definition that the change took away, and that no place rewrites: a person must look at it.

    Attributes:
        uri: The file.
        version: Its version; null for a file that is not open.
        range: The name.
        text: The line.
        name: The old name.
        new: The name that replaced it; "" for none.
        why: What was taken away, and where, as one sentence.
    """

    uri: str
    version: int | None
    range: Range
    text: str
    name: str
    new: str
    why: str


@attrs.frozen
class LeftOut:
    """A changed file that was not looked at: its path from the repository's root, and the reason."""

    path: str
    reason: str


@attrs.frozen
class Looked:
    """What was looked at: the number of files and of rules, and the milliseconds that it took."""

    files: int
    rules: int
    ms: float


@attrs.frozen
class FinishResult:
    """The result of the command.

    Attributes:
        complete: Whether no place is likely, and no use is left of what the change took away.
        source: What was compared.
        rules: The rewrites of the change, those with likely places first.
        places: The places, the likeliest first.
        edit: The likely places as one edit. Where the client can, each one has an annotation and asks for confirmation.
        left_out: Changed files that were not looked at.
        looked: What was looked at.
        uses: The uses of what the change took away that no likely place rewrites.
        unsearched: Names that were taken away and that too many files have.
    """

    complete: bool
    source: str
    rules: list[FinishedRule]
    places: list[LeftPlace]
    edit: WorkspaceEdit
    left_out: list[LeftOut]
    looked: Looked
    uses: list[LeftUse]
    unsearched: list[str]


@attrs.frozen
class CommitMessageArgument:
    """The argument of `editahead.commitMessage`.

    Attributes:
        uri: A document or folder of the repository that is meant; by default, the document in focus.
    """

    uri: str | None = None


@attrs.frozen
class CommitMessageResult:
    """A commit message of what a change did throughout.

    Attributes:
        message: All of it.
        subject: Its first line, of at most 72 characters.
        body: The lines below the blank line; none where the subject says it all.
        source: What was compared: what is staged, or where nothing is, the working tree.
    """

    message: str
    subject: str
    body: list[str]
    source: str


@attrs.frozen
class PlacesLeftParams:
    """How many places the change of a repository still lacks; null = it is not known any more.

    Attributes:
        uri: The folder that was looked at.
        places: The number of likely places.
        message: The same in words, such as "3 places left"; "" for none.
    """

    uri: str
    places: int | None
    message: str
