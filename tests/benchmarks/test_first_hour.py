"""The first hour of a new user: our own episodes in a real Neovim, each with an empty state folder, and their table.

`PYTHONPATH=tests/support .venv/bin/python tools/measure/first_hour.py FILES --repositories FOLDER` plays other episodes, on
other people's code.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from episodes import Change, Episode, Span, by_hand, distance, read_episodes
from figures import SHORT
from first_hour import OWN, play_all, table
from neovim import NEOVIM_0_12
from neovim_person import Score


@pytest.mark.benchmark
@pytest.mark.skipif(not NEOVIM_0_12.exists(), reason=f"no Neovim at {NEOVIM_0_12}")
def test_the_first_hour() -> None:
    pytest.importorskip("msgpack")
    played = play_all(OWN, NEOVIM_0_12, None, "rename a field" if SHORT else "", {})
    print("\n".join(("", *table(played))))


@pytest.mark.parametrize(
    "episode", [one for file in OWN for one in read_episodes(file)], ids=lambda one: one.name
)
def test_our_episodes_lead_somewhere(episode: Episode) -> None:
    before, wanted = episode.before(), episode.wanted()
    assert distance(before, wanted) > 0
    assert distance(wanted, wanted) == 0
    texts = before
    for change in episode.hand:
        assert change.is_due(texts)
        if not change.is_move:
            span, text = by_hand(change, texts[change.path]), texts[change.path]
            assert text[: span.start] + span.typed + text[span.end :] == change.made(texts)[change.path]
        texts = change.made(texts)
        assert not change.is_due(texts)


@pytest.mark.parametrize(
    ("text", "old", "new", "span"),
    [
        ("self.ends = 1\n", "self.ends", "self.leaves", Span(5, 9, "leaves")),
        ("normalize(x)\n", "normalize(", "normalizeValues(", Span(9, 9, "Values")),
        ("f(a)\n", "f(a)", "f(a, b)", Span(3, 3, ", b")),
        (
            "def a():\n    pass\n",
            "def a(",
            "def b():\n    pass\n\n\ndef a(",
            Span(0, 0, "def b():\n    pass\n\n\n"),
        ),
        ("a\nab\nac\n", "ab\n", "", Span(2, 5, "")),
    ],
)
def test_what_a_person_types(text: str, old: str, new: str, span: Span) -> None:
    assert by_hand(Change("a.py", old, new), text) == span


def test_a_change_without_a_place_is_reported() -> None:
    with pytest.raises(ValueError, match=r"a\.py has 'x' 2 times, not 1"):
        Change("a.py", "x", "y").made({"a.py": "x x"})


def test_the_table_adds_up_by_kind() -> None:
    scores = [Score(right=2, tabs=4, outcome="finished", first_s=1.0), Score(wrong=1, latencies=[0.05])]
    lines = list(table([("rename", scores[0]), ("move", scores[1])]))
    assert lines[2].startswith("| move | 1 | 0 | 0 | 1 | 0 | 1 ")
    assert lines[3].startswith("| rename | 1 | 1 | 0 | 0 | 2 | 0 ")
    assert lines[4].startswith("| all | 2 | 1 | 0 | 1 | 2 | 1 ")
    assert "50 ms p50" in lines[5]


def test_a_folder_of_repositories_may_be_named(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "a.py").write_text("x = 1\n")
    file = tmp_path / "theirs.toml"
    file.write_text('repository = "theirs"\n[[episode]]\nname = "n"\nhand = [["mv", "a.py", "b.py"]]\n')
    (episode,) = read_episodes(file, tmp_path)
    assert episode.wanted() == {"b.py": "x = 1\n"}
