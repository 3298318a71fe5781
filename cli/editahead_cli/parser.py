"""The parser of the command line, and the table of the commands."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING

from editahead_prompts.text.control_characters import escape_text

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

COMMANDS = {
    "lsp": "run the language server on stdin and stdout, or on a TCP port",
    "demo": "watch the server predict a short editing session",
    "predict": "predict the next edit of a file",
    "apply": "turn a sketch of a change into the exact edit",
    "finish": "tell what a change still lacks elsewhere in the codebase",
    "search": "find code by words, by names and by pieces of text",
    "eval": "measure the predictions on your own repository, on your recordings, or on other edits",
    "engine": "start and supervise a vLLM for Editahead",
    "index": "tell what the index of a folder holds, build it or remove it",
    "mcp": "answer agents over MCP: finish a change, search code, apply a sketch",
    "models": "list the models that fit this machine, or download one",
    "record": "record your editing sessions on this machine, to measure on them; off by default",
    "rules": "mine rules from a repository's history, list them, switch them off",
    "serve": "answer clients of OpenAI-compatible servers on this machine: Zed, llama.vim, minuet and others",
    "stats": "show what became of the predictions in your editor",
    "team": "create and look after a team's index on PostgreSQL",
    "doctor": "check that Editahead works on this machine",
    "train": "fit what is shown to your own recordings and outcomes; other trainings need editahead-lab",
    "config": "print the effective settings and their sources",
    "completions": "print what completes this command line in your shell",
}
_EPILOG = (
    "Your editor starts `editahead lsp`. To see what it does, run `editahead demo`; to check this machine, "
    "`editahead doctor`."
)


@dataclass(frozen=True)
class Program:
    """A program with commands.

    Attributes:
        name: What people type.
        description: What it does.
        package: The package with one module for each command.
        commands: The commands, with what they do.
        epilog: What the help ends with.
    """

    name: str
    description: str
    package: str
    commands: Mapping[str, str]
    epilog: str | None = None


EDITAHEAD = Program(
    name="editahead",
    description="Predict your next edit, in any editor.",
    package=f"{__package__}.commands",
    commands=COMMANDS,
    epilog=_EPILOG,
)


def make_parser(
    detailed: Collection[str] | None = None, program: Program = EDITAHEAD
) -> argparse.ArgumentParser:
    """Return the parser of a command line.

    Args:
        detailed: The commands whose arguments the parser knows; None for all. Each imports what only that command needs.
        program: Whose command line it is.
    """
    parser = _SafeParser(prog=program.name, description=program.description, epilog=program.epilog)
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, summary in program.commands.items():
        description = f"{summary[0].upper()}{summary[1:]}."
        subparser = subparsers.add_parser(name, help=summary, description=description)
        if detailed is None or name in detailed:
            import_module(f"{program.package}.{name}").add_arguments(subparser)
    return parser


class _SafeParser(argparse.ArgumentParser):
    """A parser that takes options and arguments in any order, and tells of a wrong one with the usage of its command.

    Its messages hold nothing that steers a terminal: an argument may be the name of anyone's file.
    """

    _is_intermixed = False

    def parse_known_args(  # type: ignore[override]  # typeshed: any namespace
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
            self.error(f"unrecognized arguments: {' '.join(unknown)}{suggest(unknown[0], options)}")
        return parsed, unknown

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        super()._print_message(escape_text(message) if message else message, file)


def suggest(word: str, known: Iterable[str]) -> str:
    """Return the question whether a known word is meant; "" where none is alike."""
    found = get_close_matches(word, known, n=1)
    return f"; did you mean {found[0]!r}?" if found else ""
