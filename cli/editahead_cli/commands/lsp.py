"""`editahead lsp`: run the server on stdin and stdout, or on a TCP port."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.console import LogFormatter, fail, print_note
from editahead_cli.listening import TOKEN_VARIABLE, load_token, stop_on_signals

if TYPE_CHECKING:
    from editahead_lsp.server import Server

_MAX_LOG_BYTES = 2_000_000
"""Bytes of a log after which a new one starts. The one before is kept."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--log-file",
        type=Path,
        metavar="FILE",
        help="write the log to FILE as well as to stderr (default: editahead.log in the state folder)",
    )

    parser.add_argument(
        "--tcp",
        type=_parse_address,
        metavar="HOST:PORT",
        help="serve several editors on this address; port 0 takes a free port and prints it on stderr",
    )
    parser.add_argument(
        "--allow-remote",
        action="store_true",
        help=f"with --tcp: accept other machines, too; the token is the one in the variable {TOKEN_VARIABLE}",
    )


def run(args: argparse.Namespace) -> int:
    token = os.environ.get(TOKEN_VARIABLE)
    if args.allow_remote and args.tcp is None:
        return _usage_error("--allow-remote needs --tcp")
    if args.allow_remote and not token:
        return _usage_error(
            f"--allow-remote needs a token: set {TOKEN_VARIABLE}, and configure editors to send it"
        )
    from editahead_lsp.log_limit import LogLimit

    handlers = list(_log_handlers(args.log_file))
    for handler in handlers:
        handler.setFormatter(LogFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        handler.addFilter(LogLimit())
    logging.basicConfig(level=logging.WARNING, handlers=handlers)
    logging.getLogger("pygls").setLevel(logging.WARNING)  # lower levels quote whole messages
    if args.tcp is not None:
        from editahead_lsp.features import create_server

        host, port = args.tcp
        token = load_token()
        if token is None:
            return 1
        return asyncio.run(serve_tcp(create_server, host, port, token, remote=args.allow_remote))
    return _serve_stdio()


def _serve_stdio() -> int:
    from editahead_lsp.features import create_server

    if sys.stdin.isatty():
        print_note(
            "editahead: waiting for an editor to speak LSP on stdin. An editor starts this command itself; Ctrl-C ends it."
        )
    # stdout belongs to the protocol: all other output of this process goes to stderr.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    async def serve() -> int:
        return await create_server().serve(partial(os.read, sys.stdin.fileno()), out)

    return asyncio.run(serve())


async def serve_tcp(
    make: Callable[[], Server], host: str, port: int, token: str, *, remote: bool = False
) -> int:
    """Serve until a signal ends the process, and return the exit code.

    Args:
        make: Creates the server for one more client.
        host: The address to listen on.
        port: The port, or 0 for any.
        token: The secret that clients have to send.
        remote: Whether clients on other machines may connect.
    """
    from editahead_lsp.errors import NotLoopbackError
    from editahead_lsp.transport.tcp import TcpServer

    stop = asyncio.Event()
    stop_on_signals(stop)
    listener = TcpServer(make, token)
    try:
        addresses = await listener.start(host, port, remote=remote)
    except NotLoopbackError as error:
        return _usage_error(f"{error}; add --allow-remote")
    except OSError as error:
        return fail(f"cannot listen on {host}:{port}: {error.strerror or error}")
    for address in addresses:
        print_note(f"editahead: listening on {address}")
    await stop.wait()
    await listener.stop()
    return 0


def _parse_address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _usage_error(reason: str) -> int:
    """Print what is wrong with the usage and return the exit code."""
    fail(reason)
    return 2


class _PrivateLogHandler(RotatingFileHandler):
    """A handler whose files only the user can read."""

    def _open(self) -> TextIOWrapper:
        from editahead_workspace.private_files import create_private_file

        create_private_file(Path(self.baseFilename))
        return super()._open()


def _log_handlers(log_file: Path | None) -> Iterator[logging.Handler]:
    from editahead_workspace import user_dirs
    from editahead_workspace.private_files import make_private_folder

    yield logging.StreamHandler()
    file = user_dirs.state_folder() / "editahead.log" if log_file is None else log_file
    try:
        if log_file is None:
            user_dirs.tighten_state_folder()
            make_private_folder(file.parent)
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
        yield _PrivateLogHandler(file, maxBytes=_MAX_LOG_BYTES, backupCount=1, encoding="utf-8", delay=True)
    except OSError as error:
        print_note(f"editahead: the log file cannot be written: {error}")
