"""The question on a terminal which reading of a sketch is meant."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_prompts.text.control_characters import escape_line

from .console import print_note, print_styled

if TYPE_CHECKING:
    from editahead_inference.apply.results import Choice

_TERMINAL = Path("/dev/tty")
"""The person's terminal, also where stdin is a pipe with the sketch."""


def ask_choice(choices: Sequence[Choice], detail: str, root: Path) -> Choice | None:
    """Show the choices with their diffs on stderr, and ask for one. Return None where no person answers.

    Args:
        choices: The choices, likeliest first.
        detail: Why the sketch is not certain, as a sentence.
        root: The workspace, which paths are relative to.
    """
    from .terminal_diff import supports_color

    if not sys.stderr.isatty():
        return None
    try:
        with _TERMINAL.open(encoding="utf-8", errors="replace") as answers:
            print_note(f"{detail} Which change do you mean?")
            for choice in choices:
                _show(choice, root, colour=supports_color(sys.stderr))
            return _read_answer(choices, iter(answers.readline, ""))
    except OSError:  # there is no terminal
        return None


def choice_label(choice: Choice, root: Path) -> str:
    """Return the title of a choice and its places, with lines from 1."""
    from editahead_workspace.apply.annotated_diff import display_name

    places = (f"{display_name(place.uri, [root])}:{place.line + 1}" for place in choice.places)
    return f"{choice.title} ({', '.join(places)})"


def _show(choice: Choice, root: Path, *, colour: bool) -> None:
    from editahead_workspace.apply.annotated_diff import diff_lines

    from .terminal_diff import styled

    print_note(f"\n{choice.number}) {escape_line(choice_label(choice, root))}")
    for change in choice.changes:
        for line in diff_lines(change, change.original, change.hunks, [root]):
            print_styled([("   ", ""), *styled(line, colour=colour)], sys.stderr)


def _read_answer(choices: Sequence[Choice], answers: Iterator[str]) -> Choice | None:
    print_note(f"\nA number from 1 to {len(choices)}, or Enter for none: ", end="")
    for answer in answers:
        word = answer.strip()
        if not word:
            return None
        chosen = next((choice for choice in choices if word == str(choice.number)), None)
        if chosen is not None:
            return chosen
        print_note(f"Please type a number from 1 to {len(choices)}, or nothing: ", end="")
    return None
