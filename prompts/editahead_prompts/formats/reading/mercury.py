"""The reader of the prompts of Mercury's tag family, the instruct format included."""

from __future__ import annotations

import re
from collections.abc import Iterator

from editahead_prompts.formats.next_edit.mercury import CURSOR, FENCE, INSTRUCT, MERCURY, SPECIAL
from editahead_prompts.state import Diagnostic, EditorState
from editahead_prompts.text.snapshot import Snapshot, line_body

from .base import PromptTexts, ReadPrompt, between, make_document, make_excerpt, region_writer
from .past_edits import read_diffs, with_history

_FILE = ("<|current_file_content|>\n", "<|/current_file_content|>")
_REGION = ("<|code_to_edit|>\n", "<|/code_to_edit|>")
_EDITS = ("<|edit_diff_history|>\n", "<|/edit_diff_history|>")
_PATH = re.compile(r"current_file_path: (.*)\n")
_SNIPPET = (
    "<|recently_viewed_code_snippet|>\ncode_snippet_file_path: ",
    "<|/recently_viewed_code_snippet|>",
)
_DIAGNOSTICS = re.compile(r"<\|diagnostics\|>\n(.*?)<\|/diagnostics\|>", re.DOTALL)


def read_mercury(prompt: str) -> ReadPrompt | None:
    """Return what a message of the tag family says; None for another prompt.

    Raises:
        UnreadablePromptError: A part of it is missing.
    """
    if _FILE[0] not in prompt or _REGION[0] not in prompt:
        return None
    texts = PromptTexts.of_prompt(prompt, SPECIAL)
    before, file, behind = between(prompt, *_FILE)
    named = _PATH.match(file)
    path = texts.read(named[1]) if named is not None else ""
    above, region, below = between(file[named.end() :] if named is not None else file, *_REGION)
    excerpt = make_excerpt(texts, path, (above, region, below.removeprefix("\n")), CURSOR)
    edits = between(behind, *_EDITS)[1] if _EDITS[0] in behind else ""
    others = tuple(_snippets(texts, before))
    diagnostics = tuple(_diagnostics(texts, excerpt.document, behind))
    state = EditorState(excerpt.document, excerpt.cursor, (), others, diagnostics=diagnostics)

    def write(lines: tuple[str, ...]) -> str:
        return f"{FENCE}\n" + "".join(f"{line}\n" for line in lines) + FENCE

    return ReadPrompt(
        (INSTRUCT if diagnostics else MERCURY).name,
        with_history(state, list(read_diffs(texts.read(edits)))),
        excerpt.region,
        region_writer(texts, excerpt, write),
        "None",
    )


def _snippets(texts: PromptTexts, text: str) -> Iterator[Snapshot]:
    """Yield the other documents."""
    for section in text.split(_SNIPPET[0])[1:]:
        path, _, rest = section.partition("\n")
        shown, ended, _ = rest.partition(_SNIPPET[1])
        if ended:
            yield make_document(texts.read(path), texts.read(shown))


def _diagnostics(texts: PromptTexts, document: Snapshot, text: str) -> Iterator[Diagnostic]:
    """Yield diagnostics, which the prompt gives with the text of their line."""
    found = _DIAGNOSTICS.search(text)
    shown = texts.read(found[1]).split("\n") if found is not None else []
    bodies = [line_body(line).strip() for line in document.lines]
    for line, message in zip(shown[::2], shown[1::2], strict=False):
        if line in bodies:
            start = document.starts[bodies.index(line)]
            yield Diagnostic(start, start + len(line_body(document.lines[bodies.index(line)])), message[2:])
