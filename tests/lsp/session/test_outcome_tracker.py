"""From events in the editor to logged and learned outcomes, over the protocol, with a clock of the test."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from editahead_cli.outcome_statistics import summarize_outcomes
from editahead_lsp.prediction.coordinator import ReuseOptions
from editahead_lsp.session.outcome_tracker import PUBLISH_EVERY
from editahead_prompts.state import UserPreferences
from editahead_workspace.outcome_log import FILE_NAME, Outcome, read_outcomes
from manual_clock import Clock
from server_harness import NOT_AHEAD, ScriptedPipeline, ServerHarness, lsp_range

A, B = "file:///tmp/a.py", "file:///tmp/b.go"
START = 1_700_000_000.0


class Desk:
    """A person's machine: servers that start there share a clock and a state folder."""

    def __init__(self, folder: Path) -> None:
        self.clock = Clock(START)
        self.pipeline = ScriptedPipeline({"user": "account"})
        self.folder = folder
        self.servers: list[ServerHarness] = []

    @property
    def file(self) -> Path:
        return self.folder / "state" / FILE_NAME

    async def server(
        self, options: Any = None, reuse: ReuseOptions = NOT_AHEAD, **capabilities: Any
    ) -> ServerHarness:
        harness = ServerHarness(
            self.pipeline,
            clock=self.clock,
            now=self.clock,
            run_id=f"run{len(self.servers)}",
            user_folder=self.folder / "config",
            state_folder=self.folder / "state",
            environment={},
            reuse=reuse,
        )
        self.servers.append(harness)
        await harness.initialize({"debounce_ms": 0, **(options or {})}, **capabilities)
        settle(harness)
        return harness

    def end(self, harness: ServerHarness) -> list[Outcome]:
        """End a server, and return the outcomes in the log."""
        self.servers[self.servers.index(harness)] = harness
        harness.finish()
        return read_outcomes(self.file)

    def taste(self) -> UserPreferences | None:
        """Return the taste in the last predicted state."""
        return self.pipeline.calls[-1].taste


@pytest_asyncio.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    for harness in desk.servers:
        harness.finish()


def settle(harness: ServerHarness) -> None:
    """Wait until the log has done what it was asked."""
    log = harness.server.session.outcomes._log
    assert log is not None
    if log._worker is not None:
        done = threading.Event()
        log._submit(done.set)
        assert done.wait(20)


async def predictions(harness: ServerHarness, uri: str = A, line: int = 0) -> list[dict[str, Any]]:
    result = await harness.next_edit(uri, None, line, 0)
    found: list[dict[str, Any]] = result["predictions"]
    return found


async def accept(harness: ServerHarness, uri: str = A) -> dict[str, Any]:
    """Accept the best prediction, in the document's first line, and return it."""
    first, *_ = await predictions(harness, uri)
    harness.change(uri, 2, (0, 0, 0, 4, "account"))
    await harness.command("accept", first["id"])
    return first


def nudge(harness: ServerHarness, uri: str = A) -> None:
    """Type at the end of the document, far from everything else."""
    harness.change(uri, 9, (50, 0, 50, 0, "#"))


# What is logged


async def test_an_accept_and_what_was_kept_of_it(desk: Desk) -> None:
    harness = await desk.server()
    harness.open(A, "user\n\n")
    desk.clock.now += 5
    await accept(harness)
    for seconds in (29.0, 2.0, 268.0, 2.0):
        desk.clock.now += seconds
        nudge(harness)
        settle(harness)
        (row,) = read_outcomes(desk.file)
        assert row.kept_30 == (None if seconds == 29.0 else 1.0)
    assert row == Outcome(
        run="run0",
        number=1,
        at=START + 5,
        language="python",
        source="propagation",
        kind="propagation",
        confidence=0.9,
        shipped=0.9,
        recent=0.0,
        size=11,
        distance=0,
        latency_ms=0.0,
        shown_ms=0.0,
        seen=True,
        event="accepted",
        kept_30=1.0,
        kept_300=1.0,
        context=row.context,
    )
    assert len(row.context) == 16


async def test_an_accept_that_is_taken_back(desk: Desk) -> None:
    harness = await desk.server()
    harness.open(A, "user\n")
    await accept(harness)
    desk.clock.now += 40
    nudge(harness)
    harness.change(A, 10, (0, 0, 0, 7, "user"))
    desk.clock.now += 300
    nudge(harness)
    (row,) = desk.end(harness)
    assert (row.event, row.kept_30, row.kept_300) == ("accepted", 1.0, 0.0)


