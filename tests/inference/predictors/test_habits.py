"""The rules of a repository as next edits: after an edit that adds a name, the line that the rule expects."""

from __future__ import annotations

from dataclasses import replace

import pytest

from editahead_inference.mined_rules.commits import MinedCommit, make_hunk
from editahead_inference.mined_rules.repository import RepositoryRules
from editahead_inference.mined_rules.rules import mine
from editahead_inference.pipeline import Pipeline
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot
from memory_codebase import MemoryCodebase

MAIN, LIST, ELSEWHERE = (f"file:///shop/{name}.py" for name in ("main", "names", "other"))
NAMES = ("fetch_all", "list_rooms", "move_guest", "push_bill", "zip_files")
COMMITS = [
    MinedCommit(
        f"c{number}",
        float(number),
        (make_hunk("main.py", (), (f"register({name})",)), make_hunk("names.py", (), (f'    "{name}",',))),
    )
    for number, name in enumerate(NAMES)
]
ALL_NAMES = 'ALL = [\n    "fetch_all",\n    "list_rooms",\n    "move_guest",\n]\n'
ADDED = "register(hold_room)\n"


def rules(min_support: int = 2) -> RepositoryRules:
    return RepositoryRules(
        mine(COMMITS, min_support),
        lambda uri: uri.removeprefix("file:///shop/") if uri.startswith("file:///shop/") else None,
        lambda path: f"file:///shop/{path}",
    )


def state(*, cursor: int | None = None, others: tuple[Snapshot, ...] = ()) -> EditorState:
    """Return the state after a line was added, with the cursor below it."""
    document = Snapshot.from_text(f"x = 1\n{ADDED}y = 2\n", uri=MAIN, language="python")
    at = document.starts[2] if cursor is None else cursor
    return EditorState(document, at, (PastEdit(MAIN, 1, (), (ADDED,)),), others, index_version=1)


def made(pipeline: Pipeline, given: EditorState) -> list[tuple[str, str]]:
    prediction = pipeline.predict(given)
    out = []
    for decision in prediction.shown:
        snapshot = prediction.state.snapshot(decision.candidate.uri)
        assert snapshot is not None
        if any(name.startswith("kind:mined") for name in decision.candidate.features):
            out.append((snapshot.uri, decision.candidate.edit.apply(snapshot.text)))
    return out


EXPECTED = ALL_NAMES.replace('"fetch_all",\n', '"fetch_all",\n    "hold_room",\n')


def test_the_line_is_missing_in_an_open_document() -> None:
    pipeline = Pipeline()
    pipeline.set_repository_rules([rules()])
    opened = Snapshot.from_text(ALL_NAMES, uri=LIST, language="python")
    assert made(pipeline, state(others=(opened,))) == [(LIST, EXPECTED)]


def test_the_line_is_missing_in_a_closed_file() -> None:
    codebase = MemoryCodebase({LIST: ALL_NAMES})
    pipeline = Pipeline(codebase=codebase)
    pipeline.set_repository_rules([rules()])
    assert made(pipeline, state()) == [(LIST, EXPECTED)]


def test_a_name_that_is_elsewhere_is_not_new() -> None:
    codebase = MemoryCodebase({LIST: ALL_NAMES, ELSEWHERE: "hold_room = 1\n"})
    pipeline = Pipeline(codebase=codebase)
    pipeline.set_repository_rules([rules()])
    assert made(pipeline, state()) == []
    opened = Snapshot.from_text("hold_room = 1\n", uri=ELSEWHERE, language="python")
    listed = Snapshot.from_text(ALL_NAMES, uri=LIST, language="python")
    alone = Pipeline()
    alone.set_repository_rules([rules()])
    assert made(alone, state(others=(listed, opened))) == []


def test_a_name_that_is_being_typed_is_not_there_yet() -> None:
    codebase = MemoryCodebase({LIST: ALL_NAMES})
    pipeline = Pipeline(codebase=codebase)
    pipeline.set_repository_rules([rules()])
    assert made(pipeline, state(cursor=len("x = 1\nregister(hold_room"))) == []
    assert codebase.asked == []


@pytest.mark.parametrize("off", [True, False])
def test_rules_that_are_off_or_weak_are_not_used(off: bool) -> None:
    repository = rules()
    if off:
        repository = replace(repository, rules=[replace(rule, is_off=True) for rule in repository.rules])
    else:
        weak = [replace(rule, what=replace(rule.what, support=3)) for rule in repository.rules]
        repository = replace(repository, rules=weak)
    pipeline = Pipeline(codebase=MemoryCodebase({LIST: ALL_NAMES}))
    pipeline.set_repository_rules([repository])
    assert made(pipeline, state()) == []


def test_rules_are_added_and_removed() -> None:
    pipeline = Pipeline(codebase=MemoryCodebase({LIST: ALL_NAMES}))
    assert made(pipeline, state()) == []
    pipeline.set_repository_rules([rules()])
    assert made(pipeline, state()) != []
    pipeline.set_codebase(MemoryCodebase({LIST: ALL_NAMES}))
    assert made(pipeline, state()) != []
    pipeline.set_repository_rules([])
    assert made(pipeline, state()) == []


def test_nothing_is_looked_up_where_no_rule_begins() -> None:
    codebase = MemoryCodebase({LIST: ALL_NAMES})
    pipeline = Pipeline(codebase=codebase)
    pipeline.set_repository_rules([rules()])
    document = Snapshot.from_text("x = 1\nwait(hold_room)\ny = 2\n", uri=ELSEWHERE, language="python")
    edit = PastEdit(ELSEWHERE, 1, (), ("wait(hold_room)\n",))
    asked_without = MemoryCodebase({LIST: ALL_NAMES})
    Pipeline(codebase=asked_without).predict(EditorState(document, 25, (edit,), index_version=1))
    pipeline.predict(EditorState(document, 25, (edit,), index_version=1))
    assert codebase.asked == asked_without.asked
