"""A person's taste: a correction of the gate's log-odds that is learned from what became of earlier predictions.

Two things are learned from outcomes, and they are not the same. How this rewrite fared in this session says something
about the rewrite: the gate adds it by rule, at once, and forgets it with the session. What this person tends to take,
of which kinds, in which languages, how far away, is taste. It is slow, and it outlives the session.

The model is Bayesian logistic regression, online, with a diagonal Gaussian posterior (one Laplace step for each outcome,
as in Graepel et al., "Web-scale Bayesian click-through rate prediction", 2010), over a handful of features that a person
could name, and with the shipped gate's log-odds as its offset. So without outcomes nothing changes. Older evidence is
forgotten towards that prior.

What counts is kept characters, not accepts: an outcome weighs as much as its edit has characters (up to a limit), and is
worth the share of them that was kept. A show is then worth weight x (share kept - t), whose expectation is positive where
p > t, whatever the size: the threshold t stays the contract's, and edits of one character weigh next to nothing.

How much worse than the shipped gate can it get?

- At any moment: the correction is at most `BOUND` log-odds. What the shipped gate holds for likelier than
  sigmoid(logit t + BOUND) is always shown, and what it holds for less likely than sigmoid(logit t - BOUND) never is.
- Over time: the probability is a mixture, in Bayesian proportion (`trust`), of the shipped one and the corrected one.
  Whatever the outcomes are, the sum of the weighted log-losses of n predictions is at most that of the shipped
  probabilities + ln 2 + n ln(1 / (1 - SHARED)). (Log-loss is exp-concave, so mixing loses no more; Vovk, "Competitive
  on-line statistics", 2001. `SHARED` of the trust goes back each time, so that a turn in taste is not found too late;
  Herbster and Warmuth, "Tracking the best expert", 1998.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from editahead_inference.candidates import Candidate
from editahead_prompts.state import EditorState, UserPreferences

from .decision_trees import sigmoid

MAX_LOGIT_SHIFT = 1.0
"""The correction's limit, in log-odds."""
FULL_WEIGHT_CHARS = 20
"""Characters, removed and inserted, from which on an edit weighs 1; a smaller one weighs its share of that."""
FIXED_SHARE = 0.001
"""Of the trust in either probability, what goes to the other after each outcome."""
_VARIANCE = 0.06
"""Of the correction before there are outcomes. With it, of a person's difference of 1, about 0.4 is learned after 200
outcomes of usual size (10 characters), and 0.6 after 400: until about 200, the shipped gate prevails."""
_SHARES = {
    "always": 0.30,
    "kind": 0.20,
    "language": 0.15,
    "source": 0.10,
    "distance": 0.10,
    "size": 0.10,
    "recent": 0.05,
}
"""Of that variance, by what the feature is about: how much of a person's taste it may explain. Choices."""
_HALF_LIFE = 600.0
"""Outcomes of full size after which evidence counts half."""
_HALF_LIFE_S = 30 * 24 * 3600.0
"""The same in seconds. What a person does not want is no longer shown, so that only time can bring it back."""
_RECENCY = 0.8
_EDGE = 1e-4
"""No probability is taken for nearer to 0 or 1."""
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
    """What is weighed of one prediction; nothing in it is code.

    kind: of the rule, such as "rename". language: the LSP id of the edited document's. distance: lines from the cursor;
    None in another document. size: characters that are removed and inserted. recent: see `Taste`.
    """

    source: str
    kind: str
    language: str
    distance: int | None
    size: int
    recent: float = 0.0

    @property
    def weight(self) -> float:
        """How much its outcome counts, 0..1."""
        return min(self.size, FULL_WEIGHT_CHARS) / FULL_WEIGHT_CHARS

    def features(self) -> dict[str, float]:
        """By name; the part before ":" is what it is about."""
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
    """Those of a candidate for a state."""
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
    """The probability for this person, where the shipped gate says `shipped`."""
    if state.taste is None or not state.taste.weights:
        return shipped
    return _mixed(state.taste.trust, shipped, _shift(_table(state.taste), outcome_features(state, candidate)))


def update_recency(recent: float, *, accepted: bool) -> float:
    """`Taste.recent` after one more accept or refusal."""
    return round(_RECENCY * recent + (1 - _RECENCY) * (1 if accepted else -1), 2)


@dataclass(slots=True)
class _Weight:
    """A Gaussian: its mean, its precision, and the precision that it began with."""

    mean: float
    precision: float
    first: float


class PreferenceLearner:
    """Learns a taste, one outcome at a time. The same outcomes in the same order give the same taste."""

    def __init__(self) -> None:
        self.trust = 0.5
        self.outcomes = 0
        self._weights: dict[str, _Weight] = {}
        self._last = 0.0

    def probability(self, seen: OutcomeFeatures, shipped: float) -> float:
        """What it would say now."""
        return _mixed(self.trust, shipped, _shift(self._means(), seen))

    def learn(self, seen: OutcomeFeatures, shipped: float, *, kept: float, at: float) -> None:
        """A prediction with these traits, `shipped` by the gate's own weights, was made at `at` (seconds, of any clock
        that goes on between sessions); the share `kept` of its characters, 0..1, is in the text, and 0 means that it was
        not wanted."""
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
            return  # what lies behind the bound would only have to be taken back one day
        slope, bend = weight * (kept - mine), weight * mine * (1 - mine)
        known = {name: self._weight(name) for name, value in features.items() if value}
        spread = sum(features[name] ** 2 / known[name].precision for name in known)
        for name, w in known.items():
            w.mean += features[name] / w.precision * slope / (1 + bend * spread)
            w.precision += bend * features[name] ** 2

    def snapshot(self, recent: float) -> UserPreferences:
        """What has been learned, for states."""
        weights = {name: round(mean, 3) for name, mean in self._means().items()}
        return UserPreferences(
            tuple(sorted((name, mean) for name, mean in weights.items() if mean)),
            round(self.trust, 3),
            recent,
        )

    def _means(self) -> dict[str, float]:
        return {name: weight.mean for name, weight in self._weights.items()}

    def _weight(self, name: str) -> _Weight:
        if name not in self._weights:
            first = 1 / (_VARIANCE * _SHARES[name.partition(":")[0]])
            self._weights[name] = _Weight(0.0, first, first)
        return self._weights[name]

    def _forget(self, weight: float, seconds: float) -> None:
        """The posterior to the power of what is left, times the prior to the power of the rest."""
        left = 0.5 ** (weight / _HALF_LIFE + seconds / _HALF_LIFE_S)
        for w in self._weights.values():
            remembered = left * w.precision
            w.precision = remembered + (1 - left) * w.first
            w.mean *= remembered / w.precision

    def _weigh(self, weight: float, kept: float, shipped: float, mine: float) -> None:
        """Trust goes to the probability that had expected the outcome, and a little back."""
        theirs = (1 - self.trust) * math.exp(-weight * log_loss(shipped, kept))
        ours = self.trust * math.exp(-weight * log_loss(mine, kept))
        trust = ours / (ours + theirs)
        self.trust = trust + FIXED_SHARE * (1 - 2 * trust)


def log_loss(expected: float, kept: float) -> float:
    """In nats, of a probability strictly between 0 and 1."""
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
