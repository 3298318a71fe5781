"""A prediction that takes long makes room for those that wait, and has its time in all, not each time."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio

from editahead_inference.candidates import Prediction, Silence
from editahead_lsp.prediction.job import DEADLINE_S, SHARE_S
from editahead_lsp.prediction.scheduler import PredictionScheduler
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import Snapshot
from server_harness import ScriptedPipeline

STEP_S = 0.01


class SlowPipeline(ScriptedPipeline):
    """A pipeline that never ends with a hostile document, and moves the clock at each check."""

    def __init__(self) -> None:
        super().__init__({})
        self.now = 0.0
        self.begun = 0
        self.others_wait = threading.Event()

    def predict(
        self, state: EditorState, *, eagerness: float = 0.5, check: Callable[[], None] = lambda: None
    ) -> Prediction:
        if state.document.text.startswith("hostile"):
            self.begun += 1
            self.others_wait.wait()
            while True:
                self.now += STEP_S
                check()
        return Prediction(state, (), Silence("no-candidate", ""))


def state(text: str) -> EditorState:
    return EditorState(Snapshot.from_text(text, uri=f"file:///{text}.py", language="python"), 0)


@pytest.fixture
def pipeline() -> SlowPipeline:
    return SlowPipeline()


@pytest_asyncio.fixture
async def scheduler(pipeline: SlowPipeline) -> AsyncIterator[PredictionScheduler]:
    made = PredictionScheduler(lambda: pipeline, lambda: pipeline.now)
    made.start()
    yield made
    made.stop()


@pytest.mark.parametrize("others", [1, 5])
async def test_waiting_predictions_are_first(
    others: int, pipeline: SlowPipeline, scheduler: PredictionScheduler
) -> None:
    order: list[str] = []
    jobs = [scheduler.schedule(state(name), 0.5) for name in ("hostile", *map(str, range(others)))]
    for job in jobs:
        job.done.add_done_callback(lambda done: order.append(done.result().state.document.text))
    pipeline.others_wait.set()
    for job in jobs:
        await job.done
    assert order == [*map(str, range(others)), "hostile"]
    found = jobs[0].done.result()
    assert found.silence is not None and found.silence.reason == "cancelled"
    assert pipeline.begun == 2
    assert pipeline.now == pytest.approx(DEADLINE_S, abs=3 * STEP_S)


async def test_alone_it_has_all_of_its_time_at_once(
    pipeline: SlowPipeline, scheduler: PredictionScheduler
) -> None:
    pipeline.others_wait.set()
    await scheduler.schedule(state("hostile"), 0.5).done
    assert pipeline.begun == 1
    assert pipeline.now == pytest.approx(DEADLINE_S, abs=3 * STEP_S)


async def test_two_of_them_share_the_time(pipeline: SlowPipeline, scheduler: PredictionScheduler) -> None:
    jobs = [scheduler.schedule(state(name), 0.5) for name in ("hostile 1", "hostile 2", "ordinary")]
    order: list[str] = []
    for job in jobs:
        job.done.add_done_callback(lambda done: order.append(done.result().state.document.text))
    pipeline.others_wait.set()
    for job in jobs:
        await job.done
    assert order[0] == "ordinary"
    assert pipeline.now <= 2 * (DEADLINE_S + SHARE_S)
