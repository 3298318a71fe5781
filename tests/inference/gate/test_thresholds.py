"""What each kind of candidate needs to be shown, in the code, in the reason of a silence and in the settings page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from editahead_inference.candidates import CLOSED, SAID, Candidate
from editahead_inference.gate.gate import Gate
from editahead_inference.gate.thresholds import threshold_of
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

SETTINGS = Path(__file__).parents[3] / "docs" / "settings.md"
DOCUMENT = Snapshot.from_text("a = 1\nb = 2\n", uri="file:///a.py", language="python")
HISTORY = (PastEdit(DOCUMENT.uri, 0, ("a = 0\n",), ("a = 1\n",)),)


def candidate(source: str = "propagation", confidence: float = 0.01, **features: float) -> Candidate:
    edit = Edit.replace(10, 11, "3")
    return Candidate(DOCUMENT.uri, edit, 10, 11, source, "b = 3", "rule", features, confidence)


CANDIDATES = {
    "an edit in an open document": candidate(),
    "a line, inserted once, in another block of the document": candidate(**{"support": 1, "old-lines": 0}),
    "an edit in a file that is not open": candidate(**{CLOSED: 1, "kind:rename-defined": 1}),
    "an edit that only the model proposes": candidate("local", **{SAID: -1}),
}


@pytest.mark.parametrize("name", CANDIDATES)
def test_the_settings_page_has_the_threshold(name: str) -> None:
    row = re.search(rf"\| {name} \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|", SETTINGS.read_text("utf-8"))
    assert row is not None
    for eagerness, probability in zip((0.0, 0.5, 1.0), row.groups(), strict=True):
        assert threshold_of(CANDIDATES[name], eagerness).probability == pytest.approx(float(probability))


@pytest.mark.parametrize("eagerness", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("name", CANDIDATES)
def test_a_silence_names_what_its_best_candidate_needed(name: str, eagerness: float) -> None:
    what, probability = threshold_of(CANDIDATES[name], eagerness)
    state = EditorState(DOCUMENT, 0, HISTORY)
    (decision,), silence = Gate().decide(state, [CANDIDATES[name]], eagerness, lambda: None)
    assert decision.reason == "below-threshold"
    assert decision.threshold == probability
    assert silence is not None
    assert f"{what} needs more than {probability:.2f}" in silence.detail


def test_the_best_candidate_misses_the_fewest() -> None:
    """A place in a closed file is likelier, and yet misses its threshold by more than one in an open document."""
    closed = candidate(confidence=0.4, **{CLOSED: 1, "kind:literal": 1})
    state = EditorState(DOCUMENT, 0, HISTORY)
    _, silence = Gate().decide(state, [closed, candidate(confidence=0.29)], 0.5, lambda: None)
    assert silence is not None
    assert "a next edit needs more than 0.30" in silence.detail
