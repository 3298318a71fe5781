"""Checkpoints as differences: exact restoration, and errors for files that do not match."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from editahead_cli.main import main
from editahead_lab.errors import CheckpointError, DeltaError
from editahead_lab.training.delta.checkpoint_delta import MAGIC, apply_delta, write_delta
from editahead_lab.training.delta.delta_chain import DeltaChain
from editahead_lab.training.delta.safetensors_file import LENGTH, Checkpoint

np = pytest.importorskip("numpy", reason="training needs the extra `train`")

DTYPES = {"U8": 1, "BF16": 2, "F32": 4, "I64": 8, "F8_E4M3": 1, "BOOL": 1}


def checkpoint(path: Path, tensors: Mapping[str, tuple[str, bytes]], **more: object) -> Path:
    """Write a safetensors file with its tensors in the given order."""
    at, listed = 0, dict[str, object](more)
    for name, (dtype, data) in tensors.items():
        shape = [len(data) // DTYPES[dtype]]
        listed[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    header = json.dumps(listed).encode()
    path.write_bytes(
        len(header).to_bytes(LENGTH, "little") + header + b"".join(d for _, d in tensors.values())
    )
    return path


def weights(seed: int, rate: float = 0.0) -> dict[str, tuple[str, bytes]]:
    """Return two tensors of 32-bit numbers, shifted by an amount, as bfloat16 and as they are."""
    start, moves = np.random.default_rng(0), np.random.default_rng(seed)
    values = (start.normal(0, 0.02, 20_000) + rate * np.sign(moves.normal(size=20_000))).astype("<f4")
    rounded = (values.view("<u4") + 0x8000 >> 16).astype("<u2")
    return {"a": ("BF16", rounded.tobytes()), "b": ("F32", values[:100].tobytes())}


@st.composite
def pairs(draw: st.DrawFn) -> tuple[dict[str, tuple[str, bytes]], dict[str, tuple[str, bytes]]]:
    """Draw two checkpoints of one model."""
    base, target = {}, {}
    for number in range(draw(st.integers(0, 4))):
        dtype = draw(st.sampled_from(sorted(DTYPES)))
        size = draw(st.integers(0, 20)) * DTYPES[dtype]
        data = st.binary(min_size=size, max_size=size)
        base[f"t{number}"], target[f"t{number}"] = (dtype, draw(data)), (dtype, draw(data))
    order = draw(st.permutations(sorted(target)))
    return base, {name: target[name] for name in order}


@pytest.mark.slow
@given(pairs())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_every_bit_comes_back(
    tmp_path: Path, pair: tuple[dict[str, tuple[str, bytes]], dict[str, tuple[str, bytes]]]
) -> None:
    base = checkpoint(tmp_path / "base", pair[0])
    target = checkpoint(tmp_path / "target", pair[1], __metadata__={"step": "7"})
    made = write_delta(base, target, tmp_path / "delta")
    apply_delta(base, tmp_path / "delta", tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == target.read_bytes()
    assert made.size == (tmp_path / "delta").stat().st_size
    assert 0 <= made.changed <= 1


def test_what_is_near_is_small(tmp_path: Path) -> None:
    base = checkpoint(tmp_path / "base", weights(0))
    sizes = [
        write_delta(base, checkpoint(tmp_path / "target", weights(1, rate)), tmp_path / "delta").size
        for rate in (0, 1e-6, 1e-4)
    ]
    assert sizes == sorted(sizes)
    assert sizes[0] < 1000
    assert sizes[1] * 5 < base.stat().st_size


def test_another_base_is_refused(tmp_path: Path) -> None:
    base = checkpoint(tmp_path / "base", weights(0))
    other = checkpoint(tmp_path / "other", weights(1, 1e-3))
    write_delta(base, other, tmp_path / "delta")
    with pytest.raises(DeltaError, match="was not made for"):
        apply_delta(other, tmp_path / "delta", tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["base", "delta", "other"]


def test_another_model_is_refused(tmp_path: Path) -> None:
    base = checkpoint(tmp_path / "base", weights(0))
    other = checkpoint(tmp_path / "other", {"a": ("F32", b"\0" * 8)})
    with pytest.raises(DeltaError, match="not checkpoints of the same model"):
        write_delta(base, other, tmp_path / "delta")
    assert not (tmp_path / "delta").exists()


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(1, 255))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
def test_a_damaged_delta_leads_nowhere_else(tmp_path: Path, at: int, flip: int) -> None:
    base = checkpoint(tmp_path / "base", {"a": ("U8", bytes(range(200)))})
    target = checkpoint(tmp_path / "target", {"a": ("U8", bytes(range(1, 201)))})
    write_delta(base, target, tmp_path / "delta")
    data = bytearray((tmp_path / "delta").read_bytes())
    at %= len(data)
    data[at] ^= flip
    for damaged in (data, data[:at]):
        (tmp_path / "delta").write_bytes(damaged)
        try:
            apply_delta(base, tmp_path / "delta", tmp_path / "out")
        except DeltaError:
            assert not (tmp_path / "out").exists()
        else:  # what was damaged means nothing, such as the end of the checksum
            assert (tmp_path / "out").read_bytes() == target.read_bytes()
            (tmp_path / "out").unlink()


def headed(header: str, tensors: bytes = b"x" * 4) -> bytes:
    return len(header).to_bytes(8, "little") + header.encode() + tensors


@pytest.mark.parametrize(
    "content",
    [
        headed('{"a":{"dtype":5,"shape":[4],"data_offsets":[0,4]}}'),
        headed('{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4.0]}}'),
        headed('{"a":{"dtype":"U8","shape":["4"],"data_offsets":[0,4]}}'),
        headed('{"a":{"dtype":"U8","shape":4,"data_offsets":[0,4]}}'),
        headed('{"a":{"dtype":"U8","shape":[4],"data_offsets":4}}'),
        headed('{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4,8]}}'),
        headed('{"a":5}'),
        b"",
        b"12345678",
        b"\xff" * 100,
        (2).to_bytes(8, "little") + b"[]",
        (2).to_bytes(8, "little") + b"{}and more",
        headed('{"a":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}}', b"x" * 6),
        MAGIC,
    ],
)
def test_what_is_no_checkpoint_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match="file"):
        Checkpoint(path)


def test_a_chain_has_every_checkpoint(tmp_path: Path) -> None:
    chain = DeltaChain(tmp_path / "chain", every=3)
    files = [checkpoint(tmp_path / f"{n}", weights(n, 1e-5 * n)) for n in range(7)]
    links = [chain.add(file) for file in files]
    assert [link.whole for link in links] == [True, False, False, True, False, False, True]
    assert chain.links() == links
    for number, file in enumerate(files):
        chain.write(number, tmp_path / "out")
        assert (tmp_path / "out").read_bytes() == file.read_bytes()
    with pytest.raises(DeltaError, match="has no number 7"):
        chain.write(7, tmp_path / "out")
    with pytest.raises(DeltaError, match="not checkpoints of the same model"):
        chain.add(checkpoint(tmp_path / "other", {"a": ("U8", b"1")}))
    links[4].path.unlink()
    with pytest.raises(DeltaError, match="a link of the chain is missing"):
        chain.write(2, tmp_path / "out")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = checkpoint(tmp_path / "base", weights(0))
    target = checkpoint(tmp_path / "target", weights(1, 1e-6))
    delta, out = tmp_path / "delta", tmp_path / "out"
    assert main(["train", "delta-make", f"base={base}", f"target={target}", f"out={delta}", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["size"] == delta.stat().st_size
    assert told["ratio"] > 5
    assert main(["train", "delta-apply", f"base={base}", f"delta={delta}", f"out={out}"]) == 0
    assert out.read_bytes() == target.read_bytes()
    assert main(["train", "delta-apply", f"base={target}", f"delta={delta}", f"out={out}"]) == 1
    assert "was not made for" in capsys.readouterr().err
    for file in (base, target):
        assert main(["train", "delta-make", f"target={file}", f"chain={tmp_path / 'chain'}"]) == 0
    assert main(["train", "delta-apply", f"chain={tmp_path / 'chain'}", f"out={out}"]) == 0
    assert out.read_bytes() == target.read_bytes()
    assert main(["train", "delta-apply", f"base={base}", f"out={out}"]) == 2
    assert main(["train", "delta-make", f"base={base}", f"target={target}"]) == 2
