"""Special tokens of the models' families: no format lets one from a file into a prompt."""

from __future__ import annotations

import pytest

from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats import special_tokens
from editahead_prompts.formats.registry import select_format
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import Snapshot

OF = {
    "zeta": special_tokens.QWEN,
    "zeta-2": special_tokens.SEED_CODER,
    "zeta-2.1": special_tokens.SEED_CODER,
    "sweep-next-edit-1.5b": special_tokens.QWEN,
    "qwen3-coder-30b-a3b-instruct": special_tokens.QWEN,
    "llama-3.1-8b-instruct": special_tokens.LLAMA,
    "deepseek-coder-6.7b-instruct": special_tokens.DEEPSEEK,
    "mistral-7b-instruct": special_tokens.MISTRAL,
    "qwen2.5-coder-7b": special_tokens.QWEN,
    "codestral-22b": special_tokens.MISTRAL,
    "deepseek-coder-6.7b-base": special_tokens.DEEPSEEK,
    "seed-coder-8b-base": special_tokens.SEED_CODER,
}


@pytest.mark.parametrize("model", OF)
def test_no_token_of_the_family_is_more_in_the_prompt_than_without_it_in_the_file(model: str) -> None:
    format = select_format(model)

    def prompt(comment: str) -> str:
        text = f"a = 1\n# {comment}\nb = 2\n"
        document = Snapshot.from_text(text, uri="file:///a.py", language="python")
        return format.build(EditorState(document, len("a = 1"), ()), ESTIMATE).prompt.text

    plain = prompt("nothing")
    for token in OF[model]:
        assert prompt(token).count(token) == plain.count(token), token
