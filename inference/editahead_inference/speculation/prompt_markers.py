"""Where in a prompt's tokens the texts stand that its answer repeats, told by the markers of the formats.

For who has the tokens only, such as a proposer of drafts within vLLM. A marker that is no token of the model is as many
tokens as it is cut into at the beginning of a line.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from editahead_prompts.formats.apply import instruct
from editahead_prompts.formats.apply.fastapply import AIXAPPLY, FASTAPPLY, TaggedApplyFormat
from editahead_prompts.formats.next_edit import editahead_2611, mercury, sweep, zeta1, zeta2
from editahead_prompts.text.affixes import common_prefix_length

Encode = Callable[[str], Sequence[int]]


class TokenCodec(Protocol):
    """A model's tokenizer."""

    def encode(self, text: str) -> Sequence[int]:
        """Its token ids, special tokens in it included, and none added."""

    def decode(self, ids: Sequence[int]) -> str:
        """The text of the tokens, special ones included."""


@dataclass(frozen=True, slots=True)
class MarkerLayout:
    """A format's markers, each with what always stands behind it.

    asks: the answer stands behind the last one of these; "" where it begins is not marked. drafts: behind the last one of
    each, but before `asks`, a text stands that the answer repeats, the one to be trusted most first. ends: where such a
    text ends; the other markers do so, too. closes: what an answer ends with. without: the cursor, which no answer repeats.
    """

    answer_marker: str
    source_markers: tuple[str, ...]
    end_markers: tuple[str, ...] = ()
    answer_end: str = ""
    cursor: str = ""


def _tagged(format: TaggedApplyFormat) -> MarkerLayout:
    """Of a model that is made for Apply: the answer stands behind the message's last line, and what a chat puts there."""
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
    ),  # Zeta 2.1: its answer repeats its markers, too
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
"""Of our own formats, for next edits and for Apply, and of others' that rewrite what they are shown."""

_CODEC = f"utf-32-{sys.byteorder[0]}e"

_MAX_FIRST_LINE_TOKENS = 64
"""Tokens of a first line that are looked at, at most."""

_FOLLOWING_TEXTS = ("a", "(", "    a", "\na", "\n    a")
"""What a marker's last tokens may grow together with."""


@dataclass(frozen=True, slots=True)
class PromptSources:
    """sources: what the answer repeats. rest: the prompt without that, of which an answer takes a piece now and then, such
    as what the last edits put in. answer: the position in the prompt behind what asks for the answer; it may hold the
    answer's first tokens already. None where it is not marked."""

    sources: list[list[int]]
    rest: list[int]
    answer_start: int | None


class MarkerFinder:
    """The layouts' markers as a model's tokenizer cuts them."""

    def __init__(self, codec: TokenCodec, layouts: Sequence[MarkerLayout] = LAYOUTS) -> None:
        self._encode = codec.encode
        self._decode = codec.decode
        self._cut = [_TokenizedLayout(codec.encode, layout) for layout in layouts]

    def find(self, prompt: Sequence[int], most: int) -> PromptSources | None:
        """What stands in a prompt; of all sources `most` tokens together: the first ones of each, and the last ones of the
        rest. None for a prompt in none of the formats. Raises ValueError for ids that are no code points, which no
        vocabulary has."""
        text = _text(prompt)
        found = (cut.find(text, most) for cut in self._cut)
        marked = next((marked for marked in found if marked is not None), None)
        for source in marked.sources if marked is not None else ():
            self._split_first_line(source)
        return marked

    def _split_first_line(self, source: list[int]) -> None:
        """A vocabulary's line end may take indentation along, but the one behind what asks for the answer cannot: the first
        line is cut as it is by itself."""
        ends = (n for n, id in enumerate(source[:_MAX_FIRST_LINE_TOKENS]) if n and "\n" in self._decode([id]))
        end = next(ends, min(len(source), _MAX_FIRST_LINE_TOKENS))
        line = self._decode(source[:end])
        if line[:1] == "\n":
            source[:end] = [*self._encode("\n"), *self._encode(line[1:])]


def _text(ids: Sequence[int]) -> str:
    """Each id as a code point, so that markers are found as quickly as words."""
    return array("i", ids).tobytes().decode(_CODEC, "surrogatepass")


class _TokenizedLayout:
    def __init__(self, encode: Encode, layout: MarkerLayout) -> None:
        self._marked = bool(layout.answer_marker)
        self._asks = _marker(encode, layout.answer_marker)
        self._drafts = [_marker(encode, marker) for marker in layout.source_markers]
        others = {*self._drafts, self._asks, *(_marker(encode, marker) for marker in layout.end_markers)}
        self._ends = sorted(others - {""})
        self._closes = list(map(ord, _marker(encode, layout.answer_end)))
        self._without = _marker(encode, layout.cursor)
        self._sound = bool(self._asks or not self._marked) and all(self._drafts)

    def find(self, prompt: str, most: int) -> PromptSources | None:
        if not self._sound:
            return None
        asked = prompt.rfind(self._asks) if self._marked else len(prompt)
        spans = list(self._spans(prompt, asked)) if asked >= 0 else []
        sources = []
        for start, end in spans:
            text = prompt[start:end]
            text = text.replace(self._without, "") if self._without else text
            source = list(map(ord, text[:most]))
            most -= len(source)
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
        rest = rest[max(len(rest) - most, 0) :]
        return PromptSources(sources, list(map(ord, rest)), asked + len(self._asks) if self._marked else None)

    def _spans(self, prompt: str, asked: int) -> Iterator[tuple[int, int]]:
        """Where the drafts stand. No two overlap, as each ends where another begins."""
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


def _marker(encode: Encode, marker: str) -> str:
    """The tokens that a marker has wherever it stands at the beginning of a line, whatever follows; as `_text`."""
    if not marker:
        return ""
    line = _text(encode("\n"))
    cut = [_text(encode(f"\n{marker}{behind}")) for behind in _FOLLOWING_TEXTS]
    start = len(line) if all(text.startswith(line) for text in cut) else 1
    end = common_prefix_length(min(cut), max(cut))  # what the first and the last in order share, all do
    return cut[0][start:end]