async def test_the_command_may_precede_the_change(desk: Desk) -> None:
    harness = await desk.server()
    harness.open(A, "user\n")
    (first,) = await predictions(harness)
    await harness.command("accept", first["id"])
    desk.clock.now += 1
    harness.change(A, 2, (0, 0, 0, 4, "account"))
    desk.clock.now += 30
    nudge(harness)
    (row,) = desk.end(harness)
    assert (row.event, row.kept_30) == ("accepted", 1.0)


async def test_a_document_that_is_closed_too_soon_is_unknown(desk: Desk) -> None:
    harness = await desk.server()
    harness.open(A, "user\n")
    await accept(harness)
    desk.clock.now += 31
    harness.close_document(A)
    desk.clock.now += 1000
    harness.open(A, "nothing\n")
    nudge(harness)
    (row,) = desk.end(harness)
    assert (row.kept_30, row.kept_300) == (1.0, None)


async def test_how_predictions_end(desk: Desk) -> None:
    harness = await desk.server()
    harness.open(A, "user\nuser\nuser\nuser\nuser\n")
    _, second, third, fourth, fifth = await predictions(harness)
    desk.clock.now += 3
    harness.change(A, 2, (0, 0, 0, 4, ""))  # typed as predicted
    for column, letter in enumerate("account"):
        harness.change(A, 3 + column, (0, column, 0, column, letter))
    await harness.command("reject", second["id"])
    partly = {"event": "partiallyAccepted", "acceptedLength": 3}
    harness.notify("editahead/outcome", {"id": third["id"], **partly})
    harness.notify("editahead/outcome", {"id": fourth["id"], "event": "shown", "shownMs": 1500})
    harness.change(A, 20, (2, 0, 4, 4, "x"))
    rows = {row.number: row for row in desk.end(harness)}
    assert [rows[n].event for n in range(1, 6)] == ["typed", "rejected", "partial", "ignored", "ignored"]
    assert [rows[n].seen for n in range(1, 6)] == [True, True, True, True, False]
    assert rows[3].share == pytest.approx(3 / 7)
    assert rows[4].shown_ms == 1500
    assert rows[1].shown_ms == 3000
    assert {row.distance for row in rows.values()} == {0, 1, 2, 3, 4}
    assert fifth["id"] == "p-5"
    counts, total = (
        harness.server.session.shown_predictions.counts,
        summarize_outcomes(desk.file, list(rows.values())).total,
    )
    assert (counts.shown, counts.accepted, counts.rejected) == (5, 1, 1)
    assert (total.shown, total.accepted, total.rejected) == (5, 1, 1)


async def test_the_rest_of_what_was_typed_is_accepted(desk: Desk) -> None:
    harness = await desk.server()
    harness.open(A, "user\n")
    (first,) = await predictions(harness)
    harness.change(A, 2, (0, 0, 0, 4, "acc"))
    harness.change(A, 3, (0, 3, 0, 3, "ount"))
    await harness.command("accept", first["id"])
    await harness.command("accept", first["id"])
    await predictions(harness)
    taste = desk.taste()
    assert taste is not None
    assert taste.recent == pytest.approx(0.2)
    (row,) = desk.end(harness)
    assert row.event == "accepted"


async def test_what_was_passed_over_and_accepted_after_all(desk: Desk) -> None:
    harness = await desk.server()
    harness.open(A, "user\n")
    (first,) = await predictions(harness)
    desk.pipeline.script = {}
    nudge(harness)
    assert await predictions(harness) == []
    settle(harness)
    (row,) = read_outcomes(desk.file)
    assert (row.event, row.seen) == ("ignored", False)
    await harness.command("accept", first["id"])
    (row,) = desk.end(harness)
    assert (row.event, row.seen) == ("accepted", True)


async def test_what_an_editor_asks_for_in_the_background_is_not_seen(desk: Desk) -> None:
    lists = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}
    harness = await desk.server(textDocument={"codeAction": lists})
    harness.open(A, "user\n")
    where = {"textDocument": {"uri": A}, "range": lsp_range(0, 0, 0, 0), "context": {"diagnostics": []}}
    assert await harness.request("textDocument/codeAction", where)
    desk.clock.now += 60
    (row,) = desk.end(harness)
    assert (row.event, row.seen, row.shown_ms) == ("ignored", False, None)


