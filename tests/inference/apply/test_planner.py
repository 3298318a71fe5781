"""The plan for several files: order, all or nothing, created and deleted files."""

from __future__ import annotations

from dataclasses import replace

import pytest

from editahead_inference.apply.file_change import FileChange
from editahead_inference.apply.planner import MAX_PARTS, plan_changes
from editahead_inference.apply.results import MergeResult, Reading, Refusal
from editahead_inference.errors import ApplyRefusedError, Cancelled
from editahead_prompts.sketches.sketch import (
    Code,
    Diff,
    Elision,
    FileSketch,
    Hunk,
    HunkLine,
    Sketch,
    SketchKind,
    Snippet,
)
from editahead_prompts.text.diff import diff
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot


class InMemory:
    """Files in memory, by path."""

    def __init__(self, **texts: str) -> None:
        self.texts = {name.replace("_", "."): text for name, text in texts.items()}

    def resolve(self, path: str | None) -> Snapshot | None:
        name = path or "a.py"
        if name == "secret":
            raise ApplyRefusedError(Refusal("outside-workspace", "No."))
        return self.snapshot(name) if name in self.texts else None

    def create(self, path: str) -> Snapshot:
        if path in self.texts:
            raise ApplyRefusedError(Refusal("would-lose-code", f"{path} exists already."))
        return Snapshot.from_text("", uri=f"file:///{path}", language="python")

    def snapshot(self, name: str) -> Snapshot:
        return Snapshot.from_text(self.texts[name], uri=f"file:///{name}", language="python")


def substitute(sketch: Sketch, part: FileSketch, original: Snapshot, **_: object) -> MergeResult:
    """Replace the merge: the part's first line is `old -> new`, or the part is the whole new text."""
    if isinstance(part.content, Diff):
        guess = "".join(f"{line}\n" for hunk in part.content.hunks for line in hunk.new)
        return MergeResult(original, guess, diff(original.text, guess), None)
    first = part.content.parts[0]
    assert isinstance(first, Code)
    old, arrow, new = first.lines[0].partition(" -> ")
    guess = original.text.replace(old, new) if arrow else "\n".join(first.lines) + "\n"
    missing = arrow and old not in original.text
    refusal = Refusal("unplaced", f"There is no {old}.", "", ()) if missing else None
    return MergeResult(original, guess, diff(original.text, guess), refusal, 0.9)


def part(path: str | None, *lines: str, kind: SketchKind = "markers", **more: object) -> FileSketch:
    content = Snippet((Code(lines, 0), Elision("# ...", 0)))
    return FileSketch(kind, "", content, 0, len(lines), path, **more)


def made(files: InMemory, *parts: FileSketch) -> tuple[FileChange, ...]:
    return plan_changes(Sketch(("one line",), parts), files, substitute)


def test_parts_of_one_file_follow_one_another() -> None:
    files = InMemory(a_py="x = 1\n")
    (change,) = made(files, part("a.py", "1 -> 2"), part(None, "2 -> 3"))
    assert change.new_text == "x = 3\n"
    assert change.edit == Edit.replace(4, 5, "3")
    assert change.confidence == 0.9
    assert [hunk.replacement for hunk in change.hunks] == list(change.edit.replacements)


def test_what_leads_back_changes_nothing() -> None:
    assert made(InMemory(a_py="x = 1\n"), part("a.py", "1 -> 2"), part("a.py", "2 -> 1")) == ()


def test_one_part_that_fails_is_the_end_of_all() -> None:
    with pytest.raises(ApplyRefusedError) as caught:
        made(InMemory(a_py="x\n", b_py="y\n"), part("a.py", "x -> z"), part("b.py", "x -> z"))
    assert caught.value.refusal == Refusal("unplaced", "There is no x.", "one line")


def test_definitions_precede_their_uses() -> None:
    files = InMemory(a_py="from b import x\nx\n", b_py="from c import x\nx\n", c_py="x\n", d_py="x\n")
    order = [c.original.uri for c in made(files, *(part(f"{n}.py", "x -> y") for n in "abcd"))]
    assert order == [f"file:///{name}.py" for name in "cbad"]
    round_about = InMemory(a_py="import b\nx\n", b_py="import a\nx\n")
    assert len(made(round_about, part("a.py", "x -> y"), part("b.py", "x -> y"))) == 2


def test_a_file_that_is_made() -> None:
    whole = part("new.py", "y = 1", kind="whole-file")
    create = part("new.py", "y = 1", action="create")
    for sketched in (whole, create):
        (change,) = made(InMemory(), sketched)
        assert (change.action, change.new_text) == ("create", "y = 1\n")
        assert [hunk.kind for hunk in change.hunks] == ["semantic"]
    (change,) = made(InMemory(), create, part("new.py", "1 -> 2"))
    assert change.new_text == "y = 2\n"


def test_a_file_that_is_not_there_and_is_not_made() -> None:
    for kind in ("markers", "declaration"):
        with pytest.raises(ApplyRefusedError) as caught:
            made(InMemory(), part("new.py", "y = 1", kind=kind))
        assert caught.value.refusal.reason == "unplaced"
    for action in ("delete", "move"):
        with pytest.raises(ApplyRefusedError) as caught:
            made(InMemory(), part("new.py", action=action, moved_to="b.py"))
        assert caught.value.refusal.reason == "unplaced"
    with pytest.raises(ApplyRefusedError) as caught:
        made(InMemory(a_py="x\n"), part("a.py", "y = 1", action="create"))
    assert caught.value.refusal.reason == "would-lose-code"


