"""The text of search/replace blocks may hold separators: those of git's conflicts, of headings, of other blocks."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from files_in_memory import apply_in_memory

_A = "a\n"
_CONFLICT = "<<<<<<< HEAD\nold();\n=======\nnew();\n>>>>>>> topic\n"


def block(old: str, new: str, *, cline: bool = False, head: str = "") -> str:
    first, last = ("------- SEARCH", "+++++++ REPLACE") if cline else ("<<<<<<< SEARCH", ">>>>>>> REPLACE")
    return f"{first}\n{head}{old}=======\n{new}{last}\n"


@pytest.mark.parametrize(
    "form", ["f.txt\n{}", "f.txt\n```\n{}```\n", "```\nf.txt\n{}```\n", "So:\n\nf.txt\n````ts\n{}````\n"]
)
@pytest.mark.parametrize("cline", [False, True])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (_CONFLICT, "both();\n"),
        ("both();\n", _CONFLICT),
        (_CONFLICT, _CONFLICT.replace("new", "newer")),
        (_CONFLICT + "x\n" + _CONFLICT.replace("old", "two"), "x\n"),
        ("Install\n=======\n\nRun the setup.\n", "Install\n=======\n\nRun the new setup.\n"),
        ("Run the setup.\n", "Run it.\n\nInstall\n=======\n\nRun the setup.\n"),
        ("<<<<<<< HEAD\n", "<<<<<<< mine\n"),
        ("=======\nInstall\n=======\n", "Install\n-------\n"),
        ("", "a\n"),
        ("same\n", ""),
        ("a\n======\nb\n", "a\n======\nc\n"),
        ("a\n========\nb\n", "a\n========\nc\n"),
    ],
)
def test_a_block_is_read_from_both_ends_or_refused(form: str, cline: bool, old: str, new: str) -> None:
    before = {"f.txt": f"begin();\n{old}end();\n"} if old else {"g.txt": "g\n"}
    found = apply_in_memory(before, form.format(block(old, new, cline=cline)))
    right = {"f.txt": f"begin();\n{new}end();\n"} if old else {**before, "f.txt": new}
    assert isinstance(found, str) or found == right
    if old != "<<<<<<< HEAD\n" and "Install" not in old + new:
        assert found == right


@pytest.mark.parametrize("form", ["docs/use.md\n{}", "docs/use.md\n````\n{}````\n"])
def test_blocks_within_the_text_of_a_block_are_text(form: str) -> None:
    inner = block("a\n", "b\n")
    before = {"docs/use.md": f"Use\n\n{inner}\nEnd.\n", "a.txt": "a\n"}
    other = block("a\n", "c\n")
    after = {**before, "docs/use.md": f"Use\n\n{other}\nEnd.\n"}
    assert apply_in_memory(before, form.format(block(inner, other))) == after


@pytest.mark.parametrize(
    "sketch",
    [
        block("a\n", "b\n") + "left();\n",
        block("a\n", "b\n") + "=======\nc\n>>>>>>> REPLACE\n",
        block("a\n", "b\n") + ">>>>>>> REPLACE\n",
        block("a\n", "b\n").replace(">>>>>>> REPLACE", "") + "c\n",
        "x = 1;\n" + block("a\n", "b\n"),
    ],
)
@pytest.mark.parametrize("form", ["f.txt\n```\n{}```\n", "f.txt\n```text\n{}```\n"])
def test_what_belongs_to_no_block_is_a_refusal(form: str, sketch: str) -> None:
    assert isinstance(apply_in_memory({"f.txt": "a\nz\n"}, form.format(sketch)), str)


@pytest.mark.parametrize("head", ["", ":start_line:2\n-------\n", ":start_line:2\n:end_line:6\n-------\n"])
def test_escapes_of_roo_are_read(head: str) -> None:
    escaped = "".join(
        f"\\{line}\n" if line[:7] in ("<" * 7, "=" * 7, ">" * 7) else f"{line}\n"
        for line in _CONFLICT.splitlines()
    )
    title = "Title\n\\=======\n"
    sketch = f"f.txt\n```\n{block(escaped, title, head=head)}```\n"
    found = apply_in_memory({"f.txt": f"begin\n{_CONFLICT}end\n"}, sketch)
    assert found == {"f.txt": "begin\nTitle\n=======\nend\n"}


def test_a_backslash_that_the_file_has_stays() -> None:
    sketch = "f.txt\n```\n" + block("\\=======\nx\n", "y\n") + "```\n"
    assert apply_in_memory({"f.txt": "\\=======\nx\nz\n"}, sketch) == {"f.txt": "y\nz\n"}


def test_windows_line_ends() -> None:
    inner = block(_CONFLICT, "both();\n")
    sketch = f"f.txt\n```\n{inner}```\n".replace("\n", "\r\n")
    found = apply_in_memory({"f.txt": f"begin\n{_CONFLICT}end\n".replace("\n", "\r\n")}, sketch)
    assert found == {"f.txt": "begin\r\nboth();\r\nend\r\n"}


def test_blocks_that_undo_one_another_have_to_fit() -> None:
    blocks = block("zz\n", "b\n") + block("b\n", "zz\n")
    for each in (blocks, block("zz\n", "zz\n")):
        text = f"f.txt\n{each}"
        assert isinstance(apply_in_memory({"f.txt": "a = 1\nb = 2\n"}, text), str)
        assert apply_in_memory({"f.txt": "a\nzz\nc\n"}, text) == {"f.txt": "a\nzz\nc\n"}


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize(("above", "below"), [("", ""), ("b\n", ""), ("", "b\n"), ("", "<<<<<<< HEAD\n")])
def test_separators_one_behind_another_may_all_be_text(above: str, below: str, count: int) -> None:
    new = above + "=======\n" * count + below
    assert isinstance(apply_in_memory({"f.txt": "a\n"}, f"f.txt\n````\n{block(_A, new)}````\n"), str)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_separators_alone_have_no_single_reading(count: int) -> None:
    sketch = block("=======\n" * count, "")
    assert isinstance(apply_in_memory({"f.txt": "=======\n"}, f"f.txt\n````\n{sketch}````\n"), str)


_LINES = st.lists(
    st.sampled_from(["a", "b", "Intro", "=======", "<<<<<<< HEAD", ">>>>>>> topic", "", "text here"]),
    max_size=5,
)


@pytest.mark.slow
@given(above=_LINES, old=_LINES, below=_LINES, new=_LINES)
def test_no_text_of_a_block_is_lost(
    above: list[str], old: list[str], below: list[str], new: list[str]
) -> None:
    assume(any(old))
    texts = ["".join(f"{line}\n" for line in part) for part in (above, old, below, new)]
    before = {"f.txt": "".join(texts[:3])}
    found = apply_in_memory(before, f"f.txt\n````\n{block(texts[1], texts[3])}````\n")
    if isinstance(found, str):
        return
    joined = found["f.txt"].splitlines()
    assert len(joined) == len(above) + len(below) + len(new)
    assert sorted(joined) == sorted([*above, *new, *below])


_TEXT = st.text(alphabet="ab\n", min_size=1, max_size=6)


@given(before=_TEXT, edits=st.lists(st.tuples(_TEXT, _TEXT), min_size=1, max_size=3))
def test_nothing_to_change_means_that_the_edits_leave_the_file_as_it_is(
    before: str, edits: list[tuple[str, str]]
) -> None:
    calls = [{"old_string": old, "new_string": new} for old, new in edits]
    found = apply_in_memory({"f.txt": before}, json.dumps({"file_path": "f.txt", "edits": calls}))
    if found != {"f.txt": before}:
        return
    text = before
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    assert text == before


@pytest.mark.parametrize("name", ["f.ts", "f.py", "f.bsl", "f.txt", "f.yml"])
@pytest.mark.parametrize(
    "new", ["x = 10;\n=======\ny = 2;\n", "if (x) {\n=======\n}\n", "\n=======\nx = 1;\n"]
)
def test_a_separator_too_many_is_not_written_into_code(name: str, new: str) -> None:
    sketch = f"{name}\n{block('x = 1;' + chr(10), new)}"
    found = apply_in_memory({name: "x = 1;\ny();\n"}, sketch)
    assert isinstance(found, str) or "=======" not in found[name]


@pytest.mark.parametrize(
    ("name", "new"),
    [
        ("f.rst", "Section\n=======\n\ntext\n"),
        ("f.md", "Title\n=======\n\ntext\n"),
        ("f.kt", "<<<<<<< HEAD\na();\n=======\nb();\n>>>>>>> topic\n"),
        ("f.kt", "a();\n\\=======\nb();\n"),
    ],
)
def test_a_separator_that_belongs_to_the_text_is_written(name: str, new: str) -> None:
    found = apply_in_memory({name: "x = 1;\ny();\n"}, f"{name}\n{block('x = 1;' + chr(10), new)}")
    assert found == {name: new.replace("\\=", "=") + "y();\n"}
