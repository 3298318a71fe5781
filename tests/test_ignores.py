"""Each comment that silences a tool says why, behind it on its line."""

from __future__ import annotations

import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = (
    "cli",
    "lsp",
    "serving",
    "inference",
    "retrieval",
    "prompts",
    "programs",
    "training",
    "evals",
    "tests",
)
FILES = [*(ROOT / ".ci").glob("*.py"), *(ROOT / "docs").rglob("*.py"), *(ROOT / "packaging").rglob("*.py")]
FILES += [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]

_SILENCING = re.compile(
    r"#\s*(?:noqa|ruff:|type:\s*ignore|mypy:|fmt:\s*(?:skip|off)|pragma:|pylint:|isort:|nosec|pyright:)"
)
_WITH_REASON = re.compile(r"# (?:noqa: [A-Z0-9, ]+|type: ignore\[[a-z, -]+\]|fmt: skip)(?:  # | - | \()\w.*")


def without_reason(path: Path) -> list[str]:
    """Return the comments of a file that silence a tool and do not say why."""
    with tokenize.open(path) as file:
        comments = [
            token for token in tokenize.generate_tokens(file.readline) if token.type == tokenize.COMMENT
        ]
    found = [
        one for one in comments if _SILENCING.match(one.string) and not _WITH_REASON.fullmatch(one.string)
    ]
    return [f"{path}:{one.start[0]}: {one.string}" for one in found]


def test_each_has_its_reason() -> None:
    assert [line for path in FILES for line in without_reason(path)] == []


def test_mypy_reads_no_tests() -> None:
    silencing = re.compile(r"  # type: ignore")
    assert [
        str(path) for path in (ROOT / "tests").rglob("*.py") if silencing.search(path.read_text("utf-8"))
    ] == [str(Path(__file__))]


@pytest.mark.parametrize(
    ("comment", "passes"),
    [
        ("# noqa: F401", False),
        ("# noqa", False),
        ("# noqa: F401  #", False),
        ("# noqa  # whether it is there", False),
        ("# type: ignore", False),
        ("# type: ignore[arg-type]", False),
        ("# type:ignore[arg-type]  # it is one", False),
        ("# pragma: no cover", False),
        ("# fmt: off", False),
        ("# fmt: skip", False),
        ("# noqa: F401, E402  # whether it is there", True),
        ("# noqa: PTH118 - a prefix", True),
        ("# type: ignore[arg-type, misc]  # it is one", True),
        ("# fmt: skip  # a table", True),
        ("# a comment about noqa", True),
    ],
)
def test_comments(tmp_path: Path, comment: str, passes: bool) -> None:
    path = tmp_path / "module.py"
    path.write_text(f'text = "# noqa"  {comment}\n', "utf-8")
    assert (without_reason(path) == []) is passes
