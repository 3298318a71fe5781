"""The output of commands: text or JSON on stdout, and reasons for failure on stderr."""

from __future__ import annotations

import json
import sys
from typing import Any


def print_text(text: str) -> None:
    """Print a line of text for the user."""
    sys.stdout.write(text + "\n")


def print_json(value: Any) -> None:
    """Print plain data as JSON."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def print_output(output: Any) -> None:
    """Print an object of `json_output`, or a message of the protocol, as JSON."""
    from editahead_lsp.protocol.converter import make_converter

    from . import json_output

    print_json(make_converter(json_output).unstructure(output))


def fail(reason: str) -> int:
    """Print the reason of a failure and return its exit code."""
    sys.stderr.write(f"editahead: {reason}\n")
    return 1
