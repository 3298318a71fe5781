"""Propagation: what was done in the last edits, done again where it applies next. No model; milliseconds."""

from .predictor import Propagation

__all__ = ["Propagation"]
