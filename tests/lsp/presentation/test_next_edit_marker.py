"""The marker at the place of the next edit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from manual_clock import Pauses
from server_harness import ScriptedPipeline, ServerHarness, lsp_range, position_params

A, B = "file:///tmp/a.py", "file:///tmp/b.py"
DIAGNOSTICS: dict[str, Any] = {"textDocument": {"publishDiagnostics": {}}}
GHOSTS: dict[str, Any] = {"textDocument": {"publishDiagnostics": {}, "inlineCompletion": {}}}
INLAY: dict[str, Any] = {"workspace": {"inlayHint": {"refreshSupport": True}}}


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def hinted(connect: Callable[..., ServerHarness], pauses: Pauses) -> ServerHarness:
    return connect(sleep=pauses)


async def published(harness: ServerHarness) -> dict[str, Any]:
    message = await harness.take(lambda m: m.get("method") == "textDocument/publishDiagnostics")
    params: dict[str, Any] = message["params"]
    return params


async def test_a_hint_comes_moves_and_goes(hinted: ServerHarness, pauses: Pauses) -> None:
    await hinted.initialize(**DIAGNOSTICS)
    hinted.open(A, "x\ny = user\n")
    assert await pauses.end_one() == 0.3
    assert await published(hinted) == {
        "uri": A,
        "version": 1,
        "diagnostics": [
            {
                "range": lsp_range(1, 4, 1, 8),
                "message": "Next edit: user -> account",
                "severity": 4,
                "source": "editahead",
            }
        ],
    }
    hinted.change(A, 2, (0, 0, 0, 0, "new\n"))
    await pauses.end_one()
    assert (await published(hinted))["diagnostics"][0]["range"] == lsp_range(2, 4, 2, 8)
    hinted.change(A, 3, (2, 4, 2, 8, "account"))
    await pauses.end_one()
    assert await published(hinted) == {"uri": A, "diagnostics": []}


async def test_typing_costs_no_prediction(
    hinted: ServerHarness, pauses: Pauses, pipeline: ScriptedPipeline
) -> None:
    await hinted.initialize(**DIAGNOSTICS)
    hinted.open(A, "user\n")
    _, over = await pauses.asked.get()
    for version in range(2, 20):
        hinted.change(A, version, (0, 4, 0, 4, "x"))
    over.set_result(None)
    assert pipeline.calls == []
    await pauses.end_one()
    await published(hinted)
    assert len(pipeline.calls) == 1


async def test_the_same_place_is_reported_once(hinted: ServerHarness, pauses: Pauses) -> None:
    await hinted.initialize(**DIAGNOSTICS)
    hinted.open(A, "user\nx\n")
    await pauses.end_one()
    await published(hinted)
    hinted.change(A, 2, (1, 1, 1, 1, "y"))
    await pauses.end_one()
    hinted.change(A, 3, (0, 0, 0, 0, " "))
    await pauses.end_one()
    assert (await published(hinted))["version"] == 3


async def test_from_one_document_to_another(hinted: ServerHarness, pauses: Pauses) -> None:
    await hinted.initialize(**DIAGNOSTICS)
    hinted.open(A, "user\n")
    await pauses.end_one()
    await published(hinted)
    hinted.open(B, "user\n")
    await pauses.end_one()
    assert await published(hinted) == {"uri": A, "diagnostics": []}
    assert (await published(hinted))["uri"] == B
    hinted.close_document(B)
    await pauses.end_one()
    assert await published(hinted) == {"uri": B, "diagnostics": []}


async def test_a_refused_edit_is_unmarked(hinted: ServerHarness, pauses: Pauses) -> None:
    await hinted.initialize(**DIAGNOSTICS)
    hinted.open(A, "user\n")
    await pauses.end_one()
    await published(hinted)
    hinted.notify("editahead/outcome", {"id": "p-1", "event": "rejected"})
    await pauses.end_one()
    assert await published(hinted) == {"uri": A, "diagnostics": []}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("editahead/nextEdit", position_params(A, 1, 0, 0)),
        ("textDocument/copilotInlineEdit", position_params(A, 1, 0, 0)),
        ("textDocument/inlineCompletion", position_params(A, 1, 0, 0)),
    ],
)
async def test_it_goes_when_the_client_asks_for_better(
    hinted: ServerHarness, pauses: Pauses, method: str, params: Any
) -> None:
    await hinted.initialize({"debounce_ms": 0}, **DIAGNOSTICS)
    hinted.open(A, "user\n")
    await pauses.end_one()
    await published(hinted)
    id = hinted.send(method, params)
    assert await published(hinted) == {"uri": A, "diagnostics": []}
    await hinted.reply(id)
    hinted.change(A, 2, (0, 0, 0, 0, "x\n"))
    assert pauses.asked.empty()


@pytest.mark.parametrize(
    ("setting", "capabilities", "marked"),
    [
        ("auto", DIAGNOSTICS, True),
        ("auto", {}, False),
        ("auto", GHOSTS, False),
        ("off", DIAGNOSTICS, False),
        ("diagnostic", GHOSTS, True),
    ],
)
async def test_who_gets_them(
    hinted: ServerHarness, pauses: Pauses, setting: str, capabilities: dict[str, Any], marked: bool
) -> None:
    await hinted.initialize({"hints": setting}, **capabilities)
    hinted.open(A, "user\n")
    await asyncio.sleep(0)
    assert pauses.asked.empty() is not marked
    if marked:
        await pauses.end_one()
        await published(hinted)


async def test_a_setting_that_changes(hinted: ServerHarness, pauses: Pauses) -> None:
    await hinted.initialize(**DIAGNOSTICS)
    hinted.open(A, "user\n")
    await pauses.end_one()
    await published(hinted)
    hinted.configure(hints="off")
    assert await published(hinted) == {"uri": A, "diagnostics": []}


async def test_inlay_hints(hinted: ServerHarness, pauses: Pauses) -> None:
    result = await hinted.initialize({"hints": "inlay"}, **INLAY)
    assert result["capabilities"]["inlayHintProvider"] is True
    hinted.open(A, "x\ny = user\n")
    await pauses.end_one()
    await hinted.serves("workspace/inlayHint/refresh", None)
    everywhere = {"textDocument": {"uri": A}, "range": lsp_range(0, 0, 9, 0)}
    assert await hinted.request("textDocument/inlayHint", everywhere) == [
        {
            "position": {"line": 1, "character": 4},
            "label": "user -> account",
            "tooltip": "The next edit",
            "textEdits": [{"range": lsp_range(1, 4, 1, 8), "newText": "account"}],
            "paddingLeft": True,
            "paddingRight": True,
        }
    ]
    above = {"textDocument": {"uri": A}, "range": lsp_range(0, 0, 0, 1)}
    assert await hinted.request("textDocument/inlayHint", above) == []
    hinted.change(A, 2, (0, 0, 0, 0, "\n"))
    assert await hinted.request("textDocument/inlayHint", everywhere) == [], "it was for the text before"
    await pauses.end_one()
    await hinted.serves("workspace/inlayHint/refresh", None)
    (moved,) = await hinted.request("textDocument/inlayHint", everywhere)
    assert moved["position"] == {"line": 2, "character": 4}


async def test_a_mere_place_marks_its_line(
    hinted: ServerHarness, pauses: Pauses, pipeline: ScriptedPipeline
) -> None:
    pipeline.script = {"here": "here"}
    await hinted.initialize(**DIAGNOSTICS)
    hinted.open(A, "x\n  is here.\n")
    await pauses.end_one()
    assert (await published(hinted))["diagnostics"][0]["range"] == lsp_range(1, 2, 1, 10)
