"""The search for the repeated text in a prompt's tokens: found in every format with markers, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.speculation.prompt_markers import MarkerFinder, PromptSources
from editahead_prompts.composition.hf_tokenizer import HfTokenizer, bundled_tokenizer
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.apply.base import ApplyInput
from editahead_prompts.formats.apply.editahead_2611 import EDITAHEAD_APPLY
from editahead_prompts.formats.next_edit.editahead_2611 import CURSOR, GUESS, NEXT, REGION, REGION_END, SKETCH
from editahead_prompts.formats.registry import APPLY_FORMATS, FORMATS
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import Snapshot

MAX_TOKENS = 10_000
TEXT = "".join(f"def function_{number}(first, second):\n    return {number}\n" for number in range(40))
STATE = EditorState(Snapshot.from_text(TEXT, uri="file:///a.py"), TEXT.index("return 20"))
OTHERS = ("codestral", "starcoder", "editahead-coder")  # they say what is missing, or one hunk
REWRITING = [name for name in FORMATS if "fim" not in name and name not in OTHERS]


class Words:
    """A tokenizer that knows no special token: words with the space before them, signs in runs with the line ends behind."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def encode(self, text: str) -> Sequence[int]:
        pieces = re.findall(r" ?\w+|[^\S\n]+(?= )| ?[^\w\s]+\n*|\s", text)
        return [self.known.setdefault(piece, len(self.known) + 0xD000) for piece in pieces]

    def decode(self, ids: Sequence[int]) -> str:
        return "".join(list(self.known)[id - 0xD000] for id in ids)


CODECS: dict[str, Words | HfTokenizer] = {"ours": bundled_tokenizer(), "without special tokens": Words()}


def found(text: str, codec: Words | HfTokenizer = CODECS["ours"]) -> PromptSources | None:
    return MarkerFinder(codec).find(codec.encode(text), MAX_TOKENS)


def texts(marked: PromptSources) -> list[str]:
    return [bundled_tokenizer().decode(source) for source in marked.sources]


@pytest.mark.parametrize("name", REWRITING)
@pytest.mark.parametrize("codec", CODECS)
def test_the_region_is_found_in_prompts_of_the_format(name: str, codec: str) -> None:
    encoder, format = CODECS[codec], FORMATS[name]
    request = format.build(STATE, ESTIMATE)
    marked = found(request.prompt.text, encoder)
    assert marked is not None
    region = "".join(TEXT.splitlines(keepends=True)[request.region.first : request.region.end])
    above, _, below = re.sub(r".*return 20", "<>", region).partition("<>")
    source = re.sub(r"<\|marker_\d\|>|[A-P]<jupyter_code>", "", encoder.decode(marked.sources[0]))
    assert above in source and below in source
    assert source.count("return") == region.count("return"), "no more than the region"


def test_nothing_is_found_in_prompts_that_ask_for_what_is_missing() -> None:
    for name in set(FORMATS) - {*REWRITING, "editahead-coder"}:
        for encoder in CODECS.values():
            assert found(FORMATS[name].build(STATE, ESTIMATE).prompt.text, encoder) is None
    for text in ("", "Who wrote this?\n\n### Response:\n", TEXT, f"What is {REGION}?\n"):
        assert found(text) is None


def test_guess_region_and_sketch_are_found_in_this_order() -> None:
    original = Snapshot.from_text(TEXT, uri="file:///a.py")
    sketch = "def function_20(first, second):\n    return 2020\n"
    for guess in (TEXT.replace("return 20\n", "return 2020\n"), None):
        request = EDITAHEAD_APPLY.build_for_guess(original, sketch, guess, ESTIMATE)
        assert request is not None
        marked = found(request.prompt.text)
        assert marked is not None
        wanted = [f"\n{text}" for text in EDITAHEAD_APPLY.drafts(request)]
        assert texts(marked) == wanted
        assert marked.answer_start == len(bundled_tokenizer().encode(request.prompt.text)) - 1


APPLYING = [name for name in APPLY_FORMATS if name != "editahead"]
TEXTS = st.lists(st.sampled_from(["", "x = 1", "    y(é)", "}", "def f():", "a b"]), min_size=1, max_size=9)


