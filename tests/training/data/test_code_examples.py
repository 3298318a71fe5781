"""Plain code as examples."""

from __future__ import annotations

import random

import pytest

from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.formats.next_edit.editahead_2611 import END, MIDDLE, PREFIX, SUFFIX
from editahead_training.data.code_examples import code_of, middle_of

TEXT = "".join(f"def f{n}(user):\n    return user + {n}\n\n\n" for n in range(40))
RECORD = {"path": "pkg/c.py", "after": TEXT}


@pytest.mark.parametrize("seed", range(20))
def test_the_middle_fills_the_hole(seed: int) -> None:
    vocabulary = bundled_tokenizer()
    (example,) = middle_of(RECORD, random.Random(seed), vocabulary, 512)
    head, _, rest = vocabulary.decode(example.prompt).partition(PREFIX)
    above, _, below = rest.removesuffix(MIDDLE).partition(SUFFIX)
    assert head == "<|file|>pkg/c.py\n"
    assert above + vocabulary.decode(example.answer).removesuffix(END) + below in TEXT
    assert example.tokens <= 512


@pytest.mark.parametrize("seed", range(20))
def test_code_is_a_stretch_of_the_file(seed: int) -> None:
    vocabulary = bundled_tokenizer()
    (example,) = code_of(RECORD, random.Random(seed), vocabulary, 100)
    assert vocabulary.decode(example.answer) in TEXT
    assert example.tokens <= 100


def test_of_an_empty_file_there_is_nothing() -> None:
    nothing = {"path": "a.py", "after": ""}
    assert not list(middle_of(nothing, random.Random(0), bundled_tokenizer(), 512))
    assert not list(code_of(nothing, random.Random(0), bundled_tokenizer(), 100))
