"""The scope of a question to the model: the whole sketch, or only its ambiguous part."""

from __future__ import annotations

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.model.question_scope import model_questions
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot
from sketch_fixture import AMBIGUOUS, TEXT

LONG = TEXT + "".join(f"\n\ndef more_{n}(x):\n    return x + {n}\n" for n in range(30))
MARK = "# ... existing code ...\n"
BOTH = f"{AMBIGUOUS}{MARK}def more_20(x):\n    return x - 20\n{MARK}"


def test_what_is_not_in_doubt_is_taken_as_guessed() -> None:
    original = Snapshot.from_text(LONG, uri="file:///project/a.py", language="python")
    sketch = parse_sketch(BOTH, language="python", path="a.py")
    merged = merge(sketch, sketch.files[0], original)
    assert merged.refusal is not None
    whole, narrow = model_questions(sketch, sketch.files[0], merged, SyntaxTrees())
    assert (whole.original, whole.sketch, whole.guess) == (original, BOTH.rstrip("\n"), merged.guess)
    assert "more_20" not in narrow.sketch
    assert "raise ValueError(b)" in narrow.sketch
    assert narrow.sketch.count("existing code") == 2
    assert narrow.original.text == LONG.replace("x + 20", "x - 20")
    assert narrow.guess == merged.guess
    assert (narrow.original.uri, narrow.original.language) == (original.uri, "python")


def test_what_is_for_the_file_and_which_declarations_hold_it() -> None:
    original = Snapshot.from_text(LONG, uri="file:///project/a.py", language="python")
    for text in (
        AMBIGUOUS,
        f"```python\n{AMBIGUOUS}```",
        f"Try this:\n\n```python\n{AMBIGUOUS}```\n\nGood luck!",
    ):
        sketch = parse_sketch(text, language="python", path="a.py")
        asked = next(
            model_questions(sketch, sketch.files[0], merge(sketch, sketch.files[0], original), SyntaxTrees())
        )
        assert asked.code == AMBIGUOUS.rstrip("\n") and asked.sketch == text.rstrip("\n")
        assert asked.doubt.startswith("The sketch does not show whether")
        assert [LONG.splitlines()[scope.first] for scope in asked.scopes] == ["def second(b):"]
    sketch = parse_sketch(BOTH, language="python", path="a.py")
    asked = next(
        model_questions(sketch, sketch.files[0], merge(sketch, sketch.files[0], original), SyntaxTrees())
    )
    (scope,) = asked.scopes
    shown = LONG.splitlines()[scope.first : scope.end]
    assert (shown[0], shown[-1]) == ("def second(b):", "    return x + 20")


def test_a_diff_s_hunk_in_doubt() -> None:
    body = "    y = f(x)\n    return y\n"
    before = f"def a(x):\n{body}\n\ndef b(x):\n{body}\n\ndef c(x):\n    return 7\n"
    text = "@@\n     y = f(x)\n+    log(y)\n     return y\n@@\n-def c(x):\n+def c(x, z):\n     return 7\n"
    sketch = parse_sketch(text, language="python", path="a.py")
    merged = merge(sketch, sketch.files[0], Snapshot.from_text(before, language="python"))
    assert merged.refusal is not None
    asked = list(model_questions(sketch, sketch.files[0], merged, SyntaxTrees()))
    assert asked[-1].sketch == "     y = f(x)\n+    log(y)\n     return y"
    assert "def c(x, z)" in asked[-1].original.text
    assert "log(y)" not in asked[-1].original.text
