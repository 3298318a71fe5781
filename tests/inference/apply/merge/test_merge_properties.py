"""Properties of every merge, for any sketch and file."""

from __future__ import annotations

from itertools import permutations

from hypothesis import assume, given
from hypothesis import strategies as st

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.results import MergeResult
from editahead_prompts.sketches.sketch import (
    Code,
    Diff,
    Elision,
    FileSketch,
    Hunk,
    HunkLine,
    Sketch,
    SketchKind,
    Snippet,
)
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.snapshot import Snapshot

LINES = st.sampled_from(
    [
        "a = 1",
        "    b(a)",
        "def f(x):",
        "    return x",
        "",
        "}",
        "  {",
        "call(1, 2)",
        "# note",
        "é = “x”",
        "import os",
        "def \ud800(x): return x",
    ]
)
FILES = st.lists(LINES, max_size=25)
LANGUAGES = st.sampled_from(["python", "go", "typescript", "plaintext"])
TAGS = st.sampled_from([" ", "-", "+"])
HUNKS = st.builds(
    lambda lines, line, headings, at_end: Hunk(
        tuple(HunkLine(tag, text, at) for at, (tag, text) in enumerate(lines)), 0, headings, line, at_end
    ),
    st.lists(st.tuples(TAGS, LINES), max_size=8),
    st.none() | st.integers(0, 40),
    st.lists(LINES, max_size=1).map(tuple),
    st.booleans(),
)
PARTS = st.one_of(
    st.builds(lambda lines: Code(tuple(lines), 0), st.lists(LINES, min_size=1, max_size=8)),
    st.builds(Elision, st.sampled_from(["...", "    # ... existing code ..."]), st.just(0), st.booleans()),
)


def sketch_of(kind: SketchKind, content: Snippet | Diff) -> Sketch:
    return Sketch((), (FileSketch(kind, "", content, 0, 0),))


DIFFS = st.lists(HUNKS, min_size=1, max_size=4).map(
    lambda hunks: sketch_of("unified-diff", Diff(tuple(hunks)))
)
SNIPPETS = st.builds(
    lambda kind, parts: sketch_of(kind, Snippet(tuple(parts))),
    st.sampled_from(["markers", "whole-file", "declaration"]),
    st.lists(PARTS, max_size=5),
)


def merged(sketch: Sketch, text: str, language: str = "plaintext") -> MergeResult:
    return merge(sketch, sketch.files[0], Snapshot.from_text(text, uri="file:///a", language=language))


