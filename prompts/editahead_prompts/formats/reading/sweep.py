"""The reader of the prompts of Sweep's next-edit models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from editahead_prompts.errors import UnreadablePromptError
from editahead_prompts.formats.base import EditableRegion
from editahead_prompts.formats.next_edit.sweep import CURSOR, FILE_SEP, SPECIAL, SWEEP, SWEEP_CURSORTAB
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import Snapshot, line_body

from .base import (
    Excerpt,
    PromptTexts,
    ReadPrompt,
    make_document,
    make_excerpt,
    region_writer,
    unchanged_lines,
    uri_of,
)
from .past_edits import Change, make_change, with_history

_NUMBERED = re.compile(r"(.*):(\d+):(\d+)")
_DIFF = ".diff"
_TOOLS = "context/"
"""The beginning of the names under which clients show what is no file."""
_REST = ".rest"
"""What follows the path of a file's text around the window, where nothing says which line the window follows."""


@dataclass(frozen=True, slots=True)
class _Section:
    """A section of a prompt.

    Attributes:
        path: What follows the token, without line numbers.
        first: The first line that the header names, from 1; 0 without one.
        count: The number of lines that the header names.
        body: The text.
    """

    path: str
    first: int
    count: int
    body: str


def read_sweep(prompt: str) -> ReadPrompt | None:
    """Return what a prompt of Sweep says; None for another prompt.

    Raises:
        UnreadablePromptError: A part of it is missing.
    """
    sections = [_read_section(text) for text in prompt.split(FILE_SEP)[1:]]
    kinds = tuple(section.path.partition("/")[0] for section in sections[-3:])
    if kinds != ("original", "current", "updated"):
        return None
    texts = PromptTexts.of_prompt(prompt, SPECIAL)
    current, updated = sections[-2:]
    path = texts.read(current.path.partition("/")[2])
    shown = current.body.removesuffix("\n")
    # Where text keeps its own line end, the template's makes a blank line, which is none of those that the header counts.
    blank_lines = current.first > 0 and len(shown.split("\n")) > current.count
    if blank_lines:
        shown = shown.removesuffix("\n")
    if CURSOR not in shown:
        raise UnreadablePromptError("the prompt shows no cursor")
    files = [replace(one, body=one.body.removesuffix("\n")) if blank_lines else one for one in sections[:-3]]
    window = make_excerpt(texts, path, ("", f"{shown}\n", ""), CURSOR)
    state, region = _with_files(texts, window, current.first, files)
    changes = [_read_change(texts, one, blank_lines) for one in sections[:-3] if _is_change(one)]
    excerpt = Excerpt(state.document, region, state.cursor)

    def write(lines: tuple[str, ...]) -> str | None:
        text = "".join(f"{line}\n" for line in lines)
        return text[len(updated.body) :] if text.startswith(updated.body) else None

    nothing = "".join(f"{line}\n" for line in unchanged_lines(texts, excerpt))[len(updated.body) :]
    return ReadPrompt(
        (SWEEP if blank_lines else SWEEP_CURSORTAB).name,
        with_history(state, changes),
        region,
        region_writer(texts, excerpt, write),
        nothing,
    )


def _read_section(text: str) -> _Section:
    header, _, body = text.partition("\n")
    numbers = _NUMBERED.fullmatch(header)
    if numbers is None:
        return _Section(header, 0, 0, body)
    first, last = int(numbers[2]), int(numbers[3])
    return _Section(numbers[1], first, last - first + 1, body)


def _is_change(section: _Section) -> bool:
    return section.body.startswith("original:\n") and (section.first > 0 or section.path.endswith(_DIFF))


def _read_change(texts: PromptTexts, section: _Section, blank_lines: bool) -> Change:
    """Return the change of a section with the text before and after it."""
    end = "\n\n" if blank_lines else "\n"
    old, _, new = section.body.removeprefix("original:\n").partition(f"{end}updated:\n")
    if section.body.startswith("original:\nupdated:\n"):
        old, new = "", section.body.removeprefix("original:\nupdated:\n")
    before, after = (texts.read(text).split("\n") for text in (old, new.removesuffix(end)))
    path = texts.read(section.path.removesuffix(_DIFF))
    return make_change(path, [] if before == [""] else before, [] if after == [""] else after)


def _with_files(
    texts: PromptTexts, window: Excerpt, first: int, sections: Sequence[_Section]
) -> tuple[EditorState, EditableRegion]:
    """Return the state with the window in its file, and the window's lines.

    Where the file's text leaves out the window, or does not have it, the document is the window alone, and that text is
    another document: nothing says where the one goes into the other.
    """
    document, region, cursor = window.document, window.region, window.cursor
    others: list[Snapshot] = []
    for section in sections:
        if _is_change(section) or section.path.startswith(_TOOLS) or not section.body.strip():
            continue
        file = make_document(texts.read(section.path), texts.read(section.body))
        at = _window_place(file, window, first) if file.uri == document.uri else None
        if at is not None:
            document, region = file, EditableRegion(at, at + region.end)
            cursor = file.starts[at] + window.cursor
        elif file.uri == document.uri:
            others.append(replace(file, uri=uri_of(texts.read(section.path)) + _REST))
        else:
            others.append(make_document(texts.read(section.path), texts.read(section.body.rstrip("\n"))))
    return EditorState(document, cursor, other_documents=tuple(others)), region


def _window_place(file: Snapshot, window: Excerpt, first: int) -> int | None:
    """Return the line of the file's text at which the window begins; None where it is not there."""
    bodies, wanted = (tuple(map(line_body, lines)) for lines in (file.lines, window.document.lines))
    places = [at for at in range(len(bodies) - len(wanted) + 1) if bodies[at : at + len(wanted)] == wanted]
    return min(places, key=lambda at: abs(at - (first - 1)), default=None)
