"""From a state to a prediction: ask the predictors, let the gate decide. The one entry that the server uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from editahead_prompts.state import State

from .candidates import Prediction, Predictor, Silence


def _never() -> None:
    pass


class Pipeline:
    """Predictors and the gate, in order. Holds no state of any document; may be called from any one thread at a time.

    eagerness: 0..1, the gate's threshold is t = 0.55 - 0.5 * eagerness.
    clock: monotonic seconds, for the timings only.
    """

    def __init__(self, predictors: Sequence[Predictor] | None = None, *, clock: Callable[[], float] = lambda: 0.0) -> None:
        self._predictors = predictors or ()
        self._clock = clock

    def predict(self, state: State, *, eagerness: float = 0.5, check: Callable[[], None] = _never) -> Prediction:
        """Raises `Cancelled` (through `check`) and nothing else."""
        return Prediction(state, (), Silence("no-candidate", "Nothing to propose."))
