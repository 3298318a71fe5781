"""What the gate is fitted to and measured on: candidates of replayed commits, with what they would have been worth.

Replays run side by side, one record at a time, and come back in the records' order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from editahead_evals.data.commit_replay import replay
from editahead_evals.metrics.confidence_curve import Answer
from editahead_evals.metrics.judge import hunks_made
from editahead_evals.replay.typing_replay import EVERY, typed_next
from editahead_inference.candidates import Candidate
from editahead_inference.gate.calibration import calibration_key
from editahead_inference.gate.gate import Gate, Weights
from editahead_inference.gate.session_features import session_features
from editahead_inference.predictors.line_completion import LineCompletion
from editahead_inference.predictors.propagation.predictor import Propagation
from editahead_lab.process_pool import process_pool
from editahead_lab.training.data.replay_moments import TrainingMoment, moments
from editahead_lab.training.data.shards import sample, sample_commits
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.state import EditorState
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

from .ordered_moments import ordered_moments
from .simulated_user import simulate_user
from .whole_commits import CommitMoment, commit_moments

ORDERS = ("file order", "shuffled", "by line")
"""In which the hunks are made by people who answer nothing; `moments` says what they are."""

T = TypeVar("T")
Record = dict[str, Any]
Commit = Sequence[Record]
"""The records of one commit."""


Stated = tuple[str, float, bool]
"""A predictor's name, the probability that it stated, and whether it was right."""


class Row(NamedTuple):
    """A candidate's features, those of its circumstances, and its worth, 0..1."""

    features: Mapping[str, float]
    around: dict[str, float]
    worth: float


@dataclass(frozen=True, slots=True)
class Moment:
    """The rows of a moment's candidates.

    Attributes:
        opportunity: Hunks remain.
        rows: The candidates.
        weight: What the moment counts in a fit.
        stated: The candidates that state their own probability.
    """

    opportunity: bool
    rows: list[Row]
    weight: float = 1.0
    stated: tuple[Stated, ...] = ()


def map_records(
    work: Callable[[Record], T], shards: Sequence[Path], files: int, seed: int, jobs: int
) -> Iterator[T]:
    """Yield the results of the work on `files` records of each shard."""
    records = [record for shard in shards for record in sample(shard, files, seed)]
    with process_pool(jobs) as pool:
        yield from pool.map(work, records, chunksize=16)


def map_commits(
    work: Callable[[Commit], T], shards: Sequence[Path], commits: int, seed: int, jobs: int
) -> Iterator[T]:
    """Yield the results of the work on `commits` commits of each shard."""
    found = [commit for shard in shards for commit in sample_commits(shard, commits, seed)]
    with process_pool(jobs) as pool:
        yield from pool.map(work, found, chunksize=4)


def rows(record: Record, *, order: str) -> list[Moment]:
    """Return the moments of a user who answers nothing."""
    propose = ReplayPredictors()
    return [_rows(moment, propose(moment.state)) for moment in _moments(record, order)]


def answered_rows(record: Record, *, weights: Mapping[str, Any]) -> list[Moment]:
    """Return the moments of a user who answers what the gate shows with these weights."""
    propose = ReplayPredictors()
    gate = Gate(Weights(weights), syntax=propose.syntax)
    return [_rows(moment, candidates) for moment, candidates in simulate_user(record, gate, propose)]


def commit_rows(commit: Commit) -> list[Moment]:
    """Return the moments of a user who makes a whole commit with all its files open, and answers nothing.

    A commit counts as the square root of its moments: what a long one repeats is seen less often than it is replayed.
    """
    propose = ReplayPredictors()
    found = [_rows(moment, propose(moment.state)) for moment in commit_moments(commit)]
    return [replace(moment, weight=len(found) ** -0.5) for moment in found]


