"""The probability that each kind of candidate needs to be shown, by eagerness."""

from __future__ import annotations

from typing import NamedTuple

from editahead_inference.candidates import CLOSED, SAID, Candidate
from editahead_prompts.typing_time import needed_probability

from .closed_files import closed_threshold

_ENOUGH = 2
"""Examples of an edit from which it may be repeated anywhere."""
_ONE_INSERTION = 0.2
"""What an inserted line adds to the threshold in other blocks of its document, if there is one example only.

Without it, of the first predictions with one such example and a probability up to 0.5, 2 of 11 were right in small steps of
commits and 21 of 52 in commits file by file (train-00 to train-09).
"""
_MORE_FOR_MODEL = 0.06
"""What next tokens of a model need more: they are longer, and a wrong one takes longer to read."""


class Threshold(NamedTuple):
    """What a candidate needs to be shown.

    Attributes:
        what: The kind of candidate that needs it, in words.
        probability: The probability, 0..1.
    """

    what: str
    probability: float


def threshold(eagerness: float) -> float:
    """Return the probability above which a candidate is shown: 0.55 at eagerness 0, 0.05 at eagerness 1."""
    return 0.55 - 0.5 * min(max(eagerness, 0.0), 1.0)


def completion_threshold(eagerness: float) -> float:
    """Return the probability above which the next tokens are shown, however long they are: 0.9 at eagerness 0, 0.5 at 1.

    They need more than next edits: they show up while a person types, so they disturb more and save less. Of those above,
    `min_seconds` leaves out what is not worth the glance. Both are chosen by the seconds that they save a person who reads
    everything that is shown: 396 commits of train-09, typed key by key.
    """
    return 0.9 - 0.4 * min(max(eagerness, 0.0), 1.0)


def min_seconds(eagerness: float) -> float:
    """Return the seconds that an offer at the cursor is expected to save, at least: 0.1 at eagerness 0, 0 at eagerness 1."""
    return 0.1 - 0.1 * min(max(eagerness, 0.0), 1.0)


def offer_threshold(text: str, eagerness: float) -> float:
    """Return the probability above which a text is offered at the cursor: the shorter it is, the higher."""
    return min(max(completion_threshold(eagerness), needed_probability(text, min_seconds(eagerness))), 1.0)


def model_threshold(eagerness: float) -> float:
    """Return the probability above which an edit is shown that only a model says: 0.65 at eagerness 0, 0.15 at 1.

    It is higher than for rules: of 7 edits to which the model alone gave 0.15 or more, none was right (train-08, train-09,
    in pauses).
    """
    return 0.65 - 0.5 * min(max(eagerness, 0.0), 1.0)


def threshold_of(candidate: Candidate, eagerness: float) -> Threshold:
    """Return what a candidate needs to be shown."""
    if candidate.is_next_tokens:
        more = _MORE_FOR_MODEL * ("model" in candidate.features)
        text = candidate.edit.replacements[-1].text
        what = f"text of {len(text)} characters at the cursor"
        return Threshold(what, min(offer_threshold(text, eagerness) + more, 1.0))
    if SAID in candidate.features and candidate.source in ("local", "engine"):
        return Threshold("an edit that only the model says", model_threshold(eagerness))
    if CLOSED in candidate.features:
        return Threshold("an edit in a file that is not open", closed_threshold(eagerness))
    if _is_one_insertion(candidate):
        return Threshold("a line inserted once", threshold(eagerness) + _ONE_INSERTION)
    return Threshold("a next edit", threshold(eagerness))


def _is_one_insertion(candidate: Candidate) -> bool:
    """Return whether only one example speaks for an inserted line, outside of its block."""
    features = candidate.features
    is_near = features.get("same-block") or "elsewhere" in features or features.get("old-lines", 1) > 0
    return not is_near and max(features.get("support", _ENOUGH), features.get("teachers", 0)) < _ENOUGH
