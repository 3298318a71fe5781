"""`editahead-lab eval --search`: what search finds of what answers the questions of commits and of documentation."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.commands.eval_common import replay_all
from editahead_cli.console import fail, print_json

if TYPE_CHECKING:
    from rich.console import Console

DEFAULT_LAST = 20
"""Commits of each repository, and functions of each package, without `--files`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--search",
        action="store_true",
        help="measure what `editahead search` finds of what the subjects and the hunks of --commits ask for",
    )
    parser.add_argument(
        "--packages",
        type=Path,
        metavar="DIR",
        help="with --search: a folder of unpacked source distributions, whose documentation asks for its functions",
    )
    parser.add_argument(
        "--encoder",
        default="",
        metavar="FILE",
        help="with --search: also search by meaning, with the vectors of this encoder",
    )


def usage_error(args: argparse.Namespace) -> str | None:
    """Return what is wrong with the options, if anything."""
    if args.packages and not args.search:
        return "--packages needs --search"
    if args.encoder and not args.search:
        return "--encoder needs --search"
    if not args.search:
        return None
    if not args.commits:
        return "--search needs --commits"
    if (
        args.workspace
        or args.finish
        or args.with_model
        or args.samples
        or args.apply
        or args.against
        or args.report
    ):
        others = "--workspace, --finish, --with-model, --samples, --apply, --against or --report"
        return f"--search cannot be combined with {others}"
    return None


def run(args: argparse.Namespace, errors: Console) -> int:
    """Ask the questions, print the figures and return the exit code.

    Raises:
        RecordError: The commits or the packages cannot be read.
    """
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.data.own_checkout import present_commit
    from editahead_evals.report.report import Provenance
    from editahead_lab.search import search_report
    from editahead_lab.search.replay import SearchItem, SearchPlan, last_commits
    from editahead_lab.search.tasks import read_packages
    from editahead_retrieval.errors import EncoderError
    from editahead_retrieval.vectors.encoders import open_encoder

    count = args.files or DEFAULT_LAST
    items = [SearchItem(commit=commit) for commit in last_commits(args.commits, count)]
    if args.packages:
        items += [SearchItem(package=package) for package in read_packages(args.packages, count, args.seed)]
    if args.encoder:
        try:
            open_encoder(args.encoder)
        except EncoderError as error:
            return fail(str(error))
    asked = replay_all("searching", items, args.jobs, SearchPlan(args.commits, args.encoder), errors)
    results = [outcome for outcomes in asked for outcome in outcomes]
    where = f"{args.commits} and {args.packages}" if args.packages else str(args.commits)
    report = search_report.summarize(results, Provenance(present_commit(), where, args.seed))
    if args.json:
        print_json(search_report.as_json(report))
    else:
        search_report.render(report, SafeConsole())
    return 0
