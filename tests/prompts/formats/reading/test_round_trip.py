"""Writing a prompt, then reading it, gives the state back as far as the format holds it; its answers make the edit."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.base import (
    AnswerRejection,
    Format,
    ParsedEdit,
    PromptPaths,
    PromptRequest,
    parse_answer,
)
from editahead_prompts.formats.escaping import JOINER
from editahead_prompts.formats.history_events import history_events
from editahead_prompts.formats.next_edit.editahead_coder_2611 import EditaheadCoderFormat
from editahead_prompts.formats.next_edit.fim import FimFormat
from editahead_prompts.formats.next_edit.sweep import SweepFormat
from editahead_prompts.formats.reading.base import ReadPrompt
from editahead_prompts.formats.reading.reader import read_prompt
from editahead_prompts.formats.registry import FORMATS
from editahead_prompts.state import EditorState
from editahead_prompts.text.diff import diff
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot, line_body
from history_typist import PROPERTY, Typist

pytestmark = pytest.mark.slow

ROOT = "file:///project/"
URI = ROOT + "shop/cart item.py"
PATHS = PromptPaths((ROOT,))
EACH = settings(PROPERTY, max_examples=25)
"""There are fifteen formats."""

WORDS = [
    "foo",
    "bar(x)",
    "",
    "    return y",
    "}",
    "é",
    "<tag>",
    "=======",
    JOINER,
    "a = 1",
    "### User Excerpt:",
    "```",
]
SHOWN_EDITS = {
    "zeta-1": 6,
    "zeta-2": 6,
    "zeta-2.1": 6,
    "sweep": 10,
    "sweep-cursortab": 10,
    "mercury": 25,
    "instruct": 25,
}
"""Past edits that a format shows whole, at most. Our own show lists of lines, and fill-in-the-middle none."""
ALL = pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS.keys())


@st.composite
def states(draw: st.DrawFn, format: Format) -> EditorState:
    """Return a state after a few edits of lines, with another document. Its texts may hold the format's own tokens."""
    line = st.sampled_from([*WORDS, *format.special_tokens[:6]])
    typist = Typist("\n".join(draw(st.lists(line, min_size=1, max_size=14))), uri=URI)
    for _ in range(draw(st.integers(0, 4))):
        document = typist.snapshot
        at = draw(st.integers(0, len(document.lines) - 1))
        new = draw(st.sampled_from(["new", "total = 2", "x\ny", "tail("]))
        start = document.starts[at]
        typist.make(Edit.replace(start, start + len(document.lines[at].rstrip("\n")), new))
        typist.at += 400
    other = Snapshot.from_text(
        "\n".join(draw(st.lists(line, min_size=1, max_size=5))) + "\nend\n", uri=ROOT + "other.py"
    )
    cursor = draw(st.integers(0, typist.snapshot.length))
    document = Snapshot.from_text(typist.text, uri=URI, language="python")
    return EditorState(document, cursor, typist.past, (other,))


def shown_place(state: EditorState, first: int) -> tuple[int, int]:
    """Return the cursor's line, from a line on, and its column."""
    line = state.document.line_at(state.cursor)
    return line - first, state.cursor - state.document.starts[line]


@ALL
@given(data=st.data())
@EACH
def test_a_prompt_gives_the_state_back(format: Format, data: st.DataObject) -> None:
    state = data.draw(states(format))
    request = format.build(state, ESTIMATE, paths=PATHS, budget=20_000)
    read = read_prompt(request.prompt.text)
    if format.name != "instruct":  # without diagnostics, the message is Mercury's
        assert read.format == format.name
    shown = read.state
    if format.name not in FORMATS or not isinstance(format, EditaheadCoderFormat):
        assert read.region.bodies(shown.document) == request.region.bodies(state.document)
        assert shown_place(shown, read.region.first) == shown_place(state, request.region.first)
    assert shown.document.text in state.document.text
    names_file = not isinstance(format, FimFormat) or format.file
    assert shown.document.uri == ("file:///shop/cart%20item.py" if names_file else "file:///")
    if isinstance(format, SweepFormat):  # a text of one empty line looks as no text
        assume(all(bodies(edit.old) for edit in state.history))
    if format.name in SHOWN_EDITS and shown.document.text == state.document.text:
        texts = [
            [bodies(event.before) for event in history_events(one)][-SHOWN_EDITS[format.name] :]
            for one in (shown, state)
        ]
        assert texts[0] == texts[1]
    if names_file and format.name not in ("zeta-1", "editahead-coder"):
        assert state.other_documents[0].text in [ended(one) for one in shown.other_documents]


def bodies(lines: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return lines without their ends, and () for an empty text: prompts do not tell these apart."""
    return None if lines is None else () if lines == ("",) else tuple(map(line_body, lines))


def ended(document: Snapshot) -> str:
    return document.text + "\n"


def answer(format: Format, request: PromptRequest, text: str) -> ParsedEdit | AnswerRejection:
    """Return what a client reads of an answer, which a server ends at the first stop string."""
    for stop in request.stop:
        text = text.partition(stop)[0]
    return parse_answer(format, request, text)


def edit_of(read: ReadPrompt, data: st.DataObject) -> Edit:
    """Return an edit that the answer may make: at the cursor where nothing else can be said."""
    document, region = read.state.document, read.region
    if read.nothing == "" and region.end - region.first == 1:
        text = data.draw(st.sampled_from(["x", "total(", "a\nb", "<|cursor|>"]))
        return Edit.replace(read.state.cursor, read.state.cursor, text)
    assume(region.first < region.end)
    line = data.draw(st.integers(region.first, region.end - 1))
    start = document.starts[line]
    old = document.lines[line].rstrip("\n")
    new = data.draw(st.sampled_from([old + " # more", "total = 3", "first\nsecond", "", "<|cursor|>"]))
    return diff(document.text, document.text[:start] + new + document.text[start + len(old) :])


@ALL
@given(data=st.data())
@EACH
def test_an_answer_makes_the_edit(format: Format, data: st.DataObject) -> None:
    state = data.draw(states(format))
    request = format.build(state, ESTIMATE, paths=PATHS, budget=20_000)
    read = read_prompt(request.prompt.text)
    edit = edit_of(read, data)
    assume(edit)
    text = read.write(edit)
    if text is None:  # one hunk needs a place that is clear, and above the prefill nothing can change
        return
    found = answer(format, request, text)
    if isinstance(found, AnswerRejection):
        assert found.reason in ("repetition", "empty", "leaked-marker", "no-edits"), (found, text)
        return
    shown = read.state.document.text
    at = state.document.text.index(shown)
    wanted = state.document.text[:at] + edit.apply(shown) + state.document.text[at + len(shown) :]
    assert found.edit.apply(state.document.text).removesuffix("\n") == wanted.removesuffix("\n")


@ALL
@given(data=st.data())
@EACH
def test_the_answer_without_an_edit_changes_nothing(format: Format, data: st.DataObject) -> None:
    request = format.build(data.draw(states(format)), ESTIMATE, paths=PATHS, budget=20_000)
    assert isinstance(answer(format, request, read_prompt(request.prompt.text).nothing), AnswerRejection)
