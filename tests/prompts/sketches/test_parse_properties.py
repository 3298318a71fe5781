"""Properties of the parser for any text, and round trips of sketches."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.errors import SketchError
from editahead_prompts.sketches.elision_markers import parse_marker
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.sketches.sketch import Code, Diff, Elision, Sketch, Snippet, Tag
from history_typist import PROPERTY

pytestmark = pytest.mark.slow


CODE = st.sampled_from(
    [
        "x = 1",
        "def f(a):",
        "    return a",
        "",
        "    if x:",
        "        y()",
        "}",
        "- item",
        "+ 1",
        "@deco",
        "a, ...",
        " # why",
        "***",
    ]
)
MARKER = st.sampled_from(
    ["# ... existing code ...", "// ...", "  /* ... */", "…", "# rest of the code", "{/* ... */}"]
)
SIGNS = st.sampled_from(
    [
        "@@",
        "@@ -1,2 +3,4 @@ f",
        "--- a/x.py",
        "+++ b/x.py",
        "--- ",
        "diff --git a/x b/x",
        "rename to z",
        "new file mode 100644",
        "\\ No newline at end of file",
        "<<<<<<< SEARCH",
        "------- SEARCH",
        "=======",
        ">>>>>>> REPLACE",
        "+++++++ REPLACE",
        "*** Begin Patch",
        "*** Update File: a.py",
        "*** Add File: b.py",
        "*** Delete File: c",
        "*** Move to: d.py",
        "*** End of File",
        "*** End Patch",
        "```",
        "```py",
        "   ~~~~",
        "```ts:a/b.ts",
        "`a/b.py`:",
        "# a/b.py",
        "Then do this:",
        "\ud800\u2028\x00",
        "\r",
    ]
)
TEXTS = st.lists(st.one_of(CODE, MARKER, SIGNS, st.text(max_size=8)), max_size=14).map("\n".join)
HUNKS = st.lists(
    st.lists(st.tuples(st.sampled_from([" ", "-", "+"]), CODE), min_size=1, max_size=6).filter(
        lambda lines: any(tag != " " for tag, _ in lines)
    ),
    min_size=1,
    max_size=3,
)


def in_place(sketch: Sketch) -> bool:
    """Return whether every line of the sketch is where the sketch says."""
    for file in sketch.files:
        assert 0 <= file.at <= file.end <= len(sketch.lines)
        if isinstance(file.content, Diff):
            lines = [(line.at, line.text) for hunk in file.content.hunks for line in hunk.lines]
        else:
            lines = []
            for part in file.content.parts:
                texts = part.lines if isinstance(part, Code) else (part.text,)
                lines += [(part.at + number, text) for number, text in enumerate(texts)]
        assert [at for at, _ in lines] == sorted({at for at, _ in lines})
        assert all(sketch.lines[at].endswith(text) for at, text in lines)
    return True


@PROPERTY
@given(TEXTS, st.sampled_from([None, "python", "typescript", "cpp", "markdown"]))
def test_any_text_is_a_sketch_or_is_none(text: str, language: str | None) -> None:
    try:
        sketch = parse_sketch(text, language=language)
    except SketchError as error:
        assert str(error)
        assert 0 <= error.at <= error.end
    else:
        assert sketch.files
        assert in_place(sketch)


@PROPERTY
@given(
    st.lists(
        st.one_of(CODE.map(lambda line: (line, False)), MARKER.map(lambda line: (line, True))), min_size=1
    ),
    st.booleans(),
)
def test_code_with_markers_is_read_as_written(lines: list[tuple[str, bool]], has_prose: bool) -> None:
    if not any(line.strip() for line, is_marker in lines if not is_marker):
        lines = [*lines, ("x = 1", False)]
    text = "\n".join(["```py", *(line for line, _ in lines), "```"])
    sketch = parse_sketch(
        f"So it is done:\n\n{text}\n\nThat is all." if has_prose else text, language="python"
    )
    (file,) = sketch.files
    assert isinstance(file.content, Snippet)
    read: list[tuple[str, bool]] = []
    for part in file.content.parts:
        read += [(part.text, True)] if isinstance(part, Elision) else [(line, False) for line in part.lines]
    assert read == lines
    assert (file.kind == "markers") or not any(is_marker for _, is_marker in lines)
    assert in_place(sketch)


def tagged(hunks: Sequence[Sequence[tuple[Tag, str]]], header: str) -> list[str]:
    return [line for hunk in hunks for line in (header, *(tag + text for tag, text in hunk))]


@PROPERTY
@given(HUNKS, st.sampled_from(["@@ -3,4 +5,6 @@", "@@ ... @@", "@@"]), st.booleans(), st.booleans())
def test_a_diff_is_read_as_written(
    hunks: list[list[tuple[Tag, str]]], header: str, has_files: bool, is_fenced: bool
) -> None:
    lines = [*(("--- a/p/x.py", "+++ b/p/x.py") if has_files else ()), *tagged(hunks, header)]
    sketch = parse_sketch("\n".join(["````diff", *lines, "````"] if is_fenced else lines))
    (file,) = sketch.files
    assert file.kind == "unified-diff"
    assert file.path == ("p/x.py" if has_files else None)
    assert isinstance(file.content, Diff)
    assert [[(line.tag, line.text) for line in hunk.lines] for hunk in file.content.hunks] == hunks
    assert in_place(sketch)


@PROPERTY
@given(HUNKS, st.booleans())
def test_a_patch_is_read_as_written(hunks: list[list[tuple[Tag, str]]], is_fenced: bool) -> None:
    lines = ["*** Begin Patch", "*** Update File: p/x.py", *tagged(hunks, "@@ class A:"), "*** End Patch"]
    (file,) = parse_sketch("\n".join(["```", *lines, "```"] if is_fenced else lines)).files
    assert (file.kind, file.path) == ("begin-patch", "p/x.py")
    assert isinstance(file.content, Diff)
    assert [[(line.tag, line.text) for line in hunk.lines] for hunk in file.content.hunks] == hunks
    assert all(hunk.headings == ("class A:",) for hunk in file.content.hunks)


@PROPERTY
@given(
    st.lists(st.tuples(st.lists(CODE, max_size=4), st.lists(CODE, max_size=4)), min_size=1, max_size=4),
    st.sampled_from([("<<<<<<< SEARCH", ">>>>>>> REPLACE"), ("------- SEARCH", "+++++++ REPLACE")]),
    st.booleans(),
)
def test_search_and_replace_blocks_are_read_as_written(
    blocks: list[tuple[list[str], list[str]]], signs: tuple[str, str], is_fenced: bool
) -> None:
    blocks = [(old, new) for old, new in blocks if old != new] or [(["x = 1"], ["x = 2"])]
    lines = ["p/x.py"]
    for old, new in blocks:
        block = [signs[0], *old, "=======", *new, signs[1]]
        lines += ["```py", *block, "```"] if is_fenced else block
    (file,) = parse_sketch("\n".join(lines)).files
    assert (file.kind, file.path) == ("search-replace", "p/x.py")
    assert isinstance(file.content, Diff)
    assert [(list(hunk.old), list(hunk.new)) for hunk in file.content.hunks] == blocks


@pytest.mark.parametrize(
    "line",
    ["x", "#", "# ", "//", "...x", "# .", "( )", "[]", "<>", "# []", "-- ", "x" * 10_000, "# " + "." * 9_999],
)
def test_short_and_long_lines_are_no_markers(line: str) -> None:
    assert parse_marker(line) is None


@pytest.mark.parametrize(
    "unit",
    ["```a\n", "@@\n", "<<<<<<< SEARCH\n=======\n", "*** Update File: a\n", "# ((((((\n", "- x\n\n", "}\n"],
)
def test_much_of_the_same_is_read_too(unit: str) -> None:
    with contextlib.suppress(SketchError):
        parse_sketch(unit * 5_000, language="python")
