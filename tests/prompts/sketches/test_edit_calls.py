"""Calls of edit tools: texts and what replaces them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.apply.merge.merge import merge
from editahead_prompts.errors import UnfitSketchError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.sketches.reparse import reparse_with_file
from editahead_prompts.sketches.sketch import Code, Diff, Snippet
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

_TEXTS = st.text(alphabet="ab( \n", min_size=1, max_size=30)


def _replay(before: str, calls: Sequence[Mapping[str, object]]) -> str | None:
    """Return the text after the calls, one after the other; None where a text does not occur just as often as said."""
    text = before
    for call in calls:
        old, new = str(call["old_string"]), str(call["new_string"])
        found = [at for at in range(len(text)) if text.startswith(old, at)]
        overlaps = any(b - a < len(old) for a, b in pairwise(found))
        if not found or overlaps or (len(found) > 1 and not call.get("replace_all")):
            return None
        text = text.replace(old, new)
    return text


@pytest.mark.slow
@given(before=_TEXTS, new_texts=st.lists(_TEXTS, min_size=1, max_size=3), data=st.data())
def test_hunk_has_the_effect_of_the_edits_one_after_another(
    before: str, new_texts: list[str], data: st.DataObject
) -> None:
    calls: list[dict[str, object]] = []
    text = before
    for new in new_texts:
        at = data.draw(st.integers(0, len(text) - 1))
        old = text[at : data.draw(st.integers(at + 1, len(text)))] if data.draw(st.booleans()) else new
        calls.append({"old_string": old, "new_string": new, "replace_all": data.draw(st.booleans())})
        text = text.replace(old, new, 1)
    sketch = parse_sketch(json.dumps({"file_path": "a.py", "edits": calls}))
    (part,) = sketch.files
    expected = _replay(before, calls)
    if expected is None:
        with pytest.raises(UnfitSketchError):
            reparse_with_file(part, sketch, Snapshot.from_text(before))
        return
    content = reparse_with_file(part, sketch, Snapshot.from_text(before)).content
    assert isinstance(content, Diff)
    (hunk,) = content.hunks
    assert not hunk.is_text
    assert hunk.line is not None
    lines = before.split("\n")
    assert tuple(lines[hunk.line : hunk.line + len(hunk.old)]) == hunk.old
    lines[hunk.line : hunk.line + len(hunk.old)] = hunk.new
    assert "\n".join(lines) == expected


@pytest.mark.parametrize(
    ("before", "edits", "reason"),
    [
        ("x = 1\ny = 1\nx = 1\n", [("x = 1", "x = 2")], "ambiguous"),
        ("foo\nfoo\nfoo\n", [("foo\nfoo\n", "one\n")], "ambiguous"),
        ("a\n\na\n\na\n", [("a\n\na\n", "b\n")], "ambiguous"),
        ("xaaax\n", [("aa", "b")], "ambiguous"),
        ("- run: a\n- run: a\n- run: a\n", [("- run: a\n- run: a", "- run: b")], "ambiguous"),
        ("}\n}\n}\n", [("}\n}", "}")], "ambiguous"),
        ("a = 1\nb = 2\n", [("zz", "b"), ("b", "zz")], "unplaced"),
        ("a = 1\nb = 2\n", [("a", "b"), ("b", "a")], "ambiguous"),
        ("a = 1\n", [("a = 1", "b = 1"), ("a = 1", "c = 1")], "unplaced"),
        ("a = 1\n", [("  a = 1", "  b = 1")], "unplaced"),
        ("a = 1\n", [("a  = 1", "a  = 1")], "unplaced"),
        ("a = 1\n", [("a = 1\n\n", "b = 1\n\n")], "unplaced"),
    ],
)
def test_text_that_does_not_occur_as_the_call_says_is_no_edit(
    before: str, edits: list[tuple[str, str]], reason: str
) -> None:
    calls = [{"old_string": old, "new_string": new} for old, new in edits]
    sketch = parse_sketch(json.dumps({"file_path": "a.py", "edits": calls}))
    with pytest.raises(UnfitSketchError) as raised:
        reparse_with_file(sketch.files[0], sketch, Snapshot.from_text(before))
    assert raised.value.reason == reason
    merged = merge(sketch, sketch.files[0], Snapshot.from_text(before))
    assert merged.refusal is not None
    assert (merged.refusal.reason, merged.edit) == (reason, Edit())


@pytest.mark.parametrize("extra", [{"replace_all": True}, {"expected_replacements": 2}])
def test_overlapping_occurrences_are_refused_where_all_of_them_change(extra: dict[str, object]) -> None:
    sketch = parse_sketch(json.dumps({"path": "a", "old_str": "aa", "new_str": "b", **extra}))
    with pytest.raises(UnfitSketchError, match="overlap"):
        reparse_with_file(sketch.files[0], sketch, Snapshot.from_text("aaa\n"))


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


def test_calls_of_two_kinds_are_parts_in_their_order() -> None:
    calls = [
        {"path": "a.py", "old_str": "a", "new_str": "b"},
        {"filePath": "b.py", "code": "// ...existing code...\nx\n"},
        {"path": "c.py", "old_str": "c", "new_str": "d"},
    ]
    sketch = parse_sketch(json.dumps(calls))
    assert [part.path for part in sketch.files] == ["a.py", "b.py", "c.py"]
    for part in sketch.files:
        assert 0 <= part.at < part.end <= len(sketch.lines)
    content = sketch.files[1].content
    assert isinstance(content, Snippet)
    for piece in content.parts:
        assert sketch.lines[piece.at] == (piece.lines[0] if isinstance(piece, Code) else piece.text)