@given(DIFFS | SNIPPETS, FILES, LANGUAGES, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_never_raises_and_the_edit_makes_the_guess(
    sketch: Sketch, lines: list[str], language: str, eol: str, ends: bool
) -> None:
    text = eol.join(lines) + (eol if ends and lines else "")
    result = merged(sketch, text, language)
    assert result.edit.apply(text) == result.guess
    assert 0 <= result.confidence <= 1
    assert result.original.text == text
    if result.refusal is not None:
        assert result.refusal.detail
        assert all(0 <= near.start <= near.end <= len(lines) + 1 for near in result.refusal.near)


@st.composite
def diffs_of_files(draw: st.DrawFn) -> tuple[Sketch, list[str]]:
    """Draw a file with repeated lines, and a diff of it with one or two hunks, sometimes slightly damaged."""
    lines = [f"x{n} = {n}" if draw(st.booleans()) else draw(LINES) for n in range(draw(st.integers(6, 25)))]
    hunks, end = [], 0
    for _ in range(draw(st.integers(1, 2))):
        if end + 4 > len(lines):
            break
        first = draw(st.integers(end, len(lines) - 4))
        start = first + draw(st.integers(1, 3))
        stop = min(start + draw(st.integers(0, 2)), len(lines))
        end = min(stop + draw(st.integers(1, 3)), len(lines))
        come = draw(st.lists(LINES, min_size=1 if start == stop else 0, max_size=3))
        tagged: list[tuple[str, str]] = [
            *((" ", line) for line in lines[first:start]),
            *(("-", line) for line in lines[start:stop]),
            *(("+", line) for line in come),
            *((" ", line) for line in lines[stop:end]),
        ]
        if draw(st.integers(0, 3)) == 3:
            del tagged[draw(st.integers(0, len(tagged) - 1))]
        number = draw(st.sampled_from([None, first + 1, first + 2]))
        hunks.append(Hunk(tuple(HunkLine(tag, line, 0) for tag, line in tagged), 0, (), number))
    return sketch_of("unified-diff", Diff(tuple(hunks))), lines


@given(diffs_of_files())
def test_a_sure_diff_removes_and_adds_only_what_its_hunks_say(made: tuple[Sketch, list[str]]) -> None:
    sketch, lines = made
    result = merged(sketch, "\n".join([*lines, ""]))
    assume(result.refusal is None)
    content = sketch.files[0].content
    assert isinstance(content, Diff)
    said = {
        tag: [line.text.strip() for h in content.hunks for line in h.lines if line.tag == tag] for tag in "-+"
    }
    after = result.guess.split("\n")[:-1]
    for i1, i2, j1, j2 in diff_lines(lines, after):
        assert j2 - j1 <= len(said["+"])
        assert i2 - i1 <= len(said["-"])


@st.composite
def changes(draw: st.DrawFn) -> tuple[list[str], list[Hunk], list[str]]:
    """Draw a file of distinct lines, hunks of it with context, and the file after them."""
    old = [f"line {number} of the file" for number in range(draw(st.integers(8, 40)))]
    new: list[str] = []
    hunks: list[Hunk] = []
    at = 0
    for number in range(draw(st.integers(1, 4))):
        start = at + 3 + draw(st.integers(0, 4))
        gone = draw(st.integers(0, 3))
        if start + gone + 3 > len(old):
            break
        come = [f"new {number} {k}" for k in range(draw(st.integers(0 if gone else 1, 3)))]
        new += [*old[at:start], *come]
        tagged = [
            *((" ", line) for line in old[start - 2 : start]),
            *(("-", line) for line in old[start : start + gone]),
            *(("+", line) for line in come),
            *((" ", line) for line in old[start + gone : start + gone + 2]),
        ]
        hunks.append(Hunk(tuple(HunkLine(tag, line, 0) for tag, line in tagged), 0))
        at = start + gone
    return old, hunks, new + old[at:]


@given(changes())
def test_hunks_one_by_one_in_any_order_equal_all_at_once(
    change: tuple[list[str], list[Hunk], list[str]],
) -> None:
    old, hunks, new = change
    assume(hunks)
    text, expected = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    at_once = merged(sketch_of("unified-diff", Diff(tuple(hunks))), text)
    assert at_once.refusal is None
    assert at_once.guess == expected
    for order in permutations(hunks):
        step = text
        for hunk in order:
            result = merged(sketch_of("unified-diff", Diff((hunk,))), step)
            assert result.refusal is None
            step = result.guess
        assert step == expected


@given(changes())
def test_applying_twice_changes_nothing_or_is_refused(
    change: tuple[list[str], list[Hunk], list[str]],
) -> None:
    _, hunks, new = change
    assume(hunks)
    text = "".join(f"{line}\n" for line in new)
    again = merged(sketch_of("unified-diff", Diff(tuple(hunks))), text)
    assert again.refusal is not None or again.guess == text


@given(changes(), st.integers(1, 3))
def test_a_snippet_with_context_makes_the_change(
    change: tuple[list[str], list[Hunk], list[str]], context: int
) -> None:
    old, hunks, new = change
    assume(hunks)
    shown: set[int] = set()
    for _, _, j1, j2 in diff_lines(old, new):
        shown.update(range(max(0, j1 - context), min(len(new), j2 + context)))
    parts: list[Code | Elision] = []
    for number, line in enumerate(new):
        if number in shown and parts and isinstance(parts[-1], Code):
            parts[-1] = Code((*parts[-1].lines, line), 0)
        elif number in shown:
            parts.append(Code((line,), 0))
        elif not parts or not isinstance(parts[-1], Elision):
            parts.append(Elision("...", 0))
    text, expected = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    sketch = sketch_of("markers", Snippet(tuple(parts)))
    result = merged(sketch, text)
    assert result.refusal is None
    assert result.guess == expected
    again = merged(sketch, expected)
    assert again.refusal is not None or again.guess == expected
