"""`editahead-lab eval --workspace`: what is shown in files that are not open, over the workspaces of commits."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from editahead_cli.commands.eval_common import replay_all
from editahead_cli.console import print_json

if TYPE_CHECKING:
    from rich.console import Console


def usage_error(args: argparse.Namespace) -> str | None:
    """Return what is wrong with the options, if anything."""
    if args.workspace and not args.commits:
        return "--workspace needs --commits"
    if args.commits and not (args.workspace or args.finish or args.search):
        return "--commits needs --workspace, --finish or --search"
    if args.workspace and (args.with_model or args.samples or args.apply or args.against or args.report):
        return "--workspace cannot be combined with --with-model, --samples, --apply, --against or --report"
    return None


def run(args: argparse.Namespace, errors: Console) -> int:
    """Replay commits over their workspaces, print the figures and return the exit code.

    Raises:
        RecordError: The commits cannot be read.
        RunError: A server failed, or an index was not built.
    """
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.data.own_checkout import present_commit
    from editahead_evals.errors import RecordError
    from editahead_evals.report.report import Provenance
    from editahead_lab.workspace import workspace_report
    from editahead_lab.workspace.workspace_replay import WorkspacePlan, choose

    commits = choose(args.commits, args.files, args.seed)
    if not commits:
        raise RecordError(f"{args.commits}: no commit changes code")
    results = replay_all("replaying", commits, args.jobs, WorkspacePlan(args.commits), errors)
    report = workspace_report.summarize(results, Provenance(present_commit(), str(args.commits), args.seed))
    if args.json:
        print_json(workspace_report.as_json(report))
    else:
        workspace_report.render(report, SafeConsole())
    return 0
