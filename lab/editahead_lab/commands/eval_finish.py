"""`editahead-lab eval --finish`: what `editahead finish` finds of commits with hunks left out."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from editahead_cli.commands.eval_common import replay_all
from editahead_cli.console import print_json

if TYPE_CHECKING:
    from rich.console import Console


def usage_error(args: argparse.Namespace) -> str | None:
    """Return what is wrong with the options, if anything."""
    if not args.finish:
        return None
    if not args.commits:
        return "--finish needs --commits"
    if args.workspace or args.with_model or args.samples or args.apply or args.against or args.report:
        others = "--workspace, --with-model, --samples, --apply, --against or --report"
        return f"--finish cannot be combined with {others}"
    return None


def run(args: argparse.Namespace, errors: Console) -> int:
    """Look for what was left out of commits, print the figures and return the exit code.

    Raises:
        RecordError: The commits cannot be read.
    """
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.data.own_checkout import present_commit
    from editahead_evals.errors import RecordError
    from editahead_evals.report.report import Provenance
    from editahead_lab.finish import finish_report
    from editahead_lab.finish.finish_replay import FinishPlan, choose

    commits = choose(args.commits, args.files, args.seed)
    if not commits:
        raise RecordError(f"{args.commits}: there are no commits")
    results = replay_all("looking", commits, args.jobs, FinishPlan(args.commits), errors)
    report = finish_report.summarize(results, Provenance(present_commit(), str(args.commits), args.seed))
    if args.json:
        print_json(finish_report.as_json(report))
    else:
        finish_report.render(report, SafeConsole())
    return 0
