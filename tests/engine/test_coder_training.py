"""The training of the adapter: the network is that of transformers, a run goes on as before, and it learns."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="tools/environment/get-vllm.sh installs what this takes")
transformers = pytest.importorskip(
    "transformers", reason="tools/environment/get-vllm.sh installs what this takes"
)

import tiny_coder
from editahead_inference.backends.local.llama_shape import LlamaShape
from editahead_inference.backends.local.small_model import open_base
from editahead_lab.errors import TrainingError
from editahead_lab.training.coder import adapter_run
from editahead_lab.training.coder.adapter_file import ADAPTER, load_adapter, write_adapter
from editahead_lab.training.coder.adapter_run import AdapterRun, RunPlan
from editahead_lab.training.coder.answers import answer_examples, figures_of
from editahead_lab.training.coder.examples import Example
from editahead_lab.training.coder.network import CoderNetwork
from editahead_lab.training.coder.packed_examples import PackedExamples, write
from editahead_lab.training.coder.train_adapter import Machine, train_adapter
from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_serving.model_export import write_folder

WORDS, END, SPECIAL = 60, 59, [58, 59]
PLAN = RunPlan(None, 6, 256, 3e-3, 4, 1)


def network(seed: int = 1) -> CoderNetwork:
    config = tiny_coder.CONFIG | {"vocab_size": WORDS}
    weights = tiny_coder.random_weights(seed, WORDS)
    shape = LlamaShape.from_config(config)
    options: dict[str, Any] = {"rank": 4, "seed": 1, "device": "cpu", "dtype": torch.float32}
    return CoderNetwork(shape, weights.__getitem__, np.arange(WORDS), SPECIAL, **options)


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> PackedExamples:
    """Return examples in which the answer counts on from the last token, or is silence behind an odd first one."""
    dice = np.random.default_rng(1)
    made = []
    for _ in range(60):
        prompt = [int(token) for token in dice.integers(0, 40, int(dice.integers(5, 30)))]
        if prompt[0] % 2:
            made.append(Example("silence", (*prompt, 58), (END,)))
        else:
            said = tuple(prompt[-1] + step for step in (1, 2, 3))
            made.append(Example("edit", (*prompt, 58), (*said, END)))
    file = tmp_path_factory.mktemp("examples") / "train.examples"
    return write(file, made, {}, tiny_coder.coder_tokenizer())


def run(folder: Path, packed: PackedExamples, plan: RunPlan, *, resume: bool = False, **more: Any) -> Any:
    made = AdapterRun(plan, network(), packed, folder, resume=resume, report=lambda line: None, **more)
    return made, made.train()


def test_the_network_is_that_of_transformers(tmp_path: Path) -> None:
    model = tiny_coder.tiny_coder()
    write_folder(model, tmp_path / "model")
    known = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "model", dtype=torch.float32).eval()
    read = open_base(tmp_path / "model", 2048)
    ids = np.array([3, 1000, 17, 151643, 42, 8, 151664])
    vocabulary = np.unique(ids)
    options: dict[str, Any] = {"rank": 4, "seed": 1, "device": "cpu", "dtype": torch.float32}
    shape = LlamaShape.from_config(read.config())
    own = CoderNetwork(shape, read.take, vocabulary, [151643, 151664], **options)
    places = torch.from_numpy(np.searchsorted(vocabulary, ids))
    positions = torch.arange(len(ids))
    with torch.no_grad():
        wanted = known(input_ids=torch.from_numpy(ids)[None]).logits[0][:, torch.from_numpy(vocabulary)]
        got = own.logits(own.hidden(places, positions, [(0, len(ids))]))
        both = own.logits(
            own.hidden(places.repeat(2), positions.repeat(2), [(0, len(ids)), (len(ids), 2 * len(ids))])
        )
    torch.testing.assert_close(got, wanted, atol=1e-3, rtol=1e-3)
    torch.testing.assert_close(both, torch.cat([got, got]), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("stop_at", [1, 3, 5])
def test_a_run_goes_on_as_if_nothing_had_happened(
    stop_at: int, packed: PackedExamples, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, finished = run(tmp_path / "whole", packed, PLAN)
    assert finished and whole.where.step == 6

    class Stopped:
        """A signal that arrives before a step."""

        def __enter__(self) -> Any:
            steps = itertools.count()
            return lambda: next(steps) >= stop_at

        def __exit__(self, *_: object) -> None: ...

    with monkeypatch.context() as patch:
        patch.setattr(adapter_run, "asked_to_stop", Stopped)
        first, finished = run(tmp_path / "parts", packed, PLAN)
    assert not finished and first.where.step == stop_at
    second, finished = run(tmp_path / "parts", packed, PLAN, resume=True)
    assert finished and second.where.step == 6 and second.where.tokens == whole.where.tokens
    for one, two in zip(whole.network.parameters(), second.network.parameters(), strict=True):
        assert torch.equal(one, two)


def test_a_time_ends_a_run(packed: PackedExamples, tmp_path: Path) -> None:
    clock = iter(range(0, 10_000, 6))
    plan = RunPlan(0.5, None, 256, 1e-3, 4, 1)
    made, finished = run(tmp_path, packed, plan, clock=lambda: float(next(clock)))
    assert finished and made.where.seconds == 30 and made.where.step == 5


def test_what_does_not_fit_is_refused(packed: PackedExamples, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="no checkpoint"):
        run(tmp_path, packed, PLAN, resume=True)
    run(tmp_path, packed, PLAN)
    with pytest.raises(TrainingError, match="there is a run already"):
        run(tmp_path, packed, PLAN)
    other = RunPlan(None, 9, 256, 3e-3, 4, 2)
    with pytest.raises(TrainingError, match="seed"):
        run(tmp_path, packed, other, resume=True)


def answers(trained: CoderNetwork, packed: PackedExamples) -> Any:
    numbers = range(len(packed))
    return answer_examples(trained, packed, numbers, row=256, line_ends=[END], end=END)


def test_it_learns_and_comes_back_from_its_file(packed: PackedExamples, tmp_path: Path) -> None:
    plan = RunPlan(None, 150, 512, 1e-2, 4, 1)
    made, _ = run(tmp_path / "run", packed, plan)
    before, after = answers(network(), packed), answers(made.network, packed)
    assert sum(one.is_right for one in after) > sum(one.is_right for one in before) + 20
    told = figures_of(after)
    assert told["silence"]["parted from next edits"] > 0.9
    write_adapter(made.network, tmp_path, {"made by": "a test"})
    again = network()
    load_adapter(again, tmp_path / ADAPTER)
    same = [one.tokens == two.tokens for one, two in zip(after, answers(again, packed), strict=True)]
    assert sum(same) >= len(same) - 3, "a byte a weight changes few answers"
    other = CoderNetwork(
        again.shape,
        tiny_coder.random_weights(1, WORDS).__getitem__,
        np.arange(WORDS),
        [57, 58],
        rank=4,
        seed=1,
        device="cpu",
        dtype=torch.float32,
    )
    with pytest.raises(TrainingError, match="no adapter of this base"):
        load_adapter(other, tmp_path / ADAPTER)


def test_from_files_to_files(tmp_path: Path) -> None:
    base = tiny_coder.write_base(tmp_path / "base.gguf")
    vocabulary = HfTokenizer(open_base(base, 2048).tokenizer())
    made = [Example("edit", (151664, 40 + n, 41), (60, 61, 151643)) for n in range(8)]
    for name in ("train", "held"):
        write(tmp_path / name, made, {}, vocabulary)
    seconds: Iterator[int] = itertools.count()
    card = train_adapter(
        PLAN,
        Machine("cpu", "float32"),
        base,
        tmp_path / "train",
        tmp_path / "held",
        tmp_path / "out",
        resume=False,
        measured=4,
        report=lambda line: None,
        clock=lambda: float(next(seconds)),
    )
    assert card is not None and card["steps seen"] == 6
    assert card["held"]["next edit"]["examples"] == 4
    assert {file.name for file in (tmp_path / "out").iterdir()} == {
        *("adapter.safetensors", "vocabulary.npy", "training.json", "run")
    }