def ordered_rows(commit: Commit) -> list[Moment]:
    """Return the moments of a user who makes a whole commit in small steps, typed key by key, and answers nothing.

    A commit counts as in `commit_rows`. Follow-ups that state their probability are in the moments, too: of each kind the
    likeliest that was not there before, so that one that is never taken up counts once.
    """
    syntax = SyntaxTrees()
    propagation = Propagation(syntax)
    found: list[Moment] = []
    seen: set[tuple[str, str]] = set()
    for moment in ordered_moments(commit):
        candidates = propagation.propose(moment.state, _never)
        best: dict[str, Candidate] = {}
        for candidate in candidates:
            key = calibration_key(candidate)
            if candidate.confidence is None or (key, candidate.rule) in seen:
                continue
            if key not in best or candidate.confidence > (best[key].confidence or 0.0):
                best[key] = candidate
        seen |= {(key, candidate.rule) for key, candidate in best.items()}
        stated = tuple((key, c.confidence or 0.0, moment.worth_of(c) == 1) for key, c in best.items())
        known = _rows(moment, [c for c in candidates if c.confidence is None])
        found.append(replace(known, stated=stated))
    return [replace(moment, weight=len(found) ** -0.5) for moment in found]


def eager_answers(
    record: Record, *, order: str, weights: Mapping[str, Any], eagerness: float
) -> list[Answer]:
    """Return what the gate shows first, with these weights, to a user who answers nothing."""
    propose = ReplayPredictors()
    gate = Gate(Weights(weights), syntax=propose.syntax)
    return [_answer(moment, gate, propose(moment.state), eagerness) for moment in _moments(record, order)]


def eager_ordered_answers(commit: Commit, *, weights: Mapping[str, Any], eagerness: float) -> list[Answer]:
    """Return what the gate shows first to a user who makes a commit in ordered steps, and answers nothing.

    Follow-ups that state their probability are among the candidates.
    """
    syntax = SyntaxTrees()
    propagation, gate = Propagation(syntax), Gate(Weights(weights), syntax=syntax)
    return [
        _answer(moment, gate, propagation.propose(moment.state, _never), eagerness)
        for moment in ordered_moments(commit)
    ]


def _answer(
    moment: TrainingMoment | CommitMoment, gate: Gate, candidates: Sequence[Candidate], eagerness: float
) -> Answer:
    decisions, _ = gate.decide(moment.state, candidates, eagerness, _never)
    first = next((v for v in decisions if v.reason is None and v.candidate.edit), None)
    if first is None:
        return Answer(moment.opportunity)
    right = moment.worth_of(first.candidate) == 1
    return Answer(moment.opportunity, right, right, first.confidence, first.candidate.source)


def completions(record: Record) -> list[Stated]:
    """Return the stated probabilities and outcomes of completions in the evaluation's replay while typing."""
    completion, history = LineCompletion(), EditHistory()
    uri, language = f"file:///{record['path']}", record["language"]
    snapshot = Snapshot.from_text(record["before"], uri=uri, language=language)
    history.on_open(snapshot)
    cursor, out = 0, []
    for step in replay(record["before"], record["after"]):
        for count, key in enumerate(step.keystrokes, 1):
            edit = Edit.replace(key.start, key.end, key.text)
            before, snapshot = (
                snapshot,
                Snapshot.from_text(edit.apply(snapshot.text), uri=uri, language=language),
            )
            history.record_change(before, snapshot, edit, at=0.0, cursor=cursor)
            cursor = key.start + len(key.text)
            if count % EVERY or count == len(step.keystrokes):
                continue
            moment, rest = step.unfinished(count), step.to_type(count)
            for candidate in completion.propose(EditorState(snapshot, cursor, history.edits), _never):
                assert candidate.confidence is not None  # every completion states one
                text = candidate.edit.apply(snapshot.text)
                right = bool(typed_next(moment, rest, text)) or bool(
                    hunks_made(moment.lines, moment.remaining, tuple(text.split("\n")))
                )
                out.append((calibration_key(candidate), candidate.confidence, right))
    return out


class ReplayPredictors:
    """The predictors whose candidates have features."""

    def __init__(self) -> None:
        self.syntax = SyntaxTrees()
        self._propagation = Propagation(self.syntax)

    def __call__(self, state: EditorState) -> list[Candidate]:
        return [c for c in self._propagation.propose(state, _never) if c.confidence is None]


def _moments(record: Record, order: str) -> Iterator[TrainingMoment]:
    return moments(record, shuffled=order == "shuffled", by_line=order == "by line")


def _rows(moment: TrainingMoment | CommitMoment, candidates: Sequence[Candidate]) -> Moment:
    found = [Row(c.features, session_features(moment.state, c), moment.worth_of(c)) for c in candidates]
    return Moment(moment.opportunity, found)


def _never() -> None:
    pass
