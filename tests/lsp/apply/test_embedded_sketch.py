"""Sketches inside a document: extraction, and hunks rebased to the rest of the document."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.apply.results import Choice, ChoicePlace, Refusal, SimilarLines
from editahead_inference.apply.review.review import FileEdit, review
from editahead_lsp.apply.embedded_sketch import EmbeddedSketch, sketch_in_comment, sketch_in_selection
from editahead_prompts.syntax.languages import language_of
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.diff import diff
from editahead_prompts.text.edits import Edit, rebase
from editahead_prompts.text.snapshot import Snapshot

LINES = st.lists(st.sampled_from(["a\n", "b\r\n", "\n", "def f():\n", "    return 1\n", "é𝔘\n"]), max_size=12)


@given(LINES, LINES, LINES, LINES, st.booleans(), st.randoms(use_true_random=False))
def test_hunks_over_the_rest_are_hunks_over_the_document(
    above: list[str], sketch: list[str], below: list[str], new: list[str], stays: bool, chance: random.Random
) -> None:
    document = Snapshot.from_text("".join([*above, *sketch, *below]))
    extract = EmbeddedSketch(document, len(above), len(above) + len(sketch), "", stays)
    assert extract.remaining_document.text == "".join([*above, *below])
    edit = diff(extract.remaining_document.text, "".join(new))
    (hunks,) = review([FileEdit(extract.remaining_document, edit)])
    put_back = extract.to_document_hunks(hunks)
    if put_back is None:
        assert stays
        return
    whole = Edit.from_replacements(hunk.replacement for hunk in put_back).apply(document.text)
    if not stays:
        assert whole == "".join(new)
    elif sketch:
        assert "".join(sketch) in whole
    waiting, text = [Edit((hunk.replacement,)) for hunk in put_back], document.text
    chance.shuffle(waiting)
    while waiting:
        made = waiting.pop()
        text = made.apply(text)
        moved = [rebase(other, made) for other in waiting]
        waiting = [other for other in moved if other is not None]
        assert len(moved) == len(waiting)
    assert text == whole


def test_the_lines_of_a_refusal_are_those_of_the_document() -> None:
    document = Snapshot.from_text("a\nb\nc\nd\n", uri="file:///a")
    extract = EmbeddedSketch(document, 1, 3, "", keep=False)
    near = SimilarLines(0, 1, 0.5), SimilarLines(1, 2, 0.5)
    places = tuple(ChoicePlace(uri, line) for uri in ("file:///a", "file:///b") for line in (0, 1))
    refusal = extract.to_document_refusal(
        Refusal("ambiguous", "Either.", "b", near, choices=(Choice("replace", places, (), 0.5),))
    )
    assert refusal.near == (SimilarLines(0, 3, 0.5), SimilarLines(3, 4, 0.5))
    assert [(place.uri, place.line) for place in refusal.choices[0].places] == [
        ("file:///a", 0),
        ("file:///a", 3),
        ("file:///b", 0),
        ("file:///b", 1),
    ]


def test_a_selection_is_whole_lines() -> None:
    document = Snapshot.from_text("a\n  b\n\nc")
    for start, end in ((2, 6), (4, 5), (3, 6), (2, 5)):
        found = sketch_in_selection(document, start, end)
        assert found is not None
        assert (found.first, found.end, found.text) == (1, 2, "  b\n")
    for start, end in ((0, 0), (1, 6), (4, 4)):
        found = sketch_in_selection(document, start, end)
        assert found is None or found.text != "  b\n"
    last = sketch_in_selection(document, 7, 8)
    assert last is not None
    assert (last.first, last.end, last.remaining_document.text) == (3, 4, "a\n  b\n\n")


def text_in(document: str, line: int, language: str = "python") -> str | None:
    found = sketch_in_comment(Snapshot.from_text(document, language=language), line, SyntaxTrees())
    return None if found is None else found.text


def test_fenced_blocks_in_comments() -> None:
    one = "x = 1\n# Do:\n# ```py\n# y\n#   z\n#\n# ```\nx = 2\n"
    for line in range(1, 7):
        assert text_in(one, line) == "```py\ny\n  z\n\n```\n"
    assert text_in(one, 0) is None
    two = one + "# ```\n# one\n# ```\n# and\n# ~~~~\n# two\n# ```\n# ~~~~\n"
    assert text_in(two, 8 + 1) == "```\none\n```\n"
    assert text_in(two, 8 + 5) == "~~~~\ntwo\n```\n~~~~\n"
    assert text_in(two, 8 + 3) is None
    assert text_in("# ```\n# never closed\n", 0) is None


def test_block_comments() -> None:
    starred = "/**\n * Do:\n * ```js\n * y\n *\n *   z\n * ```\n */\nf();\n"
    assert text_in(starred, 4, "javascript") == "```js\ny\n\n  z\n```\n"
    plain = "f();\n/*\n```\n  y\n```\n*/\n"
    assert text_in(plain, 2, "c") == "```\n  y\n```\n"
    assert text_in("f(); /*\n```\ny\n```\n*/\n", 2, "c") is None
    assert text_in("/*\n```\ny\n```\n*/ f();\n", 2, "c") is None
    assert text_in('s = """\n```\ny\n```\n"""\n', 2) is None


@pytest.mark.parametrize(
    ("name", "above", "below"),
    [
        ("t.py", 'def test_a():\n    patch = """\\\n', '"""\n    assert run(patch) == 1\n'),
        ("t.ts", "const patch = `\n", "`;\nexpect(run(patch)).toBe(1);\n"),
        ("t.rb", "PATCH = <<~TEXT\n", "TEXT\nrun(PATCH)\n"),
        ("README.md", "So it goes:\n\n", "\nThat is all.\n"),
        ("run.sh", "git apply <<'EOF'\n", "EOF\necho done\n"),
        ("use.rst", "So it goes::\n\n", "\nThat is all.\n"),
    ],
)
@pytest.mark.parametrize(
    "patch",
    [
        "--- a/main.py\n+++ b/main.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n",
        "*** Begin Patch\n*** Delete File: main.py\n*** End Patch\n",
        "main.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n",
    ],
)
def test_selected_code_that_holds_a_patch_of_another_file_is_code(
    name: str, above: str, below: str, patch: str
) -> None:
    text = above + patch + below
    document = Snapshot.from_text(f"{text}\nend\n", uri=f"file:///w/{name}", language=language_of(name))
    found = sketch_in_selection(document, 0, len(text))
    assert found is not None
    sketch = found.sketch()
    assert sketch is None or all(part.path != "main.py" for part in sketch.files)
