"""`editahead.applyProblems`: what linters find in an edit, after the edit was shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from editahead_lsp.apply.service import MAX_PLANS
from schemas import validate
from server_harness import ServerHarness, lsp_range
from sketch_fixture import SKETCH, TEXT

RUFF = """\
#!/bin/sh
if grep -q twice a.py; then printf '[{"filename":"%s/a.py","location":{"row":12,"column":3},\
"code":"X1","message":"twice"}]' "$PWD"; else echo "[]"; fi
"""
BLOCK = "<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n"


@pytest.fixture
def uri(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    tool = tmp_path / "bin" / "ruff"
    tool.parent.mkdir()
    tool.write_text(RUFF)
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
    (tmp_path / "work").mkdir()
    return (tmp_path / "work" / "a.py").as_uri()


async def start(harness: ServerHarness, uri: str, tmp_path: Path, **options: Any) -> None:
    await harness.initialize(
        options, root=tmp_path / "work", workspace={"workspaceEdit": {"documentChanges": True}}
    )
    harness.open(uri, TEXT)


async def apply(harness: ServerHarness, **argument: Any) -> Any:
    result = await harness.command("apply", {"dryRun": True, **argument})
    validate("command.editahead.apply", "result", result)
    return result


async def problems(harness: ServerHarness, plan: str) -> Any:
    result = await harness.command("applyProblems", {"plan": plan})
    validate("command.editahead.applyProblems", "result", result)
    return result["problems"]


async def test_problems_of_a_plan_follow_it(harness: ServerHarness, uri: str, tmp_path: Path) -> None:
    await start(harness, uri, tmp_path)
    result = await apply(harness, uri=uri, sketch=SKETCH)
    assert "problems" not in result
    assert await problems(harness, result["plan"]) == [
        {"uri": uri, "range": lsp_range(11, 2, 11, 2), "message": "X1: twice", "source": "ruff"}
    ]


async def test_the_last_plans_are_known(harness: ServerHarness, uri: str, tmp_path: Path) -> None:
    await start(harness, uri, tmp_path)
    plans = [(await apply(harness, uri=uri, sketch=SKETCH))["plan"] for _ in range(MAX_PLANS + 1)]
    assert [bool(await problems(harness, plan)) for plan in plans] == [False, *[True] * MAX_PLANS]


async def test_nothing_is_planned_where_nothing_is_asked_for(
    harness: ServerHarness, uri: str, tmp_path: Path
) -> None:
    await start(harness, uri, tmp_path, apply_check=False)
    assert "plan" not in await apply(harness, uri=uri, sketch=SKETCH)
    checked = await apply(harness, uri=uri, sketch=SKETCH, check=True)
    assert len(checked["problems"]) == 1


async def test_a_resolved_action_names_its_plan(harness: ServerHarness, uri: str, tmp_path: Path) -> None:
    lazy = {"dataSupport": True, "resolveSupport": {"properties": ["edit"]}}
    await harness.initialize(
        root=tmp_path / "work",
        workspace={"workspaceEdit": {"documentChanges": True}},
        textDocument={
            "codeAction": lazy | {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}
        },
    )
    harness.open(uri, f"{TEXT}\n{SKETCH}")
    lines = TEXT.count("\n") + 1
    params = {
        "textDocument": {"uri": uri},
        "range": lsp_range(lines, 0, lines + SKETCH.count("\n"), 0),
        "context": {"diagnostics": []},
    }
    action, *_ = await harness.request("textDocument/codeAction", params)
    resolved = await harness.request("codeAction/resolve", action)
    assert [problem["message"] for problem in await problems(harness, resolved["data"]["plan"])] == [
        "X1: twice"
    ]
