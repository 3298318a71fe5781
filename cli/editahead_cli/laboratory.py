"""The way to the laboratory, the distribution `editahead-lab`: commands and options that it has are handed to it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from .console import fail

PACKAGE = "editahead_lab"
"""Imported by name, where it is installed: nothing of the product refers to it."""
COMMANDS_OF_LAB = frozenset(["train"])
"""Commands of `editahead` that only the laboratory has."""
EVAL_OPTIONS = frozenset(
    [
        *("--against", "--apply", "--budget", "--commits", "--diffs", "--encoder", "--failures", "--finish"),
        *("--format", "--ordered", "--packages", "--recorded", "--render", "--samples", "--save-states"),
        *("--search", "--tasks", "--trace", "--typing", "--with-format", "--workspace"),
    ]
)
"""Options of `editahead-lab eval` that `editahead eval` lacks."""


def named_in_lab(arguments: Sequence[str]) -> str | None:
    """Return what of a command line of `editahead` only the laboratory has: a command, or one with an option."""
    command = next((argument for argument in arguments if not argument.startswith("-")), None)
    if command in COMMANDS_OF_LAB:
        return command
    if command == "eval":
        options = (argument.partition("=")[0] for argument in arguments)
        return next((f"eval {option}" for option in options if option in EVAL_OPTIONS), None)
    return None


def run_in_lab(named: str, arguments: Sequence[str]) -> int:
    """Run a command line as one of `editahead-lab`, and return its exit code.

    Args:
        named: What only the laboratory has, for the message where it is not installed.
        arguments: The arguments of the command line.
    """
    if find_spec(PACKAGE) is None:
        distribution = "'editahead-lab[train]'" if named == "train" else "editahead-lab"
        return fail(f"`editahead {named}` needs the laboratory: pip install {distribution}")
    code: int = import_module(f"{PACKAGE}.main").main(arguments)
    return code
