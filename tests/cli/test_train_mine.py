"""`editahead train mine`: what is kept, what is not, and how it is taken back."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from command_line import CommandLine
from editahead_cli import own_training
from editahead_inference.gate.personalization import MAX_LOGIT_SHIFT, OutcomeFeatures, PreferenceLearner
from editahead_lsp.session.outcome_tracker import OutcomeTracker
from editahead_workspace import user_dirs
from editahead_workspace.outcome_log import Outcome
from editahead_workspace.own_preferences import OwnPreferences
from machine_policy import write_policy

__all__ = ["write_policy"]

DAY_S = 24 * 3600.0


def outcomes(count: int, rates: dict[str, float], seed: int = 0) -> list[Outcome]:
    """Return the outcomes of three weeks. rates: how often an edit of a kind comes true; the gate always says one half."""
    chance = random.Random(seed)
    rows = []
    for number in range(count):
        kind = chance.choice(sorted(rates))
        true = chance.random() < rates[kind]
        at = 21 * DAY_S * number / count
        start = ("run", number, at, "python", "propagation", kind, 0.5, 0.5, 0.0, 20, 3, 5.0, 2000.0, True)
        rows.append(Outcome(*start, event="typed" if true else "ignored"))
    return rows


@pytest.fixture
def replayed(work: Path, monkeypatch: pytest.MonkeyPatch) -> list[Outcome]:
    """The outcomes of the person's recordings, which the test fills in."""
    rows: list[Outcome] = []
    (user_dirs.state_folder() / "recordings").mkdir(parents=True)
    monkeypatch.setattr(own_training, "_replay", lambda folder, seconds: (3, list(rows)))
    return rows


def own() -> OwnPreferences:
    return OwnPreferences(user_dirs.state_folder())


def test_what_tells_the_last_week_better_is_kept_and_can_be_taken_back(
    replayed: list[Outcome], editahead: CommandLine
) -> None:
    replayed += outcomes(600, {"rename": 0.9, "import": 0.1})
    report = editahead.json("train", "mine", "--dry-run")
    assert report["kept"] and report["lossAfter"] < report["lossBefore"] - own_training.MIN_GAIN
    assert report["fitted"] + report["heldOut"] == 600 and 150 < report["heldOut"] < 250
    assert own().read() == {}
    out = editahead("train", "mine").out
    assert "Kept in" in out and "kind:rename +" in out.replace("kind:import -", "")
    first = own().read()
    assert first["kind:rename"] > 0 > first["kind:import"]
    tracker = OutcomeTracker(lambda: 0.0, lambda: 0.0, "run", None, own())
    taste = tracker.preferences()
    assert taste is not None and dict(taste.weights)["kind:rename"] == pytest.approx(first["kind:rename"])
    replayed[:] = outcomes(600, {"rename": 0.1, "import": 0.9})
    editahead("train", "mine")
    assert own().read()["kind:rename"] < 0
    assert "taken back" in editahead("train", "mine", "--revert").out
    assert own().read() == first
    editahead("train", "mine", "--revert")
    assert own().read() == {}
    assert "nothing is taken back" in editahead("train", "mine", "--revert").out


def test_what_tells_nothing_is_not_kept(replayed: list[Outcome], editahead: CommandLine) -> None:
    replayed += outcomes(600, {"rename": 0.5, "import": 0.5})
    assert "Nothing is changed." in editahead("train", "mine").out
    assert own().read() == {}


def test_too_few_outcomes_decide_nothing(replayed: list[Outcome], editahead: CommandLine) -> None:
    replayed += outcomes(30, {"rename": 1.0})
    assert "20 are needed" in editahead("train", "mine").out
    replayed.clear()
    assert editahead.json("train", "mine")["heldOut"] == 0


def test_a_policy_without_learning_allows_no_fit(
    replayed: list[Outcome], write_policy: Any, editahead: CommandLine
) -> None:
    write_policy("learning = false")
    assert "`learning` is false" in editahead.error("train", "mine")


def test_a_reset_forgets_it(work: Path) -> None:
    own().write({"kind:rename": 0.5}, {})
    tracker = OutcomeTracker(lambda: 0.0, lambda: 0.0, "run", None, own())
    tracker.reset()
    assert own().read() == {} and not own().revert()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 2, "weights": {"always": 1}}', '{"version": 1, "weights": 3}']
)
def test_a_damaged_file_counts_for_nothing(work: Path, text: str) -> None:
    own().write({"kind:rename": 0.5, "kind:bad": float("nan"), "kind:huge": 10**400}, {})
    assert own().read() == {"kind:rename": 0.5}
    own().file.write_text(text)
    assert own().read() == {}


def test_what_is_kept_stays_where_the_next_one_cannot_be_written(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own().write({"always": 0.5}, {})

    def fail(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", fail)
        with pytest.raises(OSError, match="No space"):
            own().write({"always": 0.7}, {})
    assert own().read() == {"always": 0.5}


def test_the_start_is_bounded_and_learning_forgets_towards_it() -> None:
    learner = PreferenceLearner({"kind:rename": 40.0, "no-subject:x": 1.0})
    assert learner.weights() == {"kind:rename": MAX_LOGIT_SHIFT}
    learner = PreferenceLearner({"kind:rename": 0.5})
    seen = OutcomeFeatures("propagation", "rename", "python", 1, 20)
    for number in range(20):
        learner.learn(seen, 0.5, kept=0.0, at=float(number))
    assert learner.weights()["kind:rename"] < 0.5
    learner.learn(OutcomeFeatures("propagation", "import", "go", 1, 1), 0.5, kept=0.5, at=1000 * DAY_S)
    assert learner.weights()["kind:rename"] == pytest.approx(0.5, abs=0.01)


@pytest.mark.slow
def test_a_recording_is_replayed_apart_from_the_persons_log(work: Path, editahead: CommandLine) -> None:
    from editahead_lsp.session.session_recorder import SUFFIX, SessionRecorder
    from editahead_prompts.text.edits import Edit
    from editahead_prompts.text.snapshot import Snapshot

    now = [0.0]
    recorder = SessionRecorder(work / "recordings", lambda: now[0], "one")
    recorder.configure(on=True, roots=[work])
    uri, text = (work / "a.py").as_uri(), "user = 1\nprint(user)\nuse(user)\n"
    snapshot = Snapshot.from_text(text, uri=uri, language="python", version=1)
    recorder.on_open(uri, snapshot)
    for start, end in ((0, 4), (17, 21), (29, 33)):
        for edit in (
            Edit.replace(start, end, ""),
            *(Edit.replace(start + n, start + n, c) for n, c in enumerate("member")),
        ):
            now[0] += 0.4
            after = Snapshot.from_text(
                edit.apply(snapshot.text), uri=uri, language="python", version=snapshot.version + 1
            )
            recorder.on_change(uri, snapshot, after, edit)
            snapshot = after
        now[0] += 3
    recorder.stop()
    assert list((work / "recordings").glob(f"*{SUFFIX}"))
    report = editahead.json("train", "mine", "--recordings", work / "recordings", "--seconds", "60")
    assert report["recordings"] == 1 and report["replayed"] >= 1 and not report["kept"]
    assert not user_dirs.state_folder().exists()
