"""The cache-miss tracker."""

from __future__ import annotations

import logging

import pytest

from editahead_prompts.composition.cache_miss_tracker import (
    MAX_DOCUMENTS,
    MAX_PROMPTS,
    CacheMissCount,
    CacheMissTracker,
    CacheReport,
)
from editahead_prompts.composition.parts import Group, Text
from editahead_prompts.composition.render import Prompt, render
from editahead_prompts.composition.tokenizers import ByteEstimate

TOKENIZER = ByteEstimate(1)


def prompt(file: str, edit: str) -> Prompt:
    parts = Group((Group((Text(file, name="lines 1-8"),), name="file"), Text(edit, name="edit")))
    return render(parts, 99, TOKENIZER)


def test_the_part_that_differs_is_counted_by_its_group() -> None:
    misses = CacheMissTracker()
    assert misses.record_sent("a.py", prompt("secret", "one")) is None
    assert misses.record_sent("a.py", prompt("secret", "one")) is None
    assert misses.record_sent("b.py", prompt("other", "one")) is None
    changed = misses.record_sent("a.py", prompt("public", "one"))
    assert changed is not None and changed.part == "file"
    grown = misses.record_sent("a.py", prompt("public", "only"))
    assert grown is not None and (grown.part, grown.fresh) == ("edit", 4)
    ended = misses.record_sent("a.py", prompt("public", "on"))
    assert ended is not None and ended.part == "edit"
    assert misses.report == CacheReport(
        prompts=4,
        tokens=9 + 9 + 10 + 8,
        fresh=9 + 4,
        parts={"file": CacheMissCount(1, 9), "edit": CacheMissCount(2, 4)},
    )


def test_names_and_numbers_are_logged_and_no_text(caplog: pytest.LogCaptureFixture) -> None:
    misses = CacheMissTracker()
    with caplog.at_level(logging.DEBUG, logger="editahead_prompts.composition.cache_miss_tracker"):
        misses.record_sent("a.py", prompt("secret", "one"))
        misses.record_sent("a.py", prompt("public", "one"))
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.DEBUG, "prompt: `file` differs; 9 of 9 tokens anew")
    ]


def test_what_any_of_the_last_prompts_had_need_not_be_computed() -> None:
    misses = CacheMissTracker()
    assert misses.uncached_tokens("a.py", prompt("here", "one")) == 7
    for file in ("here", "there"):
        misses.record_sent("a.py", prompt(file, "one"))
    assert misses.uncached_tokens("a.py", prompt("here", "one")) == 0
    assert misses.uncached_tokens("a.py", prompt("here", "two")) == 3
    for number in range(MAX_PROMPTS):
        misses.record_sent("a.py", prompt(str(number), "one"))
    assert misses.uncached_tokens("a.py", prompt("here", "one")) == 7


def test_documents_are_forgotten() -> None:
    misses = CacheMissTracker()
    for number in range(MAX_DOCUMENTS + 1):
        misses.record_sent(number, prompt("file", "one"))
    misses.on_close(MAX_DOCUMENTS)
    assert misses.record_sent(0, prompt("elif", "one")) is None
    assert misses.record_sent(MAX_DOCUMENTS, prompt("elif", "one")) is None
    assert misses.report == CacheReport(0, 0, 0, {})
