"""Models with the architecture of Llama or Qwen2 as files that ONNX Runtime reads: a graph, and its weights beside it.

The matrices of the layers and the head have 8 bits a weight and one scale a row. What is multiplied has 8 bits, too, and one
scale for a token and at most `MAX_COLUMNS` of its values. Whole numbers are summed, which is exact: a token's logits are the
same whatever is computed in the same step. It is also what CPUs do best: with AVX2 alone, a prompt takes half the time that
`MatMulNBits` takes with blocks of 32 weights, and a step for four tokens hardly more than for one. `rotation` makes the
rounding harmless. The embedding has 8 bits and a scale for `BLOCK` weights, and is looked up outside of the graph. Attention
is ONNX Runtime's `GroupQueryAttention`, which adds keys and values to buffers of the caller.

Shapes: n = tokens of a step, H = hidden size, K = heads of keys and values, D = a head's width, room = tokens that the
buffers hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from .llama_shape import LlamaShape
from .rotation import EMBEDDING, HEAD, TurnedWeights

GRAPH, WEIGHTS, HEAD_TOKENS = "model.onnx", "model.onnx.data", "head_tokens.npy"
"""Names of the files in a model's folder. The last is there only if the head has not all tokens."""
BLOCK = 32
"""Weights of the embedding that share a scale."""
MAX_COLUMNS = 1216
"""Columns of a matrix that share a scale: values between gate and output are not turned, and differ much."""
STEPS = 127
"""Steps of a scale on each side of 0."""
ZERO = 128
"""The byte of a weight of 0."""
_ROWS = 8192
"""Rows of a matrix that are quantized at once, as that needs several times their memory."""
_OPSET, _IR = 21, 10
_ALIGNMENT = 4096
"""Weights begin at multiples of it, so that they can be mapped into memory."""
_ORT = "com.microsoft"