async def test_what_is_open_at_the_end_was_passed_over(desk: Desk) -> None:
    harness = await desk.server()
    harness.open(A, "user\n")
    await predictions(harness)
    desk.clock.now += 2
    (row,) = desk.end(harness)
    assert (row.event, row.seen) == ("ignored", True)


async def test_no_code_is_in_the_file(desk: Desk) -> None:
    desk.pipeline.script = {"secretName": "otherSecret"}
    harness = await desk.server()
    harness.open(A, "secretName\nprivateLine secretName\n")
    _, second = await predictions(harness)
    harness.change(A, 2, (0, 0, 0, 10, "otherSecret"))
    await harness.command("reject", second["id"])
    assert len(desk.end(harness)) == 2
    data = b"".join(path.read_bytes() for path in desk.file.parent.iterdir())
    for text in (b"secretName", b"otherSecret", b"privateLine", b"a.py"):
        assert text not in data


async def test_without_telemetry_there_is_no_file(desk: Desk) -> None:
    harness = await desk.server({"telemetry": "off"})
    harness.open(A, "user\n")
    await accept(harness)
    await harness.command("resetLearning")
    assert desk.end(harness) == []
    assert not desk.file.exists()


async def test_telemetry_can_be_switched_off_and_on(desk: Desk) -> None:
    harness = await desk.server({"telemetry": "off"})
    harness.open(A, "user\nuser\nuser\n")
    first, second, third = await predictions(harness)
    for telemetry, id in (("off", first["id"]), ("local", second["id"]), ("off", third["id"])):
        settings = {"editahead": {"telemetry": telemetry}}
        harness.notify("workspace/didChangeConfiguration", {"settings": settings})
        await harness.command("reject", id)
    assert [row.number for row in desk.end(harness)] == [2]


# What is learned


async def reject(harness: ServerHarness, desk: Desk, outcomes: int) -> None:
    """Reject a number of predictions, each in a document of its own, and advance the clock by half a minute."""
    harness.close_document(A)
    for _ in range(outcomes):
        uri = f"file:///tmp/{desk.clock.now}.py"
        harness.open(uri, "user\n")
        first, *_ = await predictions(harness, uri)
        await harness.command("reject", first["id"])
        harness.close_document(uri)
        desk.clock.now += 5
    desk.clock.now += 31
    harness.open(A, "user\n")
    nudge(harness)
    await predictions(harness)


async def test_rejections_lower_what_is_expected(desk: Desk) -> None:
    harness = await desk.server()
    harness.open(A, "user\n")
    await predictions(harness)
    assert desk.taste() == UserPreferences(trust=0.5)
    await reject(harness, desk, PUBLISH_EVERY - 1)
    before = desk.taste()
    assert before is not None
    assert before.weights == ()  # one more, and it will be given out
    assert before.recent < -0.8
    await reject(harness, desk, 1)
    after = desk.taste()
    assert after is not None
    assert dict(after.weights)["always"] < 0
    assert dict(after.weights)["language:python"] < 0


async def test_an_accept_counts_by_what_was_kept(desk: Desk) -> None:
    weights = []
    for undo in (False, True):
        harness = await desk.server({"telemetry": "off"})
        for number in range(PUBLISH_EVERY):
            uri = f"file:///tmp/{number}.py"
            harness.open(uri, "user\n")
            await accept(harness, uri)
            if undo:
                harness.change(uri, 3, (0, 0, 0, 7, "user"))
        desk.clock.now += 31
        harness.open(A, "user\n")
        nudge(harness)
        await predictions(harness)
        taste = desk.taste()
        assert taste is not None
        weights.append(dict(taste.weights)["always"])
        harness.finish()
    assert weights[0] > 0 > weights[1]


async def test_a_server_that_starts_later_knows_it(desk: Desk) -> None:
    first = await desk.server()
    await reject(first, desk, 30)
    learned = desk.taste()
    assert learned is not None
    desk.end(first)
    second = await desk.server()
    second.open(A, "user\n")
    nudge(second)
    await predictions(second)
    known = desk.taste()
    assert known is not None
    assert dict(known.weights)["always"] <= dict(learned.weights)["always"] < 0
    assert known.recent == 0.0  # that belongs to the session
    await second.command("resetLearning")
    await predictions(second)
    nudge(second)
    await predictions(second)
    assert desk.taste() == UserPreferences(trust=0.5)
    desk.end(second)
    third = await desk.server()
    third.open(A, "user\n")
    nudge(third)
    await predictions(third)
    assert desk.taste() == UserPreferences(trust=0.5)


