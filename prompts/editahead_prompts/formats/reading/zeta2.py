"""The reader of the prompts of Zeta 2 and Zeta 2.1."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

from editahead_prompts.formats.next_edit import zeta21
from editahead_prompts.formats.next_edit.zeta2 import (
    CURRENT,
    CURSOR,
    END_OF_SENTENCE,
    FILE,
    MIDDLE,
    PREFIX,
    SEPARATOR,
    SPECIAL,
    SUFFIX,
    UPDATED,
    ZETA_2,
)
from editahead_prompts.state import EditorState
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.snapshot import Snapshot

from .base import (
    PromptTexts,
    ReadPrompt,
    between,
    ended,
    line_count,
    make_document,
    make_excerpt,
    region_writer,
    unchanged_lines,
)
from .past_edits import Change, read_diffs, with_history

_MARKER = re.compile(r"<\|marker_\d{1,4}\|>")
_FILE = re.compile(rf"^{re.escape(FILE)}(.*)\n", re.MULTILINE)
_HISTORY, _MORE = "edit_history", "...\n"
_TOOLS = ("diagnostics", "context/")
"""Beginnings of the names under which clients show what is no file."""


def read_zeta2(prompt: str) -> ReadPrompt | None:
    """Return what a prompt of Zeta 2 or Zeta 2.1 says; None for another prompt.

    Raises:
        UnreadablePromptError: A part of it is missing.
    """
    has_markers = _MARKER.search(prompt) is not None
    if not prompt.startswith(SUFFIX) or not (has_markers or f"{CURRENT}\n" in prompt):
        return None
    texts = PromptTexts.of_prompt(prompt, zeta21.SPECIAL if has_markers else SPECIAL)
    _, suffix, rest = between(prompt, SUFFIX, PREFIX)
    shown = rest.rpartition(MIDDLE)[0]
    found = list(_FILE.finditer(shown))
    if not found:
        return None
    ends = (*(one.start() for one in found[1:]), len(shown))
    sections = [(one[1], shown[one.end() : end]) for one, end in zip(found, ends, strict=True)]
    path, current = sections[-1]
    read = _read_blocks if has_markers else _read_region
    prompt_without_history = read(texts, texts.read(path), current, "" if suffix == "\n" else suffix)
    return _with_other_files(prompt_without_history, texts, sections[:-1])


def _with_other_files(
    prompt: ReadPrompt, texts: PromptTexts, sections: Sequence[tuple[str, str]]
) -> ReadPrompt:
    """Return the prompt with the edits and the other files of its first sections."""
    changes: list[Change] = []
    others: list[Snapshot] = []
    for name, text in sections:
        if name == _HISTORY:
            changes += read_diffs(texts.read(text))
        elif not name.startswith(_TOOLS):
            shown = text.removesuffix("\n") if text.endswith("\n\n") else text
            others.append(make_document(texts.read(name), texts.read(shown.removesuffix(_MORE))))
    state = EditorState(prompt.state.document, prompt.state.cursor, other_documents=tuple(others))
    return ReadPrompt(
        prompt.format, with_history(state, changes), prompt.region, prompt.write, prompt.nothing
    )


def _read_region(texts: PromptTexts, path: str, current: str, below: str) -> ReadPrompt:
    """Return what the section of a region between the signs of a conflict says."""
    above, region, _ = between(current, f"{CURRENT}\n", f"{SEPARATOR}\n")
    excerpt = make_excerpt(texts, path, (above, region, below), CURSOR)

    def write(lines: tuple[str, ...]) -> str:
        return "".join(f"{line}\n" for line in lines) + f"{UPDATED}\n"

    nothing = write(unchanged_lines(texts, excerpt))
    state = EditorState(excerpt.document, excerpt.cursor)
    return ReadPrompt(ZETA_2.name, state, excerpt.region, region_writer(texts, excerpt, write), nothing)


def _read_blocks(texts: PromptTexts, path: str, current: str, below: str) -> ReadPrompt:
    """Return what the section of a region in numbered blocks says."""
    markers = list(_MARKER.finditer(current))
    blocks = [current[one.end() : two.start()] for one, two in pairwise(markers)]
    # A block begins with text, except the first: a marker with a line end behind it has a line of its own.
    end = "\n" if len(blocks) > 1 and all(block.startswith("\n") for block in blocks) else ""
    blocks = [block.removeprefix(end) for block in blocks]
    excerpt = make_excerpt(
        texts, path, (current[: markers[0].start()], ended("".join(blocks)), below), CURSOR
    )
    plain = [block.replace(CURSOR, "") for block in blocks]
    old = unchanged_lines(texts, excerpt)
    marks = [0, *accumulate(line_count(ended(block)) for block in plain)]

    def write(new: tuple[str, ...]) -> str:
        head, tail = common_affixes(old, new)
        first = max(n for n, mark in enumerate(marks[:-1]) if mark <= head)
        last = min(n for n, mark in enumerate(marks) if mark >= len(old) - tail and n > first)
        lines = new[marks[first] : len(new) - (len(old) - marks[last])]
        text = "".join(f"{line}\n" for line in lines)
        if last == len(marks) - 1 and not plain[-1].endswith("\n"):
            text = text.removesuffix("\n")
        return f"<|marker_{first + 1}|>{end}{text}<|marker_{last + 1}|>{END_OF_SENTENCE}"

    state = EditorState(excerpt.document, excerpt.cursor)
    nothing = f"<|marker_1|><|marker_1|>{END_OF_SENTENCE}"
    return ReadPrompt(
        zeta21.ZETA_2_1.name, state, excerpt.region, region_writer(texts, excerpt, write), nothing
    )
