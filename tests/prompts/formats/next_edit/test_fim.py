"""Other documents in a fill-in-the-middle prompt."""

from __future__ import annotations

import pytest

from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.base import PromptPaths
from editahead_prompts.formats.registry import FORMATS
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import Snapshot

ROOTS = PromptPaths(("file:///projects/shop",))
DOCUMENT = Snapshot.from_text("a = 1\nb = \n", uri="file:///projects/shop/cart.py")
OTHER = Snapshot.from_text("def euro(): ...\n", uri="file:///projects/shop/money.py")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "fim-qwen",
            "<|repo_name|>shop\n<|file_sep|>money.py\ndef euro(): ...\n"
            "<|file_sep|>cart.py\n<|fim_prefix|>a = 1\nb = <|fim_suffix|>\n<|fim_middle|>",
        ),
        (
            "fim-starcoder",
            "<repo_name>shop<file_sep>money.py\ndef euro(): ...\n"
            "<file_sep><fim_prefix>cart.py\na = 1\nb = <fim_suffix>\n<fim_middle>",
        ),
    ],
)
def test_as_the_family_was_trained(name: str, expected: str) -> None:
    format = FORMATS[name]
    alone, beside = (
        format.build(EditorState(DOCUMENT, 10, other_documents=others), ESTIMATE, paths=ROOTS)
        for others in ((), (OTHER,))
    )
    assert beside.prompt.text == expected
    assert set(beside.stop) - set(alone.stop) == {"<|file_sep|>" if name == "fim-qwen" else "<file_sep>"}
    assert "euro" not in alone.prompt.text and "cart.py" not in alone.prompt.text


@pytest.mark.parametrize("name", ["fim-codestral", "fim-deepseek", "fim-seed-coder", "fim-mellum"])
def test_families_that_document_no_other_files_get_none(name: str) -> None:
    alone, beside = (
        FORMATS[name].build(EditorState(DOCUMENT, 10, other_documents=others), ESTIMATE).prompt.text
        for others in ((), (OTHER,))
    )
    assert alone == beside


def test_a_document_outside_of_the_workspace() -> None:
    assert ROOTS.workspace("file:///projects/shop/a/b.py") == "shop"
    assert ROOTS.workspace("file:///projects/other/b.py") == "workspace"
