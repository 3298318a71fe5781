"""The fit of a person's preferences to their recordings and outcomes (`editahead train mine`).

Recordings are replayed key by key, with every plausible edit shown. The server's log of that replay says which came true:
rows as those of the person's log, with what was never shown to them. The preferences fitted to all but the newest rows are
kept only if they tell the newest ones better, as learning goes on through these.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, overload

from editahead_cli.json_output import OwnTrainingOutput

if TYPE_CHECKING:
    from editahead_evals.data.key_sessions import Event
    from editahead_inference.gate.personalization import PreferenceLearner
    from editahead_workspace.outcome_log import Outcome

HELD_OUT_S = 7 * 24 * 3600.0
"""Seconds before the newest row whose rows are held out. Where all rows are newer, the newest third is."""
MIN_HELD_OUT = 20
"""Outcomes that must be held out to decide."""
MIN_GAIN = 0.002
"""Nats by which the mean loss of an outcome must fall."""
SHOWN_FROM = 0.3
"""The probability from which an edit in an open document is shown by default."""
_SHOWN_WEIGHTS = 6


def fit_own_preferences(folder: Path | None, seconds: float) -> OwnTrainingOutput:
    """Return the fitted preferences, and whether they are better on what was held out.

    Args:
        folder: The recordings; None for the person's, if there are any.
        seconds: How long recordings are replayed, at most.

    Raises:
        RecordingError: A recording cannot be read.
        RunError: The server failed.
    """
    from editahead_evals.errors import RunError
    from editahead_inference.gate.personalization import PreferenceLearner
    from editahead_lsp.session.outcome_tracker import train_learner
    from editahead_workspace import user_dirs
    from editahead_workspace.outcome_log import FILE_NAME, read_outcomes
    from editahead_workspace.settings import load_settings

    if not load_settings(os.environ, None, [], user_dirs.config_folder()).settings.learning:
        raise RunError("`learning` is false in your settings, or the policy of this machine says so")
    state = user_dirs.state_folder()
    own = folder or state / "recordings"
    recordings, replayed = _replay(own, seconds) if folder is not None or own.is_dir() else (0, [])
    log = state / FILE_NAME
    lived = [one for one in read_outcomes(log) if _counts(one)] if folder is None and log.exists() else []
    cut = _held_out_from([*replayed, *lived])
    learner = PreferenceLearner()
    train_learner(learner, [one for one in replayed if one.at < cut])
    weights = {name: one for name, one in learner.weights().items() if one}
    newest = sorted((one for one in [*replayed, *lived] if one.at >= cut), key=lambda one: one.at)
    before, after = PreferenceLearner(), PreferenceLearner(weights)
    for each in (before, after):
        train_learner(each, [one for one in lived if one.at < cut])
    loss_before, shown_before, true_before = _judge(before, newest)
    loss_after, shown_after, true_after = _judge(after, newest)
    gain = loss_before - loss_after
    kept = bool(weights) and len(newest) >= MIN_HELD_OUT and gain >= MIN_GAIN
    return OwnTrainingOutput(
        recordings=recordings,
        replayed=len(replayed),
        outcomes=len(lived),
        fitted=sum(one.at < cut for one in replayed),
        held_out=len(newest),
        loss_before=round(loss_before, 4),
        loss_after=round(loss_after, 4),
        shown_before=shown_before,
        shown_after=shown_after,
        true_before=true_before,
        true_after=true_after,
        weights=weights,
        kept=kept,
    )


def describe(report: OwnTrainingOutput) -> Iterator[str]:
    """Yield the lines of a report."""
    yield (
        f"{report.recordings} recordings replayed: {report.replayed} edits with a known outcome; "
        f"{report.outcomes} more from your log."
    )
    if report.held_out < MIN_HELD_OUT:
        yield f"{report.held_out} of these are new enough to judge by, and {MIN_HELD_OUT} are needed."
        yield "`editahead record on` records more."
        return
    yield f"Fitted to {report.fitted}, and judged by the {report.held_out} newest:"
    yield f"  mean loss      {report.loss_before:.4f} before, {report.loss_after:.4f} after ({MIN_GAIN} less is needed)"
    yield f"  shown          {report.shown_before} before, {report.shown_after} after"
    yield f"  of these true  {report.true_before} before, {report.true_after} after"
    strongest = sorted(report.weights.items(), key=lambda item: -abs(item[1]))[:_SHOWN_WEIGHTS]
    if strongest:
        yield "  strongest      " + ", ".join(f"{name} {weight:+.2f}" for name, weight in strongest)


def _replay(folder: Path, seconds: float) -> tuple[int, list[Outcome]]:
    """Return the number of recordings that were replayed, and the outcomes, the oldest first.

    Raises:
        RecordingError: A recording cannot be read.
        RunError: The server failed.
    """
    from editahead_evals.client.shared_server import SharedServer
    from editahead_evals.data.recordings import find_recordings, read_recording, recorded_at
    from editahead_evals.replay.key_replay import replay_keys

    deadline = time.monotonic() + seconds
    found: list[Outcome] = []
    count = 0
    for path in sorted(find_recordings(folder), key=recorded_at, reverse=True):
        if time.monotonic() >= deadline:
            break
        session = read_recording(path)
        with tempfile.TemporaryDirectory(prefix="editahead-own-") as place:
            environment = {
                "HOME": place,
                "XDG_STATE_HOME": place,
                "EDITAHEAD_TELEMETRY": "local",
                "EDITAHEAD_EAGERNESS": "1",
                "EDITAHEAD_DEBOUNCE_MS": "0",
                "EDITAHEAD_INDEX": "off",
            }
            with SharedServer(env=environment) as server, server.session({}) as editor:
                replay_keys(editor, replace(session, events=_UntilDeadline(session.events, deadline)))
            rows = _rows(Path(place), recorded_at(path))
        found += rows
        count += 1
    return count, sorted(found, key=lambda one: one.at)


def _rows(place: Path, start: float) -> list[Outcome]:
    """Return the outcomes of a replay, as if they had been at the time of the recording."""
    from editahead_workspace.outcome_log import FILE_NAME, read_outcomes

    log = next(place.rglob(FILE_NAME), None)
    rows = [] if log is None else [one for one in read_outcomes(log) if _counts(one)]
    return [replace(one, at=start + number) for number, one in enumerate(rows)]


def _counts(one: Outcome) -> bool:
    return one.shipped is not None and one.seen


def _held_out_from(rows: Sequence[Outcome]) -> float:
    """Return the time from which rows are held out."""
    times = sorted(one.at for one in rows)
    if not times:
        return 0.0
    week = times[-1] - HELD_OUT_S
    return week if times[0] < week else times[len(times) - len(times) // 3 - 1]


def _judge(learner: PreferenceLearner, rows: Sequence[Outcome]) -> tuple[float, int, int]:
    """Return the mean loss of a learner that goes on learning, the edits that it would show, and how many came true."""
    from editahead_inference.gate.personalization import log_loss
    from editahead_lsp.session.outcome_tracker import kept_of, seen_features, train_learner

    loss = weight = 0.0
    shown = true = 0
    for one in rows:
        seen, kept = seen_features(one), kept_of(one)
        probability = learner.probability(seen, one.shipped or 0.0)
        loss += seen.weight * log_loss(probability, kept)
        weight += seen.weight
        shown += probability >= SHOWN_FROM
        true += probability >= SHOWN_FROM and kept > 0
        train_learner(learner, [one])
    return (loss / weight if weight else 0.0), shown, true


class _UntilDeadline(Sequence["Event"]):
    """Events that end where the time is over."""

    def __init__(self, events: Sequence[Event], deadline: float) -> None:
        self._events, self._deadline = events, deadline

    def __iter__(self) -> Iterator[Event]:
        for event in self._events:
            if time.monotonic() >= self._deadline:
                return
            yield event

    def __len__(self) -> int:
        return len(self._events)

    @overload
    def __getitem__(self, place: int) -> Event: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Event]: ...
    def __getitem__(self, place: int | slice) -> Event | Sequence[Event]:
        return self._events[place]
