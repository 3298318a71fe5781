"""Prompts that are told apart, and those that no reader knows."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.errors import UnreadablePromptError
from editahead_prompts.formats.escaping import JOINER
from editahead_prompts.formats.next_edit import sweep, zeta1, zeta2
from editahead_prompts.formats.reading.reader import read_prompt
from editahead_prompts.formats.registry import FORMATS
from editahead_prompts.text.edits import Edit
from history_typist import PROPERTY

TOKENS = sorted({token for format in FORMATS.values() for token in format.special_tokens})
PIECES = (
    *(
        "original/a.py\n",
        "current/a.py:1:9\n",
        "updated/\n",
        "### User Edits:\n",
        "\n### User Excerpt:\n",
        "```a\n",
    ),
    *(
        "@@ -1,9 +9,1 @@\n",
        "+++ b/x\n",
        "--- a/x\n",
        "-a\n",
        "+b\n",
        "<<<<<<< CURRENT\n",
        "=======\n",
        "1: no\n",
        "\n",
        "x",
    ),
)


@pytest.mark.slow
@given(
    pieces=st.lists(
        st.sampled_from([*TOKENS, *PIECES, zeta1.CURSOR, zeta2.CURSOR, sweep.CURSOR]), max_size=30
    )
)
@PROPERTY
def test_any_text_is_read_or_refused(pieces: list[str]) -> None:
    try:
        read = read_prompt("".join(pieces))
    except UnreadablePromptError:
        return
    document = read.state.document
    assert 0 <= read.state.cursor <= document.length
    assert 0 <= read.region.first <= read.region.end <= len(document.lines)
    for edit in read.state.history:
        assert edit.line >= 0
    read.write(Edit.replace(read.state.cursor, read.state.cursor, "typed"))


def zeta2_prompt(region: str) -> str:
    return f"<[fim-suffix]>\n<[fim-prefix]><filename>a.py\n<<<<<<< CURRENT\n{region}=======\n<[fim-middle]>"


def test_a_prompt_of_others_is_not_unescaped() -> None:
    """Only our writers put joiners into tokens; a joiner of the text itself stays, and comes back in the answer."""
    line = f"a{JOINER}b<|user_cursor|>\n"
    read = read_prompt(zeta2_prompt(line))
    assert read.state.document.text == f"a{JOINER}b"
    assert read.write(Edit.replace(3, 3, "c")) == f"a{JOINER}bc\n>>>>>>> UPDATED\n"


def test_no_answer_holds_a_token_that_was_not_escaped() -> None:
    read = read_prompt(zeta2_prompt("ab<|user_cursor|>\n"))
    assert read.write(Edit.replace(2, 2, "<|user_cursor|>")) is None


def test_a_diff_without_places_is_found_by_its_text() -> None:
    """cursortab.nvim counts the lines of each diff from 1."""
    history = "<filename>edit_history\n--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,1 @@\n-old\n+new\n\n"
    prompt = zeta2_prompt("one\ntwo\nnew<|user_cursor|>\n").replace(
        "<filename>a.py", f"{history}<filename>a.py"
    )
    (edit,) = read_prompt(prompt).state.history
    assert (edit.line, edit.old, edit.new, edit.open) == (2, ("old",), ("new",), True)


@pytest.mark.parametrize("prompt", ["", "Complete this code:\n", "<|fim_prefix|>a", "<|file_sep|>a.py\nx\n"])
def test_unknown_prompts_are_refused(prompt: str) -> None:
    with pytest.raises(UnreadablePromptError):
        read_prompt(prompt)


def test_a_path_may_hold_half_a_character() -> None:
    """JSON can say it, and clients that cut texts by UTF-16 send it."""
    prompt = zeta2_prompt("a<|user_cursor|>\n").replace("<filename>a.py", "<filename>\ud83d.py")
    assert read_prompt(prompt).state.document.uri == "file:///%ED%A0%BD.py"


@pytest.mark.parametrize(
    ("piece", "rest"),
    [
        (
            'User edited "a":\n```diff\n',
            "\n### User Excerpt:\n```a\n<|editable_region_start|>\n<|user_cursor_is_here|>\n"
            "<|editable_region_end|>\n```\n### Response:",
        ),
        (
            "<|recently_viewed_code_snippet|>\ncode_snippet_file_path: a\n",
            "<|current_file_content|>\n<|code_to_edit|>\n<|cursor|>\n<|/code_to_edit|>\n<|/current_file_content|>",
        ),
    ],
)
def test_parts_without_an_end_take_no_long_search(piece: str, rest: str) -> None:
    """A search holds the interpreter's lock, so that a long one would stop the event loop, too."""
    started = process_time()
    state = read_prompt(f"### User Edits:\n{piece * 8_000}{rest}").state
    assert (state.history, state.other_documents) == ((), ())
    assert process_time() - started < 1
