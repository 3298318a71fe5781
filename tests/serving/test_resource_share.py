"""The share of a machine that each replica gets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_serving.errors import EngineUnavailableError
from editahead_serving.hardware import physical_cores
from editahead_serving.resource_share import split_cores, split_gpus

BIND = "VLLM_CPU_OMP_THREADS_BIND"


@pytest.mark.slow
@given(st.integers(1, 8), st.lists(st.integers(0, 200), unique=True))
def test_no_core_is_shared_and_none_has_more_than_another(count: int, cores: list[int]) -> None:
    made = split_cores(count, cores)
    assert len(made) == count and {share.count for share in made} == {count}
    if len(cores) < count:
        assert all(share.environment == {BIND: "nobind", "OMP_NUM_THREADS": "1"} for share in made)
        return
    lists = [share.environment[BIND].split(",") for share in made]
    assert {len(part) for part in lists} == {len(cores) // count}
    flat = [int(core) for part in lists for core in part]
    assert flat == cores[: len(flat)]


def test_gpus() -> None:
    assert [share.environment for share in split_gpus(2, ["GPU-a", "1", "2"])] == [
        {"CUDA_VISIBLE_DEVICES": "GPU-a"},
        {"CUDA_VISIBLE_DEVICES": "1"},
    ]
    with pytest.raises(EngineUnavailableError, match="there are 1 for 2"):
        split_gpus(2, ["0"])


def test_this_machine_has_cores() -> None:
    cores = physical_cores()
    assert cores and len(set(cores)) == len(cores)
