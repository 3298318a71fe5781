"""The names in scope at a line."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.completion.scope import names_in_scope
from editahead_prompts.text.snapshot import Snapshot


def in_scope(text: str, language: str) -> set[str]:
    """Return the names in scope at the line with the bar."""
    line = text[: text.index("|")].count("\n")
    snapshot = Snapshot.from_text(text.replace("|", "", 1), language=language)
    return set(names_in_scope(snapshot, line))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (
            "python",
            "def other(far):\n    pass\n\ndef here(near):\n    if near:\n        local = near.member\n        |",
        ),
        ("python", "def other(far):\n    pass\n\ndef here(\n    near,\n    local,\n):\n    |"),
        (
            "go",
            "func other(far int) {\n}\n\nfunc here(near int) {\n\tif near {\n\t\tlocal := 1\n\t\t|\n\t}\n}\n",
        ),
        ("java", "void other(int far) {\n}\n\nvoid here(int near) {\n    int local = 1;\n    |\n}\n"),
        (
            "typescript",
            "const other = (far) => {\n};\n\nconst here = (near) => {\n  const local = 1;\n  |\n};\n",
        ),
    ],
)
def test_names_of_the_function_around_the_line(language: str, text: str) -> None:
    found = in_scope(text, language)
    assert {"near", "local"} <= found
    assert not {"far", "member"} & found
