"""The size of a KV cache, and models that cannot use drafts."""

from __future__ import annotations

from typing import Any

import pytest

from editahead_serving.kv_cache_shape import KvCacheShape
from stub_vllm import CONFIG

DEEPSEEK = CONFIG | {"num_hidden_layers": 27, "kv_lora_rank": 512, "qk_rope_head_dim": 64}
NEXT = CONFIG | {"linear_num_value_heads": 32, "full_attention_interval": 4}
LAYERED = CONFIG | {"layer_types": ["linear_attention"] * 36 + ["full_attention"] * 12}


@pytest.mark.parametrize(
    ("config", "attention", "kv_bytes"),
    [
        (CONFIG, "GQA", 98_304),
        (CONFIG | {"num_key_value_heads": 32}, "MHA", 786_432),
        (CONFIG | {"num_key_value_heads": None}, "MHA", 786_432),
        (CONFIG | {"num_key_value_heads": 1}, "MQA", 24_576),
        (CONFIG | {"head_dim": None}, "GQA", 49_152),
        ({"text_config": CONFIG, "model_type": "with_vision"}, "GQA", 98_304),
        (CONFIG | {"layer_types": ["sliding_attention", "full_attention"] * 24}, "GQA", 98_304),
        (DEEPSEEK, "MLA", 27 * 576 * 2),
        (NEXT, "hybrid", 98_304),
        (LAYERED, "hybrid", 24_576),
    ],
)
def test_what_a_token_of_context_costs(config: dict[str, Any], attention: str, kv_bytes: int) -> None:
    shape = KvCacheShape.from_config(config)
    assert (shape.attention, shape.bytes_per_token()) == (attention, kv_bytes)
    assert shape.bytes_per_token(1) * 2 == kv_bytes


@pytest.mark.parametrize(
    ("config", "on_cpu", "on_gpu"),
    [(CONFIG, False, False), (DEEPSEEK, True, False), (NEXT, True, True), (LAYERED, True, True)],
)
def test_which_may_not_be_used_with_drafts(config: dict[str, Any], on_cpu: bool, on_gpu: bool) -> None:
    shape = KvCacheShape.from_config(config)
    assert (
        shape.speculation_blocker(cpu=True) is not None,
        shape.speculation_blocker(cpu=False) is not None,
    ) == (on_cpu, on_gpu)


@pytest.mark.parametrize("config", [{}, {"num_hidden_layers": "many"}, CONFIG | {"num_attention_heads": 0}])
def test_what_is_no_language_model(config: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="layers and heads"):
        KvCacheShape.from_config(config)
