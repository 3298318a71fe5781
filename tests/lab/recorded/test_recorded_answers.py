"""What real models answered (recorded elsewhere), served to the real server by a real socket."""

from __future__ import annotations

from pathlib import Path

import pytest

from editahead_lab.recorded.recorded_answers import (
    Recording,
    Result,
    Score,
    load,
    score_raw,
    score_through_server,
)

RECORDED = Path(__file__).parents[4] / "shared" / "data" / "recorded-models"
there = pytest.mark.skipif(
    not (RECORDED / "exchanges.jsonl").is_file(), reason=f"no recorded answers in {RECORDED}"
)


def recording(model: str, scene: str) -> Recording:
    (found,) = [r for r in load(RECORDED) if (r.model, r.scene.name) == (model, scene)]
    return found


@pytest.mark.slow
@there
def test_a_good_answer_comes_through() -> None:
    one = recording("mercuryapi", "03-python-decorator-complete")
    assert score_through_server(one) == score_raw(one)
    assert score_raw(one).likeness == 1


@pytest.mark.slow
@there
def test_edits_that_break_the_syntax_are_dropped() -> None:
    one = recording("qwen3.5-0.8B", "30-suppress-js-fetch")
    assert score_raw(one).shown and not score_through_server(one).shown


@there
def test_all_can_be_read() -> None:
    results = [score_raw(one) for one in load(RECORDED)]
    assert len(results) == 80
    assert all(0 <= (result.likeness or 0) <= 1 for result in results)


def test_a_score_is_likeness_times_showing_and_silence() -> None:
    results = [
        Result("m", True, 0.8),
        Result("m", False, 0.0),
        Result("m", False, None),
        Result("m", True, None),
    ]
    score = Score(results)
    assert (score.likeness, score.show_rate, score.quiet_rate) == (0.4, 0.5, 0.5)
    assert score.score == pytest.approx(0.2)
    assert Score([]).score == 0
