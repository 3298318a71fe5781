"""From a dense model to a mixture of experts with a trained router: group, split, fit, train, write.

The router is fitted layer by layer first, then trained by the loss of our examples; all other weights stay.
Needs the extra `train`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_training.data.packed_dataset import PackedDataset
from editahead_training.errors import TrainingError

from .expert_model import fit_routers, prepare_experts, routers_of, set_active, split_into_experts
from .fine_tune import TuneConfig, load_base, tune
from .neuron_groups import group_neurons, record_mlps
from .tuned_model import measure_tuned, write_model


@dataclass(frozen=True, slots=True)
class ExpertsConfig:
    """The configuration of a mixture of experts.

    Attributes:
        active: the experts of a token, beside the shared one.
        shared: the neurons of the shared expert, in each layer.
        method: how neurons are grouped, one of `neuron_groups.METHODS`.
        sample: the tokens that the groups and the first router are made from.
    """

    experts: int
    active: int
    shared: int
    method: str
    sample: int


def train_experts(
    plan: ExpertsConfig,
    router: TuneConfig,
    base: Path,
    data: PackedDataset,
    vocabulary: HfTokenizer,
    folder: Path,
    *,
    held: PackedDataset | None,
    resume: bool,
    report: Callable[[str], None],
    tell: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    """Write the mixture of experts of a dense model, and return its provenance.

    Args:
        router: the training of the router; with no tokens, it is only fitted.
        held: examples for figures of the dense model, of all experts, and of the active ones before and after the training.
        resume: continue the router's training; the rest is computed again, with the same result.
        report: receives lines about the progress, `tell` those of the training's log.

    Raises:
        TrainingError: the model cannot be split so, or the training cannot start or go on.
    """
    dense = load_base(base, vocabulary, "cpu")
    figures: dict[str, Any] = {}

    def measure(name: str, model: Any) -> None:
        if held is not None:
            report(f"measuring: {name}")
            figures[name] = measure_tuned(model, held, router.dtype)

    measure("dense", dense)
    report(f"recording {plan.sample:,} tokens")
    samples = record_mlps(dense, data, plan.sample, router.dtype, router.seed)
    groups = []
    for number, (layer, sample) in enumerate(zip(dense.model.layers, samples, strict=True)):
        if number % 5 == 0:
            report(f"grouping neurons: layer {number} of {len(samples)}")
        try:
            groups.append(
                group_neurons(
                    layer.mlp,
                    sample,
                    experts=plan.experts,
                    shared=plan.shared,
                    method=plan.method,
                    seed=router.seed,
                )
            )
        except ValueError as error:
            raise TrainingError(str(error)) from error
    model = split_into_experts(dense, groups, plan.active)
    prepare_experts(model)
    set_active(model, plan.experts)
    measure("all experts", model)
    set_active(model, plan.active)
    lost = fit_routers(model, dense, samples, groups)
    del dense, samples
    measure("fitted router", model)
    model.requires_grad_(False)
    for part in routers_of(model):
        part.weight.requires_grad_(True)
    result = tune(router, model, data, folder / "run", resume=resume, tell=tell) if router.tokens else None
    if result is not None:
        measure("trained router", model)
    model.requires_grad_(True)
    provenance = {
        "made by": "editahead train experts",
        "base": base.name,
        **asdict(plan),
        "output lost by the fitted router": round(sum(lost) / len(lost), 4),
        "router": asdict(router),
        "tokens seen": result.where.tokens if result else 0,
        "seconds": round(result.where.seconds) if result else 0,
        "finished": result is None or result.finished,
        "data": dict(data.provenance),
        "held": figures,
    }
    write_model(model, vocabulary, base, folder, provenance)
    return provenance
