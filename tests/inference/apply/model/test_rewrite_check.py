"""The check of a model's rewrite: everything that the sketch shows, exactly, in the right place, and nothing else."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.model.rewrite_check import check_rewrite
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.results import Refusal
from editahead_lab.apply.sketch_generator import cases
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY
from sketch_fixture import AMBIGUOUS, REPLACED, SKETCH, TEXT, WANTED
from spoiled_text import spoiled
from synthetic_records import made_records

CASES = [case for case in cases(made_records(12), 60, 5) if len(case.files) == 1 and not case.only_refusal]


def judged(
    before: str, sketch: str, text: str, language: str = "python", path: str = "a.py"
) -> Refusal | None:
    original = Snapshot.from_text(before, uri=f"file:///project/{path}", language=language)
    parsed = parse_sketch(sketch, language=language, path=path)
    target = Target(original, SyntaxTrees(), 0, len(original.lines), lambda: None)
    edit, doubt = check_rewrite(parsed, parsed.files[0], target, text)
    assert doubt is not None or edit.apply(before) == text
    return doubt


def test_what_the_merge_is_sure_of_agrees() -> None:
    assert judged(TEXT, SKETCH, WANTED) is None


def test_prefers_the_reading_without_unreachable_code() -> None:
    parsed = parse_sketch(AMBIGUOUS, language="python", path="a.py")
    merged = merge(parsed, parsed.files[0], Snapshot.from_text(TEXT, language="python"))
    assert merged.refusal is not None
    unreached = judged(TEXT, AMBIGUOUS, merged.guess)
    assert unreached is not None and unreached.reason == "ambiguous"
    assert judged(TEXT, AMBIGUOUS, REPLACED) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("raise ValueError(b)", "raise ValueError(c)"),  # another text than the sketch has
        ("        raise", "            raise"),
        ("import os\n", ""),
        ("return 0", "return 1"),
        ("    return c\n", ""),
        ("def third(c)", "def third(d)"),
        ("    return c\n", "    # ... existing code ...\n"),
        ("\n\ndef third", "\ndef third"),
    ],
)
def test_any_other_change_does_not(old: str, new: str) -> None:
    assert old in REPLACED
    assert judged(TEXT, AMBIGUOUS, REPLACED.replace(old, new)) is not None


def test_nothing_is_no_change() -> None:
    assert judged(TEXT, AMBIGUOUS, TEXT) is not None


TWINS = "def a(x):\n    y = f(x)\n    return y\n\n\ndef b(x):\n    y = f(x)\n    return y\n"
LOGGED = "# ... existing code ...\n    y = f(x)\n    log(y)\n    return y\n# ... existing code ...\n"


def logged(place: int) -> str:
    """Return the file with one of the twins changed."""
    parts = TWINS.split("    return y\n")
    parts[place] += "    log(y)\n"
    return "    return y\n".join(parts)


def test_of_two_equal_places_none_is_the_right_one() -> None:
    for place in (0, 1):
        doubt = judged(TWINS, LOGGED, logged(place))
        assert doubt is not None
        assert doubt.reason == "ambiguous"


def test_what_else_the_sketch_shows_tells_them_apart() -> None:
    sketch = f"# ... existing code ...\ndef b(x):\n{LOGGED}"
    assert judged(TWINS, sketch, logged(1)) is None
    assert judged(TWINS, sketch, logged(0)) is not None


def test_a_line_like_no_other_tells_its_place() -> None:
    before = TWINS.replace("y = f(x)", "first = compute(x)", 1)
    sketch = "# ... existing code ...\n    first = compute(x, 7)\n    return y\n# ... existing code ...\n"
    assert judged(before, sketch, before.replace("compute(x)", "compute(x, 7)")) is None
    twice = before.replace("y = f(x)", "first = compute(z)")
    doubt = judged(twice, sketch, twice.replace("compute(x)", "compute(x, 7)"))
    assert doubt is not None
    assert doubt.reason == "ambiguous"


def test_a_diff_is_made_whole_or_not_at_all() -> None:
    before = "a = 1\nb = 2\nc = 3\nd = 4\n"
    sketch = "@@\n a = 1\n-b = 2\n+b = 5\n c = 3\n-d = 4\n+d = 6\n"
    assert judged(before, sketch, "a = 1\nb = 5\nc = 3\nd = 6\n") is None
    for text in (
        "a = 1\nb = 5\nc = 3\nd = 4\n",
        "a = 1\nb = 2\nb = 5\nc = 3\nd = 6\n",
        "a = 1\nc = 3\nb = 5\nd = 6\n",
    ):
        assert judged(before, sketch, text) is not None


@pytest.mark.slow
def test_the_accepted_text_of_nearly_all_sketches_agrees() -> None:
    found = [
        judged(case.files[0].before, case.sketch, text, case.files[0].language, case.files[0].path)
        for case in CASES
        for text in case.files[0].accepted[:1]
    ]
    assert len(found) > 20
    assert sum(doubt is None for doubt in found) >= 0.8 * len(found)


@pytest.mark.slow
@PROPERTY
@given(st.sampled_from(CASES), st.integers())
def test_a_spoiled_text_hardly_ever_does(case: object, seed: int) -> None:
    """A damaged text that passes has everything new of the right text, and removes nothing else."""
    (file,) = case.files
    text = spoiled(file.before, file.accepted[0], random.Random(seed))
    if text in file.accepted or judged(file.before, case.sketch, text, file.language, file.path) is not None:
        return
    before, right, got = (each.split("\n") for each in (file.before, file.accepted[0], text))
    assert {line for line in right if line not in before} <= set(got)
    assert {line for line in before if line in right} <= set(got)
