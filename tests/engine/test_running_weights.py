"""A mixture of experts on a real vLLM: its answers, its choices logged and replayed, its weights changed as it serves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

torch = pytest.importorskip("torch", reason="tools/environment/get-vllm.sh installs what this takes")
transformers = pytest.importorskip(
    "transformers", reason="tools/environment/get-vllm.sh installs what this takes"
)
pytest.importorskip("vllm", reason="tools/environment/get-vllm.sh installs what this takes")

from editahead_lab.training.delta.checkpoint_delta import write_delta
from editahead_lab.training.model import router_replay
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from real_vllm import KEY, serving

EXPERTS, ACTIVE = 4, 2
PROMPT = list(range(300, 340))
TOKENS = 16


def write_experts(folder: Path, seed: int) -> Path:
    """Write a mixture of experts with random weights, wide enough for answers that do not repeat themselves."""
    torch.manual_seed(seed)
    config = transformers.Qwen2MoeConfig(
        vocab_size=8200,
        hidden_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=1024,
        num_experts=EXPERTS,
        num_experts_per_tok=ACTIVE,
        moe_intermediate_size=32,
        shared_expert_intermediate_size=128,
        initializer_range=0.12,
        tie_word_embeddings=True,
        eos_token_id=0,
    )
    model = transformers.Qwen2MoeForCausalLM(config)
    for router in router_replay.routers_of(model):
        torch.nn.init.normal_(router.weight, std=0.3)
    model.save_pretrained(folder)
    tokenizer = bundled_tokenizer().encoder
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=type(tokenizer).from_str(tokenizer.to_str())
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return [write_experts(tmp_path_factory.mktemp("experts"), seed) for seed in (1, 2)]


@pytest.fixture(scope="module")
def url(folders: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    options = [
        "--no-enable-prefix-caching",
        *("--weight-transfer-config", json.dumps({"backend": "editahead-delta"})),
        *("--worker-extension-cls", "editahead_lab.training.vllm_worker.extension.WorkerExtension"),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VLLM_SERVER_DEV_MODE", "1")
        with serving(folders[0], tmp_path_factory.mktemp("log") / "vllm.log", *options) as served:
            yield served


def post(url: str, path: str, body: dict[str, Any] | None = None) -> Any:
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    with urlopen(Request(url + path, json.dumps(body or {}).encode(), headers)) as answer:
        return json.loads(answer.read() or b"null")


def greedy(url: str) -> tuple[list[int], list[float]]:
    """Return the tokens of vLLM's answer, and their log-probabilities."""
    query = {"model": "tiny", "prompt": PROMPT, "max_tokens": TOKENS, "temperature": 0, "logprobs": 0}
    (choice,) = post(url, "/v1/completions", query | {"return_token_ids": True, "ignore_eos": True})[
        "choices"
    ]
    return choice["token_ids"], choice["logprobs"]["token_logprobs"]


def load(folder: Path) -> Any:
    return transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()


def truth(folder: Path) -> list[int]:
    """Return the greedy answer of transformers."""
    model = load(folder)
    model.generation_config.eos_token_id = None
    said = model.generate(torch.tensor([PROMPT]), do_sample=False, max_new_tokens=TOKENS)
    return list(said[0, len(PROMPT) :].tolist())


def test_choices_are_logged_and_replayed(url: str, folders: list[Path]) -> None:
    post(url, "/collective_rpc", {"method": "start_expert_log"})
    tokens, logprobs = greedy(url)
    assert tokens == truth(folders[0])
    (told,) = post(url, "/collective_rpc", {"method": "take_expert_log"})["results"]
    choices = router_replay.decode_choices(told)
    ids = torch.tensor([[*PROMPT, *tokens[:-1]]])
    assert choices.shape == (ids.shape[1], 2, ACTIVE)
    model, own = load(folders[0]), []
    with torch.no_grad(), router_replay.replayed(model, choices):
        logits = model(input_ids=ids).logits[0, len(PROMPT) - 1 :]
    again = torch.log_softmax(logits, -1).gather(1, torch.tensor(tokens)[:, None])[:, 0]
    torch.testing.assert_close(again, torch.tensor(logprobs), atol=1e-3, rtol=1e-3)
    with torch.no_grad(), router_replay.recorded(model, own):
        model(input_ids=ids)
    assert (own[0].sort().values == choices.sort().values).float().mean() > 0.99


def test_a_delta_changes_the_weights_of_a_running_server(
    url: str, folders: list[Path], tmp_path: Path
) -> None:
    first, second = (folder / "model.safetensors" for folder in folders)
    there, back = tmp_path / "there.delta", tmp_path / "back.delta"
    write_delta(first, second, there)
    write_delta(second, first, back)
    files = {"checkpoint": str(first), "rebuilt": str(tmp_path / "rebuilt.safetensors")}
    post(url, "/init_weight_transfer_engine", {"init_info": files})
    expected = [truth(folder) for folder in folders]
    assert expected[0] != expected[1] and greedy(url)[0] == expected[0]
    with pytest.raises(HTTPError):
        update(url, back)
    post(url, "/resume")
    assert greedy(url)[0] == expected[0], "a delta for another checkpoint changes nothing"
    update(url, there)
    assert greedy(url)[0] == expected[1]
    update(url, back)
    assert greedy(url)[0] == expected[0]


def update(url: str, delta: Path) -> None:
    post(url, "/pause?mode=wait")
    post(url, "/start_weight_update")
    post(url, "/update_weights", {"update_info": {"delta": str(delta)}})
    post(url, "/finish_weight_update", {"weight_version": delta.name})
    post(url, "/resume")
