"""The model that sketches ask, where the settings name another than that for predictions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from editahead_lsp.model.requests import close_backend, prepare_backend
from editahead_workspace.model_config import ModelConfig

if TYPE_CHECKING:
    from editahead_inference.predictors.model.predictor import ModelPredictor, RunOffLoop


class ApplyModel:
    """A model for sketches alone, on the event loop.

    Args:
        create: Returns the model that settings name, if any. Raises ValueError with the reason if it cannot.
        run_off_loop: See `ModelPredictor`.

    Attributes:
        model: The model, or None.
        error: Why there is no model, though the settings name one.
    """

    def __init__(
        self, create: Callable[[ModelConfig], ModelPredictor | None], run_off_loop: RunOffLoop
    ) -> None:
        self._create, self._run_off_loop = create, run_off_loop
        self._config: ModelConfig | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.model: ModelPredictor | None = None
        self.error: str | None = None

    @property
    def is_separate(self) -> bool:
        """Whether the settings name a model for sketches, even if it cannot be used."""
        return self._config is not None

    def configure(self, config: ModelConfig | None) -> None:
        """Use the model of a configuration; None to use none."""
        before, self._config = self._config, config
        if config == before:
            return
        if (
            config is not None
            and before is not None
            and self.model is not None
            and config.differs_in_folders_only(before)
        ):
            config.move(self.model)
            return
        if self.model is not None:
            self._start(close_backend(self.model.backend))
        self.model, self.error = None, None
        if config is None:
            return
        try:
            self.model = self._create(config)
        except ValueError as error:
            self.error = str(error)
        if self.model is not None:
            self.model.run_off_loop = self._run_off_loop
            self._start(prepare_backend(self.model.backend))

    async def close(self) -> None:
        """Close the model."""
        self.configure(None)
        await asyncio.gather(*self._tasks)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
