"""`editahead-lab eval --ordered` and `--typing`: pull requests edit by edit, and commits typed key by key."""

from __future__ import annotations

import argparse
import random
from typing import TYPE_CHECKING

from editahead_cli.commands.eval_common import model_environment, read_chosen_records
from editahead_cli.commands.eval_keys import eval_sessions
from editahead_cli.console import print_json

from .replay_compared import replay_compared

if TYPE_CHECKING:
    from rich.console import Console


def usage_error(args: argparse.Namespace) -> str | None:
    """Return what is wrong with the options, if anything."""
    if args.typing and not (args.edits or args.repo):
        return "--typing needs --edits or --repo"
    if args.typing and (args.apply or args.save_states):
        return "--typing cannot be combined with --apply or --save-states"
    if (args.keys or args.typing or args.ordered) and (args.samples or args.apply):
        return "--keys, --typing and --ordered cannot be combined with --samples or --apply"
    return None


def run_typing(args: argparse.Namespace, errors: Console) -> int:
    """Type commits key by key, print the figures and return the exit code.

    Raises:
        GitError: The repository cannot be read.
        RecordError: The records cannot be read.
        RevisionError: The other revision cannot be measured.
        RunError: A server failed.
    """
    from editahead_lab.commits.typed_commits import typed_commit

    sessions = [typed_commit(record) for record in read_chosen_records(args, errors)]
    return eval_sessions(args, errors, sessions, replay_compared)


def run(args: argparse.Namespace, errors: Console) -> int:
    """Replay pull requests edit by edit, print the figures and return the exit code.

    Raises:
        RecordError: The file cannot be read.
        RevisionError: The other revision cannot be measured.
        RunError: A server failed.
    """
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.data.own_checkout import present_commit
    from editahead_evals.report.report import Provenance
    from editahead_lab.ordered import ordered_page, ordered_report
    from editahead_lab.ordered.ordered_edits import read_pull_requests
    from editahead_lab.ordered.ordered_replay import OrderedPlan

    requests = read_pull_requests(args.ordered)
    random.Random(args.seed).shuffle(requests)
    requests = requests[: args.files]
    ours = OrderedPlan(model_environment(args))
    results, others = replay_compared("replaying", requests, ours, OrderedPlan, args, errors)
    compared = ordered_report.compare(results, others.results, others.name, args.seed) if others else None
    report = ordered_report.summarize(results, Provenance(present_commit(), str(args.ordered), args.seed))
    if args.report:
        args.report.write_text(ordered_page.ordered_as_html(report, compared), "utf-8")
    if args.json:
        print_json(ordered_report.as_json(report, compared))
    else:
        ordered_report.render(report, SafeConsole(), compared)
    return 0
