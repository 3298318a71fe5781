"""A trained model as a folder that transformers and vLLM load.

Needs the extra `train`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from transformers import GenerationConfig, PreTrainedTokenizerFast
from transformers.utils import logging

from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.formats.next_edit.editahead_2611 import END, PAD

PROVENANCE = "training.json"


def export(model: Any, folder: Path, provenance: dict[str, Any], *, dtype: str = "bfloat16") -> None:
    """Write the weights in `dtype` (a name that torch has), the configuration, the tokenizer and the provenance.

    The model is not changed.
    """
    logging.disable_progress_bar()  # it is done in no time
    folder.mkdir(parents=True, exist_ok=True)
    config = model.config.__class__.from_dict(model.config.to_dict())
    config.dtype = getattr(torch, dtype)
    copy = type(model)(config).to(getattr(torch, dtype))
    copy.load_state_dict(model.state_dict())
    ends = {"eos_token_id": config.eos_token_id, "pad_token_id": config.pad_token_id}
    copy.generation_config = GenerationConfig(**ends)
    copy.save_pretrained(folder)
    for weights in folder.glob("*.safetensors"):  # they are written without read permission for others
        weights.chmod((folder / "config.json").stat().st_mode)
    tokenizer(config.max_position_embeddings).save_pretrained(folder)
    # Under the names that transformers 4 knows, too.
    if hasattr(config, "num_experts"):
        _add(folder / "config.json", num_experts=config.num_experts)
    _add(folder / "tokenizer_config.json", tokenizer_class="PreTrainedTokenizerFast")
    (folder / PROVENANCE).write_text(json.dumps(provenance, indent=2, ensure_ascii=False) + "\n", "utf-8")


def tokenizer(context: int) -> Any:
    """Return Editahead's vocabulary for transformers; no special token is added to a text. `context` counts tokens."""
    return PreTrainedTokenizerFast(
        tokenizer_object=bundled_tokenizer().encoder,
        eos_token=END,
        pad_token=PAD,
        model_max_length=context,
        clean_up_tokenization_spaces=False,
    )


def _add(file: Path, **values: Any) -> None:
    """Add entries to a JSON file."""
    known = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({**known, **values}, indent=2) + "\n", "utf-8")
