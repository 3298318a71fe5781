"""Generate the man pages in docs/man, one for `editahead` and one for each of its commands.

python tools/docs/make_man.py docs/man
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from argparse_manpage.manpage import Manpage

from editahead_cli.parser import COMMANDS, make_parser


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name of each file and its text. The terminal's width, COLUMNS, must be large: man wraps the lines."""
    parser = make_parser()
    below = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    for name, summary in COMMANDS.items():
        yield f"editahead-{name}.1", _page(below.choices[name], f"editahead-{name}", summary, ["editahead"])
    below.choices.clear()  # each has a page of its own
    others = [f"editahead-{name}" for name in COMMANDS]
    yield "editahead.1", _page(parser, "editahead", "predict your next edit, in any editor", others)


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
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.1"):
        old.unlink()
    for name, text in pages():
        (folder / name).write_text(text, "utf-8")
