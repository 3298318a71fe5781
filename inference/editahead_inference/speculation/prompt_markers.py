"""The texts in the tokens of a prompt that the answer repeats, found by the markers of the formats.

This serves callers that only have tokens, such as a proposer of drafts in vLLM. A marker that is not one token of the
model is the tokens that the marker has at the beginning of a line.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from editahead_prompts.formats.apply import instruct
from editahead_prompts.formats.apply.fastapply import AIXAPPLY, FASTAPPLY, TaggedApplyFormat
from editahead_prompts.formats.next_edit import (
    editahead_2611,
    editahead_coder_2611,
    mercury,
    sweep,
    zeta1,
    zeta2,
)
from editahead_prompts.formats.next_edit.hunk_answer import repeated_lines
from editahead_prompts.text.affixes import common_prefix_length

Encode = Callable[[str], Sequence[int]]


class TokenCodec(Protocol):
    """The tokenizer of a model."""

    def encode(self, text: str) -> Sequence[int]:
        """Return the token ids of a text, special tokens in the text included, and none added."""

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of tokens, special tokens included."""


@dataclass(frozen=True, slots=True)
class MarkerLayout:
    """The markers of a format, each with the text that always follows.

    Attributes:
        answer_marker: The answer follows the last of these; "" = no marker.
        source_markers: A text that the answer repeats follows the last of each, before `answer_marker`; the most trusted
            first.
        end_markers: Markers that end such a text, besides all others.
        answer_end: The end of an answer.
        cursor: The cursor, which no answer repeats.
    """

    answer_marker: str
    source_markers: tuple[str, ...]
    end_markers: tuple[str, ...] = ()
    answer_end: str = ""
    cursor: str = ""


def _tagged(format: TaggedApplyFormat) -> MarkerLayout:
    """Return the layout of a model made for Apply. The answer follows the last line of the message and the template."""
    file, sketch = format.file, format.sketch
    ends = (f"</{file}>", f"</{sketch}>")
    return MarkerLayout(format.closing, (f"<{file}>", f"<{sketch}>"), ends, f"</{format.answer}>")


LAYOUTS = (
    MarkerLayout(
        f"{editahead_2611.NEXT}\n",
        (f"{editahead_2611.GUESS}\n", f"{editahead_2611.REGION}\n", f"{editahead_2611.SKETCH}\n"),
        (
            editahead_2611.REGION_END,
            editahead_2611.FILE,
            editahead_2611.HIST,
            editahead_2611.DIAGNOSTICS,
            editahead_2611.RULE,
        ),
        editahead_2611.REGION_END,
        editahead_2611.CURSOR,
    ),
    MarkerLayout(
        "### Response:\n",
        (f"{zeta1.REGION_START}\n",),
        (zeta1.REGION_END,),
        zeta1.REGION_END,
        zeta1.CURSOR,
    ),
    MarkerLayout(
        zeta2.MIDDLE, (f"{zeta2.CURRENT}\n",), (f"{zeta2.SEPARATOR}\n",), zeta2.UPDATED, zeta2.CURSOR
    ),
    MarkerLayout(
        zeta2.MIDDLE, ("<|marker_1|>",), cursor=zeta2.CURSOR
    ),  # Zeta 2.1, whose answers repeat the markers, too.
    MarkerLayout(
        f"{sweep.FILE_SEP}updated/",
        (f"{sweep.FILE_SEP}current/", f"{sweep.FILE_SEP}original/"),
        (sweep.FILE_SEP,),
        cursor=sweep.CURSOR,
    ),
    *map(_tagged, (FASTAPPLY, AIXAPPLY)),
    MarkerLayout(
        "",
        (f"{instruct.ATTEMPT}\n", f"{instruct.REGION}\n", f"{instruct.SKETCH}\n"),
        tuple(f"{end}\n" for end in instruct.ENDS),
        cursor=mercury.CURSOR,
    ),
)
"""The formats of Editahead, for next edits and for Apply, and formats of others that rewrite what they show."""

_CODEC = f"utf-32-{sys.byteorder[0]}e"

_MAX_FIRST_LINE_TOKENS = 64
"""Tokens searched for the end of a first line."""

_TEXTS_OF_A_LINE = 8
"""The tokens of a line in all texts of `repeated_lines`, for each token that the prompt has of it."""

_FOLLOWING_TEXTS = ("a", "(", "    a", "\na", "\n    a")
"""Texts that the last tokens of a marker may merge with."""


@dataclass(frozen=True, slots=True)
class PromptSources:
    """The sources of drafts in one prompt.

    Attributes:
        sources: The texts that the answer repeats.
        rest: The rest of the prompt, which an answer sometimes quotes, such as text from the last edits.
        answer_start: The position in the prompt after `answer_marker`, from which the first tokens of the answer may be
            in the prompt already. None if there is no marker.
        quoted: Texts of which the answer repeats pieces, and none is known to come first.
    """

    sources: list[list[int]]
    rest: list[int]
    answer_start: int | None
    quoted: list[list[int]] = field(default_factory=list)


