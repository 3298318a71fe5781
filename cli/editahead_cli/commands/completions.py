"""`editahead completions`: print a script that completes the command line in a shell."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from editahead_cli.console import print_text
from editahead_cli.parser import EDITAHEAD, Program, make_parser

_FOLDERS = ("DIR", "FOLDER")
_FILES = ("F", "FILE")
"""Names of values that are paths."""
_SHELLS = {
    "bash": 'put this line into ~/.bashrc: eval "$({name} completions bash)"',
    "zsh": "write the output into a file _{name} in a folder of $fpath, such as "
    "/usr/local/share/zsh/site-functions",
    "fish": "write the output into ~/.config/fish/completions/{name}.fish",
    "powershell": "put this line into $PROFILE: {name} completions powershell | Out-String | Invoke-Expression",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    name = parser.prog.removesuffix(" completions")
    parser.epilog = "\n\n".join(f"{shell}: {how.format(name=name)}" for shell, how in _SHELLS.items())
    parser.add_argument("shell", choices=tuple(_SHELLS), help="the shell that reads the output")


def run(args: argparse.Namespace, program: Program = EDITAHEAD) -> int:
    import shtab

    parser = make_parser(program=program)
    for action in _all_actions(parser):
        if action.metavar in _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]  # shtab reads it
        elif action.type is Path or action.metavar in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # shtab reads it
    print_text(shtab.complete(parser, args.shell))
    return 0


def _all_actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a parser and of all parsers below it."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _all_actions(below)
