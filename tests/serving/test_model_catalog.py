"""The model catalogue: requirements of models, equal in code and documents."""

from __future__ import annotations

import itertools
import re
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.formats.registry import format_name
from editahead_serving.hardware import (
    Gpu,
    Hardware,
    detect_hardware,
    free_disk_bytes,
    measure_memory_bandwidth,
)
from editahead_serving.kv_cache_shape import KvCacheShape
from editahead_serving.model_catalog import (
    CATALOGUE,
    OWN_MODEL,
    CatalogModel,
    assess_fit,
    find_model,
    needed_rate,
    order_models,
)
from editahead_serving.model_runs import NEVER_RUN, ModelRun, describe_run, read_runs, write_run

PAGE = Path(__file__).parents[2] / "docs" / "engine.md"
GB = 10**9
models = st.sampled_from([*CATALOGUE, OWN_MODEL])


def row(model: CatalogModel) -> str:
    cells = (
        f"`{model.name}`",
        str(model.repository),
        model.purpose,
        model.format,
        model.runtime,
        f"{model.weight_bytes / GB:.1f} GB",
        model.attention,
        f"{model.kv_bytes:,} bytes",
        f"{model.required_bytes / GB:.0f} GB",
        model.licence,
        describe_run(model.name),
    )
    return f"| {' | '.join(cells)} |"


def test_the_table_in_the_documents() -> None:
    text = PAGE.read_text("utf-8")
    assert re.findall(r"^\| `.*` \| \S+/.*\|$", text, re.MULTILINE) == [row(model) for model in CATALOGUE]


def example(page: str, kind: str) -> int:
    found = re.search(rf"^\| {kind} \|.* ([\d,]+) bytes \|$", page, re.MULTILINE)
    assert found is not None
    return int(found[1].replace(",", ""))


def test_the_examples_of_attention_in_the_documents() -> None:
    page = PAGE.read_text("utf-8")
    config = {"num_hidden_layers": 32, "num_attention_heads": 32, "head_dim": 128}
    for kind, shared in (("MHA", 32), ("GQA", 8), ("MQA", 1)):
        shape = KvCacheShape.from_config(config | {"num_key_value_heads": shared})
        assert (shape.attention, shape.bytes_per_token()) == (kind, example(page, kind))
    latent = {"num_hidden_layers": 27, "kv_lora_rank": 512, "qk_rope_head_dim": 64}
    assert KvCacheShape.from_config(config | latent).bytes_per_token() == example(page, "MLA")


@pytest.mark.parametrize("model", [*CATALOGUE, OWN_MODEL], ids=lambda model: model.name)
def test_each_is_found_and_asked_in_its_format(model: CatalogModel) -> None:
    assert find_model(model.name.upper()) is model
    same = [other for other in CATALOGUE if other.repository == model.repository]
    assert model.repository is None or find_model(model.repository) is same[0]
    assert format_name(model.repository or model.name) == model.format


@given(models, st.integers(0, 300 * GB), st.integers(0, 300 * GB), st.floats(1e8, 1e12))
def test_more_memory_never_holds_less(model: CatalogModel, gpu: int, free: int, speed: float) -> None:
    def on(gpu: int, free: int) -> str | None:
        gpus = (Gpu("x", gpu),) if gpu else ()
        return assess_fit(model, Hardware(4, free, free, gpus), speed).on

    less, more = on(gpu, free), on(gpu + GB, free + GB)
    assert less is None or more is not None
    assert less != "gpu" or more == "gpu"


@given(models, st.floats(1e8, 1e12))
def test_what_is_said_of_the_cpu(model: CatalogModel, speed: float) -> None:
    found = assess_fit(model, Hardware(4, 300 * GB, 300 * GB), speed)
    assert found.on == "cpu" and found.tokens_per_second == speed / model.active_bytes
    assert ("too slow" in found.expect) == (found.tokens_per_second < needed_rate(model))


