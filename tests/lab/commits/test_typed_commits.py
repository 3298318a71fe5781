"""Commits as typing: the keys lead to the commit's text, in the order in which a person types."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_evals.data.edit_records import Record
from editahead_evals.data.key_sessions import Change, KeySession, apply_replacements
from editahead_lab.commits.typed_commits import typed_commit

LINES = st.lists(
    st.sampled_from(["", "import gate", "    gate(a, b)", "return 1", "x = old(old.y)", "𝒳 = 'é'"]),
    max_size=8,
)


def session(before: str, after: str) -> KeySession:
    return typed_commit(Record("r@1:a.py", "r", "1", "s", "a.py", "python", before, after))


def typed(before: str, after: str) -> list[str]:
    """The text after each key."""
    texts, text = [], before
    for event in session(before, after).events:
        if isinstance(event, Change):
            text = apply_replacements(text, event.replacements)
            texts.append(text)
    return texts


@pytest.mark.slow
@given(LINES, LINES, st.booleans(), st.booleans())
def test_the_keys_make_the_commit(a: list[str], b: list[str], c: bool, d: bool) -> None:
    before, after = "\n".join(a) + "\n" * c, "\n".join(b) + "\n" * d
    texts = typed(before, after)
    assert (texts or [before])[-1] == after
    changes = [event for event in session(before, after).events if isinstance(event, Change)]
    assert all(change.by_key and len(change.replacements) == 1 for change in changes)
    assert all(len(new) <= 1 or new.isspace() for change in changes for _, _, new in change.replacements)
    assert [change.at for change in changes] == sorted({change.at for change in changes})


def test_new_lines_begin_at_the_end_of_the_line_above() -> None:
    assert typed("def f():\n    a()\n", "def f():\n    b()\n    a()\n") == [
        "def f():\n    \n    a()\n",
        "def f():\n    b\n    a()\n",
        "def f():\n    b(\n    a()\n",
        "def f():\n    b()\n    a()\n",
    ]


def test_a_changed_word_is_typed_over_and_the_rest_is_left_alone() -> None:
    before = "total = price * amount + extra\n"
    assert typed(before, before.replace("price", "ab").replace("extra", "c")) == [
        "total = a * amount + extra\n",
        "total = ab * amount + extra\n",
        "total = ab * amount + c\n",
    ]


def test_texts_without_likeness_are_replaced_as_a_whole() -> None:
    assert typed("show(total)\n", "# no\n")[0] == "#\n"


def test_an_import_is_typed_after_its_first_use() -> None:
    before = "import os\n\n\ndef f():\n    pass\n\n\ndef g():\n    pass\n"
    after = before.replace("import os", "import os\nimport math").replace("pass\n\n", "math.pi\n\n")
    after = after.replace("    pass", "    2")
    texts = typed(before, after)
    done = [text for text in texts if "math.pi" in text]
    assert "import math" not in done[0]
    first = next(text for text in texts if "import math" in text)
    assert "    pass" in first  # the last hunk comes after the import


def test_an_import_that_nothing_uses_keeps_its_place() -> None:
    before = "import os\n\nx = 1\n"
    texts = typed(before, before.replace("os", "os.path").replace("1", "2"))
    assert texts[-2] == "import os.path\n\nx = 1\n"
