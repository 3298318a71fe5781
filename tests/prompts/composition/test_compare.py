"""The cache-miss debugger."""

from __future__ import annotations

import logging

import pytest

from editahead_prompts.composition.cache_miss_tracker import (
    MOST_DOCUMENTS,
    MOST_PROMPTS,
    Blame,
    CacheMisses,
    CacheReport,
    common,
)
from editahead_prompts.composition.parts import Group, Text
from editahead_prompts.composition.render import Prompt, render
from editahead_prompts.composition.tokenizers import Estimate

TOKENIZER = Estimate(1)


def prompt(file: str, edit: str) -> Prompt:
    parts = Group((Group((Text(file, name="lines 1-8"),), name="file"), Text(edit, name="edit")))
    return render(parts, 99, TOKENIZER)


def test_the_part_that_differs_is_counted_by_its_group() -> None:
    misses = CacheMisses()
    assert misses.sent("a.py", prompt("secret", "one")) is None
    assert misses.sent("a.py", prompt("secret", "one")) is None
    assert misses.sent("b.py", prompt("other", "one")) is None
    changed = misses.sent("a.py", prompt("public", "one"))
    assert changed is not None and changed.part == "file"
    grown = misses.sent("a.py", prompt("public", "only"))
    assert grown is not None and (grown.part, grown.fresh) == ("edit", 4)
    ended = misses.sent("a.py", prompt("public", "on"))
    assert ended is not None and ended.part == "edit"
    assert misses.report == CacheReport(
        prompts=4, tokens=9 + 9 + 10 + 8, fresh=9 + 4, parts={"file": Blame(1, 9), "edit": Blame(2, 4)}
    )


def test_names_and_numbers_are_logged_and_no_text(caplog: pytest.LogCaptureFixture) -> None:
    misses = CacheMisses()
    with caplog.at_level(logging.DEBUG, logger="editahead_prompts.composition.cache_miss_tracker"):
        misses.sent("a.py", prompt("secret", "one"))
        misses.sent("a.py", prompt("public", "one"))
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.DEBUG, "prompt: `file` differs; 9 of 9 tokens anew")
    ]


def test_what_any_of_the_last_prompts_had_need_not_be_computed() -> None:
    misses = CacheMisses()
    assert misses.fresh("a.py", prompt("here", "one")) == 7
    for file in ("here", "there"):
        misses.sent("a.py", prompt(file, "one"))
    assert misses.fresh("a.py", prompt("here", "one")) == 0
    assert misses.fresh("a.py", prompt("here", "two")) == 3
    for number in range(MOST_PROMPTS):
        misses.sent("a.py", prompt(str(number), "one"))
    assert misses.fresh("a.py", prompt("here", "one")) == 7


def test_what_two_prompts_have_in_common() -> None:
    one = prompt("file", "one")
    assert common(one, one) is one
    both = common(one, prompt("file", "only"))
    assert both.text == "fileon"
    assert [(piece.name, piece.start, piece.end) for piece in both.pieces] == [
        ("file/lines 1-8", 0, 4),
        ("edit", 4, 6),
    ]
    assert (both.tokens, both.ids, both.fixed) == (4, None, 0), "of pieces that differ, no tokens are known"


def test_documents_are_forgotten() -> None:
    misses = CacheMisses()
    for number in range(MOST_DOCUMENTS + 1):
        misses.sent(number, prompt("file", "one"))
    misses.closed(MOST_DOCUMENTS)
    assert misses.sent(0, prompt("elif", "one")) is None
    assert misses.sent(MOST_DOCUMENTS, prompt("elif", "one")) is None
    assert misses.report == CacheReport(0, 0, 0, {})
