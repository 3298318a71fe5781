"""A model as files that other servers load: one GGUF for llama.cpp, a folder of transformers for vLLM.

Source of GGUF's names: llama.cpp's `convert_hf_to_gguf.py` and `gguf-py`. Files and folders are written whole or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from editahead_inference.backends.local.gguf_weights import EMBEDDING, PARTS
from editahead_programs.child_process import run_child
from editahead_programs.child_python import OWN_FOLDER
from editahead_programs.errors import ChildError
from editahead_programs.program_search import find_program

from .errors import ModelExportError

SERVER_CONTEXT = 32_768
"""The most tokens of prompt and answer at a server: those that the base was trained for."""
GGUF_TYPES = ("F16", "Q8_0", "Q4_K_M")
"""Types of the matrices in a GGUF file. llama.cpp's own tool makes the last from the first."""
QUANTIZE_TOOL = "llama-quantize"
MAX_OUTPUT_BYTES = 10_000_000
"""Bytes of its output, which has a line for each matrix."""
_NORMAL, _CONTROL, _UNUSED = 1, 3, 5
"""Kinds of tokens in GGUF."""
_BIASED = ("q_proj", "k_proj", "v_proj")
_SHARD = "model.safetensors"

Report = Callable[[int, int], None]
"""Receives the number of weights that are written, and of all. It may raise to cancel."""


@dataclass(frozen=True, slots=True)
class ExportedModel:
    """A model to write.

    Attributes:
        name: The name for people.
        config: As transformers has it: a Qwen2 whose head is its embedding.
        take: Returns a weight by its name in transformers, float32.
        tokenizer: Of the library tokenizers.
        end_token: The token that ends an answer.
    """

    name: str
    config: Mapping[str, Any]
    take: Callable[[str], Any]
    tokenizer: Any
    end_token: str = "<|endoftext|>"

    def weights(self) -> Iterator[tuple[str, str, Any]]:
        """Yield each weight with its names in transformers and in GGUF. Vectors have one dimension."""
        yield "model.embed_tokens.weight", EMBEDDING, self.take("model.embed_tokens.weight")
        for name, known in self.layer_names():
            yield name, known, self.take(name)
        yield "model.norm.weight", "output_norm.weight", self.take("model.norm.weight")

    def layer_names(self) -> Iterator[tuple[str, str]]:
        """Yield the names of the layers' weights in transformers and in GGUF."""
        for number in range(self.config["num_hidden_layers"]):
            for part, known in PARTS.items():
                for kind in ("weight", "bias") if part.endswith(_BIASED) else ("weight",):
                    yield f"model.layers.{number}.{part}.{kind}", f"blk.{number}.{known}.{kind}"

    @property
    def count(self) -> int:
        """The number of weights."""
        return 2 + sum(1 for _ in self.layer_names())


def write_gguf(
    model: ExportedModel,
    file: Path,
    type: str,
    environment: Mapping[str, str],
    report: Report = lambda done, all: None,
) -> None:
    """Write a model as a GGUF file.

    Args:
        model: The model.
        file: The file.
        type: One of `GGUF_TYPES`.
        environment: Where llama.cpp's tool is looked for, for "Q4_K_M".
        report: Receives the progress.

    Raises:
        ModelExportError: llama.cpp's tool is needed, and is missing or fails.
        OSError: The file cannot be written.
    """
    tool = find_program(QUANTIZE_TOOL, [], environment) if type == "Q4_K_M" else None
    if type == "Q4_K_M" and tool is None:
        raise ModelExportError(f"Q4_K_M is made by llama.cpp: put its `{QUANTIZE_TOOL}` on PATH.")
    with _work_folder(file) as work:
        made = work / "made.gguf"
        if tool is None:
            _write_gguf(model, made, type, report)
        else:
            _write_gguf(model, exact := work / "exact.gguf", "F16", report)
            _quantize(tool, exact, made, type)
        made.replace(file)


def _quantize(tool: str, source: Path, target: Path, type: str) -> None:
    command = [tool, str(source.absolute()), str(target.absolute()), type]
    try:
        done = run_child(
            command, cwd=OWN_FOLDER, timeout_s=None, max_bytes=MAX_OUTPUT_BYTES, merges_errors=True
        )
    except ChildError:
        raise ModelExportError(f"{QUANTIZE_TOOL} failed: its output does not end") from None
    if done.code:
        lines = done.out.decode(errors="replace").strip().splitlines()
        raise ModelExportError(f"{QUANTIZE_TOOL} failed: {lines[-1] if lines else done.code}")


