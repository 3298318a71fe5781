"""`editahead lsp`: the server on stdin and stdout."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Iterator
from functools import partial
from logging.handlers import RotatingFileHandler
from pathlib import Path

_LOG_BYTES = 2_000_000
"""After that the log starts anew; the one before is kept."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--log-file", type=Path, metavar="FILE", help="write the log there as well as to stderr"
    )


def run(args: argparse.Namespace) -> int:
    from editahead_lsp.server import Server

    logging.basicConfig(
        level=logging.WARNING,
        handlers=list(_handlers(args.log_file)),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    logging.getLogger("pygls").setLevel(logging.WARNING)  # below that it quotes whole messages
    # The protocol owns stdout: whatever else is printed in this process goes to stderr.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    async def serve() -> int:
        return await Server().serve(partial(os.read, sys.stdin.fileno()), out)

    return asyncio.run(serve())


def _handlers(log_file: Path | None) -> Iterator[logging.Handler]:
    from editahead_lsp import paths

    yield logging.StreamHandler()
    file = paths.state_folder() / "editahead.log" if log_file is None else log_file
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        yield RotatingFileHandler(file, maxBytes=_LOG_BYTES, backupCount=1, encoding="utf-8", delay=True)
    except OSError as error:
        sys.stderr.write(f"editahead: no log file: {error}\n")
