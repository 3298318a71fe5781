"""No format lets a special token of its models' family through."""

from __future__ import annotations

import pytest

from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats import families
from editahead_prompts.formats.choice import choose
from editahead_prompts.snapshot import Snapshot
from editahead_prompts.state import State

OF = {
    "zeta": families.QWEN,
    "zeta-2": families.SEED_CODER,
    "zeta-2.1": families.SEED_CODER,
    "sweep-next-edit-1.5b": families.QWEN,
    "qwen3-coder-30b-a3b-instruct": families.QWEN,
    "llama-3.1-8b-instruct": families.LLAMA,
    "deepseek-coder-6.7b-instruct": families.DEEPSEEK,
    "mistral-7b-instruct": families.MISTRAL,
    "qwen2.5-coder-7b": families.QWEN,
    "codestral-22b": families.MISTRAL,
    "deepseek-coder-6.7b-base": families.DEEPSEEK,
    "seed-coder-8b-base": families.SEED_CODER,
}


@pytest.mark.parametrize("model", OF)
def test_no_token_of_the_family_is_more_in_the_prompt_than_without_it_in_the_file(model: str) -> None:
    format = choose(model)

    def prompt(comment: str) -> str:
        text = f"a = 1\n# {comment}\nb = 2\n"
        document = Snapshot.of(text, uri="file:///a.py", language="python")
        return format.build(State(document, len("a = 1"), ()), ESTIMATE).prompt.text

    plain = prompt("nothing")
    for token in OF[model]:
        assert prompt(token).count(token) == plain.count(token), token
