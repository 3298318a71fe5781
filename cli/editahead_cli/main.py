"""The command line. This module and `commands` are the composition root: the only ones that may import every part."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING

from editahead_lsp import __version__
from editahead_prompts.text.control_characters import escape_text

from .console import print_text, print_traceback

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

COMMANDS = {
    "lsp": "run the language server on stdin and stdout, or on a TCP port",
    "demo": "watch the server predict a short editing session",
    "predict": "predict the next edit of a file",
    "apply": "turn a sketch of a change into the exact edit",
    "finish": "tell what a change still lacks elsewhere in the codebase",
    "search": "find code by words, by names and by pieces of text",
    "eval": "measure the quality of predictions, of applied sketches and of prompts",
    "engine": "start and supervise a vLLM for Editahead",
    "index": "tell what the index of a folder holds, build it or remove it",
    "mcp": "answer agents over MCP: finish a change, search code, apply a sketch",
    "models": "list the models that fit this machine, or download one",
    "record": "record your editing sessions on this machine, to measure on them; off by default",
    "rules": "mine rules from a repository's history, list them, switch them off",
    "stats": "show what became of the predictions in your editor",
    "team": "create and look after a team's index on PostgreSQL",
    "doctor": "check that Editahead works on this machine",
    "train": "train the gate, the vocabulary and the small model on real edits",
    "config": "print the effective settings and their sources",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    The codes are 0 for success, 1 for failure with the reason on stderr, 2 for wrong usage and 130 after Ctrl-C.
    """
    argv = list(sys.argv[1:] if argv is None else argv)
    sys.excepthook = print_traceback
    parser = _SafeParser(
        prog="editahead",
        description="Predict your next edit, in any editor.",
        epilog="Your editor starts `editahead lsp`. To see what it does, run `editahead demo`; to check this machine, "
        "`editahead doctor`.",
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    chosen = next((argument for argument in argv if argument in COMMANDS), None)
    for name, summary in COMMANDS.items():
        description = f"{summary[0].upper()}{summary[1:]}."
        subparser = subparsers.add_parser(name, help=summary, description=description)
        if name == chosen:  # each command imports what only that command needs
            import_module(f"{__package__}.commands.{name}").add_arguments(subparser)
    word = next((argument for argument in argv if not argument.startswith("-")), None)
    if chosen is None and word is not None:
        parser.error(f"there is no command {word!r}{_suggest(word, COMMANDS)}; --help lists all")
    args = parser.parse_args(argv)
    if args.version:
        print_text(_version_as_json() if args.json else f"editahead {__version__}")
        return 0
    if args.command is None:
        parser.print_help(sys.stderr)
        return 2
    try:
        code: int = import_module(f"{__package__}.commands.{args.command}").run(args)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output, such as `head`, has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


class _SafeParser(argparse.ArgumentParser):
    """A parser that takes options and arguments in any order, and tells of a wrong one with the usage of its command.

    Its messages hold nothing that steers a terminal: an argument may be the name of anyone's file.
    """

    _is_intermixed = False

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        if self._is_intermixed or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._is_intermixed = True  # the next call comes back here
        try:
            parsed, unknown = self.parse_known_intermixed_args(args, namespace or argparse.Namespace())
        finally:
            self._is_intermixed = False
        if unknown:
            options = [option for action in self._actions for option in action.option_strings]
            self.error(f"unrecognized arguments: {' '.join(unknown)}{_suggest(unknown[0], options)}")
        return parsed, unknown

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        super()._print_message(escape_text(message) if message else message, file)


def _suggest(word: str, known: Iterable[str]) -> str:
    """Return the question whether a known word is meant; "" where none is alike."""
    found = get_close_matches(word, known, n=1)
    return f"; did you mean {found[0]!r}?" if found else ""


def _version_as_json() -> str:
    """Return the version as JSON, without the converter, which takes long to load."""
    import attrs

    from .json_output import VersionOutput

    return json.dumps(attrs.asdict(VersionOutput(__version__)))