def test_on_known_gpus() -> None:
    def runnable_models(memory: int) -> set[str]:
        machine = Hardware(16, 8 * GB, GB, (Gpu("small", GB), Gpu("x", memory)))
        return {model.name for model in CATALOGUE if assess_fit(model, machine, 1e10).on == "gpu"}

    assert "qwen3-coder" in runnable_models(80 << 30) and "qwen3-coder" not in runnable_models(48 << 30)
    assert "qwen3-coder-fp8" in runnable_models(48 << 30) and "qwen3-coder-fp8" not in runnable_models(
        24 << 30
    )
    assert "zeta-2.1" in runnable_models(24 << 30) and "zeta-2.1" not in runnable_models(16 << 30)
    assert "zeta-2-q8" in runnable_models(16 << 30) and "zeta-2-q8" not in runnable_models(12 << 30)
    assert "zeta-2-q4" in runnable_models(12 << 30) and "zeta-2-q4" not in runnable_models(8 << 30)
    assert {"sweep-1.5b", "qwen-coder-3b"} <= runnable_models(8 << 30) and "mellum-4b" in runnable_models(
        12 << 30
    )
    assert "editahead-coder" not in runnable_models(80 << 30)


def test_llama_cpp_needs_a_build_for_the_gpu() -> None:
    machine = Hardware(16, 8 * GB, GB, (Gpu("x", 24 << 30),))
    for model in CATALOGUE:
        fit = assess_fit(model, machine, 1e10)
        if fit.on == "gpu":
            assert ("with a build of llama.cpp for it" in fit.expect) == (model.runtime == "llama.cpp")


def test_our_own_is_first_where_there_is_no_gpu() -> None:
    without, with_one = (order_models(Hardware(4, GB, GB, gpus)) for gpus in ((), (Gpu("x", 48 * GB),)))
    assert without[0] is OWN_MODEL and with_one[0] is CATALOGUE[0]
    assert set(without) == set(with_one) == {OWN_MODEL, *CATALOGUE}
    purposes = [model.purpose for model in with_one]
    assert purposes == sorted(purposes, reverse=True), "beside the others for next edits"


def test_what_our_own_costs_is_said() -> None:
    expect = assess_fit(OWN_MODEL, Hardware(2, 4 * GB, 2 * GB), 2e10).expect
    assert all(word in expect for word in ("0.5 GB", "disk", "memory", "two cores"))


def test_gpus_are_asked_for() -> None:
    machine = detect_hardware(lambda command: "NVIDIA H200, 143771\nNVIDIA A10, 23028\n")
    assert machine.gpus == (Gpu("NVIDIA H200", 143771 << 20), Gpu("NVIDIA A10", 23028 << 20))
    assert 0 < machine.free <= machine.memory and machine.cores >= 1


@pytest.mark.parametrize("said", ["", "No devices were found\n", "NVIDIA X, [N/A]\n"])
def test_without_gpus(said: str) -> None:
    assert detect_hardware(lambda command: said).gpus == ()


def test_without_a_driver() -> None:
    def run(command: list[str]) -> str:
        raise FileNotFoundError(command[0])

    assert detect_hardware(run).gpus == ()


def test_the_probe_reckons_from_the_quickest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editahead_serving.hardware._PROBE_BYTES", 1000)
    monkeypatch.setattr("editahead_serving.hardware._MAX_PROBE_THREADS", 1)
    times = itertools.chain([0.0, 4.0, 4.0, 5.0, 5.0, 8.0, 8.0, 9.5])
    assert measure_memory_bandwidth(lambda: next(times)) == 2000


def test_room_where_the_folder_is_to_be(tmp_path: Path) -> None:
    assert free_disk_bytes(tmp_path / "a" / "b") > 0


def test_each_run_is_one_of_a_model_of_the_list() -> None:
    for name, run in read_runs().items():
        assert find_model(name) is not None and 0 <= run.right <= run.asked and date.fromisoformat(run.date)


def test_a_run_is_written_beside_the_others_and_in_the_place_of_the_last(tmp_path: Path) -> None:
    file = tmp_path / "runs.json"
    file.write_text("{}")
    first = ModelRun("2026-01-02", 1, 4, "lines completed exactly", "llama.cpp", "a.gguf")
    second = ModelRun("2026-03-04", 3, 4, "lines completed exactly", "llama.cpp", "a.gguf")
    write_run("zeta-2", first, file)
    write_run("mellum-2", first, file)
    write_run("zeta-2", second, file)
    assert read_runs(file) == {"mellum-2": first, "zeta-2": second}
    assert second.score == 0.75 and second.describe().startswith("2026-03-04: 3 of 4 lines")


def test_what_was_never_run_is_said() -> None:
    assert describe_run("no such model") == NEVER_RUN
