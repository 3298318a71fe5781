from __future__ import annotations

from editahead_evals.client.editor import Editor
from editahead_evals.data.edit_records import Record
from editahead_evals.metrics.metrics import SERVER, Counts
from editahead_evals.replay.baseline_replay import replay_record
from editahead_evals.replay.baselines import BASELINES


def record(before: str, after: str) -> Record:
    return Record("r@1:a.py", "r", "1", "Rename", "a.py", "python", before, after)


def test_a_file_is_replayed_and_every_answer_judged(fake: Editor) -> None:
    before = "old_name = 1\nx\ny = old_name\nz\nold_name()\n"
    result = replay_record(fake, record(before, before.replace("old", "new")))
    assert result.counts[SERVER] == Counts(
        opportunities=2,
        covered=2,
        shown=2,
        correct=2,
        located=2,
        likeness=2.0,
        kept=32,
        changed=32,
        jumps=2,
        ends=1,
    )
    assert result.kinds["replace line"] == Counts(opportunities=2, covered=2, shown=2, correct=2)
    assert result.distances["0 to 2 lines"] == Counts(opportunities=2, covered=2, shown=2, correct=2)
    assert result.counts["silence"] == Counts(opportunities=2, ends=1)
    assert result.counts["last substitution"].covered == 2
    assert set(result.counts) == {SERVER, *BASELINES}
    assert (result.id, result.language, result.lines) == ("r@1:a.py", "python", 6)
    assert [moment.opportunity for moment in result.moments] == [True, True, False]
    assert [moment.silence for moment in result.moments] == [None, None, "no-candidate"]
    assert [moment.source for moment in result.moments] == ["propagation", "propagation", None]
    assert all(moment.ms > 0 for moment in result.moments)
    assert fake.documents == {}


def test_wrong_and_false_shows_are_counted(fake: Editor) -> None:
    result = replay_record(fake, record("a\nb\nc\nold_name\n", "A\nb\nC\nold_name\n"))
    assert result.counts[SERVER] == Counts(
        opportunities=1, shown=1, located=1, changed=16, jumps=1, ends=1, false_ends=1
    )


def test_long_typing_is_timed_at_intervals(fake: Editor) -> None:
    result = replay_record(fake, record("a\n", "a\n" + "word " * 40 + "\n"))
    assert len(result.change_ms) == len(result.idle_ms) == 6
    assert all(ms > 0 for ms in result.change_ms)
