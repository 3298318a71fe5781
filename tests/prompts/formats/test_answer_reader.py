"""Answer rejections by reason, and the line ends of accepted answers."""

from __future__ import annotations

import pytest

from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.answer_reader import repeated_lines
from editahead_prompts.formats.base import (
    AnswerRejection,
    Finish,
    Format,
    ParsedEdit,
    PromptRequest,
    parse_answer,
)
from editahead_prompts.formats.next_edit.editahead_2611 import EDITAHEAD
from editahead_prompts.formats.next_edit.fim import QWEN
from editahead_prompts.formats.next_edit.mercury import INSTRUCT, MERCURY
from editahead_prompts.formats.next_edit.sweep import SWEEP
from editahead_prompts.formats.next_edit.zeta1 import ZETA_1
from editahead_prompts.formats.next_edit.zeta2 import ZETA_2
from editahead_prompts.formats.next_edit.zeta21 import ZETA_2_1, Zeta21Format
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import Snapshot

TEXT = "one\ntwo\nthree\n"


def request(format: Format, text: str = TEXT, cursor: int = 3) -> PromptRequest:
    return format.build(EditorState(Snapshot.from_text(text), cursor), ESTIMATE)


def after(format: Format, answer: str, text: str = TEXT, cursor: int = 3) -> str:
    found = parse_answer(format, request(format, text, cursor), answer)
    assert isinstance(found, ParsedEdit), found
    return found.edit.apply(text)


@pytest.mark.parametrize(
    ("format", "answer", "reason"),
    [
        (ZETA_1, "<|editable_region_start|>\n" + TEXT[:-1], "unchanged"),
        (ZETA_1, "<|editable_region_start|>\n", "empty"),
        (ZETA_1, "one\n<|start_of_file|>\n", "leaked-marker"),
        (ZETA_2, "", "empty"),
        (ZETA_2, "NO_EDITS\n>>>>>>> UPDATED\n", "no-edits"),
        (ZETA_2, "one\nKEEP_PREVIOUS\n", "keep-previous"),
        (ZETA_2, "one\n=======\n<[fim-middle]>", "leaked-marker"),
        (ZETA_2, "<[fim-suffix]>", "leaked-marker"),
        (ZETA_2, TEXT + "again(1)\n" * 4, "repetition"),
        (ZETA_2_1, "<|marker_1|><|marker_1|>", "no-edits"),
        (ZETA_2_1, "NO_EDITS", "no-edits"),
        (ZETA_2_1, "<|marker_1|>one\n", "malformed"),
        (ZETA_2_1, "<|marker_2|><|marker_1|>", "malformed"),
        (ZETA_2_1, "<|marker_1|>one\n<|marker_3|>", "malformed"),
        (ZETA_2_1, "<|marker_1|>one\n<|marker_2|>\nfour\n", "malformed"),
        (ZETA_2_1, "Sure: <|marker_1|>one\n<|marker_2|>", "malformed"),
        (ZETA_2_1, "<|marker_1|>one\n<|marker_x|>", "leaked-marker"),
        (MERCURY, "None", "no-edits"),
        (MERCURY, "```\nNone\n```", "no-edits"),
        (MERCURY, "I would not change a thing.", "malformed"),
        (MERCURY, "```\none\n", "malformed"),
        (INSTRUCT, "```\none\n<|edit_diff_history|>\n```", "leaked-marker"),
        (SWEEP, "<|file_sep|>updated/x\nfoo\n", "empty"),
        (SWEEP, "one\n<|fim_prefix|>", "leaked-marker"),
        (EDITAHEAD, "<|silent|>", "no-edits"),
        (EDITAHEAD, "one\n<|next|>\n", "leaked-marker"),
        (QWEN, "", "empty"),
        (QWEN, "x<|file_sep|>", "leaked-marker"),
        (QWEN, "x = " + "[[1, 2], " * 60, "repetition"),
    ],
)
def test_refusals(format: Format, answer: str, reason: str) -> None:
    found = parse_answer(format, request(format), answer)
    assert isinstance(found, AnswerRejection)
    assert found.reason == reason


@pytest.mark.parametrize(
    "format", [ZETA_1, ZETA_2, ZETA_2_1, SWEEP, MERCURY, EDITAHEAD, QWEN], ids=lambda f: f.name
)
def test_cut_off_by_the_server(format: Format) -> None:
    opening = {"zeta-2.1": "<|marker_1|>", "mercury": "```\n"}.get(format.name, "")
    finish: Finish = "length"
    found = parse_answer(format, request(format), opening + "one\ntwo plus", finish)
    assert found == AnswerRejection("truncated", "after 2 lines")


def test_a_marker_after_the_end_does_not_count() -> None:
    assert after(ZETA_2, "one\nTWO\nthree\n>>>>>>> UPDATED\n<[fim-suffix]>") == "one\nTWO\nthree\n"
    assert after(EDITAHEAD, "one\nTWO\nthree\n<|/region|><|next|>") == "one\nTWO\nthree\n"


def test_a_refusal_is_known_before_the_end() -> None:
    reader = ZETA_2.make_reader(request(ZETA_2))
    assert reader.feed("one\ntw") == ("one",)
    assert reader.feed("o\n<filename>") == ("two",)
    assert reader.refusal is None
    assert reader.feed("x.py\nmore\n") == ()
    assert reader.refusal == AnswerRejection("leaked-marker", "<filename>")
    assert reader.finish() == reader.refusal


