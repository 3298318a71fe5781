"""The way to the laboratory, the distribution `editahead-lab`: its commands and experiments are handed to it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from .console import fail

PACKAGE = "editahead_lab"
"""Imported by name, where it is installed: nothing of the product refers to it."""
COMMANDS_OF_LAB = frozenset(["train"])
"""Commands of `editahead` that only the laboratory has."""


def named_in_lab(arguments: Sequence[str]) -> str | None:
    """Return what of a command line of `editahead` only the laboratory has: a command, or an experiment of `eval`."""
    words = [argument for argument in arguments if argument != "--json"]
    if not words:
        return None
    if words[0] in COMMANDS_OF_LAB:
        return words[0]
    is_experiment = words[0] == "eval" and len(words) > 1 and not words[1].startswith("-")
    return f"eval {words[1]}" if is_experiment else None


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
