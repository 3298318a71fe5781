"""Copied lines: prompts of models show them, as long as their document is open and has predictions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_lsp.session.copied_lines import MAX_CHARACTERS, MAX_COPIES, MAX_LINES, CopiedLines
from editahead_prompts.state import EditorState, RelatedCode
from editahead_prompts.text.snapshot import Snapshot
from scripted_backend import ScriptedBackend, in_order
from server_harness import ScriptedPipeline, ServerHarness, lsp_range

URI, OTHER = "file:///p/stay.py", "file:///p/guest.py"
LONG = "".join(f"line_{number} = {number}\n" for number in range(100))


@pytest.fixture
async def harness(tmp_path: Path) -> ServerHarness:
    made = ServerHarness(ScriptedPipeline({}), user_folder=tmp_path)
    await made.initialize({"exclude": ["secret.py"]})
    made.open(URI, "def nights(stay):\n    return stay.ends - stay.begins\n")
    made.open(OTHER, LONG)
    return made


def copied(harness: ServerHarness) -> list[tuple[str, int, str]]:
    session = harness.server.session
    document = session.documents.get(URI)
    assert document is not None
    return [(one.uri, one.line, one.text) for one in session.build_state(document, 0).related_code]


def copy(harness: ServerHarness, uri: str, *range: int, version: int | None = 1) -> None:
    harness.notify(
        "editahead/didCopy", {"textDocument": {"uri": uri, "version": version}, "range": lsp_range(*range)}
    )


async def test_whole_lines_are_kept_the_newest_first(harness: ServerHarness) -> None:
    copy(harness, OTHER, 3, 2, 4, 3)
    copy(harness, OTHER, 7, 0, 8, 0)
    assert copied(harness) == [(OTHER, 7, "line_7 = 7\n"), (OTHER, 3, "line_3 = 3\nline_4 = 4\n")]


async def test_a_copy_of_another_version_is_ignored(harness: ServerHarness) -> None:
    copy(harness, OTHER, 3, 0, 4, 0, version=9)
    copy(harness, "file:///p/unknown.py", 3, 0, 4, 0)
    assert copied(harness) == []


async def test_a_document_without_predictions_is_not_shown(harness: ServerHarness) -> None:
    harness.open("file:///p/secret.py", LONG)
    copy(harness, "file:///p/secret.py", 3, 0, 4, 0)
    assert copied(harness) == []
    copy(harness, OTHER, 3, 0, 4, 0)
    harness.notify("textDocument/didClose", {"textDocument": {"uri": OTHER}})
    assert copied(harness) == []


@pytest.mark.parametrize("range", [(-5, -1, -3, 0), (90, 0, 10**9, 0), (5, 0, 2, 0), (200, 0, 300, 0)])
async def test_ranges_that_no_editor_sends(harness: ServerHarness, range: tuple[int, ...]) -> None:
    copy(harness, OTHER, *range)
    assert all(text in LONG for _, _, text in copied(harness))


@given(st.lists(st.tuples(st.integers(0, 120), st.integers(0, 120)), max_size=8))
def test_few_and_small_copies_are_kept(ranges: list[tuple[int, int]]) -> None:
    lines = CopiedLines()
    for first, end in ranges:
        lines.add(Snapshot.from_text(LONG, uri=OTHER), first, end)
    kept = lines.of(lambda uri: True)
    assert len(kept) <= MAX_COPIES
    assert all(
        one.text.count("\n") <= MAX_LINES and len(one.text) <= MAX_CHARACTERS and one.text.strip()
        for one in kept
    )
    assert lines.of(lambda uri: False) == () == lines.of(lambda uri: True)


async def test_a_prompt_shows_a_copy_from_elsewhere_only() -> None:
    document = Snapshot.from_text(LONG, uri=OTHER, language="python")
    near = RelatedCode(OTHER, 12, "copied_near = 1\n", "copied", 1.0)
    far = RelatedCode(OTHER, 90, "copied_far = 1\n", "copied", 1.0)
    other = RelatedCode(URI, 0, "copied_other = 1\n", "copied", 1.0)
    state = EditorState(document, document.starts[10], related_code=(near, far, other))
    backend = ScriptedBackend(in_order([""]))
    await ModelPredictor(backend, "zeta-2").predict(state)
    prompt = backend.queries[0].prompt
    assert "copied_other" in prompt and "copied_far" in prompt and "copied_near" not in prompt
