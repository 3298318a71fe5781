from __future__ import annotations

import pytest

from editahead_evals.data.commit_replay import ReplayMoment, replay
from editahead_evals.replay.baselines import last_substitution, silence, similar_line


def moment(before: str, after: str) -> ReplayMoment:
    return next(replay(before, after)).moment


def test_silence_is_silent() -> None:
    assert silence(moment("a\n", "b\n")) is None


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        pytest.param(
            "user = 1\nx\nsave(user)\n",
            "account = 1\nx\nsave(user)\n",
            "account = 1\nx\nsave(account)\n",
            id="below",
        ),
        pytest.param(
            "save(user)\nuser = 1\n", "save(user)\naccount = 1\n", "save(account)\naccount = 1\n", id="above"
        ),
        pytest.param(
            "user = 1\nusers(user_id)\n", "account = 1\nusers(user_id)\n", None, id="whole words only"
        ),
        pytest.param("f(a)\nf(b)\n", "f(a, 1)\nf(b)\n", None, id="an argument is no word of the other line"),
        pytest.param("x.go()\nx.go()\n", "await x.go()\nx.go()\n", None, id="already"),
        pytest.param("a\nb\n", "a\nnew\nb\n", None, id="an insertion substitutes nothing"),
    ],
)
def test_last_substitution(before: str, after: str, shown: str | None) -> None:
    assert last_substitution(moment(before, after)) == shown


def test_last_substitution_looks_back_on_earlier_edits() -> None:
    before = "user\nx\ny\nz\nuser\n"
    steps = list(replay(before, "account\nx\nnew\ny\nz\nuser\n"))
    assert last_substitution(steps[1].moment) == "account\nx\nnew\ny\nz\naccount\n"


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        pytest.param(
            "one = load(1)\nx\ntwo = load(2)\n",
            "one = fetch(1)\nx\ntwo = load(2)\n",
            "one = fetch(1)\nx\ntwo = fetch(2)\n",
            id="replacement",
        ),
        pytest.param(
            "def one():\n    x\ndef two():\n    y\n",
            "def one():\n    log()\n    x\ndef two():\n    y\n",
            "def one():\n    log()\n    x\ndef two():\n    log()\n    y\n",
            id="insertion",
        ),
        pytest.param("print(1)\nx\nprint(2)\n", "x\nprint(2)\n", "x\n", id="deletion"),
        pytest.param("alpha\nx\nomega\n", "beta\nx\nomega\n", None, id="nothing similar"),
        pytest.param("\nx\n\n", "new\n\nx\n\n", None, id="insertion at the top has no line before it"),
    ],
)
def test_nearest_line(before: str, after: str, shown: str | None) -> None:
    assert similar_line(moment(before, after)) == shown
