"""What the growing fuzzer found: four times the input takes hardly more than four times the steps, which are counted."""

from __future__ import annotations

import itertools
from functools import partial

import pytest

from editahead_prompts.errors import SketchError
from editahead_prompts.sketches.parse import parse_sketch
from growing_fuzz import growth, never
from growing_inputs import GROWING
from growing_targets import TARGETS
from step_counter import count_steps, grows_linearly

pytestmark = pytest.mark.slow
PREDICTIONS = {
    "insert (python)": ["brackets over lines", "tildes", "TOML depth", "XML depth"],
    "delete (python)": ["different words", "unequal strings", "imports on one line", "escaped quotes"],
    "change_middle (python)": ["nested calls", "nested round", "parameters", "JSON keys"],
    "wrap (python)": ["nested round", "chain of calls with arguments"],
}
PATCHES = [
    "hunks",
    "files in a diff",
    "contexts of a patch",
    "begun patches",
    "exchanged lines",
    "renamed files",
    "git headers",
    "headers of one side",
    "conflicts",
    "separators",
    "unclosed fences",
    "markers",
]


@pytest.mark.parametrize(
    ("target", "dimension"), [(target, each) for target, those in PREDICTIONS.items() for each in those]
)
def test_predictions(target: str, dimension: str) -> None:
    assert grows_linearly(lambda size: TARGETS[target](GROWING[dimension](size), never), 6_000)


@pytest.mark.parametrize("dimension", PATCHES)
def test_sketches(dimension: str) -> None:
    def read(size: int) -> None:
        try:
            parse_sketch(GROWING[dimension](size), language="python", path="x.py")
        except SketchError:
            return

    assert grows_linearly(read, 4_000)


@pytest.mark.parametrize("dimension", ["hunks", "files in a diff", "files of a patch", "begun patches"])
def test_patches(dimension: str) -> None:
    assert grows_linearly(lambda size: TARGETS["read_patch"](GROWING[dimension](size), never), 4_000)


@pytest.mark.parametrize("name", ["mask", "question", "escape", "positions", "analyze (plaintext)"])
def test_readers_of_any_text(name: str) -> None:
    for dimension in ("equal lines", "secrets", "passwords", "different words", "private keys", "urls"):
        assert grows_linearly(lambda size, d=dimension: TARGETS[name](GROWING[d](size), never), 4_000)


def test_each_dimension_grows_with_its_size_and_is_the_same_again() -> None:
    for name, grow in GROWING.items():
        sizes = [len(grow(size)) for size in (2_000, 8_000)]
        assert 3 < sizes[1] / sizes[0] < 5, name
        assert grow(2_000) == grow(2_000)


def test_the_fuzzer_tells_linear_growth_from_quadratic() -> None:
    def linear(text: str, check: object) -> None:
        for _ in text:
            pass

    def quadratic(text: str, check: object) -> None:
        for _ in itertools.product(text, text):
            pass

    assert grows_linearly(lambda size: linear("a" * size, None), 200)
    assert not grows_linearly(lambda size: quadratic("a" * size, None), 20)
    assert growth([(4_000, 0.1), (16_000, 0.4)]) == pytest.approx(2)
    assert growth([(4_000, 0.1), (16_000, 1.6)]) == pytest.approx(4)
    assert growth([(4_000, 0.001), (16_000, 0.05)]) == 0


def test_steps_are_those_of_all_functions() -> None:
    def one() -> int:
        return 1

    def three() -> int:
        return one() + 2

    assert count_steps(three) == 2
    assert count_steps(partial(sum, map(ord, "abc"))) == 0
