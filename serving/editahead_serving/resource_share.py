"""What of this machine each replica has: none computes where another does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .vllm_probe import EngineUnavailableError


@dataclass(frozen=True, slots=True)
class ResourceShare:
    """environment: what says so to vLLM. of: how many there are, of memory."""

    environment: Mapping[str, str] = field(default_factory=dict)
    of: int = 1


WHOLE = ResourceShare()
"""All that vLLM takes by itself."""


def split_cores(count: int, cores: Sequence[int]) -> list[ResourceShare]:
    """As many cores for each of `count` replicas, neighbours, as they share a memory. By itself, each would bind its threads
    to the same ones."""
    each = len(cores) // count
    if each == 0:
        return [ResourceShare({"VLLM_CPU_OMP_THREADS_BIND": "nobind", "OMP_NUM_THREADS": "1"}, count)] * count
    parts = [cores[each * number : each * (number + 1)] for number in range(count)]
    return [ResourceShare({"VLLM_CPU_OMP_THREADS_BIND": ",".join(map(str, part))}, count) for part in parts]


def split_gpus(count: int, gpus: Sequence[str]) -> list[ResourceShare]:
    """A GPU for each of `count` replicas. gpus: as CUDA_VISIBLE_DEVICES names them. `NoEngine` where there are too few."""
    if len(gpus) < count:
        raise EngineUnavailableError(
            f"Each replica needs a GPU of its own, and there are {len(gpus)} for {count}."
        )
    return [ResourceShare({"CUDA_VISIBLE_DEVICES": gpu}, count) for gpu in gpus[:count]]
