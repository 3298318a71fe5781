"""Pairs: what they are made of, and that no answer is among the hard negatives."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editahead_lab.errors import DatasetError, TrainingError
from editahead_lab.training.encoder.changed_chunks import commit_pairs
from editahead_lab.training.encoder.documented import clean_documentation, find_documented
from editahead_lab.training.encoder.make_pairs import PAIRS, PairsPlan, make_pairs
from editahead_lab.training.encoder.negatives import MAX_CONTAINED, add_negatives
from editahead_lab.training.encoder.packages import licensed_name, package_pairs
from editahead_lab.training.encoder.pair import KINDS, Pair, read_pairs, write_pairs
from editahead_retrieval.search.search_log import FILE_NAME, OpenedResult, add_opened
from editahead_retrieval.vectors.words import find_text_words
from git_repository import make_repository
from installed import needs

pytestmark = needs("scipy")

PYTHON = '''
def oven_heat(oven, degrees):
    """Heat the oven before the bread goes in.

    Returns the minutes that it takes.
    """
    return (degrees - oven.now) / oven.speed
'''
GO = """
// Knead works the dough until it is smooth enough.
func Knead(dough *Dough) int {
    dough.turns += 1
    return dough.turns
}

// Copyright of somebody under some licence
func Other() int { return 1 + 2 + 3 + 4 + 5 + 6 }
"""
WORDS = ("oven", "bread", "dough", "heat", "salt", "flour", "water", "bake")


def test_a_docstring_is_taken_out_of_its_function() -> None:
    [found] = find_documented(PYTHON, "python")
    assert found.name == "oven_heat"
    assert found.documentation == "Heat the oven before the bread goes in."
    assert "Heat the oven" not in found.code and "oven.speed" in found.code


def test_comments_above_a_function_document_it_unless_they_are_of_a_licence() -> None:
    [found] = find_documented(GO, "go")
    assert (found.name, found.documentation) == ("Knead", "Knead works the dough until it is smooth enough.")
    assert found.code.startswith("func Knead")


@pytest.mark.parametrize(
    "raw", ["Too short", "# noqa: of four long words", "@param oven the oven that is hot"]
)
def test_what_tells_too_little_is_no_documentation(raw: str) -> None:
    assert clean_documentation(raw) == ""


def test_a_commit_pairs_its_subject_with_the_chunks_before_it() -> None:
    before = "def bake(bread):\n    return bread\n"
    after = "def bake(bread, salt):\n    return bread\n"
    pairs = list(
        commit_pairs("own/kitchen", "Add salt to the bread", [("kitchen.py", "python", before, after)])
    )
    assert [pair.kind for pair in pairs] == ["subject", "rewrite"]
    assert pairs[0].query == "Add salt to the bread" and "salt" not in pairs[0].document
    assert "salt" in pairs[1].document


def test_the_first_hunk_is_paired_with_chunks_of_other_files() -> None:
    files = [
        ("a.py", "python", "def bake(bread):\n    return 1\n", "def bake(bread, salt):\n    return 1\n"),
        ("b.py", "python", "print(bake(dough))\n", "print(bake(dough, None))\n"),
    ]
    [hunk] = [pair for pair in commit_pairs("own/kitchen", "fix", files) if pair.kind == "hunk"]
    assert "def bake(bread, salt)" in hunk.query and "print(bake(dough))" in hunk.document


_texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
_pairs = st.lists(
    st.builds(
        Pair,
        kind=st.sampled_from(KINDS),
        repo=st.sampled_from(["own/kitchen", "own/bakery"]),
        language=st.just("python"),
        query=_texts,
        document=_texts,
        place=st.sampled_from(["a.py#one", "a.py#two", "b.py#one", "c.py"]),
    ),
    max_size=25,
)


@pytest.mark.slow
@settings(deadline=None)
@given(pairs=_pairs, seed=st.integers(0, 3))
def test_an_answer_is_never_among_the_negatives(pairs: list[Pair], seed: int) -> None:
    done = add_negatives(pairs, seed)
    assert [pair.with_negatives(()) for pair in done] == pairs
    for pair in done:
        answers = [other for other in pairs if (other.query, other.repo) == (pair.query, pair.repo)]
        for number in pair.negatives:
            negative = pairs[number]
            assert negative.repo == pair.repo
            words = set(find_text_words(negative.document))
            for answer in answers:
                theirs = set(find_text_words(answer.document))
                assert negative.document != answer.document and negative.place != answer.place
                assert len(words & theirs) < MAX_CONTAINED * len(theirs)


def test_there_are_negatives_that_share_words_with_the_question() -> None:
    pairs = [
        Pair("documentation", "own/kitchen", "python", "heat the oven", "oven heat now flame", "a.py#one"),
        Pair("documentation", "own/kitchen", "python", "salt in water", "salt water spoon cup", "b.py#two"),
        Pair("documentation", "own/kitchen", "python", "clean the oven", "oven brush soap rag", "c.py#three"),
    ]
    assert add_negatives(pairs, 1)[0].negatives == (2,)


def test_pairs_are_read_as_they_were_written(tmp_path: Path) -> None:
    pairs = [Pair("hunk", "own/kitchen", "go", "one", "two\n", "a.go", (0,))]
    assert write_pairs(tmp_path / "pairs", pairs) == 1
    assert read_pairs(tmp_path / "pairs") == pairs


@pytest.mark.parametrize("damage", ["cut", "text", "number"])
def test_a_damaged_file_of_pairs_has_a_clear_error(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "pairs"
    negatives = (7,) if damage == "number" else ()
    write_pairs(path, [Pair("hunk", "own/kitchen", "go", "one" * 99, "two", "a.go", negatives)])
    if damage == "text":
        path.write_text("not packed")
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(DatasetError):
        read_pairs(path)


def test_only_packages_under_permissive_licences_are_read(tmp_path: Path) -> None:
    for name, licence in (("kitchen", "MIT"), ("bakery", "GPL-3.0-or-later")):
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Name: {name}\nLicense-Expression: {licence}\n")
        (folder / "RECORD").write_text(f"{name}/oven.py,,\n../outside.py,,\n")
        (tmp_path / name).mkdir()
        (tmp_path / name / "oven.py").write_text(PYTHON)
    assert licensed_name(tmp_path / "bakery-1.0.dist-info" / "METADATA") is None
    [pair] = package_pairs(tmp_path)
    assert (pair.repo, pair.place) == ("kitchen", "kitchen:kitchen/oven.py#oven_heat")


def test_a_repository_of_a_persons_own_becomes_pairs_once(tmp_path: Path) -> None:
    texts = ({"oven.py": text} for text in (PYTHON, PYTHON.replace("oven.speed", "max(oven.speed, 1)")))
    repository = make_repository(tmp_path / "kitchen", *texts, subject="Never divide by zero speed")
    plan = PairsPlan(None, (repository,), (), 10, 1)
    told: list[str] = []
    provenance = make_pairs(plan, tmp_path / "out", told.append)
    assert provenance["kinds"] == {"documentation": 1, "rewrite": 1, "subject": 1}
    before = (tmp_path / "out" / PAIRS).read_bytes()
    again: list[str] = []
    make_pairs(plan, tmp_path / "out", again.append)
    assert len(again) < len(told) and (tmp_path / "out" / PAIRS).read_bytes() == before
    with pytest.raises(TrainingError, match="other sources"):
        make_pairs(PairsPlan(None, (repository,), (), 11, 1), tmp_path / "out", told.append)


def test_what_a_person_searched_and_opened_makes_pairs(tmp_path: Path) -> None:
    for line in (0, 4):
        add_opened(
            tmp_path / FILE_NAME,
            OpenedResult(1.0, f"heat {line}", "bakery", "oven.py", "python", line, f"def heat_{line}(): ..."),
        )
    plan = PairsPlan(None, (), (), 1, 1, searches=tmp_path / FILE_NAME)
    assert make_pairs(plan, tmp_path / "out", lambda line: None)["kinds"] == {"search": 2}
    pairs = read_pairs(tmp_path / "out" / PAIRS)
    assert [(pair.kind, pair.query, pair.document, pair.place) for pair in pairs] == [
        ("search", "heat 0", "def heat_0(): ...", "bakery:oven.py#0"),
        ("search", "heat 4", "def heat_4(): ...", "bakery:oven.py#4"),
    ]
