"""A scripted model that answers with one rewrite, and a pipeline without rules."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from editahead_inference.candidates import Candidate, GateDecision, Prediction, Silence
from editahead_inference.predictors.model.edit_candidates import to_candidates
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_inference.predictors.model.response import ModelResponse, ResponseProgress, Rewrite
from editahead_prompts.formats.base import EditableRegion
from editahead_prompts.state import EditorState
from editahead_prompts.text.diff import diff
from editahead_prompts.text.snapshot import line_body, split_lines
from scripted_backend import ScriptedBackend, in_order
from server_harness import ScriptedPipeline


class ModelOnlyPipeline(ScriptedPipeline):
    """A pipeline without rules; in the model's answer every `old` of the script becomes `new`."""

    def predict(
        self, state: EditorState, *, eagerness: float = 0.5, check: Callable[[], None] = lambda: None
    ) -> Prediction:
        check()
        return Prediction(state, (), Silence("no-candidate", "Rules have nothing."))

    def combine(self, prediction: Prediction, answered: ModelResponse, **_: Any) -> Prediction:
        state = prediction.state
        refused = {r for edits in state.rejected.values() for edit in edits for r in edit.replacements}
        decisions = tuple(
            GateDecision(candidate, 0.9, None)
            for candidate in to_candidates(answered, lambda edit: False)
            if not refused.issuperset(candidate.edit.replacements)
        )[:5]
        silence = None if decisions else Silence("no-candidate", "The model has nothing.")
        return Prediction(state, decisions, silence, decisions)

    def response(self, state: EditorState) -> ModelResponse:
        document, text = state.document, state.document.text
        new = self.target(text)
        rewrites = (Rewrite(diff(text, new)),) if new != text else ()
        region = EditableRegion(0, len(document.lines))
        return ModelResponse(document, "engine", "engine:m", region, rewrites, answers=1)

    def target(self, text: str) -> str:
        for old, new in self.script.items():
            text = text.replace(old, new)
        return text

    def _candidates(self, state: EditorState) -> Iterator[Candidate]:
        yield from to_candidates(self.response(state), lambda edit: False)


class StreamingModel(ModelPredictor):
    """A model that streams line by line, while the pipeline is open.

    Attributes:
        under_way: The number of running requests, by document.
        max_running: The largest number of running requests of one document so far.
    """

    def __init__(self, pipeline: ModelOnlyPipeline) -> None:
        super().__init__(ScriptedBackend(in_order(())))
        self.pipeline = pipeline
        self.under_way: Counter[str] = Counter()
        self.ahead = self.ended = self.max_running = self.max_ahead = 0

    async def predict(
        self, state: EditorState, *, background: bool = False, progress: ResponseProgress | None = None
    ) -> ModelResponse:
        uri = state.document.uri
        self.pipeline.calls.append(state)
        self.under_way[uri] += 1
        self.ahead += background
        self.max_running, self.max_ahead = (
            max(self.max_running, self.under_way[uri]),
            max(self.max_ahead, self.ahead),
        )
        try:
            await self._say(state, progress)
        except asyncio.CancelledError:
            self.ended += 1
            raise
        finally:
            self.under_way[uri] -= 1
            self.ahead -= background
        return self.pipeline.response(state)

    async def _say(self, state: EditorState, progress: ResponseProgress | None) -> None:
        answered = self.pipeline.response(state)
        text = (
            answered.rewrites[0].edit.apply(state.document.text) if answered.rewrites else state.document.text
        )
        lines: list[str] = []
        if progress is not None:
            progress.region, progress.lines = answered.region, lines
        for line in split_lines(text):
            await asyncio.sleep(0)
            if not self.pipeline.open.is_set():
                await asyncio.to_thread(self.pipeline.open.wait, 10)
            lines.append(line_body(line))
