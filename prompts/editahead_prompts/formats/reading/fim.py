"""The reader of prompts that ask for the text at the cursor, and of a text before and behind it without a prompt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from editahead_prompts.formats.base import EditableRegion
from editahead_prompts.formats.next_edit.continuation import types_line_end
from editahead_prompts.formats.next_edit.fim import (
    CODESTRAL,
    DEEPSEEK,
    MELLUM,
    QWEN,
    SEED_CODER,
    STARCODER,
    FimFormat,
)
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.syntax.languages import language_of_word
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot, line_body

from .base import PromptTexts, ReadPrompt, make_document

CODE_LLAMA = FimFormat("fim-codellama", "<PRE> ", " <SUF>", " <MID>", ("<EOT>",))
GLM = FimFormat("fim-glm", "<|code_prefix|>", "<|code_suffix|>", "<|code_middle|>", ("<|endoftext|>",))
"""Formats that others send, and in which we ask no model."""
FIM = "fim"
"""How the names of these formats begin, and the name of none in particular."""
_FORMATS = (QWEN, DEEPSEEK, STARCODER, MELLUM, SEED_CODER, CODESTRAL, CODE_LLAMA, GLM)
_LANGUAGE = re.compile(r"\W{1,4} language: (\w+)\n")
_LAST_WORD = re.compile(r"\S+$")


def read_fim(prompt: str) -> ReadPrompt | None:
    """Return what a prompt for the text at the cursor says; None for another prompt."""
    for format in _FORMATS:
        halves = _split(prompt, format)
        if halves is None:
            continue
        texts = PromptTexts.of_prompt(prompt, format.special_tokens)
        files, before, behind = halves
        path = ""
        others: list[Snapshot] = []
        if format.file and format.file in files:
            *sections, last = files.split(format.file)[1:]
            path = last.removesuffix("\n")
            if format.path_last:
                path, _, before = before.partition("\n")
            others = [_other_file(texts, section) for section in sections]
        return read_halves(
            texts.read(before), texts.read(behind), texts.read(path), others, format.name, texts
        )
    return None


def _split(prompt: str, format: FimFormat) -> tuple[str, str, str] | None:
    """Return the text above the halves, and those before and behind the cursor; None for another format."""
    if not prompt.endswith(format.middle):
        return None
    text = prompt.removesuffix(format.middle)
    first, second = (format.suffix, format.prefix) if format.suffix_first else (format.prefix, format.suffix)
    files, found, rest = text.partition(first)
    one, split, two = rest.rpartition(second)
    if not found or not split:
        return None
    return (files, two, one) if format.suffix_first else (files, one, two)


def _other_file(texts: PromptTexts, section: str) -> Snapshot:
    path, _, text = section.partition("\n")
    return make_document(texts.read(path), texts.read(text))


def read_halves(
    before: str,
    behind: str,
    path: str = "",
    others: Sequence[Snapshot] = (),
    format: str = FIM,
    texts: PromptTexts = PromptTexts((), False),  # noqa: B008  # frozen
) -> ReadPrompt:
    """Return what the text before and behind the cursor says. The last edit is the growing one of the cursor's line."""
    document = replace(make_document(path, ""), lines=Snapshot.from_text(before + behind).lines)
    language = _LANGUAGE.match(before)
    if language is not None and not path:
        document = replace(document, language=language_of_word(language[1]) or document.language)
    cursor = len(before)
    state = EditorState(document, cursor, other_documents=tuple(others))
    state = replace(state, history=_typed_line(state))

    def write(edit: Edit) -> str | None:
        after, grown = edit.apply(document.text), edit.growth
        if grown <= 0 or after[:cursor] + after[cursor + grown :] != document.text:
            return None
        return texts.write(after[cursor : cursor + grown])

    line = document.line_at(cursor)
    return ReadPrompt(format, state, EditableRegion(line, line + 1), write, "")


def _typed_line(state: EditorState) -> tuple[PastEdit, ...]:
    """Return the edit that a request for the text at the cursor implies: the line was typed, or its last word."""
    document = state.document
    line = document.line_at(state.cursor)
    text = document.lines[line]
    whole = PastEdit(document.uri, line, (), (text,), open=True)
    if types_line_end(replace(state, history=(whole,))):
        return (whole,)
    column = state.cursor - document.starts[line]
    head = _LAST_WORD.sub("", line_body(text)[:column])
    old = head + text[column:]
    return () if old == text else (replace(whole, old=(old,)),)
