"""A training run of a few seconds on examples that a small model can learn."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

numpy = pytest.importorskip("numpy")
torch = pytest.importorskip("torch", reason="`make engine-test` installs what this takes")
transformers = pytest.importorskip("transformers", reason="`make engine-test` installs what this takes")

from editahead_cli import main  # noqa: E402
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer  # noqa: E402
from editahead_training.data import packed_dataset  # noqa: E402
from editahead_training.data.example import TASKS, Example, plain  # noqa: E402
from editahead_training.errors import TrainingError  # noqa: E402
from editahead_training.model import (  # noqa: E402
    architecture,
    checkpoints,
    evaluate,
    export,
    malloc_tuning,
    packed_batches,
    train_loop,
)

PLAN = train_loop.TrainConfig(
    size="tiny", dense=False, minutes=None, steps=40, seed=3, row=512, rate=5e-3, exact=True
)


def counting(count: int, seed: int) -> Iterator[Example]:
    """Return examples that count up by ones, twos or threes."""
    chance = random.Random(seed)
    for number in range(count):
        start, step, long = chance.randrange(100), 1 + number % 3, chance.randint(12, 40)
        tokens = [300 + (start + step * at) % 100 for at in range(long)]
        task = TASKS[number % len(TASKS)]
        read = 0 if task == "code" else long // 2
        yield plain(task, tokens[:read], tokens[read:])


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> packed_dataset.PackedDataset:
    return packed_dataset.write(tmp_path_factory.mktemp("examples") / "train", counting(120, 1), {})


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> packed_dataset.PackedDataset:
    return packed_dataset.write(tmp_path_factory.mktemp("examples") / "held", counting(30, 2), {})


@pytest.fixture(scope="module")
def trained(
    examples: packed_dataset.PackedDataset,
    held: packed_dataset.PackedDataset,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[train_loop.TrainResult, list[dict[str, Any]]]:
    lines: list[dict[str, Any]] = []
    ended = train_loop.train(
        PLAN, examples, held, tmp_path_factory.mktemp("run"), resume=False, tell=lines.append
    )
    return ended, lines


def test_what_is_lost_gets_less(trained: tuple[train_loop.TrainResult, list[dict[str, Any]]]) -> None:
    ended, lines = trained
    tests = [line["held"] for line in lines if "held" in line]
    assert ended.finished and ended.held == tests[-1]
    assert set(ended.held) == {*TASKS, "all"}
    assert ended.held["all"] < 0.6 * tests[0]["all"]


@pytest.mark.parametrize("dense", [False, True])
def test_an_interrupted_run_ends_as_one_that_was_not(
    examples: packed_dataset.PackedDataset, held: packed_dataset.PackedDataset, tmp_path: Path, dense: bool
) -> None:
    plan = replace(PLAN, dense=dense)
    whole = train_loop.train(plan, examples, held, tmp_path / "whole", resume=False, tell=lambda _: None)

    def interrupt(line: dict[str, Any]) -> None:
        if line["step"] >= 10:
            os.kill(os.getpid(), signal.SIGTERM)

    first = train_loop.train(plan, examples, held, tmp_path / "parts", resume=False, tell=interrupt)
    assert not first.finished and 10 <= first.where.step < 40
    second = train_loop.train(plan, examples, held, tmp_path / "parts", resume=True, tell=lambda _: None)
    assert second.finished and second.held == whole.held
    assert (second.where.tokens, second.where.at) == (whole.where.tokens, whole.where.at)
    ends = second.model.state_dict()
    assert all(torch.equal(weights, ends[name]) for name, weights in whole.model.state_dict().items())


def test_a_row_is_read_as_its_examples_are_one_by_one() -> None:
    """With our ways of computing attention and experts, and with those of transformers."""
    model = architecture.build_model(architecture.SIZES["tiny"], dense=False, seed=1)
    lengths = (9, 1, architecture.QUERIES + 30, 17)
    ends = list(itertools.accumulate(lengths))
    spans = [(end - length, end) for length, end in zip(lengths, ends, strict=True)]
    ids = torch.randint(300, 8000, (1, ends[-1]), generator=torch.Generator().manual_seed(1))
    places = torch.cat([torch.arange(length) for length in lengths])[None]
    with torch.no_grad():
        together = model(input_ids=ids, position_ids=places, spans=spans, use_cache=False).logits[0]
        model.set_attn_implementation("eager")
        model.set_experts_implementation("eager")
        for start, end in spans:
            alone = model(input_ids=ids[:, start:end], use_cache=False).logits[0]
            torch.testing.assert_close(together[start:end], alone, atol=1e-5, rtol=1e-5)


def test_what_a_gpu_computes_at_once_is_what_a_cpu_computes_in_turn() -> None:
    torch.manual_seed(1)
    spans = [(0, 5), (5, 6), (6, 2 * architecture.QUERIES + 20)]
    q, k, v = (torch.randn(1, heads, spans[-1][1], architecture.HEAD) for heads in (3, 1, 1))
    torch.testing.assert_close(
        architecture.padded_attention(q, k, v, 0.1, spans), architecture.sliced_attention(q, k, v, 0.1, spans)
    )
    counts, read = torch.tensor([4, 0, 16]), torch.randn(20, 64)
    inwards, outwards = torch.randn(3, 2 * 32, 64), torch.randn(3, 64, 32)
    torch.testing.assert_close(
        architecture.grouped_experts(read, counts, inwards, outwards),
        architecture.sliced_experts(read, counts, inwards, outwards),
    )


@pytest.mark.parametrize("dense", [False, True])
def test_sizes_are_what_they_are_meant_to_be(dense: bool) -> None:
    with torch.device("meta"):
        large = architecture.build_model(architecture.SIZES["large"], dense=dense, seed=0)
        other = architecture.build_model(architecture.SIZES["large"], dense=not dense, seed=0)
    (total, active), (_, twin) = architecture.count_parameters(large), architecture.count_parameters(other)
    assert active <= total <= 22_000_000
    assert abs(active - twin) <= 0.01 * active  # the router is what the twin has not


@pytest.mark.parametrize("dense", [False, True])
def test_an_exported_model_is_the_same(tmp_path: Path, dense: bool) -> None:
    model = architecture.build_model(architecture.SIZES["tiny"], dense=dense, seed=1).eval()
    export.export(model, tmp_path, {"made by": "a test"}, dtype="float32")
    again = transformers.AutoModelForCausalLM.from_pretrained(tmp_path).eval()
    ids = torch.randint(300, 8000, (1, 50), generator=torch.Generator().manual_seed(1))
    for one in (model, again):
        one.set_attn_implementation("eager")
        one.set_experts_implementation("eager")
    with torch.no_grad():
        assert torch.equal(model(input_ids=ids).logits, again(input_ids=ids).logits)
    config = json.loads((tmp_path / "config.json").read_text("utf-8"))
    assert dense or config["num_experts"] == config["num_local_experts"] == architecture.EXPERTS
    assert again.generation_config.eos_token_id == bundled_tokenizer().encoder.token_to_id("<|end|>")
    assert json.loads((tmp_path / "training.json").read_text()) == {"made by": "a test"}


def test_weights_are_saved_rounded_and_the_model_stays(tmp_path: Path) -> None:
    model = architecture.build_model(architecture.SIZES["tiny"], dense=False, seed=1)
    before = {name: weights.clone() for name, weights in model.state_dict().items()}
    export.export(model, tmp_path, {})
    again = transformers.AutoModelForCausalLM.from_pretrained(tmp_path).state_dict()
    for name, weights in model.state_dict().items():
        assert torch.equal(weights, before[name]) and weights.dtype == torch.float32
        assert torch.equal(again[name], weights.bfloat16())


TEXTS = [
    "",
    "def f(x):\n    return x\n",
    "a\r\n\tb  c",
    "<|region|>\nx = 1\n<|/region|><|end|>",
    "日本 é \u2028 😀",
    "don't 123456",
]


def test_the_exported_tokenizer_gives_our_ids(tmp_path: Path) -> None:
    export.tokenizer(1280).save_pretrained(tmp_path)
    again = transformers.AutoTokenizer.from_pretrained(tmp_path)
    texts = [*TEXTS, Path(__file__).read_text("utf-8")]
    for text in texts:
        ids = again(text)["input_ids"]
        assert tuple(ids) == bundled_tokenizer().encode(text)
        assert again.decode(ids) == text


def test_the_command_trains_and_says_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        malloc_tuning, "keep_freed_memory", lambda: None
    )  # the process goes on with other tests
    data, out = tmp_path / "data", tmp_path / "out"
    packed_dataset.write(data, counting(60, 1), {"made by": "a test"})
    command = ["train", "model", "--size=tiny", "--row=512", "--steps=4"]
    command += [f"--data={data}", f"--held={data}", f"--out={out}"]
    assert main.main([*command, "--json"]) == 0
    provenance = json.loads(capsys.readouterr().out)
    assert provenance == json.loads((out / "training.json").read_text("utf-8"))
    assert provenance["steps seen"] == 4 and provenance["data"] == {"made by": "a test"}
    for name in (
        "config.json",
        "generation_config.json",
        "model.safetensors",
        "tokenizer.json",
        "curves.png",
    ):
        assert (out / name).exists()
    for options, reason in (
        ([], "there is a run already; --resume goes on with it"),
        (["--resume", "--dense"], "the run there is another one (dense)"),
        ([f"--data={tmp_path}"], "no packed examples"),
        ([f"--out={tmp_path / 'new'}", "--resume"], "there is no checkpoint to go on from"),
        ([f"--out={tmp_path / 'new'}", "--row=4"], "there are no examples of at most 4 tokens"),
    ):
        assert main.main([*command, *options]) == 1
        said = capsys.readouterr().err
        assert reason in said and said.count("\n") == 1


def test_an_interrupted_writing_leaves_the_checkpoint_before(tmp_path: Path) -> None:
    for step in (1, 2, 3):
        checkpoints.save(tmp_path, step, {"step": step})
    assert len(list(tmp_path.iterdir())) == checkpoints.MAX_CHECKPOINTS
    newest = checkpoints.save(tmp_path, 4, {"step": 4})
    newest.write_bytes(newest.read_bytes()[:100])
    assert checkpoints.last(tmp_path) == {"step": 3}


@given(st.floats(0, 1), st.integers(0, 10_000))
def test_the_learning_rate_rises_and_falls(progress: float, step: int) -> None:
    assert 0 <= train_loop.lr_factor(progress, step) <= train_loop.lr_factor(progress, step + 1) <= 1
    assert train_loop.lr_factor(1, step) == train_loop.lr_factor(0, step) == 0
    assert train_loop.lr_factor(0.5, 1000) == 1


@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=30),
    st.integers(10, 60),
    st.integers(0, 40),
    st.integers(0, 3),
)
def test_an_order_goes_on_where_it_was(lengths: list[int], most: int, rows_before: int, seed: int) -> None:
    """Each epoch has every example that fits, once."""
    ends = numpy.cumsum(lengths)
    ones = numpy.ones(ends[-1], numpy.uint8)
    data = packed_dataset.PackedDataset(
        ones.astype(numpy.uint16), ones, ends, numpy.zeros(len(lengths), numpy.uint8), {}
    )
    fitting = {number for number, length in enumerate(lengths) if length <= most}
    if not fitting:
        with pytest.raises(ValueError, match="no examples"):
            packed_batches.BatchOrder(data, most, most, seed)
        return
    whole = packed_batches.BatchOrder(data, most, most, seed)
    before = list(itertools.islice(whole, rows_before))
    again = packed_batches.BatchOrder(data, most, most, seed, epoch=whole.epoch, at=whole.at)
    there = packed_batches.BatchOrder(data, most, most, seed)
    expected = list(itertools.islice(there, rows_before + 5))
    assert before + list(itertools.islice(again, 5)) == expected
    assert all(sum(lengths[number] for number in numbers) <= most for numbers in expected)
    first: list[int] = []
    for numbers in packed_batches.BatchOrder(data, most, most, seed):
        first += numbers
        if len(first) >= len(fitting):
            break
    assert sorted(first) == sorted(fitting)


def test_one_pass_tells_what_greedy_decoding_would_say(
    trained: tuple[train_loop.TrainResult, list[dict[str, Any]]], held: packed_dataset.PackedDataset
) -> None:
    model = trained[0].model
    found = evaluate.measure(model, held, 10_000, 0)
    right = dict.fromkeys(TASKS, 0)
    model.eval()
    for number in range(len(held)):
        start, end = held.span(number)
        ids = held.tokens[start:end].astype(int).tolist()
        begin = start + int((held.weights[start:end] > 0).argmax())
        said = ids[: max(begin - start, 1)]
        while len(said) < len(ids):
            row = packed_batches.make_batch(held, [number], "cpu")
            with torch.inference_mode():
                logits = model(
                    input_ids=torch.tensor([said]),
                    position_ids=torch.arange(len(said))[None],
                    spans=[(0, len(said))],
                    use_cache=False,
                ).logits
            assert row.tokens == len(ids)
            said.append(int(logits[0, -1].argmax()))
        right[TASKS[held.tasks[number]]] += said == ids
    for task, figures in found.items():
        assert figures["exact"] == pytest.approx(right[task] / figures["examples"], abs=1e-4)


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=8), st.lists(st.integers(0, 4), min_size=1, max_size=8)
)
def test_the_area_is_a_share_of_pairs(higher: list[int], lower: list[int]) -> None:
    area = evaluate.roc_auc(higher, lower)
    assert 0 <= area <= 1
    assert area + evaluate.roc_auc(lower, higher) == pytest.approx(1)


def test_a_run_may_begin_with_a_trained_model(
    trained: tuple[train_loop.TrainResult, list[dict[str, Any]]],
    examples: packed_dataset.PackedDataset,
    tmp_path: Path,
) -> None:
    export.export(trained[0].model, tmp_path / "model", {}, dtype="float32")
    plan = replace(PLAN, steps=1, rate=0.0, start=str(tmp_path / "model"))
    ended = train_loop.train(plan, examples, None, tmp_path / "run", resume=False, tell=lambda line: None)
    before = trained[0].model.state_dict()
    assert all(torch.equal(weights, before[name]) for name, weights in ended.model.state_dict().items())
    with pytest.raises(TrainingError, match="another size"):
        other = replace(plan, dense=True)
        train_loop.train(other, examples, None, tmp_path / "other", resume=False, tell=lambda line: None)
    with pytest.raises(TrainingError):
        nowhere = replace(plan, start=str(tmp_path / "none"))
        train_loop.train(nowhere, examples, None, tmp_path / "third", resume=False, tell=lambda line: None)
