"""`editahead-lab eval --apply`: how well sketches of real commits become exact edits."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.commands.eval_common import model_settings
from editahead_cli.console import print_json

if TYPE_CHECKING:
    from rich.console import Console

DEFAULT_SKETCHES = 2500
"""Default number of sketches."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--apply",
        action="store_true",
        help=f"measure sketches of --edits instead of next edits; --files is their number (default {DEFAULT_SKETCHES})",
    )
    parser.add_argument(
        "--failures",
        type=Path,
        metavar="FILE",
        help="with --apply: write the failures to FILE, with their code",
    )


def usage_error(args: argparse.Namespace) -> str | None:
    """Return what is wrong with the options, if anything."""
    if args.apply and (not args.edits or args.against or args.report):
        return "--apply needs --edits, and cannot be combined with --against or --report"
    if args.failures and not args.apply:
        return "--failures needs --apply"
    return None


def run(args: argparse.Namespace, errors: Console) -> int:
    """Apply sketches of real commits, print the figures and return the exit code.

    Raises:
        ClientError: The server failed.
        RecordError: The records cannot be read.
        RunError: The settings name no model, and one is needed.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.client.editor import Editor
    from editahead_evals.data.edit_records import MAX_FILE_CHARACTERS, read_records
    from editahead_evals.data.own_checkout import present_commit
    from editahead_evals.errors import RecordError
    from editahead_evals.report.report import Provenance
    from editahead_lab.apply import report
    from editahead_lab.apply.runner import apply_all
    from editahead_lab.apply.sketch_generator import cases

    count = args.files or DEFAULT_SKETCHES
    settings = model_settings() if args.with_model else None
    records = [record for record in read_records(args.edits) if len(record.before) < MAX_FILE_CHARACTERS]
    outcomes = []
    columns = (TextColumn("applying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True) as progress:
        task = progress.add_task("", total=count)
        for outcome in apply_all(cases(records, count, args.seed), lambda: Editor(settings)):
            outcomes.append(outcome)
            progress.advance(task)
    if not outcomes:
        raise RecordError(f"{args.edits}: no sketch can be made of these records")
    where = Provenance(present_commit(), str(args.edits), args.seed)
    found = report.summarize(outcomes, where, with_model=args.with_model)
    if args.failures:
        args.failures.write_text("".join(report.failure_listing(outcomes)), "utf-8")
        errors.print(f"written: {args.failures}", markup=False, highlight=False, soft_wrap=True)
    if args.json:
        print_json(report.as_json(found))
    else:
        report.render(found, SafeConsole())
    return 0