@pytest.mark.slow
@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("name", APPLYING)
@given(TEXTS, TEXTS, TEXTS)
def test_file_sketch_and_guess_are_found_for_any_model_that_applies(
    name: str, codec: str, old: list[str], sketch: list[str], guess: list[str]
) -> None:
    """In this order but for the guess, which comes first; and what of a chat stands behind is none of it."""
    encoder, format = CODECS[codec], APPLY_FORMATS[name]
    before, code, after = ("".join(f"{line}\n" for line in lines) for lines in (old, sketch, guess))
    question = ApplyInput(Snapshot.from_text(before, uri="file:///a.py"), code, after, code)
    first = format.build(question, ESTIMATE)
    assert first is not None
    for request in (first, format.build(question, ESTIMATE, again=first)):
        if request is None:
            continue
        chat = f"<|im_start|>user\n{request.prompt.text}<|im_end|>\n<|im_start|>assistant\n"
        marked = found(chat, encoder)
        assert marked is not None
        drafts = [draft.partition("\n")[2] for draft in format.drafts(request)]
        sources = [encoder.decode(source) for source in marked.sources]
        for text in drafts:
            plain = text.partition("</")[0].removesuffix("```")
            assert any(plain in source for source in sources)
        assert len(sources) <= 3 and all("Answer with" not in source for source in sources)
        if request is not first and before != after:
            assert sources[0].removeprefix("|>").strip() == after.strip()


def test_an_indented_text_begins_as_the_answer_does() -> None:
    """A vocabulary's line end may take the indentation along; that behind what asks for the answer cannot."""
    encode = bundled_tokenizer().encode
    for indentation in ("", "    ", " " * 13, "\t\t"):
        line = f"{indentation}return 1\n"
        marked = found(f"{REGION}\n{line}{REGION_END}\n{NEXT}\n")
        assert marked is not None
        assert marked.sources[0] == [*encode("\n"), *encode(line), *encode(REGION_END)]


def test_of_markers_that_stand_several_times_the_last_ones_count() -> None:
    old = f"{REGION}\nold\n{REGION_END}\n{NEXT}\nanswer\n{REGION_END}\n"
    nested = f"{REGION}\nouter\n{REGION}\ninner{CURSOR}\n{REGION_END}\n"
    marked = found(f"{old}{nested}{SKETCH}\n{SKETCH}\n{GUESS}\nguess\n{NEXT}\n")
    assert marked is not None
    assert texts(marked) == [f"{text}\n{REGION_END}" for text in ("\nguess", "\ninner", "")]


def test_the_rest_is_what_is_no_draft_up_to_the_question() -> None:
    marked = found(f"file\n{REGION}\nold\n{REGION_END}\nrule\n{SKETCH}\nnew\n{NEXT}\nanswer\n")
    assert marked is not None
    assert bundled_tokenizer().decode(marked.rest) == f"file\n{REGION}{REGION_END}\nrule\n{SKETCH}"


@pytest.mark.parametrize(
    "text",
    [
        f"{NEXT}\n{REGION}\nbehind\n{REGION_END}\n",
        f"{REGION}\nno question\n{REGION_END}\n",
        f"{REGION}{REGION_END}{NEXT}\n",
        f"{NEXT}\n",
    ],
)
def test_a_marker_too_few_is_no_edit(text: str) -> None:
    assert found(text) is None


def test_sources_are_cut_off_where_they_are_too_long() -> None:
    ids = bundled_tokenizer().encode(f"{REGION}\n{TEXT}{REGION_END}\n{SKETCH}\n{TEXT}{NEXT}\n")
    marked = MarkerFinder(bundled_tokenizer()).find(ids, 100)
    assert marked is not None
    assert [len(source) for source in marked.sources] == [101]
    assert marked.rest == []
    assert texts(marked)[0].endswith(REGION_END)


def test_a_tokenizer_that_makes_nothing_of_a_marker_finds_nothing() -> None:
    class Nothing(Words):
        def encode(self, text: str) -> Sequence[int]:
            return []

    assert MarkerFinder(Nothing()).find([1, 2, 3], MAX_TOKENS) is None


@given(
    st.lists(st.sampled_from([*range(18), 100, 101, 0x10FFFF, 0xD800, 0xFEFF]), max_size=60),
    st.integers(0, 40),
)
def test_whatever_stands_in_a_prompt_sources_are_pieces_of_it(ids: list[int], max_tokens: int) -> None:
    marked = MARKERS.find(ids, max_tokens)
    if marked is not None:
        (cursor,) = bundled_tokenizer().encode(CURSOR)
        plain = [id for id in ids if id != cursor]
        assert sum(map(len, marked.sources)) <= max_tokens + len(marked.sources)
        for source in marked.sources:
            text = bundled_tokenizer().decode(source)
            assert text.endswith(REGION_END) and text.removesuffix(REGION_END) in bundled_tokenizer().decode(
                plain
            )


MARKERS = MarkerFinder(bundled_tokenizer())


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_text_between_markers_is_found(region: str, around: str) -> None:
    region, around = (text.replace("<|", "").encode("utf-8", "replace").decode() for text in (region, around))
    prompt = f"{around}\n{REGION}\n{region}x\n{REGION_END}\n{NEXT}\n"
    marked = MARKERS.find(bundled_tokenizer().encode(prompt), MAX_TOKENS)
    assert marked is not None
    assert texts(marked) == [f"\n{region}x\n{REGION_END}"]
