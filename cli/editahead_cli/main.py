"""The command line. This module and `commands` are the composition root: the only ones that may import every part."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from editahead_lsp import __version__

COMMANDS = {
    "lsp": "the language server, on stdin and stdout or on a TCP port",
    "demo": "watch the server predict a short editing session",
    "predict": "one prediction for a file",
    "apply": "make a sketch of a change the exact edit",
    "eval": "measure how well next edits are predicted",
    "engine": "a vLLM that is started and looked after",
    "models": "which models fit this machine, and fetching one",
    "stats": "what became of the predictions that you were shown",
    "doctor": "check that everything works on this machine",
    "train": "fit the gate to real commits again",
    "config": "the effective settings, and where each comes from",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Exit codes: 0 done; 1 could not, with the reason on stderr; 2 wrong usage."""
    argv = list(sys.argv[1:] if argv is None else argv)
    parser = argparse.ArgumentParser(prog="editahead", description="Predicts your next edit, in any editor.")
    parser.add_argument("--version", action="store_true", help="the version, and nothing else")
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    chosen = next((argument for argument in argv if argument in COMMANDS), None)
    for name, summary in COMMANDS.items():
        description = f"{summary[0].upper()}{summary[1:]}."
        subparser = subparsers.add_parser(name, help=summary, description=description)
        if name == chosen:  # only then: each command imports what only it needs
            import_module(f"{__package__}.commands.{name}").add_arguments(subparser)
    args = parser.parse_args(argv)
    if args.version:
        print(_version_as_json() if args.json else f"editahead {__version__}")
        return 0
    if args.command is None:
        parser.error("name a command")
    try:
        code: int = import_module(f"{__package__}.commands.{args.command}").run(args)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read our output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _version_as_json() -> str:
    """Return the version as JSON, without the converter, which takes long to load."""
    import attrs

    from .json_output import VersionOutput

    return json.dumps(attrs.asdict(VersionOutput(__version__)))
