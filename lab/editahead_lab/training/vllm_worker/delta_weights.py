"""Deltas of checkpoints, applied to the weights of a vLLM that is running, through vLLM's own interface for new weights.

VLLM_SERVER_DEV_MODE=1 vllm serve MODEL --weight-transfer-config '{"backend": "editahead-delta"}'
    --worker-extension-cls editahead_lab.training.vllm_worker.extension.WorkerExtension

vLLM itself transfers weights between GPUs only (NCCL, CUDA IPC); this backend reads files, and so works on a CPU, too. The
trainer posts to `/init_weight_transfer_engine` once, then for each delta to `/pause`, `/start_weight_update`,
`/update_weights`, `/finish_weight_update` and `/resume`. vLLM loads this module in its workers; nothing else imports it.
vLLM 0.32 was tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import safe_open
from vllm.distributed.weight_transfer.base import (
    WeightTransferEngine,
    WeightTransferInitInfo,
    WeightTransferUpdateInfo,
)
from vllm.distributed.weight_transfer.factory import WeightTransferEngineFactory
from vllm.model_executor.layers.fused_moe.layer import MoERunner
from vllm.model_executor.layers.vocab_parallel_embedding import ParallelLMHead
from vllm.model_executor.model_loader.reload import finalize_layerwise_reload, initialize_layerwise_reload
from vllm.platforms import current_platform

from editahead_lab.training.delta.checkpoint_delta import apply_delta

BACKEND = "editahead-delta"


@dataclass
class DeltaInitInfo(WeightTransferInitInfo):  # type: ignore[misc]  # mypy sees no vLLM
    """Where the served weights are.

    Attributes:
        checkpoint: the safetensors file that vLLM loaded.
        rebuilt: the file that later checkpoints are written to, readable and writable by vLLM.
    """

    checkpoint: str
    rebuilt: str


@dataclass
class DeltaUpdateInfo(WeightTransferUpdateInfo):  # type: ignore[misc]  # mypy sees no vLLM
    """The file of a delta from the served checkpoint to the next one."""

    delta: str


class DeltaWeightTransferEngine(WeightTransferEngine[DeltaInitInfo, DeltaUpdateInfo]):  # type: ignore[misc]  # mypy sees no vLLM
    """A backend of vLLM's weight transfer that reads deltas. A delta for another checkpoint is rejected."""

    init_info_cls = DeltaInitInfo
    update_info_cls = DeltaUpdateInfo

    def init_transfer_engine(self, init_info: DeltaInitInfo) -> None:
        """Remember where the weights are."""
        self._served = Path(init_info.checkpoint)
        self._rebuilt = Path(init_info.rebuilt)

    def start_weight_update(self) -> None:
        """Do nothing yet: the served weights stay until a delta is known to be good."""

    def receive_weights(self, update_info: DeltaUpdateInfo) -> None:
        """Rebuild the next checkpoint, check its hash, load it, and bring the layers into the form that they compute with.

        Raises:
            DeltaError: the delta belongs to another checkpoint, or is damaged; the served weights stay.
        """
        apply_delta(self._served, Path(update_info.delta), self._rebuilt)
        self._served = self._rebuilt
        initialize_layerwise_reload(self.model)
        with safe_open(self._rebuilt, "pt") as file:
            self.model.load_weights((name, file.get_tensor(name)) for name in file.keys())  # noqa: SIM118  # no mapping
        finalize_layerwise_reload(self.model, self.model_config)
        if current_platform.is_cpu():
            for module in self.model.modules():
                _pack_again(module)

    def finish_weight_update(self) -> None:
        """Do nothing: each delta is complete by itself."""

    def shutdown(self) -> None:
        """Do nothing: there is no connection."""


def _pack_again(module: Any) -> None:
    """Pack the weights of a layer for the CPU where vLLM 0.32 does so at the first load only.

    These are the head, when it shares its weights with the embedding, and the experts.
    """
    if isinstance(module, ParallelLMHead):
        module.quant_method.process_weights_after_loading(module)
    elif isinstance(module, MoERunner):
        module._quant_method.moe_kernel.fused_experts.process_weights_after_loading(module.routed_experts)


WeightTransferEngineFactory.register_engine(BACKEND, DeltaWeightTransferEngine)
