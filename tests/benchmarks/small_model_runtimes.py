"""Compares runtimes for a small model of the Llama architecture on the CPU, each in a process of its own.

    python tests/benchmarks/small_model_runtimes.py FOLDER --held held.tokens --work FOLDER --threads 2 onnx-8 ...

FOLDER is a model that `editahead train tune` exported. Each line of the output has, in milliseconds of wall time and of CPU
time: 200 and 400 new tokens behind 200 known ones, 20 tokens one by one, 20 tokens in one step; the time to load, the most
memory, and the mean loss of the answers of held-out examples, in nats a token. torch-* need torch and transformers. llama-*
need llama-cpp-python, a GGUF file of the type, FOLDER/model-TYPE.gguf, and `LLAMA_CPU`, the file of ggml's kernels.

AVX2 only: `ONEDNN_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=avx2 MKL_ENABLE_INSTRUCTIONS=AVX2` for torch, ggml-cpu-haswell for
llama.cpp. ONNX Runtime has no such switch.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy

from editahead_inference.backends.local import llama_graph
from editahead_prompts.text.affixes import common_prefix_length

KNOWN, CONTEXT = 200, 1024
RUNTIMES = (
    *("torch-float32", "torch-bfloat16", "torch-int8"),
    *("onnx-float32", "onnx-dynamic", "onnx-8", "onnx-4"),
    *("llama-q8_0", "llama-q4_1"),
)


class TorchRuntime:
    def __init__(self, folder: Path, kind: str, threads: int, work: Path) -> None:
        import torch

        from editahead_inference.backends.local.transformers_network import TransformersNetwork

        self.network = TransformersNetwork(folder, "float32" if kind == "int8" else kind)
        torch.set_num_threads(threads)
        if kind == "int8":
            self.network._model = torch.ao.quantization.quantize_dynamic(
                self.network._model, {torch.nn.Linear}, torch.qint8
            )
        self.cache = self.network.new_cache()

    def forward(self, ids: Sequence[int], rows: int) -> Any:
        return numpy.asarray(self.network.forward(ids, self.cache, rows))

    def crop(self, size: int) -> None:
        self.cache.crop(size)


class OnnxRuntime:
    def __init__(self, folder: Path, kind: str, threads: int, work: Path) -> None:
        from editahead_inference.backends.local.onnx_network import OnnxNetwork

        self.network = OnnxNetwork(work / kind, threads)
        self.cache = self.network.new_cache()

    def forward(self, ids: Sequence[int], rows: int) -> Any:
        return self.network.forward(ids, self.cache, rows)

    def crop(self, size: int) -> None:
        self.cache.crop(size)


class LlamaRuntime:
    def __init__(self, folder: Path, kind: str, threads: int, work: Path) -> None:
        import llama_cpp

        self.library: Any = llama_cpp
        kernels = os.environ["LLAMA_CPU"]
        ggml = ctypes.CDLL(str(Path(kernels).with_name("libggml.so")))
        ggml.ggml_backend_load.restype = ctypes.c_void_p
        assert ggml.ggml_backend_load(kernels.encode())
        llama_cpp.llama_backend_init()
        self.model = llama_cpp.llama_model_load_from_file(
            str(folder / f"model-{kind}.gguf").encode(), llama_cpp.llama_model_default_params()
        )
        options = llama_cpp.llama_context_default_params()
        options.n_ctx = options.n_batch = options.n_ubatch = CONTEXT
        options.n_threads = options.n_threads_batch = threads
        self.context = llama_cpp.llama_init_from_model(self.model, options)
        self.vocabulary = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(self.model))
        self.batch = llama_cpp.llama_batch_init(CONTEXT, 0, 1)
        self.size = 0

    def forward(self, ids: Sequence[int], rows: int) -> Any:
        batch = self.batch
        batch.n_tokens = len(ids)
        for place, token in enumerate(ids):
            batch.token[place], batch.pos[place] = token, self.size + place
            batch.n_seq_id[place], batch.seq_id[place][0] = 1, 0
            batch.logits[place] = place >= len(ids) - rows
        assert self.library.llama_decode(self.context, batch) == 0
        self.size += len(ids)
        values = self.library.llama_get_logits(self.context)
        return numpy.ctypeslib.as_array(values, (rows, self.vocabulary)).copy()

    def crop(self, size: int) -> None:
        memory = self.library.llama_get_memory(self.context)
        self.library.llama_memory_seq_rm(memory, 0, size, -1)
        self.size = size


def write_onnx(folder: Path, kind: str, place: Path) -> None:
    """Write a model for ONNX Runtime with other matrices than those of `llama_graph`."""
    from safetensors import safe_open

    class Graph(llama_graph._Graph):
        def matrix(self, name: str, weights: Any) -> None:
            if name == "head":
                super().matrix(name, weights)  # the embedding is read from it
            if kind == "float32":
                self.weight(f"{name}.float", numpy.ascontiguousarray(weights.T))
            elif kind == "dynamic":
                scales = numpy.abs(weights).max(-1) / 127
                self.weight(f"{name}.int8", numpy.rint(weights / scales[:, None]).T.astype(numpy.int8).copy())
                self.weight(f"{name}.columns", scales)
            elif kind == "4":
                blocks = weights.reshape(len(weights), -1, llama_graph.BLOCK)
                low, high = blocks.min(-1).clip(max=0), blocks.max(-1).clip(min=0)
                scales = numpy.maximum((high - low) / 15, 1e-9).astype(numpy.float32)
                zeros = numpy.rint(-low / scales).astype(numpy.uint8)
                nibbles = (
                    (numpy.rint(blocks / scales[..., None]) + zeros[..., None])
                    .clip(0, 15)
                    .astype(numpy.uint8)
                )
                self.weight(f"{name}.nibbles", nibbles[..., ::2] | nibbles[..., 1::2] << 4)
                self.weight(f"{name}.4scales", scales)
                self.weight(f"{name}.zeros", zeros[:, ::2] | zeros[:, 1::2] << 4)
            elif name != "head":
                super().matrix(name, weights)
            self._sizes[name] = weights.shape

        def multiply(self, name: str, x: str) -> str:
            out, ort = [f"{name}.out"], "com.microsoft"
            if kind == "float32":
                return self.node("MatMul", [x, f"{name}.float"], out)
            if kind == "dynamic":
                return self.node("DynamicQuantizeMatMul", [x, f"{name}.int8", f"{name}.columns"], out, ort)
            if kind == "4":
                inputs = [x, f"{name}.nibbles", f"{name}.4scales", f"{name}.zeros"]
                sizes = dict(zip("NK", self._sizes[name], strict=True))
                return self.node(
                    "MatMulNBits",
                    inputs,
                    out,
                    ort,
                    bits=4,
                    block_size=llama_graph.BLOCK,
                    accuracy_level=4,
                    **sizes,
                )
            return super().multiply(name, x)

    config = json.loads((folder / "config.json").read_text("utf-8")) | {"max_position_embeddings": CONTEXT}
    place.mkdir(parents=True, exist_ok=True)
    (place / "config.json").write_text(json.dumps(config))
    plain, llama_graph._Graph = llama_graph._Graph, Graph  # type: ignore[misc]
    try:
        with safe_open(folder / "model.safetensors", "pt") as file:
            llama_graph.write_llama(
                place,
                llama_graph.LlamaShape.from_config(config),
                lambda name: file.get_tensor(name).float().numpy(),
            )
    finally:
        llama_graph._Graph = plain  # type: ignore[misc]


def measured(work: Callable[[], Any], times: int) -> list[float]:
    """Return the medians of wall time and CPU time, in milliseconds."""
    walls, cpus = [], []
    for _ in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return [round(1000 * statistics.median(values), 1) for values in (walls, cpus)]


def held_answers(file: Path, count: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the tokens of examples, and the places of those that are said."""
    from safetensors.numpy import load_file

    held = load_file(file)
    for start, end in pairwise([0, *held["ends"][:count].tolist()]):
        yield held["tokens"][start:end].tolist(), numpy.flatnonzero(held["weights"][start:end]).tolist()


