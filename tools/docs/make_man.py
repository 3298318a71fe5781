"""Generate the man pages of `editahead` and of `editahead-lab`, one for the program and one for each of its commands.

python tools/docs/make_man.py
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from argparse_manpage.manpage import Manpage

from editahead_cli.parser import EDITAHEAD, Program, make_parser
from editahead_lab.main import LAB

FOLDERS = {"docs/man": EDITAHEAD, "lab/man": LAB}


def pages(program: Program) -> Iterator[tuple[str, str]]:
    """Yield the name of each file and its text. The terminal's width, COLUMNS, must be large: man wraps the lines."""
    parser = make_parser(program=program)
    main = program.name
    below = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    for name, summary in program.commands.items():
        yield f"{main}-{name}.1", _page(below.choices[name], f"{main}-{name}", summary, [main])
    below.choices.clear()  # each has a page of its own
    others = [f"{main}-{name}" for name in program.commands]
    summary = program.description
    yield f"{main}.1", _page(parser, main, f"{summary[0].lower()}{summary[1:-1]}", others)


def _page(parser: argparse.ArgumentParser, name: str, summary: str, others: list[str]) -> str:
    if parser._subparsers is not None:
        parser._subparsers.title = "commands"
    page = Manpage(parser, {"description": summary, "manual_title": "Editahead", "project_name": "editahead"})
    page.prog = name
    page.date = ""  # that of the last change is not known here
    page.add_section("see also", ">", ",\n".join(rf".BR {other} (1)".replace("-", r"\-") for other in others))
    return str(page)


if __name__ == "__main__":
    os.environ["COLUMNS"] = "10000"
    for place, program in FOLDERS.items():
        folder = Path(place)
        folder.mkdir(exist_ok=True)
        for old in folder.glob("*.1"):
            old.unlink()
        for name, text in pages(program):
            (folder / name).write_text(text, "utf-8")
