"""`editahead search`: find code by words, by names and by pieces of text."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from editahead_cli.argument_types import positive_int
from editahead_cli.console import fail, print_note, print_output

DEFAULT_LIMIT = 10
"""Results without `--limit`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "query",
        nargs="+",
        metavar="QUERY",
        help='a question, names, or a piece of code in quotes: "where are retries configured"',
    )
    parser.add_argument(
        "--path", type=Path, default=Path(), metavar="PATH", help="the folder to search; here by default"
    )
    parser.add_argument(
        "--limit",
        type=positive_int,
        default=DEFAULT_LIMIT,
        metavar="N",
        help=f"the number of results at most (default {DEFAULT_LIMIT})",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    from editahead_cli.delayed_progress import DelayedProgress
    from editahead_workspace.codebase.search_command import search_folder
    from editahead_workspace.errors import IndexNotReadyError

    from .search_report import make_output, print_report

    query = " ".join(args.query)
    if not query.strip():
        print_note("editahead: the query is empty")
        return 2
    try:
        with DelayedProgress(is_quiet=args.json) as progress:
            answer = search_folder(
                Path(os.path.normpath(Path.cwd() / args.path)), query, args.limit, on_progress=progress.show
            )
    except IndexNotReadyError as error:
        return fail(str(error))
    if args.json:
        print_output(make_output(answer))
    else:
        print_report(answer)
    if answer.notice:
        print_note(answer.notice)
    return 0
