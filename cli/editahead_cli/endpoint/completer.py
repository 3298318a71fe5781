"""The answer to a prompt: the rules' edit, or a model's, as far as the gate lets it through, in the prompt's format."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TypeVar

from editahead_inference.candidates import Prediction
from editahead_inference.errors import BackendError, Cancelled, DeadlineError
from editahead_inference.pipeline import Pipeline, proposed_edits
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_inference.worker_thread import CancellableJob, WorkerThread
from editahead_lsp.prediction.job import DEADLINE_S, is_confident
from editahead_prompts.formats.reading.base import ReadPrompt
from editahead_prompts.formats.reading.fim import FIM
from editahead_prompts.state import EditorState
from editahead_prompts.syntax.comments import is_in_comment
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace.settings import Settings

from .exclusion import PathExclusion
from .seen_texts import SeenTexts

T = TypeVar("T")

log = logging.getLogger(__name__)

MODEL_TIMEOUT_S = 10.0
"""Seconds that an answer waits for a model. A client that waits no longer closes its connection, which ends it, too."""
MAX_DOCUMENTS = 32
"""Documents whose syntax trees are kept."""


class Completer:
    """A maker of answers, for one event loop.

    Args:
        settings: The settings that count here: eagerness, languages, comments, exclude, max_file_bytes.
        model: The model behind the gate; None for the rules alone.
        clock: Returns monotonic seconds.
    """

    def __init__(
        self,
        settings: Settings,
        model: ModelPredictor | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._settings, self._model, self._clock = settings, model, clock
        self._exclusion = PathExclusion(settings.exclude)
        self._worker = WorkerThread()
        self._pipeline = Pipeline(clock=clock)
        self._seen = SeenTexts(clock)
        self._documents: OrderedDict[str, None] = OrderedDict()
        if model is not None:
            model.run_off_loop = self._call

    async def _call(self, work: Callable[[], T]) -> T:
        return await self._worker.call(work)

    async def warm_up(self) -> None:
        """Load what the first prediction needs, before it is asked for."""
        await self._call(lambda: self._pipeline.predict(EditorState(Snapshot.from_text(""), 0)))
        if self._model is not None:
            with suppress(BackendError):
                await self._model.backend.prepare()

    async def close(self) -> None:
        """Free the model and the thread."""
        if self._model is not None:
            await self._model.backend.close()
        self._worker.stop(1.0)

    async def answer(self, prompt: ReadPrompt) -> str:
        """Return the answer to a prompt: that which changes nothing where nothing is likely enough."""
        if self._is_left_alone(prompt):
            return prompt.nothing
        prompt = self._without_excluded(prompt)
        if prompt.format.startswith(FIM):
            prompt = await self._call(partial(self._seen.with_history, prompt))
        prediction = await self._predict(prompt)
        return prompt.nothing if prediction is None else self._write(prompt, prediction)

    def _is_left_alone(self, prompt: ReadPrompt) -> bool:
        document, cursor = prompt.state.document, prompt.state.cursor
        is_off = not self._settings.comments and is_in_comment(document, cursor)
        return is_off or not self._is_permitted(document)

    def _is_permitted(self, document: Snapshot) -> bool:
        """Return whether the settings let a document be predicted in, and be shown to the model."""
        return (
            self._settings.languages.get(document.language) is not False
            and len(document.text.encode("utf-8", "surrogatepass")) <= self._settings.max_file_bytes
            and not self._exclusion.excludes(document.uri)
        )

    def _without_excluded(self, prompt: ReadPrompt) -> ReadPrompt:
        """Return the prompt without the other documents, and the edits of them, that are not permitted."""
        state = prompt.state
        others = tuple(filter(self._is_permitted, state.other_documents))
        kept = {document.uri for document in (state.document, *others)}
        history = tuple(edit for edit in state.history if edit.uri in kept)
        return replace(prompt, state=replace(state, other_documents=others, history=history))

    async def _predict(self, prompt: ReadPrompt) -> Prediction | None:
        """Return the prediction of the rules and the model; None where it took too long."""
        state, eagerness = prompt.state, self._settings.eagerness
        try:
            rules = await self._run(
                lambda check: self._pipeline.predict(state, eagerness=eagerness, check=check)
            )
            self._remember(state.document.uri)
            model = self._model
            if model is None or is_confident(rules, of_next_tokens=not model.goes_on_at_cursor):
                return rules
            try:
                async with asyncio.timeout(MODEL_TIMEOUT_S):
                    response = await model.predict(replace(state, proposed=proposed_edits(rules)))
            except TimeoutError:
                return rules
            if response.problem is not None:
                log.warning("the model did not answer: %s", response.problem)
                return rules
            return await self._run(
                lambda check: self._pipeline.combine(rules, response, eagerness=eagerness, check=check)
            )
        except (Cancelled, DeadlineError) as error:
            log.warning("no prediction: %s", type(error).__name__)
            return None

    async def _run(self, work: Callable[[Callable[[], None]], Prediction]) -> Prediction:
        return await CancellableJob(self._worker, self._clock, DEADLINE_S).run(work)

    def _remember(self, uri: str) -> None:
        """Keep what is cached of a document, and drop that of the one that was asked about longest ago."""
        self._documents[uri] = None
        self._documents.move_to_end(uri)
        while len(self._documents) > MAX_DOCUMENTS:
            oldest, _ = self._documents.popitem(last=False)
            self._worker.submit(partial(self._pipeline.forget, oldest))

    def _write(self, prompt: ReadPrompt, prediction: Prediction) -> str:
        """Return the answer that makes the best edit, with all others of its rule that the format can say."""
        uri = prompt.state.document.uri
        shown = [one.candidate for one in prediction.shown if one.candidate.uri == uri and one.candidate.edit]
        best = next((one for one in shown if prompt.write(one.edit) is not None), None)
        if best is None:
            return prompt.nothing
        edit = best.edit
        for other in shown:
            joined = _join(edit, other.edit) if other.rule == best.rule and other is not best else None
            if joined is not None and prompt.write(joined) is not None:
                edit = joined
        return prompt.write(edit) or prompt.nothing


def _join(one: Edit, other: Edit) -> Edit | None:
    """Return both edits as one; None where they overlap."""
    joined = Edit(tuple(sorted((*one.replacements, *other.replacements), key=lambda r: (r.start, r.end))))
    try:
        joined.check()
    except ValueError:
        return None
    return joined