def test_a_patch_that_only_adds_makes_a_file() -> None:
    lines = (HunkLine("+", "y = 1", 0),)
    added = FileSketch("unified-diff", "", Diff((Hunk(lines, 0),)), 0, 1, "new.py")
    (change,) = made(InMemory(), added)
    assert (change.action, change.new_text) == ("create", "y = 1\n")
    changing = replace(added, content=Diff((Hunk((HunkLine("-", "x", 0), *lines), 0),)))
    with pytest.raises(ApplyRefusedError) as caught:
        made(InMemory(), changing)
    assert caught.value.refusal.reason == "unplaced"


def test_a_file_that_goes() -> None:
    (change,) = made(InMemory(a_py="x\n"), part("a.py", action="delete"))
    assert (change.action, change.new_text) == ("delete", "")
    with pytest.raises(ApplyRefusedError):
        made(InMemory(a_py="x\n"), part("a.py", action="delete"), part("a.py", "x -> y"))


def test_a_file_that_moves() -> None:
    (change,) = made(InMemory(a_py="x\n"), part("a.py", "x -> y", action="move", moved_to="b.py"))
    assert (change.action, change.moved_to, change.new_text) == ("move", "file:///b.py", "y\n")
    just = FileSketch("begin-patch", "", Diff(()), 0, 1, "a.py", action="move", moved_to="b.py")
    (change,) = made(InMemory(a_py="x\n"), just)
    assert (change.action, change.edit) == ("move", Edit())
    with pytest.raises(ApplyRefusedError) as caught:
        made(InMemory(a_py="x\n", b_py="y\n"), just)
    assert caught.value.refusal.reason == "would-lose-code"


def test_what_the_files_refuse() -> None:
    with pytest.raises(ApplyRefusedError) as caught:
        made(InMemory(), part("secret", "x -> y"))
    assert caught.value.refusal == Refusal("outside-workspace", "No.", "one line")
    with pytest.raises(ApplyRefusedError):
        made(InMemory(b_py="x\n"), part(None, "x -> y"))


def test_each_file_is_reported_as_soon_as_it_is_certain() -> None:
    told: list[str] = []
    files = InMemory(a_py="x\n", b_py="x\n")
    parts = (part("a.py", "x -> y"), part("b.py", "x -> y"), part("b.py", "y -> z"))

    def settled(change: FileChange) -> None:
        assert change.hunks
        told.append(change.original.uri)

    plan_changes(Sketch(("one line",), parts), files, substitute, on_settled=settled)
    assert told == ["file:///a.py", "file:///b.py"]


def test_it_can_be_ended() -> None:
    def check() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        plan_changes(Sketch(("",), (part("a.py", "x -> y"),)), InMemory(a_py="x\n"), substitute, check=check)


def test_there_is_an_end_to_parts() -> None:
    with pytest.raises(ApplyRefusedError) as caught:
        made(InMemory(a_py="x\n"), *(part("a.py", "x -> x") for _ in range(MAX_PARTS + 1)))
    assert caught.value.refusal.reason == "too-large"


def test_readings_of_one_part_become_choices_of_the_whole_sketch() -> None:
    def merge(sketch: Sketch, part: FileSketch, original: Snapshot, **more: object) -> MergeResult:
        if part.path != "b.py":
            return substitute(sketch, part, original, **more)
        readings = tuple(
            Reading(f"write {word}", diff(original.text, f"{word}\n"), likelihood)
            for word, likelihood in (("one", 0.6), ("two", 0.3), ("x", 0.1))
        )
        return MergeResult(
            original, original.text, Edit(), Refusal("ambiguous", "Either."), readings=readings
        )

    files = InMemory(a_py="x\n", b_py="x\n")
    parts = (part("a.py", "x -> y"), part("b.py", "x -> ?"))
    with pytest.raises(ApplyRefusedError) as caught:
        plan_changes(Sketch(("one line",), parts), files, merge)
    refusal = caught.value.refusal
    assert [(choice.title, choice.likelihood) for choice in refusal.choices] == [
        ("write one", 0.6),
        ("write two", 0.3),
        ("write x", 0.1),
    ]
    one = refusal.choices[0]
    assert [(change.original.uri, change.new_text) for change in one.changes] == [
        ("file:///a.py", "y\n"),
        ("file:///b.py", "one\n"),
    ]
    assert [(place.uri, place.line) for place in one.places] == [("file:///a.py", 0), ("file:///b.py", 0)]
    assert len({choice.id for choice in refusal.choices}) == 3
    with pytest.raises(ApplyRefusedError) as caught:
        plan_changes(Sketch(("one line",), (part("a.py", "z -> y"), parts[1])), files, merge)
    assert not caught.value.refusal.choices, "the other part has no place at all"


def test_readings_of_several_parts_become_choices_of_all_of_them() -> None:
    def merge(sketch: Sketch, part: FileSketch, original: Snapshot, **more: object) -> MergeResult:
        readings = tuple(
            Reading(f"write {word}", diff(original.text, f"{word}\n"), likelihood)
            for word, likelihood in (("one", 0.6), ("two", 0.3))
        )
        return MergeResult(
            original, original.text, Edit(), Refusal("ambiguous", "Either."), readings=readings
        )

    files = InMemory(a_py="x\n", b_py="x\n")
    parts = (part("a.py", "x -> ?"), part("b.py", "x -> ?"))
    with pytest.raises(ApplyRefusedError) as caught:
        plan_changes(Sketch(("one line",), parts), files, merge)
    choices = caught.value.refusal.choices
    assert [choice.title for choice in choices] == [
        "write one; write one",
        "write one; write two",
        "write two; write one",
        "write two; write two",
    ]
    assert [change.new_text for change in choices[1].changes] == ["one\n", "two\n"]
    assert sum(choice.likelihood for choice in choices) == pytest.approx(0.81)
