"""The output of commands: text or JSON on stdout, and reasons for failure on stderr.

All output goes through this module or `rich_console`: a test looks for other ways. Both escape what steers a terminal, as
file names, sketches, commits and servers' answers are not trusted.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Iterable
from types import TracebackType
from typing import Any, TextIO

from editahead_prompts.text.control_characters import escape_json, escape_line, escape_text


def print_text(text: str) -> None:
    """Print text for the user, of one or several lines."""
    sys.stdout.write(escape_text(text) + "\n")


def print_styled(pieces: Iterable[tuple[str, str]], stream: TextIO | None = None) -> None:
    """Print one line.

    Args:
        pieces: Pairs of a text and the parameters of its style (SGR), which are empty for plain text.
        stream: Where to print; None for stdout.
    """
    shown = ((escape_line(text), code) for text, code in pieces)
    line = "".join(f"\x1b[{code}m{text}\x1b[0m" if code else text for text, code in shown)
    (stream or sys.stdout).write(line + "\n")


def print_exactly(lines: Iterable[str]) -> None:
    """Print lines with all their characters, which another program reads. A terminal gets them escaped."""
    escape = escape_line if sys.stdout.isatty() else str
    for line in lines:
        sys.stdout.write(escape(line) + "\n")


def print_note(text: str, end: str = "\n") -> None:
    """Print text on stderr at once: a message or a question for the user."""
    sys.stderr.write(escape_text(text) + end)
    sys.stderr.flush()


def print_json(value: Any) -> None:
    """Print plain data as JSON."""
    sys.stdout.write(escape_json(json.dumps(value, indent=2, ensure_ascii=False)) + "\n")


def print_output(output: Any) -> None:
    """Print an object of `json_output`, or a message of the protocol, as JSON."""
    from editahead_lsp.protocol.converter import make_converter

    from . import json_output

    print_json(make_converter(json_output).unstructure(output))


def fail(reason: str) -> int:
    """Print the reason of a failure and return its exit code."""
    print_note(f"editahead: {reason}")
    return 1


def print_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an exception that nothing has handled, as `sys.excepthook` does."""
    print_note(_mask("".join(traceback.format_exception(kind, error, trace))), end="")


class LogFormatter(logging.Formatter):
    """A formatter whose lines hold no secrets, and nothing that steers a terminal. A message cannot begin a second entry."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        return escape_line(_mask(super().formatMessage(record)))

    def formatException(self, ei: Any) -> str:
        return escape_text(_mask(super().formatException(ei)))


def _mask(text: str) -> str:
    """Return the text without secrets. The import is late: the server answers `initialize` before it logs anything."""
    from editahead_prompts.secrets.masking import mask_text

    return mask_text(text)
