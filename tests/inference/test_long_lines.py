"""A rename that is typed in a long line, or among many brackets: an answer in the usual time, or silence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from editahead_inference.pipeline import Pipeline, default_predictors
from editahead_inference.predictors.propagation.changed_parameters import functions_at
from editahead_inference.predictors.propagation.document_index import DocumentIndex
from editahead_inference.predictors.propagation.named_places import MAX_WIDTH
from editahead_prompts.syntax.syntax_trees import Node, SyntaxTrees, Tree
from editahead_prompts.text.snapshot import Snapshot
from state_builder import Person
from step_counter import count_steps

LINES: dict[str, Callable[[int], str]] = {
    "brackets": lambda size: "(" * (size // 2) + "a_name" + ")" * (size // 2),
    "rows": lambda size: "[" + "(a_name, 1, 'x'), " * (size // 18) + "]",
    "equal names": lambda size: "f(" + "a_name, " * (size // 8) + ")",
    "nested calls": lambda size: "f(a_name, " * (size // 11) + ")" * (size // 11),
    "members": lambda size: "a_name" + ".f()" * (size // 4),
    "a text": lambda size: "'" + "a_name " * (size // 7) + "'",
    "keys": lambda size: "{" + "'a_name': [1], " * (size // 15) + "}",
}


class CountedTrees(SyntaxTrees):
    """Trees that count how often they are asked."""

    def __init__(self) -> None:
        super().__init__()
        self.trees = self.nodes = 0

    def tree(self, snapshot: Snapshot) -> Tree | None:
        self.trees += 1
        return super().tree(snapshot)

    def node_at(self, snapshot: Snapshot, start: int, end: int) -> Node | None:
        self.nodes += 1
        return super().node_at(snapshot, start, end)


def renamed(line: str) -> Person:
    return Person(f"# a_name\nx = {line}\nprint(a_name)\n").replace(line, line.replace("a_name", "b_name", 1))


@pytest.mark.parametrize("kind", LINES)
def test_a_line_too_wide_for_names_is_not_parsed(kind: str) -> None:
    trees = CountedTrees()
    person = renamed(LINES[kind](MAX_WIDTH + 100))
    Pipeline(default_predictors(trees)).predict(person.state(cursor=person.text.index("b_name") + 6))
    assert trees.trees == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", LINES)
def test_steps_grow_no_faster_than_a_line(kind: str) -> None:
    def predict(size: int) -> int:
        person = renamed(LINES[kind](size))
        state = person.state(cursor=person.text.index("b_name") + 6)
        return count_steps(lambda: Pipeline().predict(state))

    predict(200)
    assert predict(MAX_WIDTH - 100) <= 5 * predict((MAX_WIDTH - 100) // 4)


def test_brackets_in_brackets_are_looked_at_once() -> None:
    trees = CountedTrees()
    snapshot = Snapshot.from_text(LINES["brackets"](2000) + "\n", uri="file:///a.py", language="python")
    assert list(functions_at(0, DocumentIndex(snapshot), trees)) == []
    assert trees.nodes <= 3


@pytest.mark.parametrize(
    "line",
    [
        "f(function g(a) {})",
        "f((function g(a) {})())",
        "f(1, (h, function g(a) {}))",
        "(function g(a) {})(1)",
        "x = (((((function g(a) {})))))",
    ],
)
def test_a_function_in_brackets_is_found(line: str) -> None:
    snapshot = Snapshot.from_text(f"{line};\n", uri="file:///a.js", language="javascript")
    found = list(functions_at(0, DocumentIndex(snapshot), SyntaxTrees()))
    assert [function.name.text for function in found] == [b"g"]
