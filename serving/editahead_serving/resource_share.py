"""The part of this machine for each replica. Replicas share neither cores nor GPUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .errors import EngineUnavailableError


@dataclass(frozen=True, slots=True)
class ResourceShare:
    """The part of a machine for one server: variables for vLLM, and how many servers share the memory (`count`)."""

    environment: Mapping[str, str] = field(default_factory=dict)
    count: int = 1


WHOLE_MACHINE = ResourceShare()
"""The share of a single server: all that vLLM takes by default."""


def split_cores(count: int, cores: Sequence[int]) -> list[ResourceShare]:
    """Return equal shares of the cores for `count` replicas.

    The cores of a share are neighbours, which share a memory. By default, every vLLM would bind its threads to the same
    cores.
    """
    each = len(cores) // count
    if each == 0:
        return [ResourceShare({"VLLM_CPU_OMP_THREADS_BIND": "nobind", "OMP_NUM_THREADS": "1"}, count)] * count
    parts = [cores[each * number : each * (number + 1)] for number in range(count)]
    return [ResourceShare({"VLLM_CPU_OMP_THREADS_BIND": ",".join(map(str, part))}, count) for part in parts]


def split_gpus(count: int, gpus: Sequence[str]) -> list[ResourceShare]:
    """Return a share of one GPU for each of `count` replicas.

    Args:
        count: The number of replicas.
        gpus: Names as in CUDA_VISIBLE_DEVICES.

    Raises:
        EngineUnavailableError: There are too few GPUs.
    """
    if len(gpus) < count:
        raise EngineUnavailableError(
            f"Each replica needs a GPU of its own, and there are {len(gpus)} for {count}."
        )
    return [ResourceShare({"CUDA_VISIBLE_DEVICES": gpu}, count) for gpu in gpus[:count]]
