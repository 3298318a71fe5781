"""The way to the laboratory, the distribution `editahead-lab`: its commands and experiments are handed to it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from .console import fail

PACKAGE = "editahead_lab"
"""Imported by name, where it is installed: nothing of the product refers to it."""
TRAIN = "train"
"""The command whose trainings the laboratory has, but for `OWN_TRAINING`."""
OWN_TRAINING = "mine"


def named_in_lab(arguments: Sequence[str]) -> str | None:
    """Return what of a command line of `editahead` only the laboratory has: a command, or an experiment of `eval`."""
    words = [argument for argument in arguments if argument != "--json"]
    if not words:
        return None
    if words[0] == TRAIN:
        return TRAIN if words[1:2] and words[1] != OWN_TRAINING and not words[1].startswith("-") else None
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
