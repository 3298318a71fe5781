"""What all readers of prompts share: the value that they return, unescaped text, and answers that rewrite a region."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from editahead_prompts.errors import UnreadablePromptError
from editahead_prompts.formats.base import EditableRegion
from editahead_prompts.formats.escaping import JOINER, escape, leaked, unescape
from editahead_prompts.state import EditorState
from editahead_prompts.syntax.languages import language_of
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot, split_lines

ROOT = "file:///"
"""The folder of all documents that prompts name."""

_ODD_JOINERS = re.compile(f"(?<!{JOINER}){JOINER}(?:{JOINER}{JOINER})*(?!{JOINER})")


@dataclass(frozen=True, slots=True)
class ReadPrompt:
    """A prompt that was read.

    Attributes:
        format: The name of its format.
        state: What it shows of the state: of the document, the excerpt that it holds.
        region: The lines of the excerpt that an answer may change.
        write: Returns the answer that makes an edit; None where the format cannot say it.
        nothing: The answer that changes nothing.
    """

    format: str
    state: EditorState
    region: EditableRegion
    write: Callable[[Edit], str | None]
    nothing: str


@dataclass(frozen=True, slots=True)
class PromptTexts:
    """Texts of files in one prompt. Our own writers escape them; others send them as they are.

    Attributes:
        special: The special tokens of the format.
        escaped: Whether the prompt is escaped.
    """

    special: tuple[str, ...]
    escaped: bool

    @classmethod
    def of_prompt(cls, prompt: str, special: tuple[str, ...]) -> PromptTexts:
        """Return the texts of a prompt, which is escaped where each single joiner splits a special token."""
        singles = [found.start() for found in _ODD_JOINERS.finditer(prompt)]
        splits = (_splits_token(prompt, at, special) for at in singles)
        return cls(special, JOINER in prompt and all(splits))

    def read(self, text: str) -> str:
        """Return a text as it is in its file."""
        return unescape(text) if self.escaped else text

    def write(self, text: str) -> str | None:
        """Return a text as it is in an answer; None where a client would take it for a special token."""
        if self.escaped:
            return escape(text, self.special)
        return None if leaked(text, self.special) else text


def _splits_token(prompt: str, at: int, special: tuple[str, ...]) -> bool:
    """Return whether the joiner at an offset is behind the first character of a special token."""
    rest = prompt[at - 1 : at] + prompt[at + 1 : at + 1 + max(map(len, special))]
    return any(rest.replace(JOINER, "").startswith(token) for token in special)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The document as a prompt shows it.

    Attributes:
        document: The lines that the prompt shows.
        region: The lines that an answer rewrites.
        cursor: The offset of the cursor.
    """

    document: Snapshot
    region: EditableRegion
    cursor: int


def uri_of(path: str) -> str:
    """Return the URI of a path in a prompt."""
    return ROOT + quote(path.replace("\\", "/").lstrip("/"), errors="surrogatepass")


def make_document(path: str, text: str) -> Snapshot:
    """Return a document of whole lines. A last line end is the prompt's own."""
    return Snapshot.from_text(text.removesuffix("\n"), uri=uri_of(path), language=language_of(path))


def ended(text: str) -> str:
    """Return a text with a line end, unless it is empty."""
    return text if not text or text.endswith("\n") else text + "\n"


def line_count(text: str) -> int:
    """Return the number of lines of a text that is empty or ends in a line end."""
    return len(split_lines(text)) - 1


def make_excerpt(texts: PromptTexts, path: str, parts: Sequence[str], mark: str) -> Excerpt:
    """Return the excerpt of the text above the region, the region with its cursor, and the text below.

    Raises:
        UnreadablePromptError: There is no cursor.
    """
    above, shown, below = parts
    before, found, behind = shown.partition(mark)
    if not found:
        raise UnreadablePromptError("the prompt shows no cursor")
    above, before, behind, below = map(texts.read, (ended(above), before, ended(behind) or "\n", below))
    first = line_count(above)
    region = EditableRegion(first, first + line_count(before + behind))
    document = make_document(path, above + before + behind + ended(below))
    return Excerpt(document, region, len(above) + len(before))


def region_writer(
    texts: PromptTexts, excerpt: Excerpt, write: Callable[[tuple[str, ...]], str | None]
) -> Callable[[Edit], str | None]:
    """Return the writer of answers for a format whose answers are made of the region's new lines, escaped."""

    def write_edit(edit: Edit) -> str | None:
        new = excerpt.region.bodies_after(excerpt.document, edit)
        if new is None:
            return None
        lines = [texts.write(line) for line in new]
        whole = tuple(line for line in lines if line is not None)
        return write(whole) if len(whole) == len(lines) else None

    return write_edit


def unchanged_lines(texts: PromptTexts, excerpt: Excerpt) -> tuple[str, ...]:
    """Return the region's lines as an answer writes them that changes nothing."""
    return tuple(texts.write(line) or line for line in excerpt.region.bodies(excerpt.document))


def between(text: str, start: str, end: str) -> tuple[str, str, str]:
    """Return the text before the first `start`, from there to the last `end`, and behind.

    Raises:
        UnreadablePromptError: One of them is missing.
    """
    before, found, rest = text.partition(start)
    inner, closed, behind = rest.rpartition(end)
    if not found or not closed:
        raise UnreadablePromptError(f"the prompt lacks {(start if not found else end).strip()!r}")
    return before, inner, behind
