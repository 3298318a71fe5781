"""A user's preferences: a correction of the gate's log-odds, learned from the outcomes of earlier predictions.

Outcomes teach two things. The outcomes of a rule in this session tell about the rule: the gate adds them at once, and
forgets them with the session. The kinds, languages and distances of the edits that a user accepts are preferences. They
are learned slowly, and outlive the session.

The model is Bayesian logistic regression, online, with a diagonal Gaussian posterior (one Laplace step for each outcome,
as in Graepel et al., "Web-scale Bayesian click-through rate prediction", 2010), over a few features with plain names,
and with the shipped gate's log-odds as its offset. So without outcomes nothing changes. Older evidence is forgotten
towards that prior.

Kept characters count, not accepts: the weight of an outcome is the number of its edit's characters (up to a limit), and
its value is the share of them that was kept. A shown prediction is then worth weight x (share kept - t). The expectation
is positive where p > t, for any size: the threshold t keeps its meaning, and edits of one character weigh almost nothing.

How much worse than the shipped gate can the correction get?

- At any moment: the correction is at most `MAX_LOGIT_SHIFT` log-odds. A candidate that the shipped gate takes for
  likelier than sigmoid(logit t + MAX_LOGIT_SHIFT) is always shown, and one that it takes for less likely than
  sigmoid(logit t - MAX_LOGIT_SHIFT) never is.
- Over time: the probability is a mixture, in Bayesian proportion (`trust`), of the shipped one and the corrected one.
  For any outcomes, the sum of the weighted log-losses of n predictions is at most that of the shipped probabilities
  + ln 2 + n ln(1 / (1 - FIXED_SHARE)). (Log-loss is exp-concave, so mixing loses no more; Vovk, "Competitive on-line
  statistics", 2001. `FIXED_SHARE` of the trust goes back each time, so that a change of preferences is found in time;
  Herbster and Warmuth, "Tracking the best expert", 1998.)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from editahead_inference.candidates import Candidate
from editahead_prompts.state import EditorState, UserPreferences

from .decision_trees import sigmoid

MAX_LOGIT_SHIFT = 1.0
"""Log-odds of the largest correction."""
FULL_WEIGHT_CHARS = 20
"""Characters, removed and inserted, from which an edit weighs 1. A smaller edit weighs its share."""
FIXED_SHARE = 0.001
"""The share of the trust in either probability that goes to the other after each outcome."""
_VARIANCE = 0.06
"""The variance of the correction before any outcome. Of a user's difference of 1, about 0.4 is learned after 200 outcomes of
usual size (10 characters), and 0.6 after 400: until about 200, the shipped gate prevails."""
_SHARES = {
    "always": 0.30,
    "kind": 0.20,
    "language": 0.15,
    "source": 0.10,
    "distance": 0.10,
    "size": 0.10,
    "recent": 0.05,
}
"""The share of that variance by the subject of a feature. The values are choices."""
_HALF_LIFE = 600.0
"""Outcomes of full weight after which evidence counts half."""
_HALF_LIFE_S = 30 * 24 * 3600.0
"""Seconds after which evidence counts half. An unwanted kind is no longer shown, so only time can bring it back."""
_RECENCY = 0.8
_EDGE = 1e-4
"""The least distance of a probability from 0 and 1, so that its log-odds are finite."""
_FAMILIES = {
    **dict.fromkeys(
        ("javascript", "javascriptreact", "typescript", "typescriptreact", "vue", "svelte"), "web"
    ),
    **dict.fromkeys(("c", "cpp", "objective-c", "cuda-cpp"), "c"),
    **dict.fromkeys(("java", "kotlin", "scala", "groovy"), "jvm"),
    **dict.fromkeys(
        ("plaintext", "markdown", "latex", "restructuredtext", "asciidoc", "git-commit"), "prose"
    ),
    **dict.fromkeys(("json", "jsonc", "yaml", "toml", "ini", "xml", "properties"), "data"),
}
_LAST_NEAR, _LAST_SMALL, _LAST_MEDIUM = 20, 3, FULL_WEIGHT_CHARS


@dataclass(frozen=True, slots=True)
class OutcomeFeatures:
    """The features of one prediction. None of them holds code.

    Attributes:
        source: The predictor.
        kind: The kind of the rule, such as "rename".
        language: The LSP language id of the edited document.
        distance: Lines from the cursor; None in another document.
        size: Characters that are removed and inserted.
        recent: As in `UserPreferences`.
    """

    source: str
    kind: str
    language: str
    distance: int | None
    size: int
    recent: float = 0.0

    @property
    def weight(self) -> float:
        """The weight of the outcome, 0..1."""
        return min(self.size, FULL_WEIGHT_CHARS) / FULL_WEIGHT_CHARS

    def features(self) -> dict[str, float]:
        """Return the features by name. The part of a name before ":" is its subject."""
        if self.distance is None:
            far = "another document"
        else:
            far = "here" if self.distance <= 1 else "near" if self.distance <= _LAST_NEAR else "far"
        long = "small" if self.size <= _LAST_SMALL else "medium" if self.size <= _LAST_MEDIUM else "large"
        return {
            "always": 1.0,
            f"source:{self.source}": 1.0,
            f"kind:{self.kind}": 1.0,
            f"language:{_FAMILIES.get(self.language, self.language)}": 1.0,
            f"distance:{far}": 1.0,
            f"size:{long}": 1.0,
            "recent": self.recent,
        }


def outcome_features(state: EditorState, candidate: Candidate) -> OutcomeFeatures:
    """Return the features of a candidate for a state."""
    here, target = state.document, state.snapshot(candidate.uri)
    return OutcomeFeatures(
        source=candidate.source,
        kind=candidate.kind,
        language=target.language if target is not None else here.language,
        distance=abs(here.line_at(candidate.target_offset) - here.line_at(state.cursor))
        if target is here
        else None,
        size=sum(r.end - r.start + len(r.text) for r in candidate.edit.replacements),
        recent=state.taste.recent if state.taste is not None else 0.0,
    )


def personalized_probability(state: EditorState, candidate: Candidate, shipped: float) -> float:
    """Return the probability for this user. shipped: the shipped gate's probability."""
    if state.taste is None or not state.taste.weights:
        return shipped
    return _mixed(state.taste.trust, shipped, _shift(_table(state.taste), outcome_features(state, candidate)))


