"""What the process of `finish` and the server tell each other, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any

from editahead_inference.finish.report import PlaceKind
from editahead_workspace.positions import Encoding
from editahead_workspace.settings import Settings

_SETTINGS = ("max_file_bytes", "index", "index_max_files", "index_max_bytes")


@dataclass(frozen=True)
class FinishTask:
    """What a process is for.

    Attributes:
        folder: The folder whose repository is meant; inside of `root`.
        root: The workspace folder.
        cache: The folder of all indexes.
        state: The folder of the user's secret.
        exclude: The setting `exclude`.
        settings: Other settings by name.
        documents: The open documents: URI, language and text.
        encoding: How the client counts characters.
        niceness: What is added to the niceness of the process.
        composes: Whether a commit message is wanted, and not what the change lacks.
    """

    folder: str
    root: str
    cache: str
    state: str
    exclude: tuple[str, ...]
    settings: dict[str, Any]
    documents: tuple[tuple[str, str, str], ...]
    encoding: Encoding
    niceness: int
    composes: bool = False


@dataclass(frozen=True)
class Progress:
    """What is done, how many parts are done, and of how many; 0 = unknown."""

    what: str
    done: int
    total: int


@dataclass(frozen=True)
class FoundRule:
    """A rewrite of the change. `shown_at` has URIs with 0-based lines."""

    id: str
    label: str
    shown_at: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class FoundPlace:
    """A place that the change lacks.

    Attributes:
        uri: The file.
        digest: Names the text of the file.
        replacements: The edit of that text: start, end and new text of each replacement, in code points.
        ranges: The same as ranges of LSP: line, character, line and character.
        lines: The lines that change, as a range of LSP.
        old: Their text.
        new: Their text after the edit.
        rule: The id of the rule.
        confidence: 0 to 1.
        kind: What the file is for.
        likely: Whether it is likely.
        why: Why it is the same, as one sentence.
    """

    uri: str
    digest: str
    replacements: tuple[tuple[int, int, str], ...]
    ranges: tuple[tuple[int, int, int, int], ...]
    lines: tuple[int, int, int, int]
    old: str
    new: str
    rule: str
    confidence: float
    kind: PlaceKind
    likely: bool
    why: str


@dataclass(frozen=True)
class FoundUse:
    """A use of a definition that the change took away.

    Attributes:
        uri: The file.
        digest: Names the text of the file.
        start: Where the name is in the text, in code points.
        range: The name, as a range of LSP.
        text: Its line, without the line's end.
        name: The old name.
        new: The name that replaced it; "" for none.
        why: What was taken away, and where, as one sentence.
    """

    uri: str
    digest: str
    start: int
    range: tuple[int, int, int, int]
    text: str
    name: str
    new: str
    why: str


@dataclass(frozen=True)
class Found:
    """What a process found.

    Attributes:
        source: What was compared, for a person.
        rules: The rewrites that were looked for.
        places: The places, the likeliest first.
        left_out: Changed files that did not take part: path and reason.
        files: The number of files that were searched.
        uses: The uses of what the change took away that no likely place rewrites.
        unsearched: Names that were taken away and that too many files have.
    """

    source: str
    rules: tuple[FoundRule, ...]
    places: tuple[FoundPlace, ...]
    left_out: tuple[tuple[str, str], ...]
    files: int
    uses: tuple[FoundUse, ...] = ()
    unsearched: tuple[str, ...] = ()


@dataclass(frozen=True)
class Composed:
    """A commit message: all of it, its first line, the lines below the blank line, and what it is about, for a person."""

    text: str
    subject: str
    body: tuple[str, ...]
    source: str


@dataclass(frozen=True)
class Failure:
    """Why nothing could be found, for a person."""

    reason: str


Message = Progress | Found | Composed | Failure


def settings_fields(settings: Settings) -> dict[str, Any]:
    """Return the settings that a process needs, by name."""
    return {name: getattr(settings, name) for name in _SETTINGS}


def text_digest(text: str) -> str:
    """Return a name of a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def encode(message: FinishTask | Message) -> str:
    """Return a message as one line."""
    return json.dumps([type(message).__name__, asdict(message)]) + "\n"


def decode_task(line: str) -> FinishTask:
    """Return the task of a line.

    Raises:
        ValueError: The line is no task.
    """
    name, fields = json.loads(line)
    if name != FinishTask.__name__:
        raise ValueError("not a task")
    documents = tuple((uri, language, text) for uri, language, text in fields.pop("documents"))
    return FinishTask(**fields | {"documents": documents, "exclude": tuple(fields["exclude"])})


def decode_message(line: str) -> Message:
    """Return what a process tells in a line.

    Raises:
        ValueError: The line is no message.
    """
    name, fields = json.loads(line)
    if name == Progress.__name__:
        return Progress(**fields)
    if name == Failure.__name__:
        return Failure(**fields)
    if name == Composed.__name__:
        return Composed(**fields | {"body": tuple(fields["body"])})
    if name != Found.__name__:
        raise ValueError("not a message")
    rules = tuple(
        FoundRule(rule["id"], rule["label"], tuple((uri, line) for uri, line in rule["shown_at"]))
        for rule in fields.pop("rules")
    )
    places = tuple(_place(place) for place in fields.pop("places"))
    left_out = tuple((path, reason) for path, reason in fields.pop("left_out"))
    uses = tuple(FoundUse(**use | {"range": _range(use["range"])}) for use in fields.pop("uses"))
    unsearched = tuple(fields.pop("unsearched"))
    return Found(rules=rules, places=places, left_out=left_out, uses=uses, unsearched=unsearched, **fields)


def _place(fields: dict[str, Any]) -> FoundPlace:
    return FoundPlace(
        **fields
        | {
            "replacements": tuple((start, end, text) for start, end, text in fields["replacements"]),
            "ranges": tuple(_range(place) for place in fields["ranges"]),
            "lines": _range(fields["lines"]),
        }
    )


def _range(numbers: Sequence[int]) -> tuple[int, int, int, int]:
    line, character, end_line, end_character = numbers
    return line, character, end_line, end_character
