"""What `editahead search` prints: a report for people, or JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from editahead_prompts.text.control_characters import escape_line
from editahead_prompts.text.snapshot import split_lines

if TYPE_CHECKING:
    from rich.text import Text

    from editahead_cli.json_output import SearchPlaceOutput
    from editahead_workspace.codebase.search_command import SearchAnswer
    from editahead_workspace.codebase.workspace_search import FoundPlace

MAX_TEXT_CHARS = 4_000
"""Characters of a result's text in JSON. What follows is in the file."""
_MAX_LINES = 3
"""Lines of a result that are shown."""
_MAX_LINE_CHARS = 160
"""Characters of a shown line."""


def make_output(answer: SearchAnswer) -> list[SearchPlaceOutput]:
    """Return the results as JSON prints them. Lines count from 1, and `endLine` is the last line."""
    from editahead_cli.json_output import SearchPlaceOutput

    return [
        SearchPlaceOutput(
            place.result.path,
            place.result.line + 1,
            place.result.end_line,
            round(place.result.score, 4),
            place.result.text[:MAX_TEXT_CHARS],
            list(place.result.why),
        )
        for place in answer.places
    ]


def print_report(answer: SearchAnswer) -> None:
    """Print the results for a person, the best first."""
    from editahead_cli.rich_console import SafeConsole

    console = SafeConsole(highlight=False, soft_wrap=True)
    if not answer.places:
        console.print(
            "Nothing found. Try other words, or fewer; a piece of code in quotes is looked for as it is."
        )
    for number, place in enumerate(answer.places):
        if number:
            console.print()
        for line in _lines(place):
            console.print(line)


def _lines(place: FoundPlace) -> Iterator[Text]:
    from rich.text import Text

    result = place.result
    texts = split_lines(result.text)
    shown = sorted(result.matches[:_MAX_LINES])
    heading = Text(escape_line(f"{result.path}:{shown[0] + 1}"), "cyan")
    heading.append(f"  {escape_line('; '.join(result.why))}", "dim")
    yield heading
    for line in shown:
        text = texts[line - result.line].rstrip() if line - result.line < len(texts) else ""
        yield Text(f"{line + 1:>6}  ", "green").append(
            escape_line(text.expandtabs(4)[:_MAX_LINE_CHARS]), "default"
        )
