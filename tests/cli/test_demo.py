"""The demo without a server: its sessions, counts and view."""

from __future__ import annotations

import io

import pytest

from editahead_cli.demo.player import (
    Completed,
    Event,
    LineChange,
    LocationShown,
    NothingShown,
    Predicted,
    SceneStarted,
    Tally,
    Typed,
    best_first,
)
from editahead_cli.demo.scenes import commit_scenes, count_keystrokes, load_scenes, sample_scenes
from editahead_cli.demo.terminal_view import MAX_LINES, TerminalView, summarize
from editahead_cli.errors import SessionMismatchError
from editahead_cli.rich_console import SafeConsole
from editahead_evals.data.edit_records import Record

EVENTS = (
    SceneStarted(1, 2, "A rename", "A wish that is somewhat longer than a narrow terminal is wide."),
    Typed(LineChange("app/a.py", 3, ("    user = 1",), ("    account = 1",)), 8),
    Predicted(
        (
            LineChange("app/a.py", 7, ("    print(user)",), ("    print(account)",)),
            LineChange("app/a.py", 9, (), ("\tinserted [bold]",)),
        ),
        "rename user -> account",
        "propagation",
        0.8,
        2.0,
        True,
        7,
    ),
    Predicted((LineChange("app/b.py", 1, ("user",), ()),), "delete", "propagation", 0.3, 3.0, False, 0),
    LocationShown("app/c.py", 4, "a call", 1.0),
    Completed("app/c.py", 5, "total(\n    x)", 1.0, 3),
    NothingShown("no-candidate", "Nothing is left.", 4.0, 0),
)


def test_the_sample_s_session_matches_its_project() -> None:
    scenes = sample_scenes()
    assert len(scenes) >= 5
    for scene in scenes:
        assert any(change.before != change.after for change in scene.changes)
    assert {change.language for scene in scenes for change in scene.changes} == {"python", "typescript"}


def test_a_scene_begins_where_the_one_before_ended() -> None:
    edit = {"file": "a.py", "old": "1", "new": "2"}
    session = {
        "scene": [
            {"title": "one", "wish": "", "edits": [edit]},
            {"title": "two", "wish": "", "edits": [{"file": "a.py", "before": "x", "insert": "y = 0"}]},
        ]
    }
    one, two = load_scenes(session, {"a.py": "x = 1\n"})
    assert one.changes[0].after == two.changes[0].before == "x = 2\n"
    assert two.changes[0].after == "y = 0\nx = 2\n"


def test_a_session_that_does_not_fit_is_refused() -> None:
    scene = {"title": "", "wish": "", "edits": [{"file": "a.py", "old": "x", "new": "y"}]}
    with pytest.raises(SessionMismatchError, match="2 times"):
        load_scenes({"scene": [scene]}, {"a.py": "x x\n"})


def test_a_commit_s_files_are_one_scene() -> None:
    records = [
        Record(f"{commit}:{path}", "r", commit, f"subject {commit}", path, "python", "a\n", "b\n")
        for commit, path in (("c1", "a.py"), ("c1", "b.py"), ("c2", "a.py"), ("c3", "a.py"))
    ]
    scenes = commit_scenes(records, limit=2, max_typed=100)
    assert [(scene.wish, len(scene.changes)) for scene in scenes] == [("subject c2", 1), ("subject c1", 2)]


def test_a_commit_that_is_too_long_is_left_out() -> None:
    records = [
        Record(f"{commit}:a.py", "r", commit, commit, "a.py", "python", "", text)
        for commit, text in (("c1", "abc"), ("c2", "abcdefg" * 9), ("c3", "abcd"), ("c4", "abcd"))
    ]
    assert [scene.wish for scene in commit_scenes(records, limit=9, max_typed=9)] == ["c3", "c1"]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a = 1", "a = 1", 0),
        ("a = 1", "a = 12", 1),  # one character typed
        ("a = user", "a = account", 8),  # a stretch deleted, seven typed
        ("a\nc", "a\nb\nc", 2),  # a character and the line end
        ("a\nb\nc", "a\nc", 1),  # a stretch deleted
        ("a\nc", "a\n        b\nc", 2),  # the editor indents
    ],
)
def test_keystrokes(before: str, after: str, expected: int) -> None:
    assert count_keystrokes(before, after) == expected


def test_the_scenes_are_in_the_order_of_what_they_save() -> None:
    def scene(number: int, saved: int) -> list[Event]:
        predicted = Predicted((), "", "propagation", 0.5, 1.0, True, saved)
        return [SceneStarted(number, 3, f"scene {number}", ""), predicted]

    ordered = best_first([*scene(1, 2), *scene(2, 9), *scene(3, 4)])
    titles = [(event.number, event.title) for event in ordered if isinstance(event, SceneStarted)]
    assert titles == [(1, "scene 2"), (2, "scene 3"), (3, "scene 1")]
    assert [event.saved for event in ordered if isinstance(event, Predicted)] == [9, 4, 2]


def test_the_figures_add_up() -> None:
    tally = Tally()
    for event in EVENTS:
        tally.add(event)
    assert summarize(tally) == {
        "typed": 1,
        "accepted": 1,
        "declined": 1,
        "silent": 1,
        "keystrokes_typed": 8,
        "completed": 1,
        "keystrokes_saved": 10,
        "share_saved": 10 / 20,
        "p50_ms": 2.0,
        "p95_ms": 4.0,
    }


@pytest.mark.parametrize("width", [20, 80])
def test_the_screen_shows_what_happened(width: int) -> None:
    out = io.StringIO()
    screen = TerminalView(SafeConsole(file=out, width=width), None)
    tally = Tally()
    for event in EVENTS:
        screen.show(event)
        tally.add(event)
    screen.summary(summarize(tally))
    text = " ".join(out.getvalue().split())
    for part in (
        "A rename",
        "app/a.py:7",
        "account",
        "[bold]",
        "Tab",
        "1 prediction that did not lead to the goal",
        "7 keys saved",
        "make extension",
        "editors/neovim",
        "Nothing is left.",
        "total( (2 lines)",
        "p95 4.0 ms",
    ):
        assert part in text or width == 20, part
    assert max(map(len, out.getvalue().splitlines())) <= max(width, 75)  # the set-up lines are not wrapped


def test_only_what_is_typed_is_animated() -> None:
    out = io.StringIO()
    waits: list[float] = []
    TerminalView(SafeConsole(file=out, width=80), waits.append).show(EVENTS[1])
    assert len(waits) == len("account")
    assert "+     account = 1" in out.getvalue()


def test_long_changes_are_cut() -> None:
    out = io.StringIO()
    many = tuple(f"line {number}" for number in range(MAX_LINES + 3))
    TerminalView(SafeConsole(file=out, width=80), None).show(Typed(LineChange("a.txt", 1, (), many), 0))
    assert "3 more lines" in out.getvalue()
    assert f"line {MAX_LINES}" not in out.getvalue()
