"""`editahead eval --keys`: what is shown to a person who types, key by key."""

from __future__ import annotations

import argparse
import random
from typing import TYPE_CHECKING

from editahead_cli.console import print_json

from .eval_common import Replay, model_environment, replay_twice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from editahead_evals.data.key_sessions import KeySession
    from editahead_evals.metrics.key_metrics import SessionResult


def run(
    args: argparse.Namespace, errors: Console, replay: Replay[KeySession, SessionResult] = replay_twice
) -> int:
    """Replay recordings key by key, print the figures and return the exit code.

    Raises:
        RecordingError: A recording cannot be read.
        RunError: A server failed.
    """
    from editahead_evals.data.recordings import read_recordings

    found = read_recordings(args.keys)
    if args.files is not None:
        found = random.Random(args.seed).sample(found, min(args.files, len(found)))
    return eval_sessions(args, errors, found, replay)


def eval_sessions(
    args: argparse.Namespace,
    errors: Console,
    sessions: Sequence[KeySession],
    replay: Replay[KeySession, SessionResult],
) -> int:
    """Replay sessions key by key, print the figures and return the exit code.

    Args:
        args: The command's options.
        errors: The console for the progress bar.
        sessions: Recordings, or typed commits.
        replay: Replays them, once more where there is something to compare with.
    """
    from editahead_cli.rich_console import SafeConsole
    from editahead_evals.data.own_checkout import present_commit
    from editahead_evals.replay.key_replay import KeyPlan
    from editahead_evals.report import key_report, keys_page
    from editahead_evals.report.report import Provenance

    results, others = replay("typing", sessions, KeyPlan(model_environment(args)), KeyPlan, args, errors)
    compared = key_report.compare(results, others.results, others.name, args.seed) if others else None
    where = Provenance(present_commit(), str(args.keys or args.edits or args.repo), args.seed)
    report = key_report.summarize(results, "recordings" if args.keys else "commits", where)
    if args.report:
        args.report.write_text(keys_page.keys_as_html(report, compared), "utf-8")
    if args.json:
        print_json(key_report.as_json(report, compared))
    else:
        key_report.render(report, SafeConsole(), compared)
    return 0
