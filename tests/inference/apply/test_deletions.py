"""A diff deletes only the file whose text it removes."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from files_in_memory import apply_in_memory

_GIT = "diff --git a/n.txt b/n.txt\ndeleted file mode 100644\nindex 1111111..0000000\n"
_NAMES = "--- a/n.txt\n+++ /dev/null\n"
_TWO = f"{_NAMES}@@ -1,2 +0,0 @@\n-one\n-two\n"
_NO_END = "\\ No newline at end of file\n"


@pytest.mark.parametrize(
    ("before", "sketch"),
    [
        ("one\ntwo\nthree\n", _GIT + _TWO),
        ("zero\none\ntwo\n", _GIT + _TWO),
        ("quite another text\n", _GIT + _TWO),
        ("one\n", _GIT + _TWO),
        ("", _GIT + _TWO),
        ("one\ntwo", _GIT + _TWO),
        ("one\ntwo\n", _GIT + _TWO + _NO_END),
        ("one\ntwo\nthree\n", _TWO),
        ("one\ntwo\nthree\n", f"```diff\n{_TWO}```\n"),
        ("one\ntwo\n", f"{_NAMES}@@ -1,2 +1 @@\n one\n-two\n"),
        ("one\ntwo\n", f"{_NAMES}@@ -1,2 +1 @@\n-one\n-two\n+three\n"),
        ("one\ntwo\n", _GIT),
        ("one\ntwo  \n", _GIT + _TWO),
        ("one\n\ntwo\n", f"{_NAMES}@@ -1 +0,0 @@\n-one\n@@ -3 +0,0 @@\n-two\n"),
    ],
)
def test_a_diff_that_deletes_another_text_is_refused(before: str, sketch: str) -> None:
    assert apply_in_memory({"n.txt": before, "b.txt": "b\n"}, sketch) == "would-lose-code"


@pytest.mark.parametrize(
    ("before", "sketch"),
    [
        ("one\ntwo\n", _GIT + _TWO),
        ("one\ntwo\n", _TWO),
        ("one\ntwo\n", f"So it goes:\n\n```diff\n{_TWO}```\n"),
        ("one\r\ntwo\r\n", _GIT + _TWO),
        ("one\r\ntwo\r\n", (_GIT + _TWO).replace("\n", "\r\n")),
        ("one\ntwo", _GIT + _TWO + _NO_END),
        ("", _GIT),
        ("one\ntwo\n", "*** Begin Patch\n*** Delete File: n.txt\n*** End Patch\n"),
    ],
)
def test_a_diff_deletes_the_file_that_it_shows(before: str, sketch: str) -> None:
    assert apply_in_memory({"n.txt": before, "b.txt": "b\n"}, sketch) == {"b.txt": "b\n"}


_TEXT = st.lists(st.sampled_from(["a", "b", "", "- a", "--- a", "# ..."]), max_size=4).map(tuple)


@given(before=_TEXT, deleted=_TEXT, has_end=st.booleans(), said_end=st.booleans())
def test_nothing_goes_that_the_diff_does_not_remove(
    before: tuple[str, ...], deleted: tuple[str, ...], has_end: bool, said_end: bool
) -> None:
    assume(not deleted or said_end or deleted[-1])
    text = "\n".join(before) + "\n" * (has_end and bool(before))
    removed = "".join(f"-{line}\n" for line in deleted) + (_NO_END if deleted and not said_end else "")
    sketch = _GIT + (f"{_NAMES}@@ -1,{len(deleted)} +0,0 @@\n{removed}" if deleted else "")
    shown = "\n".join(deleted) + "\n" * (said_end and bool(deleted))
    found = apply_in_memory({"n.txt": text}, sketch)
    assert found == ({} if text == shown else "would-lose-code")