def _write_gguf(model: ExportedModel, file: Path, type: str, report: Report) -> None:
    import gguf

    writer = gguf.GGUFWriter(file, "qwen2")
    _describe(writer, model, gguf.LlamaFileType[f"MOSTLY_{type}"])
    matrices = gguf.GGMLQuantizationType[type]
    for done, (_, name, values) in enumerate(model.weights(), 1):
        kind = matrices if values.ndim == 2 else gguf.GGMLQuantizationType.F32
        writer.add_tensor(name, gguf.quantize(values, kind), raw_dtype=kind)
        report(done, model.count)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _describe(writer: Any, model: ExportedModel, file_type: int) -> None:
    """Write the sizes and the tokenizer of a model."""
    config = model.config
    writer.add_name(model.name)
    writer.add_file_type(file_type)
    writer.add_quantization_version(2)
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    tokens, kinds, merges = _vocabulary(model)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    end = model.tokenizer.token_to_id(model.end_token)
    writer.add_eos_token_id(end)
    writer.add_pad_token_id(end)
    writer.add_add_bos_token(False)


def _vocabulary(model: ExportedModel) -> tuple[list[str], list[int], list[str]]:
    """Return the tokens by id, the kind of each, and the merges."""
    known = {number: token for token, number in model.tokenizer.get_vocab().items()}
    special = {
        number for number, token in model.tokenizer.get_added_tokens_decoder().items() if token.special
    }
    size = model.config["vocab_size"]
    tokens = [known.get(number, f"[PAD{number}]") for number in range(size)]
    kinds = [
        _CONTROL if number in special else _NORMAL if number in known else _UNUSED for number in range(size)
    ]
    pairs = json.loads(model.tokenizer.to_str())["model"]["merges"]
    return tokens, kinds, [pair if isinstance(pair, str) else " ".join(pair) for pair in pairs]


def write_folder(model: ExportedModel, folder: Path, report: Report = lambda done, all: None) -> None:
    """Write a model as a folder of transformers in bfloat16, which vLLM loads.

    Raises:
        ModelExportError: The folder exists, and has something in it.
        OSError: The folder cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ModelExportError(f"{folder} exists already; name another folder, or remove it.")
    with _work_folder(folder) as work:
        made = work / "made"
        made.mkdir()
        _write_safetensors(model, made / _SHARD, report)
        model.tokenizer.save(str(made / "tokenizer.json"))
        for name, content in _transformers_files(model):
            (made / name).write_text(json.dumps(content, indent=2) + "\n", "utf-8")
        if folder.exists():
            folder.rmdir()
        made.rename(folder)


def _write_safetensors(model: ExportedModel, file: Path, report: Report) -> None:
    """Write the weights in bfloat16: the length of a header, the header with types, shapes and places, the weights."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    parts: list[bytes] = []
    place = 0
    for done, (name, _, values) in enumerate(model.weights(), 1):
        parts.append(_as_bfloat16(values))
        end = place + len(parts[-1])
        header[name] = {"dtype": "BF16", "shape": list(values.shape), "data_offsets": [place, end]}
        place = end
        report(done, model.count)
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with file.open("wb") as written:
        written.write(len(head).to_bytes(8, "little") + head)
        written.writelines(parts)


def _as_bfloat16(values: Any) -> bytes:
    """Return values in bfloat16, rounded to the nearest, ties to even."""
    import numpy

    bits = numpy.ascontiguousarray(values, numpy.float32).view(numpy.uint32)
    return bytes(((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(numpy.uint16).tobytes())


def _transformers_files(model: ExportedModel) -> Iterator[tuple[str, Mapping[str, Any]]]:
    config = {
        **model.config,
        "architectures": ["Qwen2ForCausalLM"],
        "dtype": "bfloat16",
        "bos_token_id": None,
        "eos_token_id": model.tokenizer.token_to_id(model.end_token),
    }
    yield "config.json", config
    yield "generation_config.json", {"eos_token_id": config["eos_token_id"]}
    yield (
        "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "eos_token": model.end_token,
            "pad_token": model.end_token,
            "model_max_length": config["max_position_embeddings"],
            "clean_up_tokenization_spaces": False,
        },
    )


@contextmanager
def _work_folder(place: Path) -> Iterator[Path]:
    """Yield a folder for the time of a block, on the disk of `place`."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f"{place.name}.", suffix=".part", dir=place.parent) as work:
        yield Path(work)
