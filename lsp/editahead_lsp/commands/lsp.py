"""`editahead lsp`: the server on stdin and stdout."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from functools import partial
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--log-file", type=Path, metavar="FILE", help="write the log there as well as to stderr"
    )


def run(args: argparse.Namespace) -> int:
    from editahead_lsp.server import Server

    handlers: list[logging.Handler] = [logging.StreamHandler()]
    if args.log_file is not None:
        handlers.append(logging.FileHandler(args.log_file, encoding="utf-8"))
    logging.basicConfig(
        level=logging.WARNING, handlers=handlers, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("pygls").setLevel(logging.WARNING)  # below that it quotes whole messages
    # The protocol owns stdout: whatever else is printed in this process goes to stderr.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    async def serve() -> int:
        return await Server().serve(partial(os.read, sys.stdin.fileno()), out)

    return asyncio.run(serve())
