"""What commands write: text for people on stdout, JSON for programs, reasons for failure on stderr."""

from __future__ import annotations

import json
import sys
from typing import Any


def print_text(text: str) -> None:
    sys.stdout.write(text + "\n")


def print_json(value: Any) -> None:
    """Print plain data as JSON."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def print_output(output: Any) -> None:
    """Print an object of `outputs`, or a message of the protocol, as JSON."""
    from editahead_lsp.protocol.converter import make_converter

    from . import json_output

    print_json(make_converter(json_output).unstructure(output))


def fail(reason: str) -> int:
    """Say why it could not be done; the exit code for that."""
    sys.stderr.write(f"editahead: {reason}\n")
    return 1
