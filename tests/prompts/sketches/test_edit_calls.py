"""Calls of edit tools: texts and what replaces them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.errors import SketchError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.sketches.reparse import reparse_with_file
from editahead_prompts.sketches.sketch import Diff, Snippet
from editahead_prompts.text.snapshot import Snapshot

_TEXTS = st.text(alphabet="ab( \n", min_size=1, max_size=30)


@given(before=_TEXTS, news=st.lists(_TEXTS, min_size=1, max_size=3), data=st.data())
def test_hunk_has_the_effect_of_the_edits_one_after_another(
    before: str, news: list[str], data: st.DataObject
) -> None:
    expected = before
    calls = []
    for new in news:
        at = data.draw(st.integers(0, len(expected) - 1))
        olds = (expected[at:end] for end in range(at + 1, len(expected) + 1))
        old = next((old for old in olds if expected.count(old) == 1), expected)
        expected = expected.replace(old, new)
        calls.append({"old_string": old, "new_string": new})
    sketch = parse_sketch(json.dumps({"file_path": "a.py", "edits": calls}))
    (part,) = sketch.files
    content = reparse_with_file(part, sketch, Snapshot.from_text(before)).content
    assert isinstance(content, Diff)
    (hunk,) = content.hunks
    assert not hunk.is_text
    assert hunk.line is not None
    lines = before.split("\n")
    assert tuple(lines[hunk.line : hunk.line + len(hunk.old)]) == hunk.old
    lines[hunk.line : hunk.line + len(hunk.old)] = hunk.new
    assert "\n".join(lines) == expected


def test_text_that_occurs_twice_is_no_edit_of_one_place() -> None:
    sketch = parse_sketch('{"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}')
    content = reparse_with_file(sketch.files[0], sketch, Snapshot.from_text("x = 1\ny = 1\nx = 1\n")).content
    assert isinstance(content, Diff)
    assert content.hunks[0].old == ("x = 1",)


@pytest.mark.parametrize("extra", [{"replace_all": True}, {"expected_replacements": 2}])
def test_all_occurrences_change_where_the_call_says_so(extra: dict[str, object]) -> None:
    sketch = parse_sketch(json.dumps({"path": "a.py", "old_str": "1", "new_str": "2", **extra}))
    content = reparse_with_file(sketch.files[0], sketch, Snapshot.from_text("x = 1\ny = 1\n")).content
    assert isinstance(content, Diff)
    assert content.hunks[0].new == ("x = 2", "y = 2")


def test_content_is_a_whole_file() -> None:
    (part,) = parse_sketch('{"file_path": "a.py", "content": "x = 1\\n"}').files
    assert part.kind == "whole-file"
    assert isinstance(part.content, Snippet)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "x", "version": "1"}',
        '{"old_string": "a"}',
        '[{"path": "a.py"}]',
        '{"file_path": "a.py", "old_string": 1, "new_string": 2}',
        "[" * 2000,
        '{"a":' * 2000 + "1" + "}" * 2000,
    ],
)
def test_other_json_is_code(text: str) -> None:
    (part,) = parse_sketch(text, language="json").files
    assert part.kind != "search-replace"


def test_calls_of_two_kinds_are_refused() -> None:
    calls = [
        {"path": "a.py", "old_str": "a", "new_str": "b"},
        {"filePath": "b.py", "code": "// ...existing code...\nx\n"},
    ]
    with pytest.raises(SketchError, match="one by one"):
        parse_sketch(json.dumps(calls))
