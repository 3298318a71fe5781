"""Calls that write a whole file: the text of the call, a merge by its marks, or a refusal; never something between."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from files_in_memory import apply_in_memory

_TEXT = "import os\n\nA = 1\n\n\ndef keep():\n    return A\n\n\ndef other():\n    return os.name\n"


def writing(name: str, text: str, form: str = "gemini") -> str:
    if form == "tags":
        return f"<write_to_file>\n<path>{name}</path>\n<content>\n{text}</content>\n</write_to_file>\n"
    if form == "fence":
        return (
            f"<write_to_file>\n<path>{name}</path>\n<content>\n```\n{text}```\n</content>\n</write_to_file>\n"
        )
    if form == "claude":
        return json.dumps({"name": "Write", "input": {"file_path": name, "content": text}})
    return json.dumps({"name": "write_file", "args": {"file_path": name, "content": text}})


FORMS = ["gemini", "claude", "tags", "fence"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.py", "x = 1\n", "x = 2\n"),
        ("a.py", _TEXT, _TEXT.replace("A = 1", "A = 2")),
        ("a.py", _TEXT, _TEXT.replace("other", "third").replace("keep", "held").replace("A", "B")),
        ("a.json", '{"a": 1}\n', '{"b": [1, 2]}\n'),
        ("a.txt", "old\nwords\n", "quite other\nlines\n"),
        ("a.css", "a { top: 1px; }\n", "b { left: 2px; }\n"),
        ("a.rs", "fn a() {}\n", "fn b() {\n    c();\n}\n"),
    ],
)
def test_a_written_file_has_the_text_of_the_call(name: str, before: str, after: str, form: str) -> None:
    assert apply_in_memory({name: before}, writing(name, after, form)) == {name: after}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "left",
    [
        "def keep():\n    return A\n",
        "import os\n\nA = 2\n\n\ndef keep():\n    return A\n",
        "A = 2\n\n\ndef other():\n    return os.name\n",
        "import os\n\nA = 2\n",
        "def other():\n    return os.sep\n",
        "def keep():\n    return 2\n",
        "import os\n\nA = 2\n\n# ... (the other functions stay as they are)\n",
    ],
)
def test_a_written_file_that_loses_a_function_is_refused(left: str, form: str) -> None:
    assert isinstance(apply_in_memory({"a.py": _TEXT}, writing("a.py", left, form)), str)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.rst", "# A\n\none\n\n# B\n\ntwo\n", "# A\n\nuno\n"),
        ("a.py", '"""Doc."""\n\n\ndef f():\n    """Say."""\n    return 1\n', "def f():\n    return 2\n"),
        ("a.txt", "one\ntwo\nthree\n", "four\n"),
        ("a.yml", "a: 1\nb: 2\nc: 3\n", "a: 10\n"),
        ("a.sql", "select 1;\nselect 2;\n", "select 3;\n"),
    ],
)
def test_another_text_that_is_shorter_may_be_cut_off(name: str, before: str, after: str, form: str) -> None:
    assert apply_in_memory({name: before}, writing(name, after, form)) == "would-lose-code"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "mark",
    [
        "# ... existing code ...",
        "# ... rest of the file remains the same ...",
        "# rest of the code unchanged",
        "# ... keep the rest of the file ...",
    ],
)
def test_a_mark_in_a_written_file_leaves_the_rest_as_it_is(mark: str, form: str) -> None:
    sketch = writing("a.py", f"import os\n\nA = 2\n\n{mark}\n", form)
    assert apply_in_memory({"a.py": _TEXT}, sketch) == {"a.py": _TEXT.replace("A = 1", "A = 2")}


def test_a_line_of_the_file_that_looks_like_a_mark_is_no_mark() -> None:
    text = "A = 1\n# ... existing code ...\nB = 2\n"
    assert apply_in_memory({"a.py": text}, writing("a.py", text.replace("B = 2", "B = 3"))) == {
        "a.py": text.replace("B = 2", "B = 3")
    }


_LINE = st.sampled_from(
    ["a = 1", "b = 2", "", "# c", "def f():", "    return a", "# ... existing code ...", "}"]
)
_FILE = st.lists(_LINE, min_size=1, max_size=8).map(lambda lines: "".join(f"{line}\n" for line in lines))


@given(before=_FILE, after=_FILE)
def test_a_written_file_without_a_mark_is_written_or_refused(before: str, after: str) -> None:
    found = apply_in_memory({"a.txt": before}, writing("a.txt", after))
    has_mark = "existing" in after and "existing" not in before
    assert isinstance(found, str) or has_mark or found["a.txt"].split() == after.split()
