"""A dense model of Llama's kind as a mixture of experts: its MLPs split by their neurons, nothing lost with all active.

The result is a `Qwen2MoeForCausalLM`, which transformers and vLLM load as it is. Of their architectures it fits Llama's
attention (no norms of queries and keys; its biases are 0) and need not rescale what is chosen: the weight of an expert is
its share of the softmax over all experts. With a router of zeros all shares are 1 / experts, so an expert's down
projection is multiplied by the number of experts, a power of two, which rounds nothing. The gate of the shared expert
begins as sigmoid(0), a half, so its down projection is doubled.

Mixtral and OLMoE do not fit: Mixtral divides the shares by the sum of the chosen ones, so the right scale depends on how
many are active, and it has no shared expert; OLMoE normalizes queries and keys.

Needs the extra `train`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import nn
from transformers import Qwen2MoeConfig, Qwen2MoeForCausalLM

from editahead_training.errors import TrainingError

from . import architecture  # registers the experts' implementation
from .neuron_groups import MlpSample, NeuronGroups

SHARED_SCALE = 2.0
"""Undoes the shared expert's gate, sigmoid(0)."""
CHOICE_SPREAD = 0.1
"""The standard deviation of a fitted router's scores: they choose, and hardly change the weights of what is chosen."""
RIDGE = 1e-3
"""Of the fit, in units of the mean square of an input."""


def split_into_experts(dense: Any, groups: Sequence[NeuronGroups], active: int) -> Any:
    """Return the mixture of experts of a dense model, in its type, with routers of zeros.

    Args:
        dense: of Llama's kind.
        groups: of each layer, all of the same shape, with at least one shared neuron.
        active: the experts of a token.

    Raises:
        TrainingError: the model is of another kind, or the numbers do not fit.
    """
    known = dense.config
    experts, size = groups[0].experts.shape
    shared = len(groups[0].shared)
    if (
        known.model_type != "llama"
        or known.attention_bias
        or known.mlp_bias
        or known.head_dim * known.num_attention_heads != known.hidden_size
    ):
        raise TrainingError("only a model of Llama's kind without biases can be split into experts")
    if experts & (experts - 1) or not 0 < active <= experts or not shared:
        raise TrainingError(
            "the number of experts must be a power of two, at least as large as that of the active ones, "
            "and some neurons must be shared"
        )
    config = Qwen2MoeConfig(
        **{
            name: getattr(known, name)
            for name in (
                "vocab_size",
                "hidden_size",
                "intermediate_size",
                "num_hidden_layers",
                "num_attention_heads",
                "num_key_value_heads",
                "hidden_act",
                "max_position_embeddings",
                "rms_norm_eps",
                "rope_parameters",
                "tie_word_embeddings",
                "bos_token_id",
                "eos_token_id",
                "pad_token_id",
            )
        },
        moe_intermediate_size=size,
        shared_expert_intermediate_size=shared,
        num_experts=experts,
        num_experts_per_tok=active,
        norm_topk_prob=False,
        router_aux_loss_coef=0.0,
        qkv_bias=True,  # vLLM has them always
        use_sliding_window=False,
    )
    model = Qwen2MoeForCausalLM(config).to(dense.dtype)
    model.load_state_dict(dict(_split_weights(dense, groups)))
    model.generation_config = dense.generation_config
    return model.to(dense.device)


def _split_weights(dense: Any, groups: Sequence[NeuronGroups]) -> Iterator[tuple[str, Any]]:
    """Yield the weights of the mixture of experts by name."""
    for name, weights in dense.state_dict().items():
        if ".mlp." not in name:
            yield name, weights
        if name.endswith(("q_proj.weight", "k_proj.weight", "v_proj.weight")):
            yield name.replace(".weight", ".bias"), weights.new_zeros(len(weights))
    for number, (layer, parts) in enumerate(zip(dense.model.layers, groups, strict=True)):
        mlp, at = layer.mlp, f"model.layers.{number}.mlp"
        gate, up, down = (part.weight.detach() for part in (mlp.gate_proj, mlp.up_proj, mlp.down_proj))
        experts = len(parts.experts)
        yield f"{at}.gate.weight", gate.new_zeros(experts, gate.shape[1])
        yield f"{at}.experts.gate_up_proj", torch.cat((gate[parts.experts], up[parts.experts]), 1)
        yield f"{at}.experts.down_proj", experts * down[:, parts.experts].transpose(0, 1).contiguous()
        yield f"{at}.shared_expert.gate_proj.weight", gate[parts.shared]
        yield f"{at}.shared_expert.up_proj.weight", up[parts.shared]
        yield f"{at}.shared_expert.down_proj.weight", SHARED_SCALE * down[:, parts.shared]
        yield f"{at}.shared_expert_gate.weight", gate.new_zeros(1, gate.shape[1])


def routers_of(model: Any) -> list[Any]:
    """Return the routers of a mixture of experts, layer by layer; each has `top_k` and `weight` (experts, hidden)."""
    return [layer.mlp.gate for layer in model.model.layers]


def set_active(model: Any, active: int) -> None:
    """Let each token go through another number of experts."""
    model.config.num_experts_per_tok = active
    for router in routers_of(model):
        router.top_k = active


def prepare_experts(model: Any) -> None:
    """Let the experts be computed one after another, which is fast on a CPU and differentiable."""
    model.set_experts_implementation(architecture.EXPERTS_IMPLEMENTATION)


def fit_routers(
    model: Any, dense: Any, samples: Sequence[MlpSample], groups: Sequence[NeuronGroups]
) -> list[float]:
    """Fit the routers to choose the experts whose outputs are the longest, by linear regression.

    Returns:
        for each layer, the share of the dense MLP's output that is lost with the chosen experts, as a mean square.
    """
    lost = []
    for router, layer, sample, parts in zip(
        routers_of(model), dense.model.layers, samples, groups, strict=True
    ):
        x = sample.inputs.float()
        outputs = expert_outputs(layer.mlp, sample, parts)
        target = outputs.norm(dim=-1).clamp(min=1e-6).log()
        target -= target.mean(1, keepdim=True)
        gram = x.T @ x
        gram.diagonal().add_(RIDGE * gram.diagonal().mean())
        weight = torch.linalg.solve(gram, x.T @ target).T
        weight *= CHOICE_SPREAD / (x @ weight.T).std().clamp(min=1e-6)
        with torch.no_grad():
            router.weight.copy_(weight)
        chosen = (x @ weight.T).topk(router.top_k, dim=1).indices
        whole = outputs.sum(1) + _shared_output(layer.mlp, sample, parts)
        kept = torch.zeros(outputs.shape[:2]).scatter_(1, chosen, 1.0)
        missing = (outputs * (1 - kept)[..., None]).sum(1)
        lost.append(float(missing.square().sum() / whole.square().sum()))
    return lost


def expert_outputs(mlp: nn.Module, sample: MlpSample, parts: NeuronGroups) -> Any:
    """Return what each expert adds to the MLP's output (tokens, experts, hidden)."""
    down = mlp.down_proj.weight.detach().float()
    return torch.stack([sample.fired[:, part].float() @ down[:, part].T for part in parts.experts], 1)


def _shared_output(mlp: nn.Module, sample: MlpSample, parts: NeuronGroups) -> Any:
    return sample.fired[:, parts.shared].float() @ mlp.down_proj.weight.detach().float()[:, parts.shared].T
