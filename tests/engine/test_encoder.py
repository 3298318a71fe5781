"""The training of an encoder: it learns, goes on where it was interrupted, and knows no held-out text."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

numpy = pytest.importorskip("numpy")
torch = pytest.importorskip("torch", reason="tools/environment/get-vllm.sh installs what this takes")

from editahead_cli import main
from editahead_lab.errors import TrainingError
from editahead_lab.training.encoder import fit as fitting
from editahead_lab.training.encoder.networks import contrastive_loss
from editahead_lab.training.encoder.pair import Pair, write_pairs
from editahead_retrieval.vectors.static_encoder import QUESTION, load_encoder

WORDS = [
    f"{first}{last}" for first in ("oven", "bread", "dough", "salt") for last in ("er", "ing", "less", "ful")
]
OTHERS = [
    f"{first}{last}" for first in ("milk", "egg", "sugar", "bowl") for last in ("y", "ish", "ed", "able")
]


def make_pairs(count: int, repos: int = 24) -> list[Pair]:
    """Return pairs whose documents have another word for each of the three words of their questions."""
    chance = random.Random(7)
    pairs = []
    for number in range(count):
        words = chance.sample(WORDS, 3)
        others = [OTHERS[WORDS.index(word)] for word in reversed(words)]
        repo = f"bakery{number % repos}"
        document = f"def {' '.join(others)}(self): return {number}"
        negatives = ((number + repos) % count,)
        pairs.append(
            Pair("documentation", repo, "python", " ".join(words), document, f"{repo}:{number}", negatives)
        )
    return pairs


@pytest.fixture(scope="module")
def pairs_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("pairs") / "pairs.jsonl.zst"
    write_pairs(file, make_pairs(960))
    return file


def run(pairs_file: Path, out: Path, seen: int) -> dict[str, Any]:
    plan = fitting.FitPlan(seen=seen, batch=64)
    card = fitting.fit(plan, pairs_file, out, resume=False, report=lambda line: None)
    assert card is not None
    return card


def test_questions_find_their_documents(pairs_file: Path, tmp_path: Path) -> None:
    untrained = run(pairs_file, tmp_path / "untrained", 64)
    card = run(pairs_file, tmp_path / "trained", 3_200)
    assert card["held out"]["mean"] > untrained["held out"]["mean"] + 0.2
    assert card["repositories"] < 24 and card["pairs"]["documentation"] < 960


def test_an_interrupted_run_goes_on_as_if_nothing_had_happened(
    pairs_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitting, "DROPPED", 0.0)  # what is dropped is chosen by chance
    plan = fitting.FitPlan(seen=640, batch=64)
    whole = fitting.fit(plan, pairs_file, tmp_path / "whole", resume=False, report=lambda line: None)
    lines: list[dict[str, Any]] = []
    with monkeypatch.context() as patch:
        patch.setattr(fitting, "LOG_SECONDS", 0.0)
        stop = _StopAfter(3)
        patch.setattr(fitting, "asked_to_stop", lambda: stop)
        assert fitting.fit(plan, pairs_file, tmp_path / "halves", resume=False, report=lines.append) is None
    assert 0 < lines[-1]["seen"] < 640
    with pytest.raises(TrainingError, match="there is a run already"):
        fitting.fit(plan, pairs_file, tmp_path / "halves", resume=False, report=lines.append)
    halves = fitting.fit(plan, pairs_file, tmp_path / "halves", resume=True, report=lines.append)
    assert whole is not None and halves is not None
    assert halves["held out"] == whole["held out"]


class _StopAfter:
    """A stop signal that comes after a number of steps."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __call__(self) -> bool:
        self.left -= 1
        return self.left == 0


def test_a_run_with_other_options_is_refused(pairs_file: Path, tmp_path: Path) -> None:
    run(pairs_file, tmp_path, 64)
    for plan in (fitting.FitPlan(seen=128, batch=64), fitting.FitPlan(seen=64, batch=64, seed=2)):
        with pytest.raises(TrainingError, match="another one"):
            fitting.fit(plan, pairs_file, tmp_path, resume=True, report=lambda line: None)
    for checkpoint in (tmp_path / "run").glob("*.pt"):
        checkpoint.write_bytes(b"flour")
    with pytest.raises(TrainingError, match="no checkpoint"):
        fitting.fit(
            fitting.FitPlan(seen=64, batch=64), pairs_file, tmp_path, resume=True, report=lambda line: None
        )


def test_another_answer_of_a_question_is_no_negative() -> None:
    asked, found = torch.eye(2), torch.cat([torch.eye(2), torch.eye(2)[:1]])
    excluded = torch.tensor([[False, False, True], [False, False, False]])
    free = contrastive_loss(asked, found, torch.zeros(2, 3, dtype=torch.bool), (2,), 0.05)
    assert contrastive_loss(asked, found, excluded, (2,), 0.05) < 1e-6 < free


def test_what_is_written_is_what_the_search_reads(pairs_file: Path, tmp_path: Path) -> None:
    command = ["train", "encoder-fit", f"pairs={pairs_file}", f"out={tmp_path}"]
    assert main.main([*command, "seen=640", "batch=64", "nice=0", "--json"]) == 0
    card = json.loads((tmp_path / fitting.CARD).read_text("utf-8"))
    encoder = load_encoder(tmp_path / fitting.ENCODER)
    assert encoder.name == card["name"]
    vectors = encoder.encode(["oven bread", "dough"], QUESTION)
    assert vectors.shape == (2, 256) and vectors.dtype == numpy.int8
