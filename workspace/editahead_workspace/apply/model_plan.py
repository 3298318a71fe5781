"""The plan of a sketch with a model, in a process that has no event loop of its own for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from editahead_inference.apply.file_change import FileChange
from editahead_inference.worker_thread import CancellableJob, WorkerThread
from editahead_prompts.syntax.syntax_trees import SyntaxTrees

from .apply_sketch import ApplyPlan, Check, ReadSketch, load_merge, load_model_fallback, plan_sketch
from .blocking_model import BlockingModelClient

if TYPE_CHECKING:
    from editahead_inference.apply.model.model_fallback import PartialRewrite
    from editahead_inference.predictors.model.predictor import ModelPredictor


async def plan_with_model(
    read: ReadSketch,
    model: ModelPredictor,
    *,
    witness: ModelPredictor | None = None,
    on_file_done: Callable[[FileChange], None] = lambda change: None,
    on_partial: Callable[[PartialRewrite, SyntaxTrees], None] = lambda coming, trees: None,
    check: Check = lambda: None,
) -> ApplyPlan:
    """Return the planned changes; where the merge is not certain, with models, which are closed at the end.

    Cancelling ends the request to the model.

    Args:
        read: The parsed sketch.
        model: Writes what is not clear, and puts choices in order.
        witness: Puts choices in order in its place.
        on_file_done: As for `plan_sketch`.
        on_partial: Called with what is settled of a rewrite, and the syntax trees of its file.
        check: Raises to cancel, on another thread.

    Raises:
        ApplyRefusedError: The sketch cannot be applied.
        NothingToChooseError: A reading was chosen, and there is one only.
    """
    trees = SyntaxTrees(reproducible=True)
    model_fallback, _ = load_model_fallback()
    client = BlockingModelClient(
        asyncio.get_running_loop(), model, read.task.files.exclusion_reason, witness=witness
    )
    rewrites = model_fallback(load_merge(), client, lambda coming: on_partial(coming, trees))

    def plan(is_wanted: Check) -> ApplyPlan:
        def check_both() -> None:
            is_wanted()
            check()

        return plan_sketch(
            read,
            rewrites,
            trees=trees,
            on_file_done=on_file_done,
            score=partial(client.score, check=check_both),
            check=check_both,
        )

    worker = WorkerThread()
    try:
        planned = await CancellableJob(worker).run(plan)
    finally:
        worker.stop(timeout=0.0)
        await model.backend.close()
        if witness is not None:
            await witness.backend.close()
    return replace(planned, usage=tuple(rewrites.usages))