def test_where_the_model_puts_the_cursor() -> None:
    found = parse_answer(ZETA_2, request(ZETA_2), "one\n2, t<|user_cursor|>wo\nthree\n")
    assert isinstance(found, ParsedEdit)
    assert found.cursor == len("one\n2, t")


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_lines_keep_their_ends_and_new_ones_get_the_documents(ends: str) -> None:
    text = f"one{ends}two{ends}three{ends}"
    assert after(ZETA_2, "one\n1.5\ntwo\nfour\n", text) == f"one{ends}1.5{ends}two{ends}four{ends}"


def test_mixed_line_ends_stay_mixed() -> None:
    assert after(ZETA_2, "one\nTWO\nthree\n", "one\r\ntwo\nthree\r\n") == "one\r\nTWO\r\nthree\r\n"


@pytest.mark.parametrize(
    ("text", "cursor", "answer", "expected"),
    [
        ("one\ntwo", 1, "one\ntwo\nthree\n", "one\ntwo\nthree"),  # no line end came to the last line
        ("one\ntwo\n", 8, "one\ntwo\nthree\n", "one\ntwo\nthree\n"),  # the cursor behind the last line end
        ("one\ntwo\n", 8, "one\ntwo\n\n", None),
        ("", 0, "one\n", "one\n"),
    ],
)
def test_the_end_of_the_document(text: str, cursor: int, answer: str, expected: str | None) -> None:
    if expected is None:
        assert parse_answer(ZETA_2, request(ZETA_2, text, cursor), answer) == AnswerRejection("unchanged")
    else:
        assert after(ZETA_2, answer, text, cursor) == expected


def test_only_the_numbered_blocks_are_rewritten() -> None:
    lines = [f"def f{n}():" if n % 7 == 0 else "" if n % 7 == 6 else f"    x = {n}" for n in range(28)]
    text = "".join(f"{line}\n" for line in lines)
    sent = request(ZETA_2_1, text, text.index("x = 8"))
    assert sent.marks == (0, 7, 14, 21, 28)
    found = parse_answer(ZETA_2_1, sent, "<|marker_2|>def g():\n    pass\n\n<|marker_3|>")
    assert isinstance(found, ParsedEdit)
    assert found.edit.apply(text).split("\n") == [*lines[:7], "def g():", "    pass", "", *lines[14:], ""]
    both = parse_answer(ZETA_2_1, sent, "<|marker_1|>1\n<|marker_2|>2\n<|marker_3|>")
    assert isinstance(both, ParsedEdit)
    assert both.edit.apply(text).split("\n") == ["1", "2", *lines[14:], ""]


def test_markers_on_their_own_lines() -> None:
    format = Zeta21Format(own_lines=True)
    assert "<|marker_1|>\none" in request(format).prompt.text
    assert after(format, "<|marker_1|>\n\none\n<|marker_2|>\n") == "\none\n"


def test_a_fence_in_the_old_text_does_not_end_the_block() -> None:
    text = "Use:\n```\nmake\n```\nDone.\n"
    answer = "```markdown\nUse:\n```\nmake test\n```\nDone.\n```\n"
    assert after(MERCURY, answer, text) == text.replace("make", "make test")


def test_the_repeated_tags_of_an_instruct_model() -> None:
    answer = "```\n<|code_to_edit|>\none\nTWO<|cursor|>\nthree\n<|/code_to_edit|>\n```\nI raised two."
    assert after(INSTRUCT, answer) == "one\nTWO\nthree\n"


@pytest.mark.parametrize(
    ("new", "old", "runs"),
    [
        (["a(1)"] * 4, [], True),
        (["a(1)"] * 3, [], False),
        (["a(1)", "b(2)"] * 4, [], True),
        (["}"] * 9, [], False),  # brackets close
        (["_,"] * 4, [], True),
        (["0, 0,"] * 6, ["0, 0,"] * 5, False),  # as in the old text, or a little more
        (["0, 0,"] * 9, ["0, 0,"] * 5, True),
        ([f"x{n}" for n in range(12)] * 3, [], True),  # a long block is none by chance
        ([f"x{n}" for n in range(12)] * 3, [f"x{n}" for n in range(12)], False),
    ],
)
def test_runaway(new: list[str], old: list[str], runs: bool) -> None:
    assert (repeated_lines(new, old) is not None) is runs


@pytest.mark.parametrize(
    ("line", "stutters"),
    [
        ("x = " + "ab" * 200, True),
        ("x = " + "docs.com/" * 20, True),
        ("x = " + "it + size > scan_ctx_.end() || (" * 12, True),
        ("x = [" + "`-`, " * 40, True),
        (" " * 400, True),
        ("if x:" + " }" * 200, True),
        ("# " + "+-----" * 60, False),
        ("x = [" + "0, " * 24 + "]", False),  # a row
        ("# " + "-" * 400, False),
        ("# " + "=-" * 200, False),
    ],
)
def test_a_line_that_never_ends_is_known_before_its_end(line: str, stutters: bool) -> None:
    for size in (1, 7, len(line)):
        reader = ZETA_2.make_reader(request(ZETA_2))
        came = 0
        while came < len(line) and reader.refusal is None:
            reader.feed(line[came : came + size])
            came += size
        assert (reader.refusal is not None) is stutters
        assert not stutters or (reader.refusal is not None and reader.refusal.reason == "repetition")
        assert size > 1 or not stutters or came < 200


def test_a_line_that_repeats_itself_may_stay() -> None:
    text = "x = " + "ab" * 200 + "\none\n"
    assert after(ZETA_2, text.replace("one", "two"), text) == text.replace("one", "two")
