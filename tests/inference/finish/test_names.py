"""Names that a change replaced, and where their old spelling is left."""

from __future__ import annotations

import pytest

from editahead_inference.finish.names import left_places, replaced_names
from editahead_inference.finish.report import ChangedFile
from editahead_inference.finish.taught_rules import past_edits
from finish_samples import changed, snapshot


def names(*change: ChangedFile) -> list[tuple[str, str, str]]:
    return [(name.old, name.new, name.source) for name in replaced_names(change, past_edits(change))]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("retries = 3\n", "attempts = 3\n", [("retries", "attempts", "word")]),
        ("a: max-retries\n", "a: max-attempts\n", [("max-retries", "max-attempts", "compound")]),
        ('version = "1.2.0"\n', 'version = "1.3.0"\n', [("1.2.0", "1.3.0", "version")]),
        ("import app.store\n", "import app.shelf\n", [("app.store", "app.shelf", "compound")]),
        ("limit = 100\n", "limit = 200\n", []),
        ("one = 1\n", "the_one(1)\n", []),
        ("retries = retries\n", "attempts = tries\n", []),
        ("load(retries)\n", "load(attempts)\nretries = 1\n", []),
    ],
)
def test_what_counts_as_replaced(before: str, after: str, expected: list[tuple[str, str, str]]) -> None:
    assert names(changed("a.txt", before, after)) == expected


def test_a_moved_file_is_a_replaced_path() -> None:
    moved = ChangedFile(snapshot("src/app/store.py", "x = 1\n"), snapshot("src/app/shelf.py", "x = 1\n"))
    assert names(moved) == [("app/store.py", "app/shelf.py", "move")]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Set `max_retries` first.", "Set `max_attempts` first."),
        ("max_retries: 3", "max_attempts: 3"),
        ("http.max_retries = max_retries", None),
        ("my_max_retries = 1", None),
        ("max_retries_of", None),
        ("max-retries", None),
        ("see docs/max_retries", None),
    ],
)
def test_only_whole_spellings_are_left(line: str, found: str | None) -> None:
    change = [changed("a.py", "max_retries = 3\n", "max_attempts = 3\n")]
    (name,) = replaced_names(change, past_edits(change))
    document = snapshot("a.md", f"# Title\n{line}\n")
    made = [(number, edit.apply(document.text)) for number, edit in left_places(name, document)]
    if found is None and "= max_retries" in line:
        assert made == [(1, "# Title\nhttp.max_retries = max_attempts\n")]
    else:
        assert made == ([] if found is None else [(1, f"# Title\n{found}\n")])
