"""What closed files say about the code at the cursor is in the model's prompts."""

from __future__ import annotations

from memory_codebase import MemoryCodebase
from server_with_model import TEXT, A, Model, ServerWithModel

MONEY = "file:///project/money.py"
CODEBASE = MemoryCodebase({MONEY: "def euro(price):\n    return f'{price:.2f} EUR'\n"})


async def test_prompts_show_the_code_of_closed_files(harness: ServerWithModel, model: Model) -> None:
    await harness.start()
    harness.server.predictions.set_codebase(CODEBASE)
    harness.server.session.index_version = 1
    harness.open(A, TEXT)
    await harness.next(4, 4)
    [prompt] = model.prompts
    assert "<filename>money.py\ndef euro(price):\n    return f'{price:.2f} EUR'\n" in prompt


async def test_a_model_that_comes_later_has_the_index_too(harness: ServerWithModel, model: Model) -> None:
    await harness.start()
    harness.server.predictions.set_codebase(CODEBASE)
    harness.server.session.index_version = 1
    harness.server.predictions.set_model(model.predictor)
    harness.open(A, TEXT)
    await harness.next(4, 4)
    assert "def euro(price)" in model.prompts[0]


async def test_without_an_index_prompts_are_as_before(harness: ServerWithModel, model: Model) -> None:
    await harness.start()
    harness.server.predictions.set_codebase(CODEBASE)
    harness.server.session.index_version = 1
    harness.server.predictions.set_codebase(None)
    harness.open(A, TEXT)
    await harness.next(4, 4)
    assert "euro(price):" not in model.prompts[0]


async def test_a_format_without_a_place_for_it_asks_nothing(harness: ServerWithModel, model: Model) -> None:
    model.predictor.format = "editahead"
    asked = MemoryCodebase(CODEBASE.files)
    await harness.start()
    harness.server.predictions.set_codebase(asked)
    harness.server.session.index_version = 1
    harness.open(A, TEXT)
    await harness.next(4, 4)
    assert "euro(price):" not in model.prompts[0] and asked.asked == []
