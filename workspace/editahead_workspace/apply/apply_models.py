"""The models of a sketch, by the settings: one that writes, and one that puts choices in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from editahead_workspace.model_config import ModelConfig
from editahead_workspace.settings import Settings

if TYPE_CHECKING:
    from editahead_inference.predictors.model.predictor import ModelPredictor


def create_apply_models(
    settings: Settings, environment: Mapping[str, str], folders: Sequence[str]
) -> tuple[ModelPredictor | None, ModelPredictor | None]:
    """Return the model that writes, and the witness where that is another: the model for predictions.

    Raises:
        ValueError: The model that writes cannot be used; the message is one sentence with the reason.
    """
    writes = ModelConfig.for_apply(settings, environment, folders)
    predicts = ModelConfig.from_settings(settings, environment, folders)
    model, witness = writes.create_predictor(), None
    if model is not None and writes != predicts:
        with suppress(ValueError):  # the order of choices is then that of the rules
            witness = predicts.create_predictor()
    return model, witness
