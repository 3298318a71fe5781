"""Sketches that would take long: they are refused at once, or can be cancelled at any moment."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from tree_sitter import Parser, Tree

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.placement import placement
from editahead_inference.apply.placement.declarations import declarations
from editahead_inference.apply.placement.outline import Item, outline
from editahead_inference.apply.planner import plan_changes
from editahead_inference.apply.review.review import MAX_REVIEWED_BYTES, FileEdit, review
from editahead_inference.errors import ApplyRefusedError
from editahead_prompts.errors import SketchError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.syntax import syntax_trees
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.diff import diff
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from merged_sketch import certain, merged

pytestmark = pytest.mark.slow


FILE = Snapshot.from_text("def f(x):\n    return x\n\n\n" * 300, uri="file:///a.py", language="python")

BIG = {
    "blocks": "```py\nx = 1\n```\n" * 600,
    "lines": "x = f(y)\n" * 4_000,
    "marks": "# ... existing code ...\ndef g(y):\n" * 500,
    "hunks": "--- a/a.py\n+++ b/a.py\n" + "@@ -1 +1 @@\n-    return x\n+    return y\n" * 1_500,
    "searches": "<<<<<<< SEARCH\n    return x\n=======\n    return y\n>>>>>>> REPLACE\n" * 1_500,
    "places": "*** Begin Patch\n*** Update File: a.py\n"
    + "@@\n-    return x\n+    return y\n" * 300
    + "*** End Patch\n",
    "twins": "# ...\ndef f(x):\n    check(x)\n    return x\n# ...\n",
}


LONG = "".join(f"def f{n}(x):\n    y = x + {n}\n    return y\n\n\n" for n in range(2_000))


class CancelledError(Exception):
    pass


class OneFile:
    def resolve(self, path: str | None) -> Snapshot | None:
        return FILE

    def create(self, path: str) -> Snapshot:
        raise AssertionError(path)


class Countdown:
    """A check that cancels at its last call, and counts its calls."""

    def __init__(self, last: int) -> None:
        self.calls, self._last = 0, last

    def __call__(self) -> None:
        self.calls += 1
        if self.calls == self._last:
            raise CancelledError


def apply(sketch: str, check: Countdown) -> None:
    try:
        parsed = parse_sketch(sketch, language="python", path="a.py", check=check)
        plan_changes(parsed, OneFile(), merge, check=check)
    except (SketchError, ApplyRefusedError):
        pass


@pytest.mark.parametrize("name", BIG)
def test_work_is_cancelled_at_every_check(name: str) -> None:
    whole = Countdown(-1)
    apply(BIG[name], whole)
    assert whole.calls > 5
    for last in {1, 2, whole.calls // 2, whole.calls}:
        check = Countdown(last)
        with pytest.raises(CancelledError):
            apply(BIG[name], check)
        assert check.calls == last


def test_the_parser_checks_more_often_in_longer_texts() -> None:
    counts = []
    for size in (10_000, 100_000):
        check = Countdown(-1)
        parse_sketch("x = f(y)\n" * size, language="python", check=check)
        counts.append(check.calls)
    assert counts[1] >= counts[0] + 9


@pytest.mark.parametrize("text", ["```\n" * 250_000, "```py\nx\n```\n" * 60_000])
def test_too_many_fences_are_no_sketch(text: str) -> None:
    with pytest.raises(SketchError, match="more than 2,000 fences"):
        parse_sketch(text)


@pytest.mark.parametrize(("hunks", "said"), [(3_000, "more than 2,000 hunks"), (400, "More than 300 hunks")])
def test_too_many_hunks_are_refused(hunks: int, said: str) -> None:
    text = "--- a/a.py\n+++ b/a.py\n" + "@@ ... @@\n-    return x\n+    return y\n" * hunks
    refusal = merged(text, FILE.text).refusal
    assert refusal is not None
    assert refusal.reason == "too-large"
    assert said in refusal.detail


def test_many_hunks_that_have_one_place_each_are_applied() -> None:
    text = "".join(f"a{number} = {number}\n" for number in range(1_000))
    hunks = "".join(f"@@ ... @@\n-a{number} = {number}\n+b{number} = {number}\n" for number in range(1_000))
    assert certain(f"--- a/a.py\n+++ b/a.py\n{hunks}", text) == text.replace("a", "b")


def test_too_many_marks_are_refused() -> None:
    refusal = merged("# ... existing code ...\ndef g(y):\n" * 2_100, FILE.text).refusal
    assert refusal is not None
    assert refusal.reason == "too-large"


def test_hunks_whose_lines_are_in_too_many_places_are_refused() -> None:
    text = "".join(f"def f{number}(x):\n    return x\n\n\n" for number in range(500))
    hunks = "".join(f"@@ def f{number}(x):\n-    return x\n+    return y\n" for number in range(300))
    refusal = merged(f"*** Begin Patch\n*** Update File: a.py\n{hunks}*** End Patch\n", text).refusal
    assert refusal is not None
    assert refusal.reason == "too-large"
    assert "too many places" in refusal.detail


def whole_file_review(functions: int, check: Countdown) -> list[str]:
    """Review a change of the middle line of each function; return the classes of the hunks."""
    old = "".join(LONG.splitlines(keepends=True)[: 5 * functions])
    original = Snapshot.from_text(old, uri="file:///a.py", language="python")
    (hunks,) = review([FileEdit(original, diff(old, old.replace("x + ", "x - ")))], check=check)
    return [hunk.kind for hunk in hunks]


def test_a_review_is_cancelled_at_every_check() -> None:
    whole = Countdown(-1)
    whole_file_review(100, whole)
    for last in {1, 2, whole.calls // 2, whole.calls}:
        check = Countdown(last)
        with pytest.raises(CancelledError):
            whole_file_review(100, check)
        assert check.calls == last


def test_the_work_of_a_review_grows_like_the_change() -> None:
    counts = []
    for functions in (250, 500, 1_000):
        check = Countdown(-1)
        assert whole_file_review(functions, check) == ["semantic"] * functions
        counts.append(check.calls)
    assert counts[2] - counts[1] <= 2.2 * (counts[1] - counts[0])


def test_a_change_of_more_than_the_limit_is_not_looked_through() -> None:
    text = "x = f(y)\n" * (MAX_REVIEWED_BYTES // 9)
    (hunks,) = review([FileEdit(FILE, Edit.replace(0, FILE.length, text))])
    assert [(hunk.kind, hunk.flags) for hunk in hunks] == [("semantic", ())]


def test_a_sketch_of_thousands_of_lines_is_refused_unless_it_is_the_whole_file() -> None:
    mark = "# ... existing code ...\n"
    refusal = merged(mark + LONG.replace("x + 7\n", "x - 7\n") + mark, LONG).refusal
    assert refusal is not None
    assert (refusal.reason, "5,000 lines" in refusal.detail) == ("too-large", True)
    assert certain("import os\n\n\n" + LONG, "import os\n\n\n" + LONG) is not None


def _refusal(sketch: str, text: str, language: str = "python") -> tuple[str, str]:
    refusal = merged(sketch, text, language).refusal
    assert refusal is not None
    return refusal.reason, refusal.detail


def test_files_of_too_many_lines_need_a_diff() -> None:
    text = "x = 1\n" + "{}\n" * 70_000
    reason, detail = _refusal("# ...\nx = 2\n# ...\n", text)
    assert (reason, "use a diff" in detail) == ("too-large", True)
    assert merged("--- a\n+++ a\n@@ -1 +1 @@\n-x = 1\n+x = 2\n", text).guess == text.replace("1", "2")


def test_lines_of_generated_code_are_no_sketch() -> None:
    reason, detail = _refusal("var a=f(1);if(a){b.c(a)}" * 5_000, "var a = 1;\n", "javascript")
    assert (reason, "a line of more than" in detail) == ("too-large", True)


def test_files_with_a_line_of_generated_code_need_a_diff() -> None:
    reason, detail = _refusal(
        "// ...\nvar z = 2;\n// ...\n", f"var z = 1;\n{'f(1);' * 30_000}\n", "javascript"
    )
    assert (reason, "use a diff" in detail) == ("too-large", True)


def test_few_of_the_declarations_on_one_line_are_looked_at() -> None:
    text = "var z = 1;\n" + "var a=f(1);" * 5_000 + "\nfunction g() {\n  return z;\n}\n"
    tree = SyntaxTrees().tree(Snapshot.from_text(text, uri="file:///a.js", language="javascript"))
    assert tree is not None
    found = declarations(tree.root_node, text.split("\n"), "javascript")
    assert len(found) < 100
    assert found[-1].name == "g"


def test_parts_of_many_files_are_refused_together_and_diffs_are_not() -> None:
    class ManyFiles(OneFile):
        def resolve(self, path: str | None) -> Snapshot | None:
            return Snapshot.from_text("x = 1\n", uri=f"file:///{path}", language="python")

    code = "".join(f"value_{n} = compute({n})\n" for n in range(1_000))
    marked = "".join(f"a{n}.py\n```python\n# ...\n{code}# ...\n```\n" for n in range(30))
    with pytest.raises(ApplyRefusedError) as caught:
        plan_changes(parse_sketch(marked), ManyFiles(), merge)
    assert caught.value.refusal.reason == "too-large"
    diff = "".join(f"--- a{n}.py\n+++ a{n}.py\n@@ -1 +1,9 @@\n-x = 1\n" + "+x = 2\n" * 9 for n in range(90))
    assert len(plan_changes(parse_sketch(diff), ManyFiles(), merge)) == 90


def test_the_search_for_garbage_goes_on_after_a_plan() -> None:
    assert gc.isenabled()
    apply(BIG["twins"], Countdown(-1))
    assert gc.isenabled()
    gc.disable()
    try:
        apply(BIG["twins"], Countdown(-1))
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_merge_computes_the_structure_of_each_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    count: Counter[tuple[str, ...]] = Counter()

    def counted(bodies: Sequence[str]) -> list[Item]:
        count[tuple(bodies)] += 1
        return outline(bodies)

    monkeypatch.setattr(placement, "outline", counted)
    mark = "# ... existing code ...\n"
    parsed = parse_sketch(
        f"{mark}def f7(x):\n    y = x - 7\n    return y\n{mark}def f9(x):\n    y = x - 9\n{mark}",
        language="python",
    )
    merge(parsed, parsed.files[0], Snapshot.from_text(LONG, uri="file:///a.py", language="python"))
    assert count.total() > 2
    assert set(count.values()) == {1}


def test_each_version_of_a_broken_file_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed_texts: Counter[bytes] = Counter()
    real = syntax_trees.parse

    def counted(parser: Parser, source: bytes, **more: Any) -> Tree | None:
        parsed_texts[source] += 1
        return real(parser, source, **more)

    monkeypatch.setattr(syntax_trees, "parse", counted)
    text = f"def broken(:\n    return\n\n\n{LONG}"
    parsed = parse_sketch("# ...\ndef f7(x):\n    y = x - 7\n    return y\n# ...\n", language="python")
    trees = SyntaxTrees(reproducible=True)
    original = Snapshot.from_text(text, uri="file:///a.py", language="python")
    result = merge(parsed, parsed.files[0], original, syntax=trees)
    review([FileEdit(original, result.edit)], (), trees)
    assert result.edit
    whole = [source for source in parsed_texts if len(source) >= len(text)]
    assert [parsed_texts[source] for source in whole] == [1, 1]


def test_bytes_have_no_syntax_tree() -> None:
    text = "".join(map(chr, range(256))) * 100
    assert SyntaxTrees().tree(Snapshot.from_text(text, uri="file:///a.py", language="python")) is None
