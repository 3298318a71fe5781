"""Scenario files of a person's last edits: what is read back is what was done, and no secret is in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_evals.scenarios.scenario_file import SCENARIOS, Scenario, Shown, Silent
from editahead_evals.scenarios.script import Cursor as CursorStep
from editahead_evals.scenarios.script import Open, Type
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.secrets.masking import Masks
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot, split_lines
from editahead_workspace.scenario_file import Cursor, take_back, write_scenario
from secret_corpus import placed_secrets

ROOTS = [Path("/project/app")]
TEXTS = st.text(st.sampled_from("ab `\\n<U+\n-=\t\u00a0\r\x0b") | st.sampled_from(["\n", "𝒳"]), max_size=30)
CHANGES = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 40), st.integers(0, 6), TEXTS, st.sampled_from([1.0, 50.0])),
    min_size=1,
    max_size=6,
)


def document(text: str, number: int = 0) -> Snapshot:
    uri = f"file:///project/app/{'ab'[number]}.py"
    return Snapshot.from_text(text, uri=uri, language="python", version=1)


def typed(
    texts: list[str], changes: list[tuple[int, int, int, str, float]]
) -> tuple[list[Snapshot], EditHistory]:
    """Return the documents after changes, and the history of these."""
    documents, history, now = (
        [document(text, number) for number, text in enumerate(texts)],
        EditHistory(),
        0.0,
    )
    for opened in documents:
        history.on_open(opened)
    for number, at, length, new, pause in changes:
        before = documents[number]
        start = min(at, before.length)
        edit = Edit.replace(start, min(start + length, before.length), new)
        after = replace(document(edit.apply(before.text), number), version=before.version + 1)
        now += pause
        history.record_change(before, after, edit, at=now, cursor=start)
        documents[number] = after
    return documents, history


def play(scenario: Scenario) -> dict[str, str]:
    """Return the texts after the steps of a scenario."""
    texts, active = {**scenario.others, scenario.file: scenario.buffer}, scenario.file
    for step in scenario.steps:
        if isinstance(step, Open):
            active = step.path
        elif isinstance(step, Type):
            start = sum(map(len, split_lines(texts[active])[: step.line])) + step.column
            assert texts[active].startswith(step.old, start)
            texts[active] = texts[active][:start] + step.new + texts[active][start + len(step.old) :]
    if isinstance(scenario.expected, Shown):
        lines = list(split_lines(texts[active].replace("\r\n", "\n")))
        for hunk in reversed(scenario.expected.hunks):
            assert tuple(line.removesuffix("\n") for line in lines[hunk.start : hunk.end]) == hunk.old
            lines[hunk.start : hunk.end] = [f"{line}\n" for line in hunk.new]
        texts[active] = "".join(lines)
    return texts


def plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


@given(st.tuples(TEXTS, TEXTS), CHANGES)
def test_a_file_says_what_a_person_did(
    texts: tuple[str, str], changes: list[tuple[int, int, int, str, float]]
) -> None:
    documents, history = typed(list(texts), changes)
    before = take_back(documents, history.edits)
    assert before.edits == () or history.edits[-1].at - before.edits[0].at <= 60 or len(before.edits) <= 2
    wrong = write_scenario(before, ROOTS, about="wrong", cursor=Cursor(documents[0].uri, 0, 0))
    missed = write_scenario(before, ROOTS, about="missed")
    assert (wrong is None) == (not before.edits) and (missed is None) == (len(before.edits) < 2)
    now = {name: plain(each.text) for name, each in zip(("a.py", "b.py"), documents, strict=True)}
    for text in filter(None, (wrong, missed)):
        scenario = SCENARIOS.parse_one(text)
        found = play(scenario)
        for name, there in found.items():
            # A last line that is expected may get a line end.
            assert plain(there).rstrip("\n") == now[name].rstrip("\n")
        if text is wrong:
            assert isinstance(scenario.expected, Silent) and scenario.steps[-1] in (
                CursorStep(0, 0),
                *(step for step in scenario.steps if isinstance(step, Type)),
            )


PIECE = 8
"""Characters of a secret that a file may not hold."""


@pytest.mark.slow
@pytest.mark.parametrize("way", ["there", "pasted", "edited around"])
def test_no_file_holds_a_secret_of_the_corpus(way: str) -> None:
    for placed in placed_secrets(seed=5):
        text = f"{placed.text}\nname = 1\n"
        end = len(text)
        changes = {
            "there": [(0, end, 0, "name = 2\n", 1.0)],
            "pasted": [(0, 0, 0, placed.text, 1.0)],
            "edited around": [(0, end - 1, 0, "0", 1.0), (0, 0, 0, "\n", 1.0)],
        }[way]
        documents, history = typed(["" if way == "pasted" else text, ""], [*changes, (1, 0, 0, "b", 1.0)])
        before = take_back(documents, history.edits)
        for cursor in (None, Cursor(documents[0].uri, 0, 0)):
            written = write_scenario(before, ROOTS, about="x", cursor=cursor) or ""
            for secret in placed.secrets:
                for at in range(max(1, len(secret) - PIECE + 1)):
                    assert secret[at : at + PIECE] not in written, (placed.kind, placed.place)


def test_edits_of_neighbouring_lines_are_edits_of_their_own() -> None:
    text = "def f(user):\n    print(user)\n    return user\n"
    changes = [(0, at, 4, "member", 1.0) for at in (6, 25, 44)]
    documents, history = typed([text, ""], changes)
    written = write_scenario(take_back(documents, history.edits), ROOTS, about="a rename") or ""
    assert "edit 2 11" in written and "@ 3\n-    return user\n+    return member\n" in written


def test_documents_that_are_not_there_end_what_is_taken_back() -> None:
    documents, history = typed(["a\nb\n", "c\n"], [(1, 0, 0, "x", 1), (0, 0, 0, "y", 1), (0, 2, 0, "z", 1)])
    before = take_back(documents[:1], history.edits)
    assert {edit.uri for edit in before.edits} == {documents[0].uri}
    written = write_scenario(take_back(documents, history.edits), [], about="two documents") or ""
    assert "-- other: b.py --" in written or "file: b.py" in written


def test_a_document_without_edits_is_masked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    masked = []

    def mask_snapshot(self: Masks, snapshot: Snapshot) -> Snapshot:
        masked.append(snapshot.uri.rpartition("/")[2])
        return snapshot

    monkeypatch.setattr(Masks, "mask_snapshot", mask_snapshot)
    texts = ["x = 1\n" * 20, "y = 1\n"]
    documents, history = typed(texts, [(0, 12 * number, 1, "z", 1.0) for number in range(4)])
    before = take_back(documents, history.edits)
    assert write_scenario(before, ROOTS, about="x") is not None
    assert masked.count("b.py") == 1
