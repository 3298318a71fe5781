"""What `--worker-extension-cls` adds to a worker of vLLM; its import also registers the backend of delta_weights.py.

vLLM loads it in its workers; nothing else imports it.
"""

from __future__ import annotations

import base64
from functools import partial
from typing import Any

import numpy as np
from vllm.model_executor.layers.fused_moe.layer import MoERunner

from . import delta_weights  # registers its backend

__all__ = ["WorkerExtension", "delta_weights"]


class WorkerExtension:
    """Methods that `collective_rpc` calls by name: a log of the experts that the routers of a mixture of experts choose.

    vLLM's own `--enable-return-routed-experts` needs its second model runner, which requires Triton; the CPU build has none.
    So the log uses the same hook of vLLM's routers. Rows are tokens in the order of computation: ask one request at a time,
    without a prefix cache.
    """

    model_runner: Any

    def start_expert_log(self) -> None:
        """Begin a new log."""
        self._chosen: dict[int, list[Any]] = {}
        for module in self.model_runner.get_model().modules():
            if isinstance(module, MoERunner):
                rows = self._chosen.setdefault(module.layer_id, [])
                module.router.set_capture_fn(partial(_keep, rows))

    def take_expert_log(self) -> dict[str, Any]:
        """Return the choices since the last call, as JSON.

        Returns:
            `shape` (tokens, layers, active experts), and `experts`, their numbers as bytes in base64.
        """
        layers = [np.concatenate(self._chosen[layer]) for layer in sorted(self._chosen)]
        for rows in self._chosen.values():
            rows.clear()
        experts = np.stack(layers, 1)
        return {"shape": list(experts.shape), "experts": base64.b64encode(experts.tobytes()).decode()}


def _keep(rows: list[Any], chosen: Any) -> None:
    rows.append(chosen.cpu().numpy().astype(np.uint8))
