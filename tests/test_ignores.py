"""Each comment that silences a tool says why, behind it on its line."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CHECK = runpy.run_path(str(ROOT / "tools" / "lint" / "check_ignores.py"))
without_reason = CHECK["without_reason"]


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
