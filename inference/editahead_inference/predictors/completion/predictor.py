"""The completion at the cursor as a predictor, with the probability that the person goes on to type just that."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from editahead_inference.candidates import Candidate, CandidateSource
from editahead_inference.gate.calibration import Calibration
from editahead_inference.gate.decision_trees import DecisionTrees, sigmoid
from editahead_inference.gate.thresholds import offer_threshold
from editahead_prompts.state import EditorState, without_other_cursors
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.identifiers import is_name, tokenize
from editahead_prompts.text.word_patterns import goes_on
from editahead_prompts.typing_time import expected_seconds

from .open_texts import OpenTexts
from .pieces import MAX_LINE_CHARS
from .place import place_at
from .steps import Step, find_steps

MIN_CHARS = 2
"""Characters of the shortest completion: to take one character costs a key, as typing it does."""
MIN_PROBABILITY = 0.4
"""The probability below which a completion is not proposed at any eagerness."""
LONG_CHARS = 8
"""Characters from which a completion may end anywhere between tokens. A shorter one ends at a natural stop."""
_STOPS = frozenset("_()]};:\"'`>")
"""What may end a short completion, besides a letter or a digit: what closes something, or the bracket behind a name."""


@dataclass(frozen=True, slots=True)
class CompletionText:
    """A text that may be typed next.

    Attributes:
        text: The text.
        stated: The product of the probabilities of its steps.
    """

    text: str
    stated: float


class CompletionWeights:
    """The fitted weights: trees for the probability of one step, and a curve for that of a whole completion.

    Args:
        data: The content of weights.json.

    Raises:
        ValueError: The data is not such weights.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._trees = DecisionTrees(data)
        self._calibration = Calibration({"completion": data.get("calibration", {"knots": []})})

    def best_text(self, steps: Iterable[Step]) -> CompletionText | None:
        """Return as many of the first steps as promise to save the most seconds; None if none is likely enough.

        What is shown at the default eagerness comes before what is not. A short text ends at a natural stop: at a word's
        end, behind a closing mark or the bracket of a call.
        """
        best: CompletionText | None = None
        highest: tuple[bool, float] = False, 0.0
        text, probability = "", 1.0
        for step in steps:
            probability *= sigmoid(self._trees.log_odds(step.features))
            if probability < MIN_PROBABILITY:
                break
            text += step.text
            found = CompletionText(text, probability)
            sure = self.calibrated(found)
            benefit = sure > offer_threshold(text, 0.5), expected_seconds(text, sure)
            if _may_end(text) and (best is None or benefit > highest):
                best, highest = found, benefit
        return best

    def calibrated(self, completion: CompletionText) -> float:
        """Return the measured probability of a completion."""
        return self._calibration.calibrate("completion", completion.stated)


@cache
def default_weights() -> CompletionWeights:
    """Return the shipped weights (weights.json, fitted by `editahead-lab train completion`)."""
    text = resources.files(__package__).joinpath("weights.json").read_text("utf-8")
    return CompletionWeights(json.loads(text))


class Completion:
    """A predictor that completes what is being typed at the cursor. For one thread at a time.

    Args:
        weights: By default, the shipped weights.
    """

    source: CandidateSource = "completion"

    def __init__(self, weights: CompletionWeights | None = None) -> None:
        self._weights = weights or default_weights()
        self._texts = OpenTexts()

    def forget(self, uri: str) -> None:
        """Drop what is cached of a closed document."""
        self._texts.forget(uri)

    def propose(self, state: EditorState, check: Callable[[], None]) -> list[Candidate]:
        """Return the completion, see `Predictor.propose`."""
        if not is_typing(state):
            return []
        known = without_other_cursors(state)
        completion = self._weights.best_text(find_steps(self._texts.model_at(known, check), place_at(known)))
        if completion is None:
            return []
        text = completion.text
        return [
            Candidate(
                state.document.uri,
                Edit.replace(state.cursor, state.cursor, text),
                target_offset=state.cursor,
                cursor_after=state.cursor + len(text),
                source="completion",
                label=_label(state, text),
                rule="complete",
                features={"kind:next-tokens": 1.0},
                confidence=self._weights.calibrated(completion),
            )
        ]


def _may_end(text: str) -> bool:
    """Return whether a completion may end with this text."""
    is_long = len(text) >= LONG_CHARS
    return len(text) >= MIN_CHARS and (is_long or goes_on(text[-1]) or text[-1] in _STOPS)


def _label(state: EditorState, text: str) -> str:
    """Return the first line of the completion, with the beginning of the word that it ends."""
    document = state.document
    line = document.text[document.starts[document.line_at(state.cursor)] : state.cursor]
    begun = tokenize(line)[-1:] if is_name(text) else []
    first, *others = "".join([*filter(is_name, begun), text]).strip().splitlines()
    return f"complete {first} ({len(others) + 1} lines)" if others else f"complete {first}"


def is_typing(state: EditorState) -> bool:
    """Return whether the cursor is in the edit that is being typed, and neither within a word nor far right.

    Before the arguments of a call a word counts as whole: who types a new call has none yet.
    """
    document, cursor = state.document, state.cursor
    kind, _ = state.cursor_context
    last = state.history[-1] if state.history else None
    if kind != "offset" or last is None or not last.new or last.origin != "typed":
        return False
    line = document.line_at(cursor)
    column = cursor - document.starts[line]
    if column > MAX_LINE_CHARS:
        return False
    after = document.lines[line][column : column + 1]
    return not (goes_on(after) or after == "(")
