"""From a state to a prediction: ask the predictors, let the gate decide. The one entry that the server uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from editahead_prompts.state import State
from editahead_prompts.syntax import SyntaxTrees

from .candidates import Candidate, Prediction, Predictor, Timings
from .completion import Completion
from .fixes import Fixes
from .gate import Gate
from .propagation import Propagation


def _never() -> None:
    pass


def default_predictors(syntax: SyntaxTrees) -> tuple[Predictor, ...]:
    """Those that need no model. syntax: trees to share with the gate."""
    return Completion(), Fixes(), Propagation(syntax)


def candidates_of(
    state: State, predictors: Sequence[Predictor], check: Callable[[], None] = _never
) -> list[Candidate]:
    """What all of them propose."""
    return [candidate for predictor in predictors for candidate in predictor.propose(state, check)]


class Pipeline:
    """Predictors and the gate, in order. It remembers parses and indexes only; to be called from one thread at a time.

    predictors: default, those that need no model. gate: default, with the shipped weights.
    clock: monotonic seconds, for the timings only.
    """

    def __init__(
        self,
        predictors: Sequence[Predictor] | None = None,
        *,
        gate: Gate | None = None,
        clock: Callable[[], float] = lambda: 0.0,
    ) -> None:
        syntax = SyntaxTrees()
        self._predictors = default_predictors(syntax) if predictors is None else tuple(predictors)
        self._gate = gate or Gate(syntax=syntax)
        self._clock = clock

    def predict(
        self, state: State, *, eagerness: float = 0.5, check: Callable[[], None] = _never
    ) -> Prediction:
        """Raises `Cancelled` (through `check`) and nothing else."""
        started = self._clock()
        candidates = candidates_of(state, self._predictors, check)
        proposed = self._clock()
        verdicts, silence = self._gate.decide(state, candidates, eagerness, check)
        ended = self._clock()
        return Prediction(
            state,
            tuple(verdict for verdict in verdicts if verdict.reason is None),
            silence,
            verdicts,
            Timings(1000 * (proposed - started), 1000 * (ended - proposed)),
        )
