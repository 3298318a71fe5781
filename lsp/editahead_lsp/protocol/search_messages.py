"""The messages of `editahead.search`."""

from __future__ import annotations

import attrs

from .custom_messages import Range


@attrs.frozen
class SearchArgument:
    """The argument of the command.

    Attributes:
        query: A question, names, or a piece of code in quotes.
        limit: The number of places at most.
    """

    query: str
    limit: int = 20


@attrs.frozen
class MatchingLine:
    """A line that matches: its 0-based number, and its text without the line end."""

    line: int
    text: str


@attrs.frozen
class SearchPlace:
    """A place that answers the question.

    Attributes:
        uri: The file.
        path: Its path from the workspace folder, with slashes.
        range: Its lines.
        lines: The lines that match best, in order. The first one is where to go.
        score: 0 to 1, comparable within one answer only.
        why: Why it is a result, the strongest reason first.
    """

    uri: str
    path: str
    range: Range
    lines: list[MatchingLine]
    score: float
    why: list[str]


@attrs.frozen
class SearchResult:
    """The result of the command.

    Attributes:
        places: The places, the best first.
        notice: What they lack, as a sentence for a person; "" if the index is whole.
    """

    places: list[SearchPlace]
    notice: str
