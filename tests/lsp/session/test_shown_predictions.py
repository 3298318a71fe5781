"""The life of a shown prediction: every pair of the table, and random events over a real session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from editahead_inference.candidates import Candidate, GateDecision
from editahead_lsp.protocol.custom_messages import OutcomeEvent, TextDocumentContentChange
from editahead_lsp.session.documents import Document
from editahead_lsp.session.outcome_tracker import OutcomeTracker, PredictionContext
from editahead_lsp.session.session import Session
from editahead_lsp.session.shown_prediction import TRANSITIONS, ShownEvent, ShownPrediction, ShownState
from editahead_lsp.session.shown_predictions import Suggestion
from editahead_prompts.text.edits import Edit

A = "file:///tmp/a.py"
TEXT = "x = user\ny = user\n"
USER, ACCOUNT = "user", "account"
SURFACES = "nextEdit", "hint"
DECIDED = {"accepted": "accepted", "typed": "accepted", "rejected": "rejected"}
FINAL = {ShownState.ACCEPTED, ShownState.REJECTED}


@dataclass
class LoggedOutcomes(OutcomeTracker):
    """A tracker that records logged outcomes and tracked edits."""

    logged: list[tuple[str, str, float | None]] = field(default_factory=list)
    tracked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(lambda: 0.0, lambda: 0.0, "run", None)

    def record(
        self,
        id: str,
        number: int,
        made: PredictionContext,
        event: Any,
        *,
        share: float | None,
        shown_ms: float | None,
    ) -> None:
        self.logged.append((id, event, share))
        super().record(id, number, made, event, share=share, shown_ms=shown_ms)

    def track_survival(self, id: str, *change: Any) -> None:
        self.tracked.append(id)
        super().track_survival(id, *change)


class Desk:
    """A session with one open document, in which `user` is predicted to become `account`."""

    def __init__(self) -> None:
        self.outcomes = LoggedOutcomes()
        self.session = Session(lambda: 0.0, self.outcomes)
        self.predictions = self.session.shown_predictions
        self.session.open(A, "python", 1, TEXT)
        self.ids: list[str] = []

    @property
    def document(self) -> Document:
        document = self.session.documents.get(A)
        assert document is not None
        return document

    @property
    def origins(self) -> list[str]:
        """Return the origins of the edits in the history."""
        return [past.origin for past in self.session.history.edits]

    def show(self, surface: str = SURFACES[0], occurrence: int = 0) -> ShownPrediction | None:
        """Show the prediction for one `user` where the surface shows nothing else; None when the text has none."""
        document, at = self.document, -1
        for _ in range(occurrence + 1):
            at = document.snapshot.text.find(USER, at + 1)
        if at < 0:
            self.predictions.supersede((document.key, surface), [])
            return None
        edit = Edit.replace(at, at + len(USER), ACCOUNT)
        rule = f"{USER} -> {ACCOUNT}"
        candidate = Candidate(A, edit, at, at + len(ACCOUNT), "propagation", rule, rule)
        state = self.session.build_state(document, at)
        made = self.outcomes.describe(state, GateDecision(candidate, 0.9, None), 0.0)
        offer = Suggestion("", document.snapshot, edit, at, candidate.cursor_after, 0.9, candidate)
        requester = document.key, surface
        id = self.predictions.register_prediction(offer, document, requester, made)
        self.predictions.supersede(requester, [id])
        if id not in self.ids:
            self.ids.append(id)
        shown = self.predictions.get_prediction(id)
        assert shown is not None
        return shown

    def make(self, *edits: Edit) -> None:
        """Change the document once, by edits that are made one after the other."""
        text = self.document.snapshot.text
        changes = [TextDocumentContentChange(text := edit.apply(text)) for edit in edits]
        self.session.change(A, None, changes)

    def report(self, id: str, event: OutcomeEvent, accepted_units: int | None = None) -> None:
        self.predictions.record_outcome(id, event, accepted_units=accepted_units)


def part(edit: Edit) -> Edit:
    """Return a first part of an edit: what it removes, or one character that it inserts."""
    if not edit:
        return edit
    r = edit.replacements[0]
    return Edit.replace(r.start, r.end, "") if r.end > r.start else Edit.replace(r.start, r.start, r.text[0])


def do(desk: Desk, shown: ShownPrediction, event: ShownEvent) -> None:
    """Cause an event as clients do."""
    edit = shown.edit or Edit()
    first = edit.changed_span[0]
    match event:
        case ShownEvent.PART_MADE:
            desk.make(part(edit))
        case ShownEvent.EDIT_MADE:
            desk.make(edit)
        case ShownEvent.ALL_TYPED:
            desk.make(edit, Edit.replace(0, 0, "# "))
        case ShownEvent.OVERTAKEN:
            desk.make(Edit.replace(first, edit.changed_span[1], "person"))
        case ShownEvent.ACCEPT:
            desk.report(shown.id, "accepted")
        case ShownEvent.PARTLY_ACCEPT:
            desk.report(shown.id, "partiallyAccepted", accepted_units=3)
        case ShownEvent.REJECT:
            desk.report(shown.id, "rejected")
        case ShownEvent.IGNORE:
            desk.report(shown.id, "ignored")


WAYS: dict[ShownState, tuple[ShownEvent, ...]] = {
    ShownState.OPEN: (),
    ShownState.PART_TYPED: (ShownEvent.PART_MADE,),
    ShownState.TYPED: (ShownEvent.PART_MADE, ShownEvent.EDIT_MADE),
    ShownState.ACCEPTED: (ShownEvent.ACCEPT,),
    ShownState.REJECTED: (ShownEvent.REJECT,),
    ShownState.IGNORED: (ShownEvent.IGNORE,),
}
"""Into each state by the shortest way."""


def in_state(state: ShownState) -> tuple[Desk, ShownPrediction]:
    desk = Desk()
    shown = desk.show()
    assert shown is not None
    for event in WAYS[state]:
        do(desk, shown, event)
    assert shown.state is state
    return desk, shown


LOGGED = {
    ShownState.TYPED: "typed",
    ShownState.ACCEPTED: "accepted",
    ShownState.REJECTED: "rejected",
    ShownState.IGNORED: "ignored",
}


@pytest.mark.parametrize("state, event", list(product(ShownState, ShownEvent)), ids=lambda value: value.name)
def test_every_pair_of_the_table(state: ShownState, event: ShownEvent) -> None:
    desk, shown = in_state(state)
    before, counts = len(desk.outcomes.logged), Counter(vars(desk.predictions.counts))
    do(desk, shown, event)
    after = TRANSITIONS.get((state, event), state)
    assert shown.state is after
    new_outcomes = [(shown.id, LOGGED[after], None)] if after is not state and after in LOGGED else []
    assert desk.outcomes.logged[before:] == new_outcomes
    counts.subtract(vars(desk.predictions.counts))
    decided = (DECIDED.get(LOGGED.get(after, "")), DECIDED.get(LOGGED.get(state, "")))
    assert {name for name, more in counts.items() if more} == (
        {decided[0]} if decided[0] is not None and decided[1] is None else set()
    )


def test_the_table_leaves_no_state_out() -> None:
    states = {state for state, _ in TRANSITIONS} | set(TRANSITIONS.values())
    assert states == set(ShownState)
    assert {event for _, event in TRANSITIONS} == set(ShownEvent)
    leaving = {state for (state, _), after in TRANSITIONS.items() if after is not state}
    assert set(ShownState) - leaving == FINAL


@pytest.mark.parametrize("state", [ShownState.OPEN, ShownState.PART_TYPED], ids=lambda state: state.name)
def test_what_was_accepted_in_part_and_then_left_is_partial(state: ShownState) -> None:
    desk, shown = in_state(state)
    do(desk, shown, ShownEvent.PARTLY_ACCEPT)
    do(desk, shown, ShownEvent.OVERTAKEN)
    assert desk.outcomes.logged == [(shown.id, "partial", 3 / len(ACCOUNT))]


@pytest.mark.parametrize(
    "events, origin, tracked",
    [
        ([ShownEvent.EDIT_MADE], "accepted", True),
        ([ShownEvent.EDIT_MADE, ShownEvent.ACCEPT], "accepted", True),
        ([ShownEvent.ACCEPT, ShownEvent.EDIT_MADE], "accepted", True),
        ([ShownEvent.IGNORE, ShownEvent.ACCEPT, ShownEvent.EDIT_MADE], "accepted", True),
        ([ShownEvent.PART_MADE, ShownEvent.EDIT_MADE], "typed", True),
        ([ShownEvent.ALL_TYPED], "typed", False),
        ([ShownEvent.IGNORE, ShownEvent.EDIT_MADE], "typed", False),
        ([ShownEvent.REJECT, ShownEvent.EDIT_MADE], "typed", False),
    ],
)
def test_what_the_history_and_the_survival_tracker_get(
    events: list[ShownEvent], origin: str, tracked: bool
) -> None:
    desk, shown = in_state(ShownState.OPEN)
    for event in events:
        do(desk, shown, event)
    assert desk.origins[0] == origin
    assert desk.outcomes.tracked == ([shown.id] if tracked else [])


@pytest.mark.parametrize("end", ["superseded", "closed", "client gone"])
def test_what_nobody_sees_any_longer_is_ignored(end: str) -> None:
    desk = Desk()
    shown, other = desk.show(), desk.show(SURFACES[1])
    assert shown is not None and shown is other
    ways: dict[str, Callable[[], object]] = {
        "superseded": lambda: desk.predictions.supersede((shown.key, SURFACES[1]), []),
        "closed": lambda: desk.session.close(A),
        "client gone": desk.session.close_all,
    }
    desk.predictions.supersede((shown.key, SURFACES[0]), [])
    assert shown.state is ShownState.OPEN, "the other surface still shows it"
    ways[end]()
    assert shown.state is ShownState.IGNORED
    assert desk.outcomes.logged == [(shown.id, "ignored", None)]


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("show"), st.sampled_from(SURFACES), st.integers(0, 1)),
        st.tuples(st.just("clear"), st.sampled_from(SURFACES)),
        st.tuples(st.just("event"), st.sampled_from(ShownEvent), st.integers(0, 5)),
        st.tuples(st.just("type"), st.integers(0, 30), st.integers(0, 3), st.sampled_from(["", "a", "user"])),
        st.tuples(st.just("reopen")),
    ),
    max_size=30,
)


@given(STEPS)
@example([("show", SURFACES[0], 0), ("event", ShownEvent.IGNORE, 0), ("event", ShownEvent.REJECT, 0)])
def test_any_sequence_of_events(steps: list[tuple[Any, ...]]) -> None:
    desk = Desk()
    for what, *how in [("show", SURFACES[0], 0), *steps]:
        before = {id: state_of(desk, id) for id in desk.ids}
        if what == "show":
            desk.show(*how)
        elif what == "clear":
            desk.predictions.supersede((desk.document.key, how[0]), [])
        elif what == "event":
            event, number = how
            shown = desk.predictions.get_prediction(desk.ids[number % len(desk.ids)])
            assert shown is not None
            do_if_possible(desk, shown, event)
        elif what == "type":
            at, removed, text = how
            length = desk.document.snapshot.length
            at = min(at, length)
            desk.make(Edit.replace(at, min(at + removed, length), text))
        else:
            text = desk.document.snapshot.text
            desk.session.close(A)
            desk.session.open(A, "python", 1, text)
        check(desk, before)
    desk.session.close_all()
    check(desk, {})
    assert not [id for id in desk.ids if state_of(desk, id) in (ShownState.OPEN, ShownState.PART_TYPED)]


def state_of(desk: Desk, id: str) -> ShownState:
    shown = desk.predictions.get_prediction(id)
    assert shown is not None
    return shown.state


def do_if_possible(desk: Desk, shown: ShownPrediction, event: ShownEvent) -> None:
    """Cause an event, if an edit over the present text is left for it."""
    changes = (ShownEvent.PART_MADE, ShownEvent.EDIT_MADE, ShownEvent.ALL_TYPED, ShownEvent.OVERTAKEN)
    if event in changes and (
        shown.edit is None or shown.edit.changed_span[1] > desk.document.snapshot.length
    ):
        return
    do(desk, shown, event)


def check(desk: Desk, before: dict[str, ShownState]) -> None:
    """Check the invariants after a step."""
    predictions, logged = desk.predictions, desk.outcomes.logged
    steps = {(state, after) for (state, _), after in TRANSITIONS.items()}
    for id, state in before.items():
        assert state_of(desk, id) is state or state not in FINAL, "final states never change"
        assert state_of(desk, id) is state or (state, state_of(desk, id)) in steps
    # The log's last word on a prediction is its state, and an open one has none.
    last = {id: event for id, event, _ in logged}
    ended = {id: LOGGED[state_of(desk, id)] for id in desk.ids if state_of(desk, id) in LOGGED}
    assert {id: "ignored" if event == "partial" else event for id, event in last.items()} == ended
    # One decision for each, which the counters and the outcomes by rule have.
    for id in desk.ids:
        events = [event for one, event, _ in logged if one == id]
        assert len({DECIDED[event] for event in events if event in DECIDED}) <= 1
        assert len(events) == len(set(events)) <= 2
    decisions = Counter(DECIDED[event] for event in last.values() if event in DECIDED)
    counts = predictions.counts
    assert (counts.accepted, counts.rejected) == (decisions["accepted"], decisions["rejected"])
    assert counts.shown == len(desk.ids)
    by_rule = predictions.rule_outcomes.values()
    assert sum(one.accepted for one in by_rule) == counts.accepted
    assert sum(one.rejected for one in by_rule) == counts.rejected
