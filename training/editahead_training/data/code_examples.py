"""Plain code as examples: to be continued, and with a hole to be filled."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_prompts.formats.escaping import escape
from editahead_prompts.formats.next_edit.editahead_2611 import END, FILE, MIDDLE, PREFIX, SPECIAL, SUFFIX
from editahead_prompts.text.snapshot import split_lines

from .example import CODE, Example, plain

MAX_HOLE = 8
"""Lines."""


def code_of(
    record: dict[str, Any], rng: random.Random, vocabulary: HfTokenizer, tokens: int
) -> Iterator[Example]:
    """Yield a stretch of the final file from the start of a line, of at most `tokens` tokens."""
    lines = split_lines(escape(record["after"], SPECIAL))
    head = vocabulary.encode(f"{FILE}{escape(record['path'], SPECIAL)}\n")
    begin = rng.randrange(len(lines)) if rng.random() < 0.8 else 0
    ids = vocabulary.encode("".join(lines[begin : begin + tokens // 2]))
    answer = ids[: tokens - len(head)]
    if answer:
        yield plain("code", head, answer, CODE)


def middle_of(
    record: dict[str, Any], rng: random.Random, vocabulary: HfTokenizer, budget: int
) -> Iterator[Example]:
    """Yield some of the file's lines with a hole of some lines or of a part of one, of at most `budget` tokens in all."""
    lines = split_lines(escape(record["after"], SPECIAL))
    if len(lines) < 2:
        return
    first = rng.randrange(len(lines))
    last = min(first + rng.randint(1, MAX_HOLE), len(lines))
    hole = "".join(lines[first:last])
    cut = rng.randint(0, max(len(lines[first]) - 1, 0)) if rng.random() < 0.5 else 0
    before, hole = hole[:cut], hole[cut:]
    if rng.random() < 0.5:  # up to the line's end only
        end = hole.find("\n")
        hole, after = (hole[:end], hole[end:]) if end > 0 else (hole, "")
    else:
        after = ""
    answer = vocabulary.encode(hole + END)
    room = (budget - len(answer) - 32) // 2
    if room < 32:
        return
    above = vocabulary.encode("".join(lines[max(first - 80, 0) : first]) + before)[-room:]
    below = vocabulary.encode(after + "".join(lines[last : last + 80]))[:room]
    path = vocabulary.encode(f"{FILE}{escape(record['path'], SPECIAL)}\n")[: 32 - 3]
    marks = (vocabulary.encode(mark) for mark in (PREFIX, SUFFIX, MIDDLE))
    prefix, suffix, middle = marks
    yield plain("middle", (*path, *prefix, *above, *suffix, *below, *middle), answer)
