"""`editahead eval --keys`: what is shown to a person who types, key by key."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Literal

from .eval_common import Replay, ReplayOptions, model_environment, replay_twice

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import Console

    from editahead_evals.data.key_sessions import KeySession
    from editahead_evals.metrics.key_metrics import SessionResult
    from editahead_evals.report.key_report import KeyReport
    from editahead_evals.report.output import Output


def eval_recordings(
    folder: Path,
    options: ReplayOptions,
    errors: Console,
    replay: Replay[KeySession, SessionResult] = replay_twice,
) -> Output[KeyReport]:
    """Replay the recordings of a folder key by key and return the figures.

    Raises:
        RecordingError: A recording cannot be read.
        RunError: A server failed.
    """
    from editahead_evals.data.recordings import read_recordings

    found = read_recordings(folder)
    if options.files is not None:
        found = random.Random(options.seed).sample(found, min(options.files, len(found)))
    return eval_sessions(found, str(folder), "recordings", options, errors, replay)


def eval_sessions(
    sessions: Sequence[KeySession],
    data: str,
    what: Literal["recordings", "commits"],
    options: ReplayOptions,
    errors: Console,
    replay: Replay[KeySession, SessionResult],
) -> Output[KeyReport]:
    """Replay sessions key by key and return the figures.

    Args:
        sessions: Recordings, or typed commits.
        data: Where they are from.
        what: What they are.
        options: How the replay is done.
        errors: The console for the progress bar.
        replay: Replays them, once more where there is something to compare with.
    """
    from editahead_evals.data.own_checkout import present_commit
    from editahead_evals.replay.key_replay import KeyPlan
    from editahead_evals.report import key_report
    from editahead_evals.report.output import Output, Provenance

    ours = KeyPlan(model_environment(with_model=options.with_model))
    results, others = replay("typing", sessions, ours, KeyPlan, options, errors)
    compared = key_report.compare(results, others.results, others.name, options.seed) if others else None
    where = Provenance(present_commit(), data, options.seed)
    report = key_report.summarize(results, what, where, compared)
    return Output(report, key_report.print_tables, key_report.as_html)
