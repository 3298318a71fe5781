"""Types of command-line arguments, for `argparse`."""

from __future__ import annotations

import argparse


def positive_int(text: str) -> int:
    """Return the number that a text gives.

    Raises:
        argparse.ArgumentTypeError: The number is not positive.
    """
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number
