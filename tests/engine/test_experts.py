"""A dense model as a mixture of experts: nothing lost with all active, routers that choose, choices that are replayed."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="`make engine-test` installs what this takes")
transformers = pytest.importorskip("transformers", reason="`make engine-test` installs what this takes")

from editahead_cli import main  # noqa: E402
from editahead_prompts.composition.hf_tokenizer import HfTokenizer, bundled_tokenizer  # noqa: E402
from editahead_training.data import packed_dataset  # noqa: E402
from editahead_training.data.base_dataset import vocabulary_of  # noqa: E402
from editahead_training.errors import TrainingError  # noqa: E402
from editahead_training.model import expert_model, neuron_groups, router_replay  # noqa: E402
from editahead_training.model.fine_tune import load_base  # noqa: E402
from tiny_llama import tiny_llama, write_base, write_examples  # noqa: E402

IDS = torch.arange(300, 340)[None]
EXPERTS, ACTIVE, SHARED = 4, 2, 32


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = tiny_llama(bundled_tokenizer().encoder.get_vocab_size(), inner=96)
    for (
        layer
    ) in model.model.layers:  # gates as wide as those of a trained model, so that neurons fire differently
        layer.mlp.gate_proj.weight.data *= 40
        layer.mlp.down_proj.weight.data *= 10
    return write_base(tmp_path_factory.mktemp("base"), model)


@pytest.fixture(scope="module")
def vocabulary(base: Path) -> HfTokenizer:
    return vocabulary_of(base, "editahead-lines")


@pytest.fixture(scope="module")
def data(vocabulary: HfTokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_examples(tmp_path_factory.mktemp("data") / "train.tokens", vocabulary)


@pytest.fixture
def dense(base: Path, vocabulary: HfTokenizer) -> Any:
    return load_base(base, vocabulary, "cpu").eval()


@pytest.fixture
def samples(
    dense: Any, data: Path, vocabulary: HfTokenizer
) -> tuple[list[neuron_groups.MlpSample], list[neuron_groups.NeuronGroups]]:
    packed = packed_dataset.read(data, vocabulary)
    read = neuron_groups.record_mlps(dense, packed, 600, "float32", 1)
    dense.set_attn_implementation("eager")
    return read, groups_of(dense, read, "activations")


def groups_of(
    dense: Any, read: list[neuron_groups.MlpSample], method: str
) -> list[neuron_groups.NeuronGroups]:
    return [
        neuron_groups.group_neurons(layer.mlp, sample, experts=EXPERTS, shared=SHARED, method=method, seed=1)
        for layer, sample in zip(dense.model.layers, read, strict=True)
    ]


def logits(model: Any) -> Any:
    with torch.no_grad():
        return model.eval()(input_ids=IDS, use_cache=False).logits[0]


def test_groups_are_as_large_as_each_other_and_find_what_belongs_together() -> None:
    torch.manual_seed(1)
    planted = torch.arange(60) % 4
    features = torch.eye(4)[planted] + 0.1 * torch.randn(60, 4)
    found = neuron_groups.balanced_kmeans(features, 4, 1)
    assert found.bincount().tolist() == [15] * 4
    assert all(len(set(found[planted == group].tolist())) == 1 for group in range(4))


@pytest.mark.parametrize("method", neuron_groups.METHODS)
def test_all_experts_together_say_what_the_dense_model_says(dense: Any, samples: Any, method: str) -> None:
    groups = groups_of(dense, samples[0], method)
    for parts in groups:
        assert sorted([*parts.shared.tolist(), *parts.experts.flatten().tolist()]) == list(range(96))
    model = expert_model.split_into_experts(dense, groups, EXPERTS)
    torch.testing.assert_close(logits(model), logits(dense), atol=1e-4, rtol=1e-4)
    expert_model.prepare_experts(model)
    torch.testing.assert_close(logits(model), logits(dense), atol=1e-4, rtol=1e-4)
    expert_model.set_active(model, ACTIVE)
    assert not torch.allclose(logits(model), logits(dense), atol=1e-2)


def test_a_fitted_router_loses_less_than_one_that_chooses_the_first(dense: Any, samples: Any) -> None:
    read, groups = samples
    dense.requires_grad_(False)
    model = expert_model.split_into_experts(dense, groups, ACTIVE)
    fitted = expert_model.fit_routers(model, dense, read, groups)
    assert {tuple(router.weight.shape) for router in expert_model.routers_of(model)} == {(EXPERTS, 32)}
    for layer, sample, parts, lost in zip(dense.model.layers, read, groups, fitted, strict=True):
        outputs = expert_model.expert_outputs(layer.mlp, sample, parts)
        torch.testing.assert_close(
            outputs.sum(1)
            + sample.fired[:, parts.shared].float() @ layer.mlp.down_proj.weight[:, parts.shared].T,
            sample.fired.float() @ layer.mlp.down_proj.weight.T,
            atol=1e-2,
            rtol=1e-2,
        )
        whole = sample.fired.float() @ layer.mlp.down_proj.weight.T
        assert 0 < lost < float(outputs[:, ACTIVE:].sum(1).square().sum() / whole.square().sum())


def test_what_cannot_be_split_is_refused(dense: Any, samples: Any) -> None:
    read, groups = samples
    with pytest.raises(TrainingError, match="power of two"):
        expert_model.split_into_experts(dense, groups, EXPERTS + 1)
    with pytest.raises(ValueError, match="do not divide"):
        neuron_groups.group_neurons(
            dense.model.layers[0].mlp, read[0], experts=5, shared=SHARED, method="weights", seed=1
        )
    other = expert_model.split_into_experts(dense, groups, ACTIVE)
    with pytest.raises(TrainingError, match="Llama"):
        expert_model.split_into_experts(other, groups, ACTIVE)


def test_a_replay_forces_the_choice_and_computes_the_weights(dense: Any, samples: Any) -> None:
    read, groups = samples
    model = expert_model.split_into_experts(dense, groups, ACTIVE)
    expert_model.fit_routers(model, dense, read, groups)
    own: list[Any] = []
    with router_replay.recorded(model, own):
        plainly = logits(model)
    (choices,) = own
    assert choices.shape == (IDS.shape[1], 2, ACTIVE)
    with router_replay.replayed(model, choices):
        torch.testing.assert_close(logits(model), plainly)
    others = (choices + 1) % EXPERTS
    forced: list[Any] = []
    with router_replay.replayed(model, others), router_replay.recorded(model, forced):
        changed = logits(model)
    assert torch.equal(forced[0], others)
    assert not torch.allclose(changed, plainly, atol=1e-3)
    torch.testing.assert_close(logits(model), plainly)
    with router_replay.replayed(model, others):
        model(input_ids=IDS).logits.square().sum().backward()
    assert all(router.weight.grad.abs().sum() > 0 for router in expert_model.routers_of(model))
    with pytest.raises(ValueError, match="another model"), router_replay.replayed(model, choices[:, :1]):
        pass


def test_a_log_of_choices_is_decoded() -> None:
    data = base64.b64encode(bytes(range(12))).decode()
    choices = router_replay.decode_choices({"shape": [2, 3, 2], "experts": data})
    assert choices.tolist() == [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]


def test_the_command_writes_a_model_that_transformers_loads(
    base: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = ["--base", str(base), "--data", str(data), "--held", str(data), "--out", str(tmp_path / "out")]
    shape = ["--experts", str(EXPERTS), "--active", str(ACTIVE), "--shared", str(SHARED), "--sample", "600"]
    plan = [
        "--tokens",
        "4000",
        "--row",
        "256",
        "--rate",
        "0.01",
        "--dtype",
        "float32",
        "--nice",
        "0",
        "--json",
    ]
    command = ["train", "experts", *files, *shape, *plan]
    assert main.main(command) == 0
    told = json.loads(capsys.readouterr().out)
    figures = {name: tasks["next edit"]["nats"] for name, tasks in told["held"].items()}
    assert list(figures) == ["dense", "all experts", "fitted router", "trained router"]
    assert figures["all experts"] == pytest.approx(figures["dense"], abs=0.01)
    assert figures["trained router"] < figures["fitted router"]
    assert json.loads((tmp_path / "out" / "training.json").read_text()) == told
    loaded = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "out", trust_remote_code=False)
    assert type(loaded).__name__ == "Qwen2MoeForCausalLM" and loaded.config.num_experts_per_tok == ACTIVE
    assert main.main(command) == 1  # there is a run already
    assert main.main([*command, "--resume"]) == 0
    command[command.index("--experts") + 1] = "5"
    command[command.index("--out") + 1] = str(tmp_path / "other")
    assert main.main(command) == 1
