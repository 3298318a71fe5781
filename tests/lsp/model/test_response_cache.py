"""The response cache: its limits, and the eviction of the least useful responses."""

from __future__ import annotations

import asyncio

from editahead_inference.predictors.model.response import ModelResponse
from editahead_lsp.model.requests import ModelRequests
from editahead_lsp.model.response_cache import ResponseCache
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import Snapshot
from server_with_model import TEXT, Model


def named_response(name: str) -> ModelResponse:
    return ModelResponse(Snapshot.from_text("ten chars\n", uri=name), "engine", "model")


def names(remembered: ResponseCache, among: str) -> str:
    return "".join(name for name in among if remembered.for_document(name))


def test_eviction_is_by_recent_use() -> None:
    remembered = ResponseCache(max_responses=2)
    first = named_response("a")
    for one in (first, named_response("b"), first, named_response("c")):
        remembered.put(one)
    assert names(remembered, "abc") == "ac"


def test_the_texts_that_are_kept_are_bounded() -> None:
    remembered = ResponseCache(max_chars=25)
    for name in "abc":
        remembered.put(named_response(name))
    assert names(remembered, "abc") == "bc"


def test_the_newest_is_kept_however_long_it_is() -> None:
    remembered = ResponseCache(max_chars=1)
    for name in "ab":
        remembered.put(named_response(name))
    assert names(remembered, "ab") == "b"


def test_few_are_of_one_document() -> None:
    remembered = ResponseCache(max_per_document=2)
    remembered.put(named_response("b"))
    answers = [named_response("a") for _ in range(3)]
    for one in answers:
        remembered.put(one)
    assert list(map(id, remembered.for_document("a"))) == [id(answers[2]), id(answers[1])]
    assert names(remembered, "ab") == "ab"


async def test_an_answer_of_which_the_rest_is_shown_is_used(model: Model) -> None:
    requests = ModelRequests(asyncio.sleep, ResponseCache(max_responses=2))
    requests.set_model(model.predictor)
    asked = []
    for name in "abacab":
        document = Snapshot.from_text(TEXT, uri=f"file:///{name}.py", language="python")
        await requests.get_response(EditorState(document, TEXT.index("sum")), lambda: True)
        asked.append(len(model.prompts))
    assert asked == [1, 2, 2, 3, 3, 4]
    await requests.close()
