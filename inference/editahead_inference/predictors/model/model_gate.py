"""One probability for each next edit of rules and of a model whose answers have probabilities that can be relied on.

The rules answer first, and are shown at once: a key never waits for the model. What they are sure of (`job.CONFIDENT`) is
not put to the model at all. Else the model is asked in the pause: for its own edit, then for the probability of the rules'
likeliest edits among the lines that its prompt shows, as answers to the same prompt, whose keys and values are there. Each
edit that has a probability of the model's then gets one from both. Where the sources disagree, the likelier is shown first
and the other is its alternative. Edits beyond the prompt's lines keep the probability of the rules.

The terms are in joint_gate.json: `editahead-lab train model-gate` fits them to commits that the model has not seen.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from math import exp, log1p

from editahead_inference.gate.calibration import logit
from editahead_inference.gate.decision_trees import sigmoid

FILE = "joint_gate.json"
MIN_LOGPROB, MAX_LOGPROB = -10.0, -0.001
"""Log-probabilities of answers, at least and at most: beyond them, a difference means nothing."""


def gate_features(rules: float | None, said: float) -> dict[str, float]:
    """Return the features that the terms weigh.

    Args:
        rules: The probability of the edit by the rules' gate; None if no rule proposes it.
        said: The model's log-probability of the answer that makes it.
    """
    said = min(max(said, MIN_LOGPROB), MAX_LOGPROB)
    return {
        "one": 1.0,
        "rule": float(rules is not None),
        "rule-odds": 0.0 if rules is None else logit(rules),
        "model-odds": said - log1p(-exp(said)),
    }


@cache
def shipped_terms() -> Mapping[str, float]:
    """Return the fitted terms."""
    text = resources.files(__package__).joinpath(FILE).read_text("utf-8")
    return {str(name): float(term) for name, term in json.loads(text)["terms"].items()}


def joint_probability(rules: float | None, said: float, terms: Mapping[str, float] | None = None) -> float:
    """Return the probability that an edit is the next one; see `gate_features`. terms: by default, the shipped ones."""
    terms = terms or shipped_terms()
    return sigmoid(sum(terms[name] * value for name, value in gate_features(rules, said).items()))
