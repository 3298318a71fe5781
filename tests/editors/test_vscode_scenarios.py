"""The sessions in tests/editors/vscode, in a real VS Code with the extension."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_server import HERE
from shared_window import SharedWindow
from vscode_scenarios import Player, load, server_command

pytestmark = HERE

SCENARIOS = sorted((Path(__file__).parent / "vscode").glob("*.txt"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario(
    path: Path, shared_window: SharedWindow, homes: dict[str, str], request: pytest.FixtureRequest
) -> None:
    """Play a session. It leaves a screenshot of its end in the folder that EDITAHEAD_PICTURES names."""
    scenario = load(path)
    command = server_command(homes, scenario.plan, has_linter=scenario.has_linter)
    settings = {"server.command": command, "debounce_ms": 0, **scenario.settings}
    named = {f"editahead.{name}": value for name, value in settings.items()}
    if scenario.has_git:
        named["git.enabled"] = True
    with shared_window.use(scenario.files, named, scenario.is_new) as window:
        try:
            Player(window, command, homes).play(scenario)
        finally:
            window.keep_picture(request.node.name)
