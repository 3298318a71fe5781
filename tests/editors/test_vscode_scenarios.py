"""The sessions in tests/editors/vscode, in a real VS Code with the extension."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from vscode import HERE, VSCode
from vscode_scenarios import Player, load, server_command

pytestmark = HERE

SCENARIOS = sorted((Path(__file__).parent / "vscode").glob("*.txt"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario(path: Path, vscode: Callable[..., VSCode], homes: dict[str, str]) -> None:
    scenario = load(path)
    window = vscode(scenario.files, scenario.plan, **scenario.settings)
    Player(window, server_command(homes, scenario.plan)).play(scenario)
