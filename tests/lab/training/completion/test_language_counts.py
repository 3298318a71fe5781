"""What several repositories of a language have in common is counted; what one of them says alone is not."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.completion.language_ngrams import LanguageNgrams
from editahead_lab.training.completion.fit_completion import LanguageHalves
from editahead_lab.training.completion.language_counts import (
    RepositoryCounts,
    common_counts,
    count_repositories,
)


def records(repo: str, text: str, files: int = 4) -> list[dict[str, str]]:
    return [
        {"repo": repo, "path": f"{number}.py", "language": "python", "before": text}
        for number in range(files)
    ]


def ngrams(*texts: str) -> LanguageNgrams:
    counted = []
    for text in texts:
        counted.append(RepositoryCounts())
        counted[-1].add(text)
    return LanguageNgrams(common_counts(counted))


IDIOM = "if __name__ == '__main__':\n    main()\n"


def test_what_two_repositories_say_is_kept() -> None:
    found = ngrams(IDIOM, IDIOM, "secret.token = secret.value\n")
    assert found.followers(("if",)) == {" __name__": 1.0}
    assert found.words("__")["__name__"] > 0
    assert not found.words("secret")
    assert not found.followers(("secret",))


def test_a_longer_context_that_tells_nothing_new_is_left_out() -> None:
    found = ngrams(IDIOM, IDIOM)
    assert not found.followers(("^", "if"))
    assert found.share(("^", "if"), " __name__") == (1, 1.0)


def test_a_repository_counts_the_same_however_large() -> None:
    found = ngrams("a = one\n" * 1000, "a = two\n", "a = one\na = two\n")
    shares = found.followers(("=",))
    assert shares[" one"] == pytest.approx(shares[" two"], abs=0.05)


def test_repositories_with_few_files_are_left_out() -> None:
    counted = count_repositories([*records("o/large", IDIOM), *records("o/small", IDIOM, files=3)], seed=1)
    assert list(counted) == [("python", "o/large")]


def test_a_commit_never_meets_the_counts_of_its_own_repository() -> None:
    halves = LanguageHalves((), 0, 0)
    assert halves.without("o/r", "python") is None
