"""Real commits as sessions of a person who answers: what is shown and right is accepted, what is wrong is refused."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from operator import itemgetter

from editahead_evals.data.commit_replay import Hunk, diff
from editahead_inference.candidates import Candidate
from editahead_inference.gate.gate import Gate
from editahead_lab.training.data.replay_moments import TrainingMoment, cursor_after
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.state import EditorState, RuleOutcomes
from editahead_prompts.text.edits import Edit, apply_to_lines, rebase
from editahead_prompts.text.snapshot import Snapshot, split_lines

MAX_ACCEPTS = 50
"""Accepts in one file, at most, so that every replay ends."""
EAGERNESS = 0.5
"""Of the person's settings: the default."""


class SimulatedSession:
    """A document, its edits, and the outcomes of the rules' predictions."""

    def __init__(self, record: dict[str, str]) -> None:
        self._history = EditHistory()
        uri, language = f"file:///{record['path']}", record["language"]
        self._now = Snapshot(uri, language, 1, split_lines(record["before"]))
        self._history.on_open(self._now)
        self._target = split_lines(record["after"])
        self._cursor = 0
        self._outcomes: defaultdict[str, RuleOutcomes] = defaultdict(RuleOutcomes)
        self._refused: tuple[Edit, ...] = ()

    def type_next(self, choose: Callable[[Sequence[Hunk]], Hunk]) -> bool:
        """Make one of the remaining hunks; return whether there was one."""
        remaining = diff(self._now.lines, self._target)
        if not remaining:
            return False
        hunk = choose(remaining)
        starts = (*self._now.starts, self._now.length)
        self._make(Edit.replace(starts[hunk.start], starts[hunk.end], "".join(hunk.new)))
        self._cursor = cursor_after(self._now, hunk)
        return True

    def moment(self) -> TrainingMoment:
        """Return the present moment of the session."""
        state = EditorState(
            self._now,
            self._cursor,
            self._history.edits,
            rejected={self._now.uri: self._refused},
            undone=self._history.undone,
            outcomes=dict(self._outcomes),
        )
        return TrainingMoment(state, diff(self._now.lines, self._target))

    def answer(self, shown: Candidate, *, right: bool) -> None:
        """Accept or reject a prediction."""
        known = self._outcomes[shown.rule]
        if right:
            self._outcomes[shown.rule] = replace(known, accepted=known.accepted + 1)
            before = self._now
            self._make(shown.edit)
            self._history.mark_accepted(before, shown.edit)
            self._cursor = shown.cursor_after
        else:
            self._outcomes[shown.rule] = replace(known, rejected=known.rejected + 1)
            self._refused = (*self._refused, shown.edit)

    def _make(self, edit: Edit) -> None:
        before = self._now
        self._now = Snapshot(before.uri, before.language, before.version + 1, apply_to_lines(before, edit))
        self._history.record_change(before, self._now, edit, at=0.0, cursor=self._cursor)
        self._refused = tuple(
            moved for refused in self._refused if (moved := rebase(refused, edit)) is not None
        )


def simulate_user(
    record: dict[str, str], gate: Gate, propose: Callable[[EditorState], Sequence[Candidate]]
) -> Iterator[tuple[TrainingMoment, Sequence[Candidate]]]:
    """Yield the moments of a user who answers the predictions that the gate shows.

    Half of the users make the hunks in the file's order, the others in any order.
    """
    session = SimulatedSession(record)
    rng = random.Random(record["id"])
    choose = rng.choice if rng.random() < 0.5 else itemgetter(0)
    accepts = 0
    while session.type_next(choose):
        right = True
        while right and accepts < MAX_ACCEPTS:
            moment = session.moment()
            candidates = [c for c in propose(moment.state) if c.edit not in moment.state.rejected[c.uri]]
            yield moment, candidates
            decisions, _ = gate.decide(moment.state, candidates, EAGERNESS, lambda: None)
            shown = next((v.candidate for v in decisions if v.reason is None and v.candidate.edit), None)
            if shown is None:
                break
            right = moment.worth_of(shown) == 1
            session.answer(shown, right=right)
            accepts += right
