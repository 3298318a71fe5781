"""The command line. This module and `commands` are the composition root: the only ones that may import every part."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from . import __version__

COMMANDS = {
    "lsp": "the language server, on stdin and stdout",
    "demo": "watch the server predict a short editing session",
    "eval": "measure how well next edits are predicted",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Exit codes: 0 done; 1 could not, with the reason on stderr; 2 wrong usage."""
    argv = list(sys.argv[1:] if argv is None else argv)
    parser = argparse.ArgumentParser(prog="editahead", description="Predicts your next edit, in any editor.")
    parser.add_argument("--version", action="version", version=f"editahead {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in COMMANDS.items():
        subparser = subparsers.add_parser(
            name, help=summary, description=f"{summary[0].upper()}{summary[1:]}."
        )
        if name in argv:  # only then: each command imports what only it needs
            import_module(f"{__package__}.commands.{name}").add_arguments(subparser)
    args = parser.parse_args(argv)
    code: int = import_module(f"{__package__}.commands.{args.command}").run(args)
    return code
