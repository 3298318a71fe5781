"""The exceptions: one tree for each package."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BASES = {
    "cli": "CommandError",
    "lsp": "LspError",
    "workspace": "WorkspaceError",
    "serving": "ServingError",
    "evals": "EvalError",
    "lab": "LabError",
    "inference": "InferenceError",
    "retrieval": "RetrievalError",
    "prompts": "PromptsError",
    "programs": "ProgramsError",
}
OTHER_ROOTS = {"Cancelled", "ScenarioFailure", "RoomTaken"}
"""Control flow, the failure of a test, and an exception of the demo's sample project."""


def exceptions(part: str) -> dict[str, list[str]]:
    """Return the exception classes of a package with the names of their bases."""
    known: dict[str, list[str]] = {}
    files = (ROOT / part / f"editahead_{part}").rglob("*.py")
    classes = [
        node
        for path in files
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    for node in classes:
        bases = [ast.unparse(base).rpartition(".")[2] for base in node.bases]
        if any(base.endswith(("Error", "Exception", "Cancelled")) for base in bases):
            known[node.name] = bases
    return known


@pytest.mark.slow
@pytest.mark.parametrize("part", BASES)
def test_each_package_has_one_tree(part: str) -> None:
    known = exceptions(part)
    roots = {name for name, bases in known.items() if bases[0] not in known}
    assert roots - OTHER_ROOTS == {BASES[part]}
    assert known[BASES[part]] == ["Exception"]


@pytest.mark.parametrize("part", BASES)
def test_the_tree_is_drawn(part: str) -> None:
    tree = ast.parse((ROOT / part / f"editahead_{part}" / "errors.py").read_text("utf-8"))
    drawn = ast.get_docstring(tree) or ""
    names = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    assert [name for name in names if name not in drawn.replace(":", " ").split()] == []
