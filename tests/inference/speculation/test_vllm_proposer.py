"""The proposer with the arrays that vLLM passes, valid or not."""

from __future__ import annotations

import logging
import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.speculation.vllm_proposer import MAX_DRAFT_TOKENS, FileDraftProposer
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.formats.next_edit.editahead_2611 import NEXT, REGION, REGION_END

CONTEXT, MAX_DRAFT = 600, 64
LINES = "".join(f"    value_{number} = compute({number})\n" for number in range(20))
EDIT = list(bundled_tokenizer().encode(f"{REGION}\n{LINES}{REGION_END}\n{NEXT}\n"))
ANSWER = list(bundled_tokenizer().encode(LINES + REGION_END))


@pytest.fixture(scope="session")
def config(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("model")
    bundled_tokenizer().encoder.save(str(folder / "tokenizer.json"))
    return config_of(str(folder))


@pytest.fixture(scope="session")
def proposer(config: Any) -> FileDraftProposer:
    """Return one proposer for all tests, which has seen many requests."""
    return FileDraftProposer(config)


def config_of(tokenizer: str, max_draft: int = MAX_DRAFT) -> Any:
    model = SimpleNamespace(max_model_len=CONTEXT, tokenizer=tokenizer, tokenizer_revision=None)
    model.trust_remote_code = False
    speculative = SimpleNamespace(num_speculative_tokens=max_draft, draft_model_config=model)
    return SimpleNamespace(model_config=model, speculative_config=speculative)


def proposed(proposer: FileDraftProposer, rows: list[list[int]], new: list[int]) -> list[list[int]]:
    """Return the proposed drafts. As with vLLM, rests of other rows follow a row's tokens."""
    ids = np.full((len(rows) + 2, CONTEXT), 77, np.int32)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
    counts = np.array([*map(len, rows), 0, 0], np.int32)
    sampled = [row[len(row) - count :] for row, count in zip(rows, new, strict=True)]
    return proposer.propose(sampled, counts, ids, slot_mappings=None)


def test_an_edit_is_drafted_and_its_neighbours_are_not(config: Any) -> None:
    proposer = FileDraftProposer(config)
    proposer.load_model(None)
    other = list(bundled_tokenizer().encode(LINES))
    rows, new = [other, [*EDIT, ANSWER[0]], EDIT[:40], []], [1, 1, 0, 0]
    assert proposed(proposer, rows, new) == [[], ANSWER[1 : 1 + MAX_DRAFT], [], []]
    rows = [[*EDIT, *ANSWER[:66]], [*other, 5]]
    first, second = proposed(proposer, rows, [65, 1])
    assert first == ANSWER[66 : 66 + MAX_DRAFT] and second == []


def test_a_draft_is_never_longer_than_vllm_verifies(config: Any) -> None:
    proposer = FileDraftProposer(config_of(config.model_config.tokenizer, 500))
    assert len(proposed(proposer, [[*EDIT, ANSWER[0]]], [1])[0]) == MAX_DRAFT_TOKENS


def test_the_runner_goes_on_near_the_end_of_the_context(config: Any) -> None:
    vllm_config = config_of(config.model_config.tokenizer)
    FileDraftProposer(vllm_config)
    assert vllm_config.speculative_config.draft_model_config.max_model_len == CONTEXT + MAX_DRAFT
    assert vllm_config.model_config.max_model_len == CONTEXT


def test_what_fails_is_said_once_and_there_are_no_drafts(
    config: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "tokenizer.json").write_text("{")
    for broken in (None, config_of(str(tmp_path))):
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            proposer = FileDraftProposer(broken)
            for _ in range(2):
                assert proposed(proposer, [EDIT], [1]) == [[]]
        assert len(caplog.records) == 1
    caplog.clear()
    proposer = FileDraftProposer(config)
    assert proposer.propose([[1], [], [3]], None, None) == [[], [], []]
    assert proposer.propose([[1]], np.array([5]), np.array([[-1] * 9])) == [[]]
    assert len(caplog.records) == 1
    assert proposed(proposer, [[*EDIT, ANSWER[0]]], [1])[0], "it goes on"


@given(st.integers(0, 10**9))
def test_garbage_never_raises_and_drafts_stay_within_the_context(
    proposer: FileDraftProposer, seed: int
) -> None:
    dice = random.Random(seed)
    rows = []
    for _ in range(dice.randrange(5)):
        wild = [dice.randint(-(2**31), 2**31 - 1) for _ in range(dice.randrange(9))]
        special = [dice.randrange(18) for _ in range(dice.randrange(9))]
        pieces = dice.choices([EDIT, EDIT[:-2], ANSWER, EDIT[2:], wild, special], k=dice.randrange(4))
        rows.append([id for piece in pieces for id in piece][:CONTEXT])
    new = [dice.randint(0, min(len(row), 70)) for row in rows]
    drafts = proposed(proposer, rows, new)
    assert len(drafts) == len(rows)
    for row, count, draft in zip(rows, new, drafts, strict=True):
        assert len(draft) <= min(MAX_DRAFT, max(CONTEXT - len(row) - 1, 0))
        assert count or not draft


def test_neither_vllm_nor_what_it_takes_is_imported_for_it() -> None:
    code = (
        "import sys, editahead_inference.speculation.vllm_proposer; "
        "sys.exit(bool({'vllm', 'torch', 'transformers', 'tokenizers', 'numpy'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
