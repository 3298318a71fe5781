"""Commits are made in small steps in a plausible order, and each moment says what is left."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_evals.data.commit_replay import Hunk, diff
from editahead_lab.training.gate.ordered_moments import ordered_moments
from editahead_lab.training.gate.ordered_steps import ordered_steps, split_hunk
from editahead_prompts.text.snapshot import split_lines

TEXTS = st.lists(st.sampled_from(["a = 1\n", "b(a)\n", "\n", "c\n", "import d\n"]), max_size=12).map("".join)


def record(path: str, before: str, after: str, id: str = "commit") -> dict[str, str]:
    return {
        "id": f"{id}:{path}",
        "repo": "r",
        "path": path,
        "language": "python",
        "before": before,
        "after": after,
    }


def hunks(before: str, after: str) -> tuple[Hunk, ...]:
    return diff(split_lines(before), split_lines(after))


def first_places(files: dict[str, tuple[Hunk, ...]], draws: int = 200) -> Counter[tuple[str, int]]:
    """Count which hunk is made first."""
    found: Counter[tuple[str, int]] = Counter()
    for seed in range(draws):
        path, numbers = ordered_steps(files, random.Random(seed))[0]
        found[path, numbers[0]] += 1
    return found


@pytest.mark.slow
@given(TEXTS, TEXTS, st.integers())
def test_every_hunk_is_made_once(before: str, after: str, seed: int) -> None:
    files = {"a.py": hunks(before, after), "b.py": hunks(after, before)}
    steps = ordered_steps(files, random.Random(seed))
    made = [(path, number) for path, numbers in steps for number in numbers]
    assert sorted(made) == sorted((path, n) for path, those in files.items() for n in range(len(those)))
    assert all(list(numbers) == sorted(numbers) for _, numbers in steps)


@pytest.mark.slow
@given(TEXTS, TEXTS, st.integers())
def test_the_parts_of_a_hunk_make_it(before: str, after: str, seed: int) -> None:
    rng = random.Random(seed)
    for hunk in hunks(before, after):
        parts = split_hunk(hunk, rng)
        assert sum((part.old for part in parts), ()) == hunk.old
        assert sum((part.new for part in parts), ()) == hunk.new
        assert parts[0].start == hunk.start and parts[-1].end == hunk.end


@pytest.mark.slow
@given(TEXTS, TEXTS, st.integers(0, 50))
def test_the_moments_lead_to_the_final_texts(before: str, after: str, number: int) -> None:
    commit = [
        record("a.py", before, after, str(number)),
        record("b.py", f"{before}z = 2\n", f"y = 1\n{after}", str(number)),
    ]
    moments = list(ordered_moments(commit))
    if not moments:
        return
    last = moments[-1]
    assert not last.opportunity and all(moment.opportunity for moment in moments[:-1])
    for file in commit:
        snapshot = last.state.snapshot(f"file:///repository/{file['path']}")
        assert snapshot is not None and snapshot.text == file["after"]
    for moment in moments:
        document = moment.state.document
        assert 0 <= moment.state.cursor <= document.length
        assert moment.state.history[-1].uri == document.uri
        assert moment.remaining[document.uri] == diff(
            document.lines, split_lines(next(f["after"] for f in commit if document.uri.endswith(f["path"])))
        )


def test_an_import_comes_after_its_first_use_and_a_test_last() -> None:
    source = hunks(
        "import os\n\n\ndef load():\n    return 1\n",
        "import os\nimport parser\n\n\ndef load():\n    return parser.read()\n",
    )
    tests = hunks("def test():\n    pass\n", "def test():\n    assert load()\n")
    assert len(source) == 2
    found = first_places({"app.py": source, "tests/test_app.py": tests})
    assert found["app.py", 1] > 100, "with a first step of several hunks, the numbers ascend"
    assert found["tests/test_app.py", 0] < 20


def test_an_import_is_dropped_after_its_last_use() -> None:
    before = "import os\nimport parser\n\n\n\n\nx = parser.read()\n\n\n\n\ny = parser.last()\n"
    after = "import os\n\n\n\n\nx = read()\n\n\n\n\ny = last()\n"
    files = {"a.py": hunks(before, after)}
    last = Counter(ordered_steps(files, random.Random(seed))[-1][1][0] for seed in range(200))
    assert last[0] > last[1] + last[2]


def test_a_definition_comes_before_its_use() -> None:
    before = "x = 1\n\n\n\n\n\n\ny = run(x)\n"
    after = "def prepare(x):\n    return x\nx = 1\n\n\n\n\n\n\ny = run(prepare(x))\n"
    found = first_places({"app.py": hunks(before, after)})
    assert found["app.py", 0] > found["app.py", 1]


def test_the_same_rewrite_goes_on() -> None:
    lines = [f"value{n} = 0\n\n" for n in range(8)]
    before = "".join(("old_name(1)\n" if n in (0, 7) else "") + line for n, line in enumerate(lines))
    after = "".join(
        ("new_name(1)\n" if n in (0, 7) else "") + (line if n not in (1, 2, 3, 4) else f"other{n} = {n}\n\n")
        for n, line in enumerate(lines)
    )
    files = {"a.py": hunks(before, after)}
    last = len(files["a.py"]) - 1
    follow: Counter[bool] = Counter()
    for seed in range(300):
        order = [n for _, numbers in ordered_steps(files, random.Random(seed)) for n in numbers]
        at = order.index(0)
        if at < len(order) - 1 and last not in order[:at]:
            follow[order[at + 1] == last] += 1
    chance = 1 / last
    assert follow[True] / follow.total() > 1.5 * chance


def test_a_commit_of_one_hunk_has_no_order() -> None:
    assert list(ordered_moments([record("a.py", "a\nb\n", "a\nc\n")])) == []


def test_the_same_commit_has_the_same_order() -> None:
    commit = [record("a.py", "a\n\nb\n\nc\n", "x\n\ny\n\nz\n"), record("b.py", "a\n", "b\n")]
    orders = [[moment.state.document.text for moment in ordered_moments(commit)] for _ in range(2)]
    assert orders[0] == orders[1]