def quantize(weights: Any) -> tuple[Any, Any]:
    """Return an embedding as bytes, [rows, blocks, BLOCK], and its scales, [rows, blocks], float32.

    Raises:
        ValueError: A row is not a whole number of blocks.
    """
    rows, columns = weights.shape
    if columns % BLOCK:
        raise ValueError(f"rows of {columns} weights are no multiple of {BLOCK}")
    return _to_bytes(weights.reshape(rows, columns // BLOCK, BLOCK))


def quantize_matrix(weights: Any) -> list[tuple[Any, Any]]:
    """Return a matrix, [outputs, inputs], in parts of at most `MAX_COLUMNS` inputs.

    Each part is bytes, [inputs, outputs], and its scales, [outputs], float32.
    """
    import numpy

    found = []
    for part in numpy.split(weights, count_parts(weights.shape[1]), 1):
        quantized, scales = _to_bytes(part)
        found.append((numpy.ascontiguousarray(quantized.T), scales))
    return found


def count_parts(columns: int) -> int:
    """Return the least number of equal parts of at most `MAX_COLUMNS` columns."""
    min_count = -(-columns // MAX_COLUMNS)
    return next(count for count in range(min_count, columns + 1) if columns % count == 0)


def _to_bytes(weights: Any) -> tuple[Any, Any]:
    """Quantize to 8 bits, with a scale for the last axis."""
    import numpy

    steps, scales = numpy.empty(weights.shape, numpy.uint8), numpy.empty(weights.shape[:-1], numpy.float32)
    for first in range(0, len(weights), _ROWS):
        rows = slice(first, first + _ROWS)
        part = numpy.abs(weights[rows]).max(-1) / STEPS
        steps[rows] = numpy.rint(weights[rows] / numpy.where(part == 0, 1, part)[..., None]) + ZERO
        scales[rows] = part
    return steps, scales


def write_llama(
    folder: Path,
    shape: LlamaShape,
    take: Callable[[str], Any],
    report: Callable[[int, int], None] = lambda done, all: None,
    *,
    head_tokens: Any = None,
) -> None:
    """Write a model's graph and weights into a folder.

    Args:
        folder: The folder.
        shape: The sizes.
        take: Returns a weight by its name in transformers, float32.
        report: Receives the number of layers that are written, and of all. It may raise to cancel.
        head_tokens: The tokens that the model can say, as ids in order; None for all. They go to `HEAD_TOKENS`.

    Raises:
        ValueError: The embedding does not fit the blocks.
    """
    import numpy
    import onnx

    if head_tokens is not None:
        numpy.save(folder / HEAD_TOKENS, numpy.asarray(head_tokens, numpy.int32))
    with (folder / WEIGHTS).open("wb") as file:
        graph = _Graph(file)
        steps = _add_layers(graph, shape, TurnedWeights(shape, take, head_tokens).take)
        for done in steps:
            report(done, shape.layers + 1)
    made = onnx.helper.make_graph(graph.nodes, "llama", graph.inputs, graph.outputs, graph.weights)
    opsets = [onnx.helper.make_opsetid("", _OPSET), onnx.helper.make_opsetid(_ORT, 1)]
    model = onnx.helper.make_model(made, opset_imports=opsets, ir_version=_IR, producer_name="editahead")
    (folder / GRAPH).write_bytes(model.SerializeToString())


def map_embedding(folder: Path, shape: LlamaShape) -> tuple[Any, Any]:
    """Return the quantized embedding of a model that was written, as `quantize` does, without reading all of it."""
    import numpy

    blocks = shape.hidden // BLOCK
    rows = (shape.vocabulary, blocks, BLOCK)
    file = folder / WEIGHTS
    quantized = numpy.memmap(file, numpy.uint8, "r", 0, rows)
    scales = numpy.memmap(file, numpy.float32, "r", _aligned(quantized.nbytes), rows[:2])
    return quantized, scales


def _aligned(place: int) -> int:
    return -(-place // _ALIGNMENT) * _ALIGNMENT


class _Graph:
    """A graph in the making. Its weights go to a file as they come."""

    def __init__(self, file: BinaryIO) -> None:
        import numpy
        import onnx

        self._onnx = onnx
        self._file = file
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self._parts: dict[str, int] = {}
        self.constant("axis", numpy.array([-1]))
        self.constant("step", numpy.array(1 / STEPS, numpy.float32))
        self.constant("zero", numpy.array(ZERO, numpy.uint8))
        self.constant("least", numpy.array(1e-9, numpy.float32))

    def weight(self, name: str, values: Any) -> str:
        """Write a weight, and return its name."""
        place = self.store(values)
        tensor = self._onnx.TensorProto(
            name=name,
            dims=values.shape,
            data_type=self._onnx.helper.np_dtype_to_tensor_dtype(values.dtype),
            data_location=self._onnx.TensorProto.EXTERNAL,
        )
        for key, value in (("location", WEIGHTS), ("offset", place), ("length", values.nbytes)):
            tensor.external_data.add(key=key, value=str(value))
        self.weights.append(tensor)
        return name

    def store(self, values: Any) -> int:
        """Write values that the graph may use, and return their place in the file."""
        place = _aligned(self._file.tell())
        self._file.write(bytes(place - self._file.tell()))
        self._file.write(values.tobytes())
        return place

    def constant(self, name: str, values: Any) -> str:
        self.weights.append(self._onnx.numpy_helper.from_array(values, name))
        return name

    def node(
        self, operation: str, inputs: list[str], outputs: list[str], domain: str = "", **attributes: Any
    ) -> str:
        self.nodes.append(
            self._onnx.helper.make_node(operation, inputs, outputs, domain=domain, **attributes)
        )
        return outputs[0]

    def matrix(self, name: str, weights: Any) -> None:
        """Quantize and write a matrix, [outputs, inputs]."""
        parts = quantize_matrix(weights)
        for number, (quantized, scales) in enumerate(parts):
            self.weight(f"{name}.{number}.quantized", quantized)
            self.weight(f"{name}.{number}.scales", scales)
        self._parts[name] = len(parts)

    def multiply(self, name: str, x: str, bias: str = "") -> str:
        """Multiply `x` by a matrix that was written, and add a bias."""
        parts = self._quantized(name, x)
        out = f"{name}.out"
        terms = [f"{name}.{number}.product" for number in range(len(parts))] + [bias] * bool(bias)
        if len(terms) == 1:
            terms = [out]
        for number, (steps, largest) in enumerate(parts):
            part = f"{name}.{number}"
            inputs = [steps, f"{part}.quantized", "step", f"{part}.scales", "zero", "zero"]
            self.node("MatMulIntegerToFloat", inputs, [f"{part}.whole"], _ORT)
            self.node("Mul", [f"{part}.whole", largest], [terms[number]])
        return out if terms == [out] else self.node("Sum", terms, [out])

    def _quantized(self, name: str, x: str) -> list[tuple[str, str]]:
        """Quantize what is multiplied by a matrix, and return its parts: the steps, and the largest value of each token."""
        count = self._parts[name]
        if count > 1:
            x = self._shaped(f"{name}.parted", x, [1, 0, count, -1])
        self.node("Abs", [x], [f"{name}.sizes"])
        self.node("ReduceMax", [f"{name}.sizes", "axis"], [f"{name}.most"], keepdims=1)
        self.node("Max", [f"{name}.most", "least"], [f"{name}.largest"])
        self.node("Div", [x, f"{name}.largest"], [f"{name}.relative"])
        steps, largest = f"{name}.steps", f"{name}.largest"
        self.node("QuantizeLinear", [f"{name}.relative", "step", "zero"], [steps])
        if count == 1:
            return [(steps, largest)]
        steps, largest = (self._shaped(f"{each}.joined", each, [1, 0, -1]) for each in (steps, largest))
        parts = [[f"{each}.{number}" for number in range(count)] for each in (steps, largest)]
        for whole, names in zip((steps, largest), parts, strict=True):
            self.node("Split", [whole], names, axis=-1, num_outputs=count)
        return list(zip(*parts, strict=True))

    def _shaped(self, name: str, x: str, sizes: list[int]) -> str:
        """Give a value another shape. sizes: 0 for as before, -1 for the rest."""
        import numpy

        return self.node("Reshape", [x, self.constant(f"{name}.shape", numpy.array(sizes))], [name])

    def linear(self, name: str, x: str, weights: Any, bias: Any = None) -> str:
        self.matrix(name, weights)
        return self.multiply(name, x, "" if bias is None else self.weight(f"{name}.bias", bias))

    def value(self, name: str, kind: str, shape: list[int | str]) -> Any:
        return self._onnx.helper.make_tensor_value_info(name, getattr(self._onnx.TensorProto, kind), shape)


def _add_layers(graph: _Graph, shape: LlamaShape, take: Callable[[str], Any]) -> Iterator[int]:
    """Add the inputs, the layers, the head and the outputs, and yield the number of what is done after each."""
    import numpy

    for part in quantize(take(EMBEDDING)):
        graph.store(part)
    graph.matrix("head", take(HEAD))
    cache: list[int | str] = [1, shape.key_heads, "room", shape.width]
    graph.inputs += [
        graph.value("embedded", "FLOAT", [1, "n", shape.hidden]),
        graph.value("last", "INT32", [1]),
        graph.value("total", "INT32", []),
        graph.value("first", "INT64", [1]),
        graph.value("end", "INT64", [1]),
    ]
    angles = numpy.outer(
        numpy.arange(shape.context + 1),  # one more, for the row that a single token is paired with
        shape.theta ** -(numpy.arange(0, shape.width, 2, dtype=numpy.float64) / shape.width),
    )
    graph.weight("cos", numpy.cos(angles).astype(numpy.float32))
    graph.weight("sin", numpy.sin(angles).astype(numpy.float32))

    norm = graph.weight("norm", numpy.ones(shape.hidden, numpy.float32))
    x = "embedded"
    skipped = ""  # what is added to x before the next norm
    for number in range(shape.layers):
        name = f"model.layers.{number}"
        if skipped:
            x = _add_and_norm(graph, shape, f"{name}.in", x, skipped, norm)
        else:
            graph.node(
                "SimplifiedLayerNormalization",
                [x, norm],
                [f"{name}.in.normed"],
                axis=-1,
                epsilon=shape.epsilon,
                stash_type=1,
            )
        mixed = graph.linear(
            f"{name}.qkv",
            f"{name}.in.normed",
            numpy.concatenate([take(f"{name}.self_attn.{part}_proj.weight") for part in "qkv"]),
            numpy.concatenate([take(f"{name}.self_attn.{part}_proj.bias") for part in "qkv"])
            if shape.is_biased
            else None,
        )
        for part in ("keys", "values"):
            graph.inputs.append(graph.value(f"past.{number}.{part}", "FLOAT", cache))
            graph.outputs.append(graph.value(f"present.{number}.{part}", "FLOAT", cache))
        graph.node(
            "GroupQueryAttention",
            [mixed, "", "", f"past.{number}.keys", f"past.{number}.values", "last", "total", "cos", "sin"],
            [f"{name}.attended", f"present.{number}.keys", f"present.{number}.values"],
            _ORT,
            num_heads=shape.heads,
            kv_num_heads=shape.key_heads,
            do_rotary=1,
            rotary_interleaved=0,
        )
        out = graph.linear(f"{name}.o", f"{name}.attended", take(f"{name}.self_attn.o_proj.weight"))
        x = _add_and_norm(graph, shape, f"{name}.mid", x, out, norm)
        both = graph.linear(
            f"{name}.up",
            f"{name}.mid.normed",
            numpy.concatenate([take(f"{name}.mlp.{part}_proj.weight") for part in ("gate", "up")]),
        )
        graph.node("Split", [both], [f"{name}.gate", f"{name}.ungated"], axis=-1, num_outputs=2)
        graph.node("QuickGelu", [f"{name}.gate"], [f"{name}.silu"], _ORT, alpha=1.0)
        gated = graph.node("Mul", [f"{name}.silu", f"{name}.ungated"], [f"{name}.gated"])
        skipped = graph.linear(f"{name}.down", gated, take(f"{name}.mlp.down_proj.weight"))
        yield number + 1
    # The head computes the tokens from `first` to `end` only.
    graph.constant("tokens axis", numpy.array([1]))
    for part in (x, skipped):
        graph.node("Slice", [part, "first", "end", "tokens axis"], [f"{part}.last"])
    _add_and_norm(graph, shape, "head", f"{x}.last", f"{skipped}.last", norm)
    graph.multiply("head", "head.normed")
    graph.outputs.insert(0, graph.value("head.out", "FLOAT", [1, "rows", "tokens"]))
    yield shape.layers + 1


def _add_and_norm(graph: _Graph, shape: LlamaShape, name: str, x: str, more: str, weight: str) -> str:
    """Add two values, and norm the sum as `name`.normed. Return the sum."""
    sum_ = f"{name}.sum"
    graph.node(
        "SkipSimplifiedLayerNormalization",
        [x, more, weight],
        [f"{name}.normed", "", "", sum_],
        _ORT,
        epsilon=shape.epsilon,
    )
    return sum_
