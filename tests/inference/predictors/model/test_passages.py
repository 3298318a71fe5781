"""The probabilities of passages: what the model sees of them, and when it is not asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from editahead_inference.predictors.model.passages import (
    PASSAGE_TOKENS,
    TOKENS_ABOVE,
    Passage,
    PassageScores,
    score_passages,
)
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.base import PromptPaths
from editahead_prompts.text.snapshot import Snapshot
from scoring_backend import ScoringBackend

URI = "file:///p/a.py"
SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
DOCUMENT = Snapshot.from_text(f'x = 1\ntoken = "{SECRET}"\n', uri=URI, language="python")
FIRST, SECOND = Passage(URI, "x = 1\n", "y = 2\n"), Passage(URI, "x = 1\n", "y = 3\nz = 4\n")


@pytest.fixture
def backend() -> ScoringBackend:
    return ScoringBackend(lambda text: -float(len(text)))


async def scored(
    backend: ScoringBackend, *passages: Passage, format: str = "editahead-coder", within_s: float = 3.0
) -> PassageScores | None:
    model = ModelPredictor(backend, format, paths=PromptPaths(("file:///p",)), tokenizer=ESTIMATE)
    return await score_passages(model, passages, [DOCUMENT], within_s)


async def test_one_request_for_each_text_above(backend: ScoringBackend) -> None:
    third = Passage(URI, "a = 0\n", "y = 2\n")
    scores = await scored(backend, FIRST, SECOND, third)
    assert scores == {FIRST: (-6.0,) * 6, SECOND: (-12.0,) * 12, third: (-6.0,) * 6}
    assert [texts for _, texts in backend.scored] == [[FIRST.text, SECOND.text], [third.text]]


@pytest.mark.parametrize(
    ("format", "prompt"),
    [
        ("editahead-coder", "<|file_sep|>a.py\n<|fim_suffix|><|fim_prefix|>x = 1\n"),
        ("instruct", "a.py\nx = 1\n"),
        ("no-such-format", "a.py\nx = 1\n"),
    ],
)
async def test_the_path_comes_first(backend: ScoringBackend, format: str, prompt: str) -> None:
    assert await scored(backend, FIRST, format=format) is not None
    ((query, _),) = backend.scored
    assert (query.prompt, query.ids, query.session) == (prompt, None, "")


async def test_texts_are_cut_to_whole_lines(backend: ScoringBackend) -> None:
    lines = "".join(f"value_{number} = {number}\n" for number in range(300))
    await scored(backend, Passage(URI, lines, lines))
    ((query, (text,)),) = backend.scored
    above = query.prompt.rpartition("<|fim_prefix|>")[2]
    assert lines.endswith(above) and ESTIMATE.count(above) <= TOKENS_ABOVE
    assert lines.startswith(text) and ESTIMATE.count(text) <= PASSAGE_TOKENS
    assert above.startswith("value_") and text.endswith("\n")


async def test_two_texts_that_are_cut_to_the_same_are_scored_once(backend: ScoringBackend) -> None:
    lines = "".join(f"value_{number} = {number}\n" for number in range(300))
    first, second = Passage(URI, lines, "y\n"), Passage(URI, f"more\n{lines}", "y\n")
    scores = await scored(backend, first, second)
    assert scores is not None and scores.keys() == {first, second}
    assert [texts for _, texts in backend.scored] == [["y\n"]]


async def test_tokens_of_the_model_in_a_file_are_no_tokens(backend: ScoringBackend) -> None:
    await scored(backend, Passage(URI, "a <|fim_prefix|>\n", "b <|endoftext|>\n"))
    ((query, (text,)),) = backend.scored
    assert query.prompt.count("<|fim_prefix|>") == 1 and "<|endoftext|>" not in text


async def test_no_secret_is_in_a_prompt(backend: ScoringBackend) -> None:
    await scored(backend, Passage(URI, f'token = "{SECRET}"\n', f"use({SECRET!r})\n"))
    assert SECRET[4:] not in repr(backend.scored)


async def test_nothing_is_asked_of_a_model_that_cannot_score(backend: ScoringBackend) -> None:
    backend.capabilities = replace(backend.capabilities, scores=False)
    assert await scored(backend, FIRST) is None
    assert not backend.scored


async def test_nothing_is_asked_of_a_model_that_is_too_slow(backend: ScoringBackend) -> None:
    backend.capabilities = replace(backend.capabilities, prompt_token_s=0.1)
    assert await scored(backend, FIRST, within_s=0.5) is None
    assert not backend.scored
    assert await scored(backend, FIRST, within_s=5.0) is not None


async def test_without_an_answer_there_are_no_scores(backend: ScoringBackend) -> None:
    backend.fails = True
    assert await scored(backend, FIRST) is None
