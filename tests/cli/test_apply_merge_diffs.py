"""Git's combined diff of a merge, applied to a parent, gives the merge or a refusal."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from files_in_memory import apply_in_memory

NAMES = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}

Show = Callable[..., str]


@pytest.fixture(scope="module")
def show(tmp_path_factory: pytest.TempPathFactory) -> Show:
    """Return a function that shows a merge of commits with these texts, the last one the merge."""
    root = tmp_path_factory.mktemp("repository")
    environment = {**os.environ, **NAMES, "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*arguments: str, data: str = "") -> str:
        command = ["git", "-c", "core.autocrlf=false", *arguments]
        done = subprocess.run(
            command, cwd=root, env=environment, input=data.encode(), capture_output=True, check=True
        )
        return done.stdout.decode()

    def commit(texts: dict[str, str], parents: list[str]) -> str:
        blobs = {name: git("hash-object", "-w", "--stdin", data=text).strip() for name, text in texts.items()}
        rows = "".join(f"100644 blob {blob}\t{name}\n" for name, blob in sorted(blobs.items()))
        above = [option for parent in parents for option in ("-p", parent)]
        return git("commit-tree", git("mktree", data=rows).strip(), *above, "-m", "Merge it").strip()

    def shown(*trees: dict[str, str], option: str = "-c") -> str:
        parents = [commit(tree, []) for tree in trees[:-1]]
        return git("show", option, commit(trees[-1], parents))

    git("init", "-q", ".")
    return shown


LINES = [f"line {number}\n" for number in range(24)]


def changed(**new: str) -> str:
    lines = list(LINES)
    for at, text in new.items():
        lines[int(at[1:])] = text
    return "".join(lines)


LEFT, RIGHT = changed(_3="left\n", _12="left\n"), changed(_3="right\n", _12="right\nmore\n")
MERGED = changed(_3="both\n", _12="left\nright\nmore\n")


@pytest.mark.slow
@pytest.mark.parametrize("parent", [LEFT, RIGHT])
@pytest.mark.parametrize("option", ["--cc", "-c", "-m"])
def test_a_merge_is_applied_to_each_parent(show: Show, parent: str, option: str) -> None:
    text = show({"a b.txt": LEFT}, {"a b.txt": RIGHT}, {"a b.txt": MERGED}, option=option)
    found = apply_in_memory({"a b.txt": parent}, text)
    assert found == {"a b.txt": MERGED} or (option == "-m" and isinstance(found, str))


@pytest.mark.slow
@pytest.mark.parametrize(
    "form", ["{}", "```diff\n{}```\n", "```\n{}```\n", "Here it is:\n\n```diff\n{}```\nDone.\n"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["f.txt", "gr\u00fc\u00dfe x.txt"])
def test_a_merge_is_applied_wherever_it_is_pasted(show: Show, form: str, end: str, name: str) -> None:
    left, right, merged = (text.replace("\n", end) for text in (LEFT, RIGHT, MERGED))
    text = form.format(show({name: left}, {name: right}, {name: merged}, option="--cc"))
    for parent in (left, right):
        assert apply_in_memory({name: parent}, text) == {name: merged}


@pytest.mark.slow
def test_the_end_of_the_last_line_stays_as_no_combined_diff_says_it(show: Show) -> None:
    left, right, merged = (changed(_23=f"{word}\n") for word in ("left", "right", "both"))
    text = show({"a": left[:-1]}, {"a": right}, {"a": merged})
    assert "No newline" not in text
    assert apply_in_memory({"a": left[:-1]}, text) == {"a": merged[:-1]}
    assert apply_in_memory({"a": right}, text) == {"a": merged}


@pytest.mark.slow
def test_each_file_of_a_merge_has_its_parent(show: Show) -> None:
    texts = show(*({"a": text, "b": text} for text in (LEFT, RIGHT, MERGED)))
    assert apply_in_memory({"a": LEFT, "b": RIGHT}, texts) == {"a": MERGED, "b": MERGED}
    assert apply_in_memory({"a": LEFT, "b": changed(_3="other\n")}, texts) == "unplaced"


@pytest.mark.slow
def test_three_parents(show: Show) -> None:
    third = changed(_3="third\n")
    text = show({"a": LEFT}, {"a": RIGHT}, {"a": third}, {"a": MERGED})
    for parent in (LEFT, RIGHT, third):
        assert apply_in_memory({"a": parent}, text) == {"a": MERGED}


@pytest.mark.slow
@pytest.mark.parametrize("deleted", [0, 1, 2])
def test_created_and_deleted_files_are_named(show: Show, deleted: int) -> None:
    trees = [{"a": LEFT, "b": "b\n"}, {"a": RIGHT, "b": "b\n"}, {"a": MERGED, "b": "b\n"}]
    del trees[deleted]["a"]
    text = show(*trees)
    assert "a" not in text.splitlines() and (deleted < 2 or "deleted file mode" in text)
    assert isinstance(apply_in_memory({"a": LEFT, "b": "b\n"}, text), str)


def test_counts_that_are_wrong_are_refused() -> None:
    text = "diff --cc a\nindex 1,2..3\n--- a/a\n+++ b/a\n@@@ -1,9 -1,2 +1,3 @@@\n  one\n++new\n  two\n"
    assert apply_in_memory({"a": "one\ntwo\n"}, text) == "unparsed"
    assert apply_in_memory({"a": "one\ntwo\n"}, text.replace("1,9", "1,2")) == {"a": "one\nnew\ntwo\n"}


def test_a_diff_that_differs_by_parent_is_refused_where_both_fit() -> None:
    text = "diff --cc a\nindex 1,2..3\n--- a/a\n+++ b/a\n@@@ -1,2 -3,2 +1,1 @@@\n- one\n- two\n -three\n -four\n++new\n"
    assert apply_in_memory({"a": "one\ntwo\nthree\nfour\n"}, text) == "ambiguous"


_LINE = st.sampled_from(["a", "b", "c", "", "}", "- x", "+ y", "@@ -1 +1 @@", "--- a/z"])
_TEXT = st.lists(_LINE, max_size=9).map(lambda lines: "".join(f"{line}\n" for line in lines))


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(_TEXT, min_size=3, max_size=4))
def test_any_merge_is_applied_or_refused(show: Show, texts: list[str]) -> None:
    text = show(*({"f.txt": each} for each in texts))
    for parent in texts[:-1]:
        found = apply_in_memory({"f.txt": parent}, text)
        assert isinstance(found, str) or found == {"f.txt": texts[-1]}