def update_recency(recent: float, *, accepted: bool) -> float:
    """Return `UserPreferences.recent` after one more accept or rejection."""
    return round(_RECENCY * recent + (1 - _RECENCY) * (1 if accepted else -1), 2)


@dataclass(slots=True)
class _Weight:
    """A Gaussian: its mean and precision, and what both were before any outcome."""

    mean: float
    precision: float
    start: float
    first: float


class PreferenceLearner:
    """An online learner of preferences. The same outcomes in the same order give the same preferences.

    Args:
        start: Log-odds by the name of a feature, from which learning begins and to which it forgets; 0 for all others.
    """

    def __init__(self, start: Mapping[str, float] | None = None) -> None:
        self.trust = 0.5
        self.outcomes = 0
        known = {name: mean for name, mean in (start or {}).items() if name.partition(":")[0] in _SHARES}
        self._start = {
            name: min(max(mean, -MAX_LOGIT_SHIFT), MAX_LOGIT_SHIFT) for name, mean in known.items()
        }
        self._weights: dict[str, _Weight] = {}
        for name in self._start:
            self._weight(name)
        self._last = 0.0

    def probability(self, seen: OutcomeFeatures, shipped: float) -> float:
        """Return the personalized probability, as learned so far."""
        return _mixed(self.trust, shipped, _shift(self._means(), seen))

    def learn(self, seen: OutcomeFeatures, shipped: float, *, kept: float, at: float) -> None:
        """Learn from an outcome.

        Args:
            seen: The features of the prediction.
            shipped: The shipped gate's probability.
            kept: The share of the edit's characters that is in the text, 0..1; 0 = the user rejected it.
            at: Seconds of any clock that goes on between sessions.
        """
        weight = seen.weight
        if not weight:
            return
        shipped = min(max(shipped, _EDGE), 1 - _EDGE)
        self._forget(weight, max(at - self._last, 0.0) if self.outcomes else 0.0)
        self.outcomes += 1
        self._last = max(at, self._last)
        features = seen.features()
        means = self._means()
        raw = sum(means.get(name, 0.0) * value for name, value in features.items())
        shift = min(max(raw, -MAX_LOGIT_SHIFT), MAX_LOGIT_SHIFT)
        mine = sigmoid(_log_odds(shipped) + shift)
        self._weigh(weight, kept, shipped, mine)
        if abs(raw) >= MAX_LOGIT_SHIFT and (kept > mine) == (raw > 0):
            return  # a weight beyond the bound has no effect, and would have to be unlearned later
        slope, bend = weight * (kept - mine), weight * mine * (1 - mine)
        known = {name: self._weight(name) for name, value in features.items() if value}
        spread = sum(features[name] ** 2 / known[name].precision for name in known)
        for name, w in known.items():
            w.mean += features[name] / w.precision * slope / (1 + bend * spread)
            w.precision += bend * features[name] ** 2

    def weights(self) -> dict[str, float]:
        """Return what has been learned: log-odds by the name of a feature."""
        return {name: round(mean, 3) for name, mean in self._means().items()}

    def snapshot(self, recent: float) -> UserPreferences:
        """Return what has been learned, for states."""
        return UserPreferences(
            tuple(sorted((name, mean) for name, mean in self.weights().items() if mean)),
            round(self.trust, 3),
            recent,
        )

    def _means(self) -> dict[str, float]:
        return {name: weight.mean for name, weight in self._weights.items()}

    def _weight(self, name: str) -> _Weight:
        if name not in self._weights:
            first = 1 / (_VARIANCE * _SHARES[name.partition(":")[0]])
            start = self._start.get(name, 0.0)
            self._weights[name] = _Weight(start, first, start, first)
        return self._weights[name]

    def _forget(self, weight: float, seconds: float) -> None:
        """Set the posterior to itself to the power of what is left, times the prior to the power of the rest."""
        left = 0.5 ** (weight / _HALF_LIFE + seconds / _HALF_LIFE_S)
        for w in self._weights.values():
            remembered = left * w.precision
            w.precision = remembered + (1 - left) * w.first
            w.mean = w.start + (w.mean - w.start) * remembered / w.precision

    def _weigh(self, weight: float, kept: float, shipped: float, mine: float) -> None:
        """Move trust to the probability that expected the outcome, and a little back."""
        theirs = (1 - self.trust) * math.exp(-weight * log_loss(shipped, kept))
        ours = self.trust * math.exp(-weight * log_loss(mine, kept))
        trust = ours / (ours + theirs)
        self.trust = trust + FIXED_SHARE * (1 - 2 * trust)


def log_loss(expected: float, kept: float) -> float:
    """Return the log-loss in nats. expected: a probability strictly between 0 and 1."""
    return -kept * math.log(expected) - (1 - kept) * math.log(1 - expected)


@lru_cache(maxsize=4)
def _table(taste: UserPreferences) -> dict[str, float]:
    return dict(taste.weights)


def _shift(weights: dict[str, float], seen: OutcomeFeatures) -> float:
    total = sum(weights.get(name, 0.0) * value for name, value in seen.features().items())
    return min(max(total, -MAX_LOGIT_SHIFT), MAX_LOGIT_SHIFT)


def _mixed(trust: float, shipped: float, shift: float) -> float:
    shipped = min(max(shipped, _EDGE), 1 - _EDGE)
    return shipped + trust * (sigmoid(_log_odds(shipped) + shift) - shipped)


def _log_odds(p: float) -> float:
    return math.log(p / (1 - p))
