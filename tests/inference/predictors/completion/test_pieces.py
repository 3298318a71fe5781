"""Lines as pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.predictors.completion.pieces import END, split_line, split_typed

TEXT = st.text(st.sampled_from("ab_1 .(=\t'é\u00a0"), max_size=20)


@given(TEXT)
def test_pieces_make_the_line_again(body: str) -> None:
    pieces = split_line(body).pieces
    assert "".join(pieces) == body.strip() + END


@given(TEXT)
def test_tokens_are_the_contexts_of_the_pieces(body: str) -> None:
    line = split_line(body)
    assert len(line.tokens) == len(line.pieces)
    assert [piece.lstrip() for piece in line.pieces[:-1]] == list(line.tokens[1:])


@given(TEXT)
def test_what_is_typed_is_all_of_the_line_before_the_cursor(before: str) -> None:
    typed = split_typed(before)
    whole = before.lstrip()
    assert whole.endswith(typed.partial)
    assert typed.tokens == split_line(whole[: len(whole) - len(typed.partial)]).tokens


@pytest.mark.parametrize(
    ("before", "tokens", "partial"),
    [
        ("    x = fo", ("^", "x", "="), " fo"),
        ("    x = ", ("^", "x", "="), " "),
        ("x.", ("^", "x", "."), ""),
        ("    ", ("^",), ""),
        ("", ("^",), ""),
        ("x = 12", ("^", "x", "="), " 12"),
    ],
)
def test_the_half_typed_word_belongs_to_the_next_piece(
    before: str, tokens: tuple[str, ...], partial: str
) -> None:
    assert split_typed(before) == (tokens, partial)
