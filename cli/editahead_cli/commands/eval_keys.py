"""`editahead eval --keys` and `--typing`: what is shown while a person types, key by key."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .eval_common import print_json, read_chosen_records, replay_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from editahead_evals.data.key_sessions import KeySession
    from editahead_evals.report.key_report import Source


def usage_error(args: argparse.Namespace) -> str | None:
    """Return what is wrong with the options, if anything."""
    if args.typing and not (args.edits or args.repo):
        return "--typing needs --edits or --repo"
    if args.typing and (args.apply or args.save_states):
        return "--typing cannot be combined with --apply or --save-states"
    if args.keys and args.files:
        return "--keys cannot be combined with --files"
    if (args.keys or args.typing) and (args.with_model or args.samples or args.report or args.apply):
        return "--keys and --typing cannot be combined with --with-model, --samples, --report or --apply"
    return None


def run(args: argparse.Namespace, errors: Console) -> int:
    """Replay sessions key by key, print the figures and return the exit code.

    Raises:
        GitError: The repository cannot be read.
        RecordError: The records cannot be read.
        RecordingError: A recording cannot be read.
        RevisionError: The other revision cannot be measured.
        RunError: A server failed.
    """
    from rich.console import Console

    from editahead_evals.data.revisions import checked_out, present_commit
    from editahead_evals.replay.key_replay import KeyPlan
    from editahead_evals.report import key_report
    from editahead_evals.report.report import Provenance

    source: Source = "recordings" if args.keys else "commits"
    sessions = _sessions(args, errors)
    compared = None
    if args.against is None:
        results = replay_all("typing", sessions, args.jobs, KeyPlan(), errors)
    else:
        with checked_out(args.against) as other:
            results = replay_all("typing", sessions, args.jobs, KeyPlan(), errors)
            theirs = replay_all(
                f"typing for {other.commit}", sessions, args.jobs, KeyPlan(other.environment), errors
            )
        compared = key_report.compare(results, theirs, other.commit, args.seed)
    where = Provenance(present_commit(), str(args.keys or args.edits or args.repo), args.seed)
    report = key_report.summarize(results, source, where)
    if args.json:
        print_json(key_report.as_json(report, compared))
    else:
        key_report.render(report, Console(), compared)
    return 0


def _sessions(args: argparse.Namespace, errors: Console) -> Sequence[KeySession]:
    from editahead_evals.data.recordings import read_recordings
    from editahead_evals.data.typed_commits import typed_commit

    if args.keys:
        return read_recordings(args.keys)
    return [typed_commit(record) for record in read_chosen_records(args, errors)]
