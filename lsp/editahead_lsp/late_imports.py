"""What is imported once `initialize` has been answered, on the worker thread: it takes longer than all before it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .prediction.job import PredictionPipeline


def load_pipeline() -> PredictionPipeline:
    """Return the predictors that need no model."""
    from editahead_inference.pipeline import Pipeline

    return Pipeline(clock=time.monotonic)
