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


def port_number(text: str) -> int:
    """Return the port that a text gives; 0 for a free one.

    Raises:
        argparse.ArgumentTypeError: There is no such port.
    """
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError("must be 0 to 65535")
    return int(text)
