"""Diagnostics of the client: they reach the state, are rebased, and end where the text changes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_lsp.protocol.custom_messages import ClientDiagnostic, Position, Range
from editahead_lsp.session.client_diagnostics import MAX_DIAGNOSTICS, ClientDiagnostics, rebase_diagnostics
from editahead_prompts.state import Diagnostic
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from server_harness import ServerHarness, lsp_range, position_params

A = "file:///tmp/a.py"
NEXT = "editahead/nextEdit"
TEXT = "first\nsecond\nthird\n"


def client_diagnostic(
    line: int, first: int, last: int, message: str = "wrong", **more: Any
) -> ClientDiagnostic:
    return ClientDiagnostic(Range(Position(line, first), Position(line, last)), message, **more)


def snapshot(text: str = TEXT) -> Snapshot:
    return Snapshot.from_text(text, uri=A, language="python")


def test_they_are_kept_in_the_order_of_the_text_and_our_own_are_not() -> None:
    diagnostics = ClientDiagnostics()
    given = [
        client_diagnostic(2, 0, 5, code=2304),
        client_diagnostic(0, 0, 5),
        client_diagnostic(1, 0, 6, source="editahead"),
        client_diagnostic(1, 0, 6, ""),
    ]
    assert diagnostics.update("a", snapshot(), given, "utf-16")
    assert diagnostics.for_document("a") == (Diagnostic(0, 5, "wrong"), Diagnostic(13, 18, "wrong", "2304"))
    assert not diagnostics.update("a", snapshot(), given, "utf-16")
    diagnostics.on_close("a")
    assert diagnostics.for_document("a") == ()


def test_a_range_says_nothing_of_what_lies_outside() -> None:
    diagnostics = ClientDiagnostics()
    diagnostics.update("a", snapshot(), [client_diagnostic(0, 0, 5), client_diagnostic(2, 0, 5)], "utf-16")
    within = Range(Position(2, 1), Position(2, 1))
    diagnostics.update("a", snapshot(), [client_diagnostic(2, 0, 2, "other")], "utf-16", within=within)
    assert [one.message for one in diagnostics.for_document("a")] == ["wrong", "other"]
    diagnostics.update("a", snapshot(), [], "utf-16", within=within)
    assert [one.start for one in diagnostics.for_document("a")] == [0]


def test_there_is_a_limit() -> None:
    diagnostics = ClientDiagnostics()
    diagnostics.update(
        "a", snapshot("x\n" * 300), [client_diagnostic(line, 0, 1) for line in range(300)], "utf-16"
    )
    assert len(diagnostics.for_document("a")) == MAX_DIAGNOSTICS


TEXTS = st.text("ab\n", max_size=20)


@given(TEXTS, st.data())
def test_what_still_holds_is_about_the_same_text(text: str, data: st.DataObject) -> None:
    def span_of() -> tuple[int, int]:
        start, end = sorted(data.draw(st.integers(0, len(text))) for _ in range(2))
        return start, end

    given = [Diagnostic(*span_of(), "wrong") for _ in range(3)]
    edit = Edit.replace(*span_of(), data.draw(TEXTS))
    after, (start, end) = edit.apply(text), edit.changed_span
    apart = [one for one in given if one.end < start or end < one.start]
    moved = rebase_diagnostics(given, edit)
    assert len(moved) == len(apart)
    for one, now in zip(apart, moved, strict=True):
        assert after[now.start : now.end] == text[one.start : one.end]
        assert len(after) - now.end == len(text) - one.end if end < one.start else now.start == one.start


def diagnostic(line: int, first: int, last: int, message: str) -> dict[str, Any]:
    return {"range": lsp_range(line, first, line, last), "message": message, "severity": 1, "code": 7}


def known(harness: ServerHarness) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of the state that a request would have."""
    session = harness.server.session
    document = session.documents.get(A)
    assert document is not None
    return session.build_state(document, 0).diagnostics


@pytest.mark.parametrize("version", [None, 1])
async def test_next_edit_brings_all_of_the_document(client: ServerHarness, version: int | None) -> None:
    client.open(A, TEXT)
    context = {"trigger": "typed", "diagnostics": [diagnostic(1, 0, 6, "wrong")]}
    await client.request(NEXT, {**position_params(A, version, 0, 0), "context": context})
    assert known(client) == (Diagnostic(6, 12, "wrong", "7"),)
    client.change(A, 2, (0, 0, 0, 0, "# above\n"))
    await client.next_edit(A, 2, 0, 0)
    assert known(client) == (Diagnostic(14, 20, "wrong", "7"),)
    client.change(A, 3, (2, 6, 2, 6, "ly"))
    await client.next_edit(A, 3, 0, 0)
    assert known(client) == ()


async def test_of_an_older_version_nothing_is_learned(client: ServerHarness) -> None:
    client.open(A, TEXT, version=5)
    context = {"trigger": "typed", "diagnostics": [diagnostic(1, 0, 6, "wrong")]}
    await client.request(NEXT, {**position_params(A, 4, 0, 0), "context": context})
    assert known(client) == ()


async def test_code_actions_bring_those_of_their_range(harness: ServerHarness) -> None:
    literals = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}
    await harness.initialize(textDocument={"codeAction": literals})
    harness.open(A, TEXT)
    params = {
        "textDocument": {"uri": A},
        "range": lsp_range(1, 2, 1, 2),
        "context": {"diagnostics": [diagnostic(1, 0, 6, "wrong")]},
    }
    await harness.request("textDocument/codeAction", params)
    assert harness.server.session.diagnostics.for_document(harness.server.session.documents.get(A).key) == (
        Diagnostic(6, 12, "wrong", "7"),
    )
