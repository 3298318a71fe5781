"""Models with the architecture of Llama or Qwen2 as files that ONNX Runtime reads: a graph, and its weights beside it.

The matrices of the layers and the head are quantized: 8 or 4 bits a weight, one scale for `BLOCK` weights. The embedding has
8 bits, and is looked up outside of the graph. It is the head's matrix, too, unless that has fewer tokens or bits. Attention
is ONNX Runtime's `GroupQueryAttention`, which adds keys and values to buffers of the caller.

Shapes: n = tokens of a step, H = hidden size, K = heads of keys and values, D = a head's width, room = tokens that the
buffers hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

GRAPH, WEIGHTS, HEAD_TOKENS = "model.onnx", "model.onnx.data", "head_tokens.npy"
"""Names of the files in a model's folder. The last is there only if the head has not all tokens."""
BLOCK = 32
"""Weights that share a scale."""
ZERO = 128
"""The byte of a weight of 0, with 8 bits."""
_REACHES = (-8.0, -7.4, -6.8, 7.0, 6.4, -9.0)
"""Steps of 4 bits at which the largest weight of a block may lie. -8 is the lowest step; beyond it, the weight is cut."""
_ROWS = 8192
"""Rows of a matrix that are quantized at once, as that needs several times their memory."""
_OPSET, _IR = 21, 10
_ALIGNMENT = 4096
"""Weights begin at multiples of it, so that they can be mapped into memory."""
_ORT = "com.microsoft"


@dataclass(frozen=True, slots=True)
class LlamaShape:
    """The sizes of a model, as in its `config.json`.

    Attributes:
        context: The most tokens of prompt and answer together.
        is_biased: Whether queries, keys and values have a bias, as in Qwen2.
    """

    layers: int
    hidden: int
    heads: int
    key_heads: int
    width: int
    inner: int
    vocabulary: int
    context: int
    epsilon: float
    theta: float
    is_biased: bool = False

    @classmethod
    def from_config(cls, config: Mapping[str, Any], context: int | None = None) -> LlamaShape:
        """Return the sizes of a configuration.

        Args:
            config: As transformers writes it.
            context: The most tokens; None for as many as the model has positions for.

        Raises:
            ValueError: The model is not one that this module can write.
        """
        rope = config.get("rope_parameters") or {"rope_theta": config.get("rope_theta", 10_000.0)} | (
            config.get("rope_scaling") or {}
        )
        if (
            config.get("model_type") not in ("llama", "qwen2")
            or config.get("use_sliding_window")
            or config.get("hidden_act") != "silu"
            or config.get("attention_bias")
            or config.get("mlp_bias")
            or not config.get("tie_word_embeddings")
            or rope.get("rope_type", "default") != "default"
        ):
            raise ValueError("it is not a plain Llama or Qwen2 whose head is its embedding")
        hidden, heads = config["hidden_size"], config["num_attention_heads"]
        return cls(
            config["num_hidden_layers"],
            hidden,
            heads,
            config["num_key_value_heads"],
            config.get("head_dim") or hidden // heads,
            config["intermediate_size"],
            config["vocab_size"],
            min(context or config["max_position_embeddings"], config["max_position_embeddings"]),
            config["rms_norm_eps"],
            float(rope["rope_theta"]),
            config["model_type"] == "qwen2",
        )


