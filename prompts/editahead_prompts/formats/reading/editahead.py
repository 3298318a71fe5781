"""The readers of the prompts of our own formats."""

from __future__ import annotations

import re
from collections.abc import Sequence

from editahead_prompts.formats.base import EditableRegion
from editahead_prompts.formats.next_edit import editahead_2611 as own
from editahead_prompts.formats.next_edit import editahead_coder_2611 as coder
from editahead_prompts.formats.next_edit.hunk_answer import write_hunk
from editahead_prompts.state import Diagnostic, EditorState
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot, line_body

from .base import PromptTexts, ReadPrompt, make_document, make_excerpt, region_writer
from .fim import read_halves
from .past_edits import Change, make_change, with_history

_OWN_TOKENS = (own.FILE, own.HIST, own.REGION, own.REGION_END, own.DIAGNOSTICS, own.RULE, own.NEXT)
_OWN_PARTS = re.compile("|".join(map(re.escape, _OWN_TOKENS)))
_DIAGNOSTIC = re.compile(r"(\d+): (.*)\n")
_CODER = re.compile(
    re.escape(coder.FILE)
    + r"(?P<path>[^\n]*)\n(?P<edits>.*?)"
    + re.escape(coder.SUFFIX)
    + "(?P<behind>.*?)"
    + re.escape(coder.PREFIX)
    + "(?P<before>.*?)"
    + f"(?:{re.escape(coder.OPEN)}(?P<open>.*?))?(?P<next>{re.escape(coder.NEXT)})?",
    re.DOTALL,
)


def read_editahead(prompt: str) -> ReadPrompt | None:
    """Return what a prompt of our own format says; None for another prompt.

    Raises:
        UnreadablePromptError: It shows no cursor.
    """
    if own.REGION not in prompt or not prompt.endswith(f"{own.NEXT}\n"):
        return None
    texts = PromptTexts.of_prompt(prompt, own.SPECIAL)
    tokens = list(_OWN_PARTS.finditer(prompt))
    ends = (*(token.start() for token in tokens[1:]), len(prompt))
    parts = [(token[0], prompt[token.end() : end]) for token, end in zip(tokens, ends, strict=True)]
    files = [body.partition("\n") for token, body in parts if token == own.FILE]
    path = texts.read(files[-1][0]) if files else ""
    region = next(body for token, body in parts if token == own.REGION).removeprefix("\n")
    excerpt = make_excerpt(texts, path, ("", region, ""), own.CURSOR)
    others = tuple(make_document(texts.read(name), texts.read(text)) for name, _, text in files[:-1])
    changes = [_listed(texts, body, path) for token, body in parts if token == own.HIST]
    found = (_DIAGNOSTIC.fullmatch(texts.read(body)) for token, body in parts if token == own.DIAGNOSTICS)
    diagnostics = tuple(_diagnostic(excerpt.document, int(one[1]), one[2]) for one in found if one)

    def write(lines: tuple[str, ...]) -> str:
        return "".join(f"{line}\n" for line in lines) + own.REGION_END

    state = EditorState(excerpt.document, excerpt.cursor, (), others, diagnostics=diagnostics)
    writer = region_writer(texts, excerpt, write)
    return ReadPrompt(
        own.EDITAHEAD.name, with_history(state, changes), excerpt.region, writer, own.SILENT + own.REGION_END
    )


def _diagnostic(document: Snapshot, line: int, message: str) -> Diagnostic:
    start = document.starts[min(line, len(document.lines)) - 1]
    return Diagnostic(start, start + len(line_body(document.lines[document.line_at(start)])), message)


def read_editahead_coder(prompt: str) -> ReadPrompt | None:
    """Return what a prompt of the format of two questions says; None for another prompt."""
    found = _CODER.fullmatch(prompt)
    if found is None:
        return None
    texts = PromptTexts.of_prompt(prompt, coder.SPECIAL)
    path, before, behind = (texts.read(found[name]) for name in ("path", "before", "behind"))
    halves = read_halves(before, behind, path, (), coder.EDITAHEAD_CODER.name, texts)
    state = halves.state
    changes = [_listed(texts, body, path) for body in found["edits"].split(coder.EDIT)[1:]]
    if found["open"]:
        changes.append(_listed(texts, "\n" + found["open"], path))
    if found["next"] is None:
        read = with_history(EditorState(state.document, state.cursor), changes)
        history = read.history if read.history and read.history[-1].open else (*read.history, *state.history)
        continued = EditorState(state.document, state.cursor, history, read.other_documents)
        return ReadPrompt(halves.format, continued, halves.region, halves.write, "")
    document = state.document
    region = EditableRegion(0, len(document.lines) - (document.lines[-1] == ""))
    shown = region.bodies(document)

    def write(edit: Edit) -> str | None:
        new = region.bodies_after(document, edit)
        return None if new is None else write_hunk(shown, new, coder.SPECIAL)

    read = with_history(EditorState(document, state.cursor), changes)
    return ReadPrompt(halves.format, read, region, write, "")


def _listed(texts: PromptTexts, body: str, path: str) -> Change:
    """Return the change of a list of lines that were taken away and added.

    Args:
        texts: The texts of the prompt.
        body: The path, if it is another file's, and the lines.
        path: The path of the document.
    """
    name, _, lines = body.partition("\n")
    return make_change(texts.read(name) or path, _signed(texts, lines, "-"), _signed(texts, lines, "+"))


def _signed(texts: PromptTexts, lines: str, sign: str) -> Sequence[str]:
    return [texts.read(line[1:]) for line in lines.split("\n") if line.startswith(sign)]
