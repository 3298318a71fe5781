"""`editahead lsp`: the server, on stdin and stdout or on a TCP port."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.console import fail

if TYPE_CHECKING:
    from editahead_lsp.server import Server

_TOKEN_VARIABLE = "EDITAHEAD_TOKEN"
_MAX_LOG_BYTES = 2_000_000
"""After that the log starts anew; the one before is kept."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--log-file", type=Path, metavar="FILE", help="write the log there as well as to stderr"
    )

    parser.add_argument(
        "--tcp",
        type=_parse_address,
        metavar="HOST:PORT",
        help="serve editors that connect there, several at once; port 0 takes a free one and names it on stderr",
    )
    parser.add_argument(
        "--allow-remote",
        action="store_true",
        help=f"with --tcp: let other machines connect, if they show the token in the variable {_TOKEN_VARIABLE}",
    )


def run(args: argparse.Namespace) -> int:
    token = os.environ.get(_TOKEN_VARIABLE) if args.allow_remote else None
    if args.allow_remote and args.tcp is None:
        return _usage_error("--allow-remote goes with --tcp")
    if args.allow_remote and not token:
        return _usage_error(f"--allow-remote needs a token: set {_TOKEN_VARIABLE}, and let editors show it")
    logging.basicConfig(
        level=logging.WARNING,
        handlers=list(_log_handlers(args.log_file)),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    logging.getLogger("pygls").setLevel(logging.WARNING)  # below that it quotes whole messages
    if args.tcp is not None:
        from editahead_lsp.server import Server

        host, port = args.tcp
        return asyncio.run(serve_tcp(Server, host, port, token))
    return _serve_stdio()


def _serve_stdio() -> int:
    from editahead_lsp.server import Server

    # The protocol owns stdout: whatever else is printed in this process goes to stderr.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    async def serve() -> int:
        return await Server().serve(partial(os.read, sys.stdin.fileno()), out)

    return asyncio.run(serve())


async def serve_tcp(make: Callable[[], Server], host: str, port: int, token: str | None) -> int:
    """Until the process is told to end. make: a server for one more client. token: None keeps other machines out."""
    from editahead_lsp.errors import NotLoopbackError
    from editahead_lsp.transport.tcp import TcpServer

    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        _stop_on_signal(number, stop)
    listener = TcpServer(make, token)
    try:
        addresses = await listener.start(host, port, remote=token is not None)
    except NotLoopbackError as error:
        return _usage_error(f"{error}; that takes --allow-remote")
    except OSError as error:
        return fail(f"cannot listen on {host}:{port}: {error.strerror or error}")
    for address in addresses:
        sys.stderr.write(f"editahead: listening on {address}\n")
    sys.stderr.flush()
    await stop.wait()
    await listener.stop()
    return 0


def _stop_on_signal(number: int, stop: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(number, stop.set)
    except NotImplementedError:  # on Windows
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))


def _parse_address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"not HOST:PORT: {text}")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _usage_error(reason: str) -> int:
    """Say what is wrong with the usage; the exit code for that."""
    fail(reason)
    return 2


def _log_handlers(log_file: Path | None) -> Iterator[logging.Handler]:
    from editahead_lsp import user_dirs

    yield logging.StreamHandler()
    file = user_dirs.state_folder() / "editahead.log" if log_file is None else log_file
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        yield RotatingFileHandler(file, maxBytes=_MAX_LOG_BYTES, backupCount=1, encoding="utf-8", delay=True)
    except OSError as error:
        sys.stderr.write(f"editahead: no log file: {error}\n")