class MarkerFinder:
    """The markers of all layouts as the tokenizer of a model splits them."""

    def __init__(self, codec: TokenCodec, layouts: Sequence[MarkerLayout] = LAYOUTS) -> None:
        self._encode = codec.encode
        self._decode = codec.decode
        self._layouts: list[_TokenizedLayout | _TwoQuestionsLayout] = [
            *(_TokenizedLayout(codec.encode, layout) for layout in layouts),
            _TwoQuestionsLayout(codec),
        ]

    def find(self, prompt: Sequence[int], max_tokens: int) -> PromptSources | None:
        """Return the sources in a prompt, or None for a prompt in none of the formats.

        Args:
            prompt: The token ids.
            max_tokens: Tokens of all sources together: the first ones of each, and the last ones of the rest.

        Raises:
            ValueError: An id is not a code point, as no vocabulary has.
        """
        text = _text(prompt)
        found = (layout.find(text, max_tokens) for layout in self._layouts)
        marked = next((marked for marked in found if marked is not None), None)
        for source in marked.sources if marked is not None else ():
            self._split_first_line(source)
        return marked

    def _split_first_line(self, source: list[int]) -> None:
        """Tokenize the first line of a source by itself.

        A token of a line end may include indentation, but not the one after `answer_marker`.
        """
        ends = (n for n, id in enumerate(source[:_MAX_FIRST_LINE_TOKENS]) if n and "\n" in self._decode([id]))
        end = next(ends, min(len(source), _MAX_FIRST_LINE_TOKENS))
        line = self._decode(source[:end])
        if line[:1] == "\n":
            source[:end] = [*self._encode("\n"), *self._encode(line[1:])]


def _ids(text: str) -> list[int]:
    """Return the ids of a text by `_text`."""
    return list(map(ord, text))


def _text(ids: Sequence[int]) -> str:
    """Return the ids as code points of a text, which makes the search for markers as quick as one for words."""
    return array("i", ids).tobytes().decode(_CODEC, "surrogatepass")


class _TokenizedLayout:
    """A layout as the tokenizer of a model splits it."""

    def __init__(self, encode: Encode, layout: MarkerLayout) -> None:
        self._marked = bool(layout.answer_marker)
        self._asks = _marker(encode, layout.answer_marker)
        self._drafts = [_marker(encode, marker) for marker in layout.source_markers]
        others = {*self._drafts, self._asks, *(_marker(encode, marker) for marker in layout.end_markers)}
        self._ends = sorted(others - {""})
        self._closes = _ids(_marker(encode, layout.answer_end))
        self._without = _marker(encode, layout.cursor)
        self._sound = bool(self._asks or not self._marked) and all(self._drafts)

    def find(self, prompt: str, max_tokens: int) -> PromptSources | None:
        if not self._sound:
            return None
        asked = prompt.rfind(self._asks) if self._marked else len(prompt)
        spans = list(self._spans(prompt, asked)) if asked >= 0 else []
        sources = []
        for start, end in spans:
            text = prompt[start:end]
            text = text.replace(self._without, "") if self._without else text
            source = _ids(text[:max_tokens])
            max_tokens -= len(source)
            if source:
                sources.append([*source, *self._closes])
        if not sources:
            return None
        gaps = zip(
            [0, *(end for _, end in sorted(spans))],
            [*(start for start, _ in sorted(spans)), asked],
            strict=True,
        )
        rest = "".join(prompt[start:end] for start, end in gaps)
        rest = rest[max(len(rest) - max_tokens, 0) :]
        return PromptSources(sources, _ids(rest), asked + len(self._asks) if self._marked else None)

    def _spans(self, prompt: str, asked: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges of the sources. No two overlap, as each ends where another begins."""
        for marker in self._drafts:
            start = prompt.rfind(marker, 0, asked)
            if start < 0:
                continue
            start += len(marker)
            end = asked
            for other in self._ends:
                place = prompt.find(other, start, end)
                end = place if place >= 0 else end
            yield start, end


class _TwoQuestionsLayout:
    """The layout of `editahead-coder` as the tokenizer of a model splits it.

    An answer goes on with the text before the cursor, and repeats pieces of what the prompt shows; or it is a hunk, which
    repeats the lines around the cursor behind a sign.
    """

    def __init__(self, codec: TokenCodec) -> None:
        self._codec = codec
        self._suffix, self._prefix, self._open, self._next = (
            _marker(codec.encode, getattr(editahead_coder_2611, name))
            for name in ("SUFFIX", "PREFIX", "OPEN", "NEXT")
        )
        self._sound = all((self._suffix, self._prefix, self._open, self._next))

    def find(self, prompt: str, max_tokens: int) -> PromptSources | None:
        """Return the sources in a prompt; see `MarkerFinder.find`."""
        if not self._sound:
            return None
        head, _, shown = prompt.partition(self._suffix)
        behind, has_prefix, before = shown.partition(self._prefix)
        if not has_prefix:
            return None
        limit = max_tokens // _TEXTS_OF_A_LINE
        start = len(prompt) - len(before)
        if self._next not in before:
            return PromptSources([], [], start, [_ids(behind[:limit]), _ids(head[-limit:])])
        before, _, answer = before.rpartition(self._next)
        before, _, edit = before.partition(self._open)
        texts = self._repeated(before[-limit:], behind[:limit])
        return PromptSources([], [], len(prompt) - len(answer), [*texts, _ids((head + edit)[-limit:])])

    def _repeated(self, before: str, behind: str) -> list[list[int]]:
        above, below = (self._codec.decode(_ids(text)) for text in (before, behind))
        texts = repeated_lines(f"{above}{below}".split("\n"), above.count("\n"))
        return [list(self._codec.encode(text)) for text in texts]


def _marker(encode: Encode, marker: str) -> str:
    """Return the tokens that a marker has at the beginning of a line, for any text that follows, as a text by `_text`."""
    if not marker:
        return ""
    line = _text(encode("\n"))
    cut = [_text(encode(f"\n{marker}{behind}")) for behind in _FOLLOWING_TEXTS]
    start = len(line) if all(text.startswith(line) for text in cut) else 1
    end = common_prefix_length(
        min(cut), max(cut)
    )  # All texts share what the first and the last in order share.
    return cut[0][start:end]
