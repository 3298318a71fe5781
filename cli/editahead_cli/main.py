"""The command line. This module and `commands` are the composition root: the only ones that may import every part."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from editahead_lsp import __version__
from editahead_programs.child_python import protect_children

from .console import print_text, print_traceback
from .laboratory import named_in_lab, run_in_lab
from .parser import EDITAHEAD, Program, make_parser, suggest


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    The codes are 0 for success, 1 for failure with the reason on stderr, 2 for wrong usage and 130 after Ctrl-C.
    """
    if argv is None:  # this process is that of the command
        protect_children()
    arguments = list(sys.argv[1:] if argv is None else argv)
    named = named_in_lab(arguments)
    return run_program(EDITAHEAD, arguments) if named is None else run_in_lab(named, arguments)


def run_program(program: Program, argv: Sequence[str]) -> int:
    """Run a command of a program with these arguments and return its exit code."""
    sys.excepthook = print_traceback
    chosen = next((argument for argument in argv if argument in program.commands), None)
    parser = make_parser([chosen] if chosen else [], program)
    word = next((argument for argument in argv if not argument.startswith("-")), None)
    if chosen is None and word is not None:
        parser.error(f"there is no command {word!r}{suggest(word, program.commands)}; --help lists all")
    args = parser.parse_args(argv)
    if args.version:
        print_text(_version_as_json() if args.json else f"{program.name} {__version__}")
        return 0
    if args.command is None:
        parser.print_help(sys.stderr)
        return 2
    try:
        code: int = import_module(f"{program.package}.{args.command}").run(args)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output, such as `head`, has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _version_as_json() -> str:
    """Return the version as JSON, without the converter, which takes long to load."""
    import attrs

    from .json_output import VersionOutput

    return json.dumps(attrs.asdict(VersionOutput(__version__)))
