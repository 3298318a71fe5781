"""What is known of a language completes a file that says nothing itself, and gives way to the file."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.completion.language_ngrams import FAMILIES, LanguageNgrams, shipped_ngrams
from editahead_inference.predictors.completion.next_piece import NextPieceModel
from editahead_inference.predictors.completion.ngram_index import NgramIndex

DATA = {"contexts": {"if err": {" !": 0.9}, "!= nil": {" {": 1.0}}, "words": {"return": 50.0, "range": 5.0}}


def model(text: str = "") -> NextPieceModel:
    index = NgramIndex()
    index.update(tuple(text.splitlines(keepends=True)), around=0, check=lambda: None)
    return NextPieceModel(index, [], [], LanguageNgrams(DATA))


def test_an_empty_file_is_completed_by_the_language() -> None:
    assert model().rank(("^", "if", "err"), "").ordered == [" !"]
    assert model().rank(("^",), "r").ordered == ["return", "range"]


def test_the_file_overrules_the_language() -> None:
    text = "if err == nil {\n" * 3
    assert model(text).rank(("^", "if", "err"), "").ordered[0] == " ="


def test_the_share_is_that_after_the_longest_known_context() -> None:
    ngrams = LanguageNgrams(DATA)
    assert ngrams.share(("^", "if", "err"), " !") == (2, 0.9)
    assert ngrams.share(("^", "if", "err"), " ==") == (2, 0.0)
    assert ngrams.share(("^", "for"), " x") == (0, 0.0)


@pytest.mark.parametrize("language", sorted(FAMILIES))
def test_every_language_has_its_counts(language: str) -> None:
    ngrams = shipped_ngrams(language)
    assert ngrams is not None
    assert ngrams.words("return")["return"] > 1


def test_other_languages_have_none() -> None:
    assert shipped_ngrams("cobol") is None


@pytest.mark.parametrize("data", [{}, {"contexts": [], "words": {}}, {"contexts": {}, "words": {"": 1}}])
def test_other_data_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="not counts of a language"):
        LanguageNgrams(data)
