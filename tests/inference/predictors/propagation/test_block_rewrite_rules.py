"""Whole lines: inserted, deleted, mirrored, moved, rewritten together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.predictors.propagation.document_index import DocumentIndex
from editahead_inference.predictors.propagation.line_transforms import reindent
from editahead_inference.predictors.propagation.rule_induction import induce_rules
from editahead_prompts.text.snapshot import Snapshot, line_end
from history_typist import PROPERTY
from state_builder import outcomes


def test_a_line_goes_before_the_next_of_its_kind() -> None:
    text = "    def second(self):\n        pass\n"
    assert "    @cached\n" + text in outcomes(
        "", "    @cached\n", text, before="", after="    def first(self):"
    )


def test_names_of_the_line_beside_are_carried_over() -> None:
    assert "let b = open(y);\ncheck(b);\nrest\n" in outcomes(
        "", "check(a);\n", "let b = open(y);\nrest\n", before="let a = open(x);", after="other"
    )


def test_an_insertion_is_not_made_twice() -> None:
    done = "check(a);\nlet b = open(y);\ncheck(b);\nrest\n"
    for result in outcomes("", "check(a);\n", done, before="let a = open(x);", after="other"):
        assert result.count("check(b);") == 1


@pytest.mark.parametrize("indent", ["", "  ", "\t", "        "])
def test_inserted_lines_take_the_indentation_of_their_place(indent: str) -> None:
    text = f"{indent}total += step(item)\n{indent}done()\n"
    expected = f"{indent}total += step(item)\n{indent}if bad:\n{indent}    stop()\n{indent}done()\n"
    assert expected in outcomes(
        "", "    if bad:\n        stop()\n", text, before="    total += step(item)", after="    other()"
    )


def test_inserted_lines_take_the_line_end_of_their_place() -> None:
    text = "total += step(item)\r\ndone()\r\n"
    assert "total += step(item)\r\ncheck()\r\ndone()\r\n" in outcomes(
        "", "check()\n", text, before="total += step(item)", after="x"
    )


def test_deleted_lines_go_elsewhere_too() -> None:
    assert "a = 1\nb = 2\n" in outcomes("    print(debug)\n", "", "a = 1\n  print(debug)\nb = 2\n")


def test_lines_with_other_names_go_too() -> None:
    assert "a = 1\nb = 2\n" in outcomes("print('one', x)\n", "", "a = 1\nprint('two', y)\nb = 2\n")


def test_lines_with_a_name_that_went_go_too() -> None:
    assert "import os\nrun()\n" in outcomes("import legacy\n", "", "import os\nlegacy.install()\nrun()\n")


def test_a_block_is_not_opened_by_deleting_its_head() -> None:
    assert outcomes("import legacy\n", "", "if legacy.on:\n    run()\n") == set()


def test_what_is_moved_goes_where_it_was() -> None:
    moved = "def helper(value):\n    return value * 2\n"
    text = f"import os\n\n{moved}\nrun(helper)\n"
    assert "import os\n\n\nrun(helper)\n" in outcomes("", moved, text, before="# elsewhere", after="")


def test_a_copy_of_the_neighbour_has_a_mirror() -> None:
    text = "match kind:\n    case Kind.SQUARE: square()\n    case Kind.OTHER: other()\n"
    results = outcomes("", "    CIRCLE = auto()\n", text, before="    SQUARE = auto()", after="")
    assert any(
        "    case Kind.SQUARE: square()\n    case Kind.CIRCLE: square()\n" in result for result in results
    )


def test_several_lines_become_others_with_their_names_and_indentation() -> None:
    old = "    f = open(path)\n    data = f.read()\n"
    new = "    with open(path) as f:\n        data = f.read()\n"
    text = "if x:\n        g = open(name)\n        text = g.read()\n"
    assert "if x:\n        with open(name) as g:\n            text = g.read()\n" in outcomes(old, new, text)


def test_a_block_rewrite_keeps_line_ends() -> None:
    text = "x\r\n  a = one(1)\r\n  b = two(2)\r\ny"
    assert "x\r\n  ab = both(1, 2)\r\ny" in outcomes("a = one(1)\nb = two(2)\n", "ab = both(1, 2)\n", text)


def test_a_formatted_line_end_is_never_mixed_in() -> None:
    """Where every line ends in one way, every line of any result does."""
    text = "".join(
        f"{line}\r\n" for line in ["a = one(1)", "b = two(2)", "", "c = one(3)", "d = two(4)", "go()"]
    )
    changes = [
        ("a = one(1)\nb = two(2)\n", "ab = both(1, 2)\n", "", ""),
        ("", "check(a)\n", "a = one(1)", "b = two(2)"),
        ("a = one(1)\n", "a = uno(1)\n", "", ""),
        ("a = one(1)\n", "a = uno(\n    1)\n", "", ""),
    ]
    for old, new, before, after in changes:
        for result in outcomes(old, new, text, before=before, after=after):
            assert {line_end(line) for line in Snapshot.from_text(result).lines[:-1]} <= {"\r\n"}, result


def test_reindent() -> None:
    lines = ("    if a:\n", "        b()\n", "\n", "x\n")
    assert reindent(lines, "    ", "\t", "\r\n") == ("\tif a:\r\n", "\t    b()\r\n", "\r\n", "x\r\n")


WORDS = st.sampled_from(
    ["alpha", "beta", "self.alpha = alpha", "def f(alpha):", "return beta", "", "    ", "}"]
)
LINES = st.lists(st.tuples(st.sampled_from(["", "  ", "\t"]), WORDS), max_size=5).map(
    lambda pairs: tuple(f"{indent}{word}\n" for indent, word in pairs)
)


@pytest.mark.slow
@PROPERTY
@given(LINES, LINES, WORDS, WORDS, LINES)
def test_rules_from_any_lines_on_any_text(
    old: tuple[str, ...], new: tuple[str, ...], before: str, after: str, text: tuple[str, ...]
) -> None:
    """Proposals lie in the document, say something else than what stands there, and come in the same order again."""
    snapshot = Snapshot.from_text("".join((*text, *old, *new)))
    for rule in induce_rules(old, new, before, after):
        proposals = list(rule.proposals(DocumentIndex(snapshot)))
        assert proposals == list(rule.proposals(DocumentIndex(snapshot)))
        assert rule.key and rule.label
        for p in proposals:
            assert 0 <= p.start <= p.end <= len(snapshot.lines)
            assert tuple(snapshot.lines[p.start : p.end]) != p.lines
