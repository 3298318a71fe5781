"""Co-changes of a history: what recurs, in which order whatever, and what a new change lacks by it."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.mined_rules.co_changes import CoChange, added_names, mine_co_changes
from editahead_inference.mined_rules.commits import MinedCommit, make_hunk
from editahead_inference.mined_rules.measure import measure
from editahead_inference.mined_rules.missing import WrittenLine, find_missing
from editahead_inference.mined_rules.rewrites import Rewrite
from editahead_inference.mined_rules.rules import MinedRule, content_id, keep_choices, mine
from editahead_inference.mined_rules.templates import fill_slot, instantiate
from editahead_prompts.text.snapshot import Snapshot

NAMES = ("fetch_all", "list_rooms", "move_guest", "push_bill", "zip_files")


def commit(number: int, name: str) -> MinedCommit:
    """Return a commit that adds a command: its file, and its line in a table and in the documentation."""
    kebab = name.replace("_", "-")
    return MinedCommit(
        f"c{number}",
        float(number),
        (
            make_hunk(f"app/commands/{name}.py", (), (f"def {name}(arguments):", "    pass")),
            make_hunk("app/main.py", (), (f'    "{kebab}": {name},',)),
            make_hunk("readme.md", (), (f"- `{kebab}`",)),
        ),
        (f"app/commands/{name}.py",),
    )


HISTORY = [commit(number, name) for number, name in enumerate(NAMES[:4])]
TABLE = 'COMMANDS = {\n    "fetch-all": fetch_all,\n    "list-rooms": list_rooms,\n}\n'


def missing(change: MinedCommit, files: dict[str, str], rules: list[MinedRule]) -> dict[str, str]:
    """Return the files that a change lacks something in, as they should be."""
    snapshots = {path: Snapshot.from_text(text, uri=path) for path, text in files.items()}
    found = find_missing(rules, change, (), snapshots.get, lambda name: True)
    return {place.path: place.edit.apply(files[place.path]) for place in found}


def new_file(name: str) -> MinedCommit:
    return MinedCommit(
        "",
        0.0,
        (make_hunk(f"app/commands/{name}.py", (), (f"def {name}():",)),),
        (f"app/commands/{name}.py",),
    )


def test_the_lines_of_a_new_file_are_missing_elsewhere() -> None:
    rules = mine(HISTORY)
    files = {"app/main.py": TABLE, "readme.md": "# All\n\n- `fetch-all`\n- `list-rooms`\n- `move-guest`"}
    assert missing(new_file("hold_room"), files, rules) == {
        "app/main.py": TABLE.replace("}\n", '    "hold-room": hold_room,\n}\n'),
        "readme.md": "# All\n\n- `fetch-all`\n- `hold-room`\n- `list-rooms`\n- `move-guest`",
    }


def test_lines_that_are_not_sorted_go_on_at_the_end() -> None:
    files = {"readme.md": "- `push-bill`\n- `fetch-all`\n- `list-rooms`"}
    assert missing(new_file("hold_room"), files, mine(HISTORY)) == {
        "readme.md": "- `push-bill`\n- `fetch-all`\n- `list-rooms`\n- `hold-room`"
    }


def test_what_is_there_is_not_missing() -> None:
    files = {"app/main.py": TABLE, "readme.md": "- `fetch-all`\n"}
    assert missing(new_file("fetch_all"), files, mine(HISTORY)) == {}


def test_a_file_without_such_lines_is_left_alone() -> None:
    assert missing(new_file("hold_room"), {"app/main.py": "x = 1\n"}, mine(HISTORY)) == {}


def test_a_rule_that_is_off_is_never_used() -> None:
    rules = [replace(rule, is_off=True) for rule in mine(HISTORY)]
    assert missing(new_file("hold_room"), {"app/main.py": TABLE}, rules) == {}


def test_a_name_that_was_somewhere_is_not_new() -> None:
    snapshot = Snapshot.from_text(TABLE, uri="app/main.py")
    found = find_missing(
        mine(HISTORY), new_file("hold_room"), (), {"app/main.py": snapshot}.get, lambda name: False
    )
    assert list(found) == []


def test_one_name_in_several_commits_is_no_rule() -> None:
    """A change that was made again on another branch says nothing of other names."""
    again = [replace(commit(0, NAMES[0]), id=f"c{number}") for number in range(4)]
    assert mine_co_changes(again, 2, 0.0) == []


def test_support_and_confidence_count_commits() -> None:
    without = MinedCommit("d", 9.0, new_file("hold_room").hunks, ("app/commands/hold_room.py",))
    (rule,) = (
        one
        for one in mine_co_changes([*HISTORY, without], 2, 0.0)
        if one.trigger.where == "app/commands/{snake}.py" and one.consequence.path == "app/main.py"
    )
    assert (rule.support, rule.chances, rule.confidence) == (4, 5, 4 / 6)
    assert rule.examples == ("c0", "c1", "c2", "c3")


def test_secrets_are_in_no_rule() -> None:
    key = "ghp_" + "kQ7vZ2mXw9LrT4yBn8Jd3FhS6pGc1AeUo5iW"
    commits = [
        replace(one, hunks=(*one.hunks, make_hunk("env.py", (), (f'{name.upper()} = "{key}"',))))
        for one, name in zip(HISTORY, NAMES, strict=False)
    ]
    assert any(key in str(rule) for rule in mine_co_changes(commits, 2, 0.0))
    assert not any(key in str(rule) for rule in mine(commits))


words = st.lists(
    st.sampled_from(["red", "room", "bill", "guest", "night"]), min_size=1, max_size=3, unique=True
).map(tuple)


@given(words)
def test_a_template_makes_the_line_that_it_is_of(name: tuple[str, ...]) -> None:
    snake, kebab, pascal = "_".join(name), "-".join(name), "".join(map(str.capitalize, name))
    line = f'    "{kebab}": {{{snake}}},  # {pascal} {{ {snake.upper()} }}'
    template, spellings = fill_slot(line, name)
    assert instantiate(template, name, spellings) == line
    other = instantiate(template, ("silver", "key"), {})
    assert snake not in other or len(name) == 1


@given(st.permutations(range(4)), st.integers(0, 3))
def test_the_order_of_the_commits_does_not_matter(order: list[int], seed: int) -> None:
    same_date = [replace(one, date=5.0) for one in HISTORY]
    chance = random.Random(seed)
    for commits in (HISTORY, same_date):
        shuffled = [
            replace(commits[number], hunks=tuple(chance.sample(commits[number].hunks, 3))) for number in order
        ]
        assert mine(shuffled) == mine(commits)


@given(st.sampled_from(HISTORY), st.data())
def test_a_rule_reproduces_its_own_examples(one: MinedCommit, data: st.DataObject) -> None:
    """A commit that forgets a line of a rule gets that line back."""
    rules = [
        rule for rule in mine(HISTORY) if isinstance(rule.what, CoChange) and one.id in rule.what.examples
    ]
    rule = data.draw(st.sampled_from(rules))
    assert isinstance(rule.what, CoChange)
    then = rule.what.consequence
    lines = [line for hunk in one.hunks if hunk.path == then.path for line in hunk.new]
    forgetful = replace(one, hunks=tuple(hunk for hunk in one.hunks if hunk.path != then.path))
    if rule.what.trigger.where == then.path:
        return
    like = instantiate(then.template, ("silver", "key"), {})
    made = missing(forgetful, {then.path: f"{like}\n"}, [rule])
    assert made == {then.path: f"{like}\n{lines[0]}\n"}


def test_names_of_many_lines_are_used_and_not_added() -> None:
    lines = tuple(f"call_{number}(guest)" for number in range(60))
    assert all(
        name.words != ("guest",)
        for name in added_names(MinedCommit("", 0.0, (make_hunk("a.py", (), lines),)))
    )


def test_choices_outlast_another_mining() -> None:
    first, second, *rest = mine(HISTORY)
    edited = MinedRule(replace(second.what, support=99), id="by-hand")
    known = [replace(first, is_off=True), edited, *rest]
    kept = {rule.id: rule for rule in keep_choices(mine(HISTORY), known)}
    assert kept[first.id].is_off
    assert kept["by-hand"] == edited
    assert all(not kept[rule.id].is_off for rule in rest)
    assert content_id(first.what) == first.id and not first.is_edited


def test_rewritten_lines_are_looked_at() -> None:
    what = Rewrite(".py", "assertEquals", "assertEqual", 5, 0, ("c1",))
    text = "x\nself.assertEquals(1, 2)\n"
    snapshot = Snapshot.from_text(text, uri="t.py")
    rule = MinedRule(what, id=content_id(what))
    empty = MinedCommit("", 0.0, ())
    written = [WrittenLine("t.py", 0), WrittenLine("t.py", 1)]
    (place,) = find_missing([rule], empty, written, {"t.py": snapshot}.get, lambda name: True)
    assert place.edit.apply(text) == "x\nself.assertEqual(1, 2)\n"
    assert list(find_missing([rule], empty, written[:1], {"t.py": snapshot}.get, lambda name: True)) == []


@pytest.mark.parametrize("line", ["{", "}}", "a-b-", "_x_", "é{é}"])
def test_odd_lines(line: str) -> None:
    template, spellings = fill_slot(line, ("nothing",))
    assert instantiate(template, ("nothing",), spellings) == line


def test_measured_after_a_date() -> None:
    later = [commit(10 + n, name) for n, name in enumerate(("hold_room", "open_door"))]
    figures = measure([*HISTORY, *later])
    assert (figures.mined, figures.measured) == (4, 2)
    assert (figures.expected, figures.right, figures.covered) == (4, 4, 2)
    assert figures.likely_expected == figures.likely_right > 0
    nothing = measure([])
    assert (nothing.mined, nothing.expected) == (0, 0)