async def test_two_servers_at_once(desk: Desk) -> None:
    one, two = await desk.server(), await desk.server()
    await reject(one, desk, 12)
    await reject(two, desk, 12)
    taste = desk.taste()
    assert taste is not None
    assert taste.weights
    settle(one)
    settle(two)
    assert {row.run for row in read_outcomes(desk.file)} == {"run0", "run1"}
    await one.command("resetLearning")
    settle(one)
    await reject(two, desk, 1)  # writing, it hears of it
    settle(two)
    nudge(two)
    await predictions(two)
    taste = desk.taste()
    assert taste is not None
    assert taste.weights == ()
    assert len(read_outcomes(desk.file)) >= 25


async def test_without_learning_nothing_is_read_or_learned(desk: Desk) -> None:
    first = await desk.server({"learning": False})
    await reject(first, desk, PUBLISH_EVERY)
    assert desk.taste() is None
    assert {row.shipped for row in desk.end(first)} == {None}
    second = await desk.server()
    second.open(A, "user\n")
    nudge(second)
    await predictions(second)
    assert desk.taste() == UserPreferences(trust=0.5)


async def test_a_reset_while_the_log_is_read(desk: Desk) -> None:
    first = await desk.server()
    await reject(first, desk, 20)
    desk.end(first)
    second = await desk.server()  # it has read the log, and not looked at what it learned
    await second.command("resetLearning")
    second.open(A, "user\n")
    nudge(second)
    nudge(second)
    await predictions(second)
    assert desk.taste() == UserPreferences(trust=0.5)


async def test_a_clients_words_do_no_harm(desk: Desk) -> None:
    harness = await desk.server()
    harness.open(A, "user\nuser\n", language="\ud800" * 100)
    first, second = await predictions(harness)
    huge = {"acceptedLength": 10**400, "shownMs": 10**400}
    harness.notify("editahead/outcome", {"id": first["id"], "event": "partiallyAccepted", **huge})
    harness.notify("editahead/outcome", {"id": second["id"], "event": "rejected", "shownMs": -5})
    rows = desk.end(harness)
    assert [(row.event, row.share) for row in rows] == [("partial", 1.0), ("rejected", None)]
    assert [row.shown_ms for row in rows] == [1e9, 0.0]


async def test_a_damaged_file_is_as_none(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    desk.file.parent.mkdir(parents=True)
    desk.file.write_bytes(b"no outcomes " * 1000)
    harness = await desk.server()
    harness.open(A, "user\n")
    await accept(harness)
    assert len(desk.end(harness)) == 1
    assert [record.levelname for record in caplog.records if "outcomes" in record.message] == ["WARNING"]


async def test_the_answer_after_an_accept_was_foreseen_with_its_taste(desk: Desk) -> None:
    harness = await desk.server(reuse=ReuseOptions(typed=False))
    harness.open(A, "user\nuser\n")
    first, _ = await predictions(harness)
    before = harness.server.predictions.misses
    while len(desk.pipeline.calls) < 2:
        await harness.next_edit("file:///tmp/none.py", None, 0, 0)
    harness.change(A, 2, (0, 0, 0, 4, "account"))
    await harness.command("accept", first["id"])
    await harness.next_edit(A, 2, 0, 7)
    assert harness.server.predictions.misses == before
    assert [state.taste and state.taste.recent for state in desk.pipeline.calls[:2]] == [0.0, 0.2]


# Two arms


async def test_every_other_day_has_other_settings(desk: Desk) -> None:
    harness = await desk.server({"compare": {"eagerness": 0.8}})
    harness.open(A, "user\n" * 30)
    for _ in range(8):
        first, *_ = await predictions(harness)
        await harness.command("reject", first["id"])
        eagerness = harness.server.session.settings.eagerness
        settle(harness)
        row = read_outcomes(desk.file)[-1]
        assert row.arm.endswith("/b" if eagerness == 0.8 else "/a")
        desk.clock.now += 24 * 3600
        await harness.command("resetLearning")
    arms = [row.arm for row in read_outcomes(desk.file)]
    assert len(set(arms)) == 2 and {arms.count(arm) for arm in arms} == {4}
