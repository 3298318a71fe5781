"""The format of two questions: prompts to the token, a window that stays while a person types, and hunks as answers."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import zstandard
from hypothesis import assume, given
from hypothesis import strategies as st

from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.base import (
    AnswerRejection,
    EditableRegion,
    ParsedEdit,
    PromptPaths,
    PromptRequest,
    parse_answer,
)
from editahead_prompts.formats.next_edit.editahead_coder_2611 import (
    EDITAHEAD_CODER,
    END,
    NEXT,
    OPEN,
    SPECIAL,
    draft_answers,
)
from editahead_prompts.formats.next_edit.hunk_answer import write_hunk
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY

HERE = Path(__file__).parent / "coder"
GOLDEN = Path(__file__).parents[5] / "shared/models/editahead-coder/golden.jsonl.zst"
ROOT = "file:///project/"
PATHS = PromptPaths((ROOT,))
URI = ROOT + "cart.py"
TEXT = "import money\n\n\ndef total(items):\n    price = su\n    return price\n"


def lines_of(file: Path) -> Iterator[Any]:
    with file.open("rb") as source:
        for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(source), "utf-8"):
            yield json.loads(line)


@pytest.fixture(scope="session")
def tokenizer() -> HfTokenizer:
    tokenizers = pytest.importorskip("tokenizers")
    text = zstandard.ZstdDecompressor().decompress((HERE / "tokenizer.json.zst").read_bytes())
    return HfTokenizer(tokenizers.Tokenizer.from_str(text.decode()))


def recorded_edit(path: str, edit: dict[str, list[str]], *, open: bool = False) -> PastEdit:
    old, new = (tuple(f"{line}\n" for line in edit[side]) for side in ("old", "new"))
    return PastEdit(ROOT + quote(path), 0, old, new, open=open)


def recorded_request(record: dict[str, Any], tokenizer: HfTokenizer) -> PromptRequest:
    path = record["path"]
    history = [recorded_edit(edit["path"], edit) for edit in record["history"]]
    if record["open_edit"]:
        history.append(recorded_edit(path, record["open_edit"], open=True))
    document = Snapshot.from_text(record["text"], uri=ROOT + quote(path))
    state = EditorState(document, record["cursor"], tuple(history))
    continues = record["kind"] == "continuation"
    build = EDITAHEAD_CODER.build_continuation if continues else EDITAHEAD_CODER.build_next_edit
    return build(state, tokenizer, budget=record["budget"], paths=PATHS)


@pytest.mark.slow
def test_prompts_are_those_of_the_training(tokenizer: HfTokenizer) -> None:
    for record in lines_of(HERE / "states.jsonl.zst"):
        request = recorded_request(record, tokenizer)
        assert list(request.prompt.ids or ()) == record["prompt_ids"], record["path"]


@pytest.mark.slow
@pytest.mark.skipif(not GOLDEN.exists(), reason="the model's golden file is not there: no ../shared")
def test_prompts_and_answers_of_the_golden_file(tokenizer: HfTokenizer) -> None:
    for number, record in enumerate(lines_of(GOLDEN)):
        request = recorded_request(record, tokenizer)
        assert list(request.prompt.ids or ()) == record["prompt_ids"], number
        answer = parse_answer(EDITAHEAD_CODER, request, record["answer"])
        if record["kind"] == "silence":
            assert answer == AnswerRejection("no-edits")
        elif record["kind"] == "continuation":
            assert isinstance(answer, ParsedEdit)
            at, said = record["cursor"], record["answer"].removesuffix(END)
            assert answer.edit.apply(record["text"])[at:].startswith(said.rstrip("\n"))
        else:
            assert isinstance(answer, ParsedEdit) or answer.reason == "unchanged", number


def typed(text: str = TEXT, at: str = "= su", *, origin: Any = "typed", old: str = "") -> EditorState:
    """Return the state after typing up to and with `at`."""
    document = Snapshot.from_text(text, uri=URI, language="python")
    cursor = text.index(at) + len(at)
    line = document.line_at(cursor)
    edit = PastEdit(URI, line, (old,) if old else (), (document.lines[line],), origin=origin, open=True)
    return EditorState(document, cursor, (edit,))


def test_both_questions_have_one_prompt(example: EditorState) -> None:
    first = EDITAHEAD_CODER.build(example, ESTIMATE, paths=PATHS)
    second = EDITAHEAD_CODER.build_next_edit(example, ESTIMATE, paths=PATHS, previous=first)
    doc = sys.modules[type(EDITAHEAD_CODER).__module__].__doc__ or ""
    shown = doc[doc.index("    <|file_sep|>") : doc.index("\n\nAnswer:")]
    assert second.prompt.text == "".join(
        line.removeprefix("    ") for line in shown.splitlines(keepends=True)
    )
    assert first.continues and second.prompt.text.startswith(first.prompt.text)
    answer = parse_answer(
        EDITAHEAD_CODER, second, "-    price = sum(items)\n+    price = sum(items) * (1 + tax)\n" + END
    )
    assert isinstance(answer, ParsedEdit)
    assert "(1 + tax)" in answer.edit.apply(example.document.text)


WORDS = st.text(st.sampled_from("ab_ (\n\t=é"), min_size=1, max_size=40)


@pytest.mark.slow
@given(head=WORDS, keys=WORDS, tail=WORDS, budget=st.sampled_from([200, 384]))
@PROPERTY
def test_a_key_appends(head: str, keys: str, tail: str, budget: int) -> None:
    filler = "".join(f"line_{number} = {number}\n" for number in range(300))

    def state(done: int) -> EditorState:
        text = filler + head + keys[:done] + tail + "\n" + filler
        document = Snapshot.from_text(text, uri=URI)
        return EditorState(document, len(filler) + len(head) + done)

    request = EDITAHEAD_CODER.build_continuation(state(0), ESTIMATE, budget=budget, paths=PATHS)
    for done in range(1, len(keys) + 1):
        after = EDITAHEAD_CODER.build_continuation(
            state(done), ESTIMATE, budget=budget, paths=PATHS, previous=request
        )
        assert after.prompt.text == request.prompt.text + keys[done - 1]
        request = after


def test_the_window_moves_once_it_has_grown_by_a_quarter() -> None:
    text = "".join(f"line_{number} = {number}\n" for number in range(300))
    state = EditorState(Snapshot.from_text(text, uri=URI), len(text) // 2)
    first = request = EDITAHEAD_CODER.build_continuation(state, ESTIMATE, budget=400)
    moved = 0
    for _ in range(100):
        at = state.cursor
        state = EditorState(
            Snapshot.from_text(f"{state.document.text[:at]}word\n{state.document.text[at:]}", uri=URI), at + 5
        )
        after = EDITAHEAD_CODER.build_continuation(state, ESTIMATE, budget=400, previous=request)
        moved += not after.prompt.text.startswith(request.prompt.text)
        assert after.prompt.tokens <= 500
        request = after
    assert first.prompt.tokens <= 400
    assert 0 < moved <= 100 * 2 / 90


@pytest.mark.parametrize("change", ["above", "behind", "file", "edits"])
def test_a_change_around_the_window_moves_it(change: str) -> None:
    long = "".join(f"line_{number} = {number}\n" for number in range(200))
    document = Snapshot.from_text(long + TEXT + long, uri=URI)
    state = EditorState(document, len(long) + TEXT.index("= su") + 4)
    first = EDITAHEAD_CODER.build_continuation(state, ESTIMATE, budget=300)
    other = {
        "above": replace(state, document=Snapshot.from_text("x\n" + long + TEXT + long, uri=URI)),
        "behind": replace(state, document=Snapshot.from_text(long + TEXT + "x\n" + long, uri=URI)),
        "file": replace(state, document=Snapshot.from_text(long + TEXT + long, uri=ROOT + "b.py")),
        "edits": replace(state, history=edits(3)),
    }[change]
    if change == "above":
        other = replace(other, cursor=state.cursor + 2)
    fresh = EDITAHEAD_CODER.build_continuation(other, ESTIMATE, budget=300)
    assert EDITAHEAD_CODER.build_continuation(other, ESTIMATE, budget=300, previous=first) == fresh


def edits(count: int) -> tuple[PastEdit, ...]:
    """Return closed edits."""
    return tuple(PastEdit(URI, number, (f"a{number}\n",), (f"b{number}\n",)) for number in range(count))


def test_closed_edits_leave_the_window_for_a_while() -> None:
    state = typed()
    started = replace(state, history=(*edits(1), *state.history))
    first = EDITAHEAD_CODER.build(started, ESTIMATE, paths=PATHS)
    for count in (2, 3):
        later = replace(state, history=(*edits(count), *state.history))
        assert EDITAHEAD_CODER.build(later, ESTIMATE, paths=PATHS, previous=first).prompt == first.prompt
    closed = replace(state, history=edits(2))
    following = EDITAHEAD_CODER.build(closed, ESTIMATE, paths=PATHS, previous=first)
    assert following.prompt.text == first.prompt.text + f"{OPEN}-a1\n+b1\n{NEXT}"
    for history in (edits(3), (*edits(2), *state.history), edits(2)[1:]):
        fresh = EDITAHEAD_CODER.build_next_edit(replace(state, history=history), ESTIMATE, paths=PATHS)
        again = EDITAHEAD_CODER.build_next_edit(
            replace(state, history=history), ESTIMATE, paths=PATHS, previous=first
        )
        assert again == fresh


def test_the_window_moves_along_with_lines_above_it() -> None:
    long = "".join(f"line_{number} = {number}\n" for number in range(200))
    state = EditorState(Snapshot.from_text(long + TEXT + long, uri=URI), len(long) + TEXT.index("= su") + 4)
    first = EDITAHEAD_CODER.build_continuation(state, ESTIMATE, budget=300)
    text = "import os\n" + long + TEXT.replace("= su", "= sum") + long
    moved = EditorState(Snapshot.from_text(text, uri=URI), text.index("= sum") + 5)
    after = EDITAHEAD_CODER.build_continuation(moved, ESTIMATE, budget=300, previous=first)
    assert after.prompt.text == first.prompt.text + "m"


def test_an_accepted_prediction_costs_no_token(tokenizer: HfTokenizer) -> None:
    first = EDITAHEAD_CODER.build(typed(), tokenizer)
    said = tokenizer.encode("m(items)")
    state = typed(TEXT.replace("= su", "= sum(items)"), "sum(items)", origin="accepted")
    accepted = EDITAHEAD_CODER.build(state, tokenizer, previous=first)
    assert accepted.prompt.ids == (*(first.prompt.ids or ()), *said)
    typing = typed(TEXT.replace("= su", "= sum(items) * 2"), "sum(items) * 2")
    more = EDITAHEAD_CODER.build(typing, tokenizer, previous=accepted)
    assert (more.prompt.ids or ())[: len(accepted.prompt.ids or ())] == accepted.prompt.ids
    letters = typed(TEXT.replace("= su", "= sum"), "= sum")
    word = EDITAHEAD_CODER.build(letters, tokenizer, previous=first)
    assert word.prompt.ids == EDITAHEAD_CODER.build(letters, tokenizer).prompt.ids, (
        "what is typed has its usual tokens"
    )


LINES = st.lists(
    st.sampled_from(["a", "b = 1", "", "}", "<|fim_pad|>", "  é", "-", "+ x", " y"]), max_size=10
)


@pytest.mark.slow
@given(
    lines=LINES,
    new=LINES,
    at=st.integers(0, 10),
    count=st.integers(0, 4),
    eol=st.sampled_from(["\n", "\r\n"]),
)
@PROPERTY
def test_an_answer_read_back_is_the_edit(
    lines: list[str], new: list[str], at: int, count: int, eol: str
) -> None:
    document = Snapshot.from_text(eol.join([*lines, "last"]) + eol, uri=URI)
    request = EDITAHEAD_CODER.build_next_edit(EditorState(document, 0), ESTIMATE)
    shown = request.region.bodies(document)
    assert request.region == EditableRegion(0, len(lines) + 1)
    wanted = [*shown[:at], *new, *shown[at + count :]]
    answer = write_hunk(shown, wanted, SPECIAL, on_top=True)
    assume(answer is not None)
    assert answer is not None
    found = parse_answer(EDITAHEAD_CODER, request, answer + END)
    if not answer:
        assert wanted == list(shown) and found == AnswerRejection("no-edits")
    elif isinstance(found, AnswerRejection):
        assert found.reason == "repetition"
    else:
        assert found.edit.apply(document.text) == "".join(line + eol for line in wanted)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "no-edits"),
        (END, "no-edits"),
        ("-nowhere\n+x\n", "malformed"),
        ("-\n+x\n", "malformed"),  # two blank lines
        ("+x\n", "malformed"),
        ("+x\n import sys\n", "malformed"),
        ("+x\n-import money\n", "malformed"),
        ("no sign\n", "malformed"),
        ("-import money\n+import money\n", "unchanged"),
        (f"-import money\n+{NEXT}\n", "leaked-marker"),
        ("-import money\n" + "+again = 1\n" * 9, "repetition"),
    ],
)
def test_other_answers_are_rejected(answer: str, reason: str) -> None:
    request = EDITAHEAD_CODER.build_next_edit(typed(), ESTIMATE)
    found = parse_answer(EDITAHEAD_CODER, request, answer)
    assert isinstance(found, AnswerRejection) and found.reason == reason


def test_lines_go_above_the_first_line() -> None:
    request = EDITAHEAD_CODER.build_next_edit(typed(), ESTIMATE)
    found = parse_answer(EDITAHEAD_CODER, request, "+import sys\n import money\n")
    assert isinstance(found, ParsedEdit) and found.edit.apply(TEXT) == "import sys\n" + TEXT


@pytest.mark.parametrize(
    ("reason", "answer", "rest"),
    [
        ("stop", "m(items)" + END, "m(items)"),
        ("length", "m(items)\n    ret", "m(items)"),
        ("length", "m(ite", "m(ite"),
        ("stop", "m(items)\n    tax = 2", "m(items)\n    tax = 2"),
    ],
)
def test_a_continuation_has_lines(reason: Any, answer: str, rest: str) -> None:
    request = EDITAHEAD_CODER.build(typed(), ESTIMATE)
    found = parse_answer(EDITAHEAD_CODER, request, answer, reason)
    assert isinstance(found, ParsedEdit)
    assert found.edit.apply(TEXT) == TEXT.replace("= su", f"= su{rest}")


@pytest.mark.parametrize("behind", ["", "return 1"])
@pytest.mark.parametrize("end", ["", END])
def test_a_last_line_end_counts_where_text_is_behind_the_cursor(behind: str, end: str) -> None:
    text = f"x = \n{behind}\n"
    request = EDITAHEAD_CODER.build_continuation(EditorState(Snapshot.from_text(text), 5), ESTIMATE)
    found = parse_answer(EDITAHEAD_CODER, request, "y = 2\n" + end)
    assert isinstance(found, ParsedEdit)
    assert found.edit.apply(text) == "x = \ny = 2\n" + (f"{behind}\n" if behind else "")


def test_a_draft_is_the_answer_for_a_rules_edit() -> None:
    request = EDITAHEAD_CODER.build_next_edit(typed(), ESTIMATE)
    at = TEXT.index("money")
    edits = [Edit.replace(at, at + 5, "cash"), Edit.replace(len(TEXT), len(TEXT), "end\n")]
    assert draft_answers(request, edits)[:1] == ("-import money\n+import cash\n",)
    assert draft_answers(EDITAHEAD_CODER.build(typed(), ESTIMATE), edits) == ()