def loss_of(runtime: Any, file: Path, count: int) -> float:
    """Return the mean loss of the answers' tokens."""
    nats, said, known = 0.0, 0, []
    for ids, places in held_answers(file, count):
        shared = min(common_prefix_length(known, ids), places[0] - 1)
        runtime.crop(shared)
        logits = runtime.forward(ids[shared:-1], len(ids) - places[0])
        known = ids[:-1]
        for place in places:
            row = logits[place - places[0]].astype(numpy.float64)
            nats += float(numpy.logaddexp.reduce(row) - row[ids[place]])
        said += len(places)
    return round(nats / said, 4)


def measure(args: argparse.Namespace) -> dict[str, Any]:
    library, _, kind = args.runtime.partition("-")
    makers: dict[str, Any] = {"torch": TorchRuntime, "onnx": OnnxRuntime, "llama": LlamaRuntime}
    began = time.perf_counter()
    runtime = makers[library](args.folder, kind, args.threads, args.work)
    load = time.perf_counter() - began
    rng = random.Random(0)
    ids = [rng.randrange(100, 20_000) for _ in range(KNOWN + 400)]
    runtime.forward(ids[:KNOWN], 1)

    def step(*sizes: int) -> Callable[[], None]:
        def work() -> None:
            runtime.crop(KNOWN)
            place = KNOWN
            for size in sizes:
                runtime.forward(ids[place : place + size], size if size <= 20 else 1)
                place += size

        return work

    figures: dict[str, Any] = {"runtime": args.runtime, "threads": args.threads}
    step(20)()
    figures["prefill 200"] = measured(step(200), args.times)
    figures["prefill 400"] = measured(step(400), max(args.times // 2, 1))
    figures["decode 20"] = measured(step(*[1] * 20), args.times)
    figures["verify 20"] = measured(step(20), args.times)
    figures["load s"] = round(load, 2)
    peak = re.search(
        r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text()
    )  # getrusage has the parent's, too
    figures["memory MB"] = round(int(peak[1]) / 1024) if peak else None
    if args.held:
        figures["loss"] = loss_of(runtime, args.held, args.examples)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("runtimes", nargs="+", choices=RUNTIMES)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--held", type=Path)
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--here", action="store_true", help="measure in this process")
    args = parser.parse_args()
    for runtime in args.runtimes:
        args.runtime = runtime
        if args.here:
            print(json.dumps(measure(args)), flush=True)
            continue
        library, _, kind = args.runtime.partition("-")
        if library == "onnx" and not (args.work / kind / llama_graph.GRAPH).is_file():
            write_onnx(args.folder, kind, args.work / kind)
        options = [f"--{name}={getattr(args, name)}" for name in ("work", "examples", "threads", "times")]
        held = [f"--held={args.held}"] if args.held else []
        subprocess.run(
            [sys.executable, __file__, args.folder, args.runtime, *options, *held, "--here"], check=False
        )


if __name__ == "__main__":
    main()
