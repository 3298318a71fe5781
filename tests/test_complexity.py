"""The limits of complexity and of parameters, and the list of functions that may still be above them."""

from __future__ import annotations

import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CHECK = runpy.run_path(str(ROOT / "tools" / "lint" / "check_complexity.py"))
LIMITS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]["lint"]
KEY = ("C901", "lsp/a.py", "Server.start")
OTHER = ("PLR0913", "lsp/a.py", "start")


@pytest.mark.slow
def test_the_list_is_what_ruff_measures() -> None:
    assert CHECK["compare"](CHECK["measure"](), CHECK["read"](CHECK["ALLOWED"].read_text("utf-8"))) == []


def test_the_list_is_sorted() -> None:
    text = CHECK["ALLOWED"].read_text("utf-8")
    assert CHECK["write"](CHECK["read"](text)) == text


def test_the_limits() -> None:
    assert (LIMITS["mccabe"]["max-complexity"], LIMITS["pylint"]["max-args"]) == (12, 6)


@pytest.mark.parametrize(
    ("measured", "allowed", "hits"),
    [
        ({KEY: 13}, {KEY: 13}, []),
        ({KEY: 13}, {}, ["lsp/a.py: Server.start: C901 is 13: divide it up"]),
        ({KEY: 14}, {KEY: 13}, ["lsp/a.py: Server.start: C901 is 14: divide it up"]),
        (
            {KEY: 13},
            {KEY: 14},
            ["lsp/a.py: Server.start: C901 is no longer 14: run this script with --lower"],
        ),
        ({}, {OTHER: 7}, ["lsp/a.py: start: PLR0913 is no longer 7: run this script with --lower"]),
    ],
)
def test_each_difference_is_reported(measured: dict, allowed: dict, hits: list[str]) -> None:
    assert CHECK["compare"](measured, allowed) == hits


@pytest.mark.parametrize(
    ("measured", "allowed", "lowered"),
    [
        ({KEY: 13}, {KEY: 14, OTHER: 7}, {KEY: 13}),
        ({KEY: 15, OTHER: 7}, {KEY: 14}, {KEY: 14}),
    ],
)
def test_the_list_only_shrinks(measured: dict, allowed: dict, lowered: dict) -> None:
    assert CHECK["lower"](measured, allowed) == lowered


def test_a_comment_silences_nothing(tmp_path: Path) -> None:
    source = "class A:\n    def b(self, c, d, e):  # noqa: PLR0913\n        def f(g, h, i): ...\n"
    (tmp_path / "a.py").write_text(source, "utf-8")
    measured = CHECK["measure"](tmp_path, "--isolated", "--config", "lint.pylint.max-args=2")
    assert measured == {("PLR0913", "a.py", "A.b"): 3, ("PLR0913", "a.py", "A.b.f"): 3}


def test_no_module_has_more_than_500_lines() -> None:
    folders = [path for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith((".", "node_"))]
    modules = [
        path for folder in folders for path in folder.rglob("*.py") if "node_modules" not in path.parts
    ]
    lines = {str(path.relative_to(ROOT)): path.read_text("utf-8").count("\n") for path in modules}
    assert {path: count for path, count in lines.items() if count > 500} == {}
