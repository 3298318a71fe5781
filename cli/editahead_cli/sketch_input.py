"""A sketch or a patch as the command line gets it: from a regular file or from stdin, up to a size."""

from __future__ import annotations

import io
import os
import stat
import sys
from dataclasses import dataclass
from typing import BinaryIO

from .console import print_note
from .errors import SketchInputError

STDIN = "-"


@dataclass(frozen=True)
class InputKind:
    """What is read: its name for a person, the option and the command that read it, and what limits its size."""

    name: str = "sketch"
    option: str = "--sketch"
    command: str = "apply"
    limit: str = " (`max_file_bytes`)"


SKETCH = InputKind()


def read_sketch(source: str, max_bytes: int, kind: InputKind = SKETCH) -> str:
    """Return the text of a sketch, with line ends as in Python's text files.

    Args:
        source: The path of a regular file, or "-" for stdin.
        max_bytes: The size of a sketch in bytes, at most. Not more than one byte beyond it is read.
        kind: What is read, for messages.

    Raises:
        SketchInputError: The sketch cannot be read, is too large or is not text. The message quotes none of it.
    """
    try:
        data = _read_stdin(max_bytes, kind) if source == STDIN else _read_file(source, max_bytes, kind)
    except OSError as error:
        raise SketchInputError(
            f"the {kind.name} cannot be read: {source}: {error.strerror or error}"
        ) from None
    if len(data) > max_bytes:
        where = "stdin" if source == STDIN else source
        raise SketchInputError(
            f"the {kind.name} in {where} is larger than {max_bytes} bytes{kind.limit}; nothing was changed"
        )
    try:
        return io.TextIOWrapper(io.BytesIO(data), "utf-8").read()
    except UnicodeDecodeError as error:
        raise SketchInputError(
            f"the {kind.name} is not text in UTF-8: byte {error.start + 1} is {data[error.start]:#04x}"
        ) from None


def _read_stdin(max_bytes: int, kind: InputKind) -> bytes:
    if sys.stdin is None:
        raise SketchInputError(f"there is no stdin; name a file with {kind.option}")
    if sys.stdin.isatty():
        print_note(f"editahead: paste the {kind.name}, and then press Ctrl-D on a new line")
    return _read(sys.stdin.buffer, max_bytes)


def _read_file(source: str, max_bytes: int, kind: InputKind) -> bytes:
    # Without O_NONBLOCK, opening a named pipe waits for its writer.
    descriptor = os.open(source, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise SketchInputError(
            f"{source} is not a regular file; "
            f"pipe the {kind.name} to `editahead {kind.command} {kind.option} -` instead"
        )
    with os.fdopen(descriptor, "rb") as file:
        return _read(file, max_bytes)


def _read(file: BinaryIO, max_bytes: int) -> bytes:
    return file.read(max_bytes + 1)
