"""What the gate lets through, in which order, and what it says when it lets nothing through."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from editahead_inference.candidates import Candidate, GateDecision, Silence
from editahead_inference.errors import Cancelled
from editahead_inference.gate.gate import MAX_SHOWN, Gate
from editahead_inference.gate.thresholds import threshold
from editahead_prompts.state import EditorState, PastEdit, RuleOutcomes
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from state_builder import HERE, certain

OTHER = "file:///b.py"
TEXT = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\nf = 6\ng = 7\nh = 8\n"
PAST = (PastEdit(HERE, 0, ("a = 0\n",), ("a = 1\n",)),)


def state(
    text: str = TEXT,
    *,
    history: tuple[PastEdit, ...] = PAST,
    refused: tuple[Edit, ...] = (),
    outcomes: dict[str, RuleOutcomes] | None = None,
) -> EditorState:
    return EditorState(
        Snapshot.from_text(text, uri=HERE, language="python"),
        0,
        history,
        (Snapshot.from_text("x = 1\ny = 2\n", uri=OTHER, language="python"),),
        {HERE: refused},
        outcomes=outcomes or {},
    )


def candidate(old: str, new: str, confidence: float, *, uri: str = HERE, text: str = TEXT) -> Candidate:
    at = text.index(old)
    edit = Edit.replace(at, at + len(old), new)
    return Candidate(uri, edit, at, at, "propagation", f"{old} -> {new}", old, confidence=confidence)


def decide(
    candidates: Sequence[Candidate], *, given: EditorState | None = None, eagerness: float = 0.5
) -> tuple[tuple[GateDecision, ...], Silence | None]:
    return certain().decide(given or state(), candidates, eagerness, lambda: None)


def shown(decisions: Sequence[GateDecision]) -> list[str]:
    return [decision.candidate.label for decision in decisions if decision.reason is None]


def test_the_threshold_falls_with_eagerness() -> None:
    steps = [threshold(eagerness / 10) for eagerness in range(11)]
    assert steps == sorted(steps, reverse=True)
    assert steps[0] == threshold(-1) and steps[-1] == threshold(2)
    assert 0 < steps[-1] < steps[0] < 1


def test_a_candidate_below_the_threshold_is_not_shown() -> None:
    edge = threshold(0.5)
    decisions, silence = decide([candidate("b = 2", "b = 3", edge), candidate("c = 3", "c = 4", edge + 0.01)])
    assert shown(decisions) == ["c = 3 -> c = 4"]
    assert silence is None
    assert [decision.reason for decision in decisions] == [None, "below-threshold"]


def test_the_more_eager_the_more_is_shown() -> None:
    candidates = [candidate(f"{name} = {n}", f"{name} = 0", n / 10) for n, name in enumerate("abcde", 1)]
    counts = [len(shown(decide(candidates, eagerness=e / 4)[0])) for e in range(5)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_the_likeliest_is_first_and_this_document_before_others() -> None:
    decisions, _ = decide(
        [
            candidate("x = 1", "x = 9", 0.99, uri=OTHER, text="x = 1\ny = 2\n"),
            candidate("b = 2", "b = 9", 0.5),
            candidate("d = 4", "d = 9", 0.7),
            candidate("c = 3", "c = 9", 0.5),
        ]
    )
    assert shown(decisions) == ["d = 4 -> d = 9", "b = 2 -> b = 9", "c = 3 -> c = 9", "x = 1 -> x = 9"]


def test_no_more_than_five_are_shown() -> None:
    decisions, _ = decide(
        [candidate(f"{name} = {n}", f"{name} = 0", 0.9) for n, name in enumerate("bcdefgh", 2)]
    )
    assert len(shown(decisions)) == MAX_SHOWN == 5
    assert len(decisions) == 7


def test_outcomes_of_the_same_rule_count() -> None:
    gate = Gate()
    plain = Candidate(HERE, Edit.replace(0, 1, "x"), 0, 0, "propagation", "", "rule", {"age": 0.0})
    base = gate.confidence(state(), plain)
    accepted = gate.confidence(state(outcomes={"rule": RuleOutcomes(accepted=1)}), plain)
    rejected = gate.confidence(state(outcomes={"rule": RuleOutcomes(rejected=1)}), plain)
    other = gate.confidence(state(outcomes={"another": RuleOutcomes(rejected=9)}), plain)
    assert rejected < base < accepted
    assert other == base


def test_a_place_without_an_edit_can_be_shown() -> None:
    decisions, _ = decide([place_without_edit(B)])
    assert shown(decisions) == ["look here"]


def place_without_edit(at: int) -> Candidate:
    return Candidate(HERE, Edit(), at, at, "propagation", "look here", "rule", confidence=0.9)


B = TEXT.index("b")


@pytest.mark.parametrize(
    ("reason", "given", "candidates"),
    [
        ("no-history", state(history=()), []),
        ("no-candidate", state(), []),
        ("below-threshold", state(), [candidate("b = 2", "b = 3", 0.01)]),
        ("would-revert", state(), [candidate("a = 1", "a = 0", 0.9)]),
        ("no-change", state(), [candidate("b = 2", "b  =  2", 0.9)]),
        ("no-change", state(), [place_without_edit(state().cursor)]),  # the user is there already
        ("no-change", state(), [candidate("b = 2", "b = 2", 0.9)]),
        ("breaks-syntax", state(), [candidate("b = 2", "b = (2", 0.9)]),
        (
            "refused-before",
            state(refused=(Edit.replace(B, B + 5, "b = 3"),)),
            [candidate("b = 2", "b = 3", 0.9)],
        ),
        ("unknown-document", state(), [candidate("b = 2", "b = 3", 0.9, uri="file:///closed.py")]),
    ],
)
def test_silence_says_why(reason: str, given: EditorState, candidates: list[Candidate]) -> None:
    decisions, silence = decide(candidates, given=given)
    assert shown(decisions) == []
    assert silence is not None
    assert silence.reason == reason
    assert silence.detail


def test_the_best_candidate_that_was_likely_enough_says_why() -> None:
    _, silence = decide([candidate("b = 2", "b = (2", 0.9), candidate("c = 3", "c = 4", 0.01)])
    assert silence is not None and silence.reason == "breaks-syntax"


def test_a_refused_candidate_makes_room_for_the_next() -> None:
    decisions, silence = decide([candidate("b = 2", "b = (2", 0.9), candidate("c = 3", "c = 4", 0.5)])
    assert shown(decisions) == ["c = 3 -> c = 4"]
    assert silence is None


def test_nobody_waits_any_more() -> None:
    def cancelled() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        certain().decide(state(), [candidate("b = 2", "b = 3", 0.9)], 0.5, cancelled)