def quantize(weights: Any, bits: int = 8) -> tuple[Any, Any]:
    """Return a matrix as bytes, [rows, blocks, BLOCK * bits / 8], and its scales, [rows, blocks], float32.

    Args:
        weights: [rows, columns].
        bits: 8, or 4 for two weights a byte, the first in the lower half.

    Raises:
        ValueError: A row is not a whole number of blocks.
    """
    import numpy

    rows, columns = weights.shape
    if columns % BLOCK:
        raise ValueError(f"rows of {columns} weights are no multiple of {BLOCK}")
    blocks = numpy.asarray(weights, numpy.float32).reshape(rows, columns // BLOCK, BLOCK)
    quantize_rows = _quantize_to_halves if bits == 4 else _quantize_to_bytes
    parts = [quantize_rows(blocks[first : first + _ROWS]) for first in range(0, rows, _ROWS)]
    quantized, scales = (numpy.concatenate(part) for part in zip(*parts, strict=True))
    return quantized, scales


def _quantize_to_bytes(blocks: Any) -> tuple[Any, Any]:
    """Quantize to 8 bits."""
    import numpy

    scales = numpy.abs(blocks).max(-1) / 127
    steps = blocks / numpy.where(scales == 0, 1, scales)[..., None]
    return (numpy.rint(steps) + ZERO).astype(numpy.uint8), scales


def _quantize_to_halves(blocks: Any) -> tuple[Any, Any]:
    """Quantize to 4 bits, by the scale of each block that has the least error among those that reach its largest weight."""
    import numpy

    largest = numpy.take_along_axis(blocks, numpy.abs(blocks).argmax(-1)[..., None], -1)[..., 0]
    best = numpy.full(largest.shape, numpy.inf, numpy.float32)
    kept = numpy.zeros(blocks.shape, numpy.uint8)
    scales = numpy.zeros(largest.shape, numpy.float32)
    for reach in _REACHES:
        scale = largest / reach
        steps = numpy.rint(blocks / numpy.where(scale == 0, 1, scale)[..., None]).clip(-8, 7)
        error = ((steps * scale[..., None] - blocks) ** 2).sum(-1)
        is_better = error < best
        best[is_better], scales[is_better] = error[is_better], scale[is_better]
        kept[is_better] = (steps[is_better] + 8).astype(numpy.uint8)
    return kept[..., ::2] | kept[..., 1::2] << 4, scales


def write_llama(
    folder: Path,
    shape: LlamaShape,
    take: Callable[[str], Any],
    report: Callable[[int, int], None] = lambda done, all: None,
    *,
    bits: int = 8,
    head_tokens: Any = None,
) -> None:
    """Write a model's graph and weights into a folder.

    Args:
        folder: The folder.
        shape: The sizes.
        take: Returns a weight by its name in transformers, float32.
        report: Receives the number of layers that are written, and of all. It may raise to cancel.
        bits: Bits of a weight in the matrices: 8 or 4.
        head_tokens: The tokens that the model can say, as ids in order; None for all. They go to `HEAD_TOKENS`.

    Raises:
        ValueError: A matrix does not fit the blocks.
    """
    import numpy
    import onnx

    if head_tokens is not None:
        numpy.save(folder / HEAD_TOKENS, numpy.asarray(head_tokens, numpy.int32))
    with (folder / WEIGHTS).open("wb") as file:
        graph = _Graph(file, bits, head_tokens)
        steps = _add_layers(graph, shape, take)
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

    def __init__(self, file: BinaryIO, bits: int, head_tokens: Any) -> None:
        import onnx

        self._onnx = onnx
        self._file = file
        self._bits = bits
        self.head_tokens = head_tokens
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self._sizes: dict[str, tuple[int, int]] = {}

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
        quantized, scales = quantize(weights, self._bits)
        self.weight(f"{name}.quantized", quantized)
        self.weight(f"{name}.scales", scales)
        self._sizes[name] = weights.shape

    def embedding(self, weights: Any) -> None:
        """Write the embedding at the beginning of the file, and the head's matrix, which may be the same."""
        if self._bits == 8 and self.head_tokens is None:
            self.matrix("head", weights)
            return
        for part in quantize(weights):
            self.store(part)
        self.matrix("head", weights if self.head_tokens is None else weights[self.head_tokens])

    def multiply(self, name: str, x: str, bias: str = "") -> str:
        """Multiply `x` by a matrix that was written, and add a bias."""
        rows, columns = self._sizes[name]
        return self.node(
            "MatMulNBits",
            [x, f"{name}.quantized", f"{name}.scales", *(["", "", bias] if bias else [])],
            [f"{name}.out"],
            _ORT,
            N=rows,
            K=columns,
            bits=self._bits,
            block_size=BLOCK,
            accuracy_level=4,
        )

    def linear(self, name: str, x: str, weights: Any, bias: Any = None) -> str:
        self.matrix(name, weights)
        return self.multiply(name, x, "" if bias is None else self.weight(f"{name}.bias", bias))

    def value(self, name: str, kind: str, shape: list[int | str]) -> Any:
        return self._onnx.helper.make_tensor_value_info(name, getattr(self._onnx.TensorProto, kind), shape)


def _add_layers(graph: _Graph, shape: LlamaShape, take: Callable[[str], Any]) -> Iterator[int]:
    """Add the inputs, the layers, the head and the outputs, and yield the number of what is done after each."""
    import numpy

    graph.embedding(take("model.embed_tokens.weight"))
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

    def norm(name: str) -> str:
        return graph.weight(f"{name}.norm", take(f"{name}.weight"))

    x = "embedded"
    skipped = ""  # what is added to x before the next norm
    for number in range(shape.layers):
        name = f"model.layers.{number}"
        if skipped:
            x = _add_and_norm(graph, shape, f"{name}.in", x, skipped, norm(f"{name}.input_layernorm"))
        else:
            graph.node(
                "SimplifiedLayerNormalization",
                [x, norm(f"{name}.input_layernorm")],
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
        x = _add_and_norm(graph, shape, f"{name}.mid", x, out, norm(f"{name}.post_attention_layernorm"))
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
    graph.constant("axis", numpy.array([1]))
    for part in (x, skipped):
        graph.node("Slice", [part, "first", "end", "axis"], [f"{part}.last"])
    _add_and_norm(graph, shape, "head", f"{x}.last", f"{skipped}.last", norm("model.norm"))
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
