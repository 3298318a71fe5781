"""A proposer of drafts within vLLM, for all clients. It takes the drafts from the edit in the prompt.

vllm serve MODEL --speculative-config '{"method": "custom_class", "num_speculative_tokens": 64,
    "model": "editahead_inference.speculation.vllm_proposer.FileDraftProposer"}'

vLLM loads it by its name, in its own process (versions from 0.23 on, its first model runner; 0.32 was tried on a CPU).
Nothing else imports this module.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import Any

from editahead_prompts.composition.hf_tokenizer import FILE, load

from .batch_drafter import BatchDrafter
from .drafter import DraftLengths
from .prompt_markers import MarkerFinder, TokenCodec

log = logging.getLogger(__name__)

MAX_DRAFT_TOKENS = 128
"""Tokens of a draft that vLLM verifies at most; a longer draft ends vLLM."""


class FileDraftProposer:
    """A proposer that drafts the tokens likely to come next for each row of a batch, if the prompt is a known kind of edit.

    The methods never raise: where something fails there are no drafts, and one warning is logged.
    """

    def __init__(self, vllm_config: Any) -> None:
        self._rows: BatchDrafter | None = None
        self._logged = False
        try:
            self._rows = _rows(vllm_config)
            _extend_draft_context(vllm_config)
        except Exception as error:
            self._failed(error)

    def load_model(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing, as there is no model. The runner for CPUs in vLLM calls this method for every proposer."""

    def propose(
        self,
        sampled_token_ids: Sequence[Sequence[int]],
        num_tokens_no_spec: Any,
        token_ids_cpu: Any,
        *args: Any,
        **kwargs: Any,
    ) -> list[list[int]]:
        """Return a draft for each row; [] for a row whose prompt is not read completely.

        Args:
            sampled_token_ids: The tokens that each row got in this step.
            num_tokens_no_spec: An array of the number of tokens of each row, the new ones included.
            token_ids_cpu: An array of at least these tokens, by row.
            *args: Ignored; they differ between versions of vLLM.
            **kwargs: Ignored, likewise.
        """
        drafts: list[list[int]] = [[] for _ in sampled_token_ids]
        if self._rows is None:
            return drafts
        self._rows.begin_step()
        for number, new in enumerate(sampled_token_ids):
            try:
                if new:
                    tokens = token_ids_cpu[number, : num_tokens_no_spec[number]].astype("i4").tobytes()
                    drafts[number] = self._rows.draft(tokens, len(new))
            except Exception as error:
                self._failed(error)
        return drafts

    def _failed(self, error: Exception) -> None:
        if not self._logged:
            log.warning("Editahead proposes no drafts after this error: %s: %s", type(error).__name__, error)
            self._logged = True


def _rows(vllm_config: Any) -> BatchDrafter:
    model, max_tokens = vllm_config.model_config, vllm_config.speculative_config.num_speculative_tokens
    return BatchDrafter(
        MarkerFinder(_codec(model)), DraftLengths(max=min(max_tokens, MAX_DRAFT_TOKENS)), model.max_model_len
    )


def _codec(model: Any) -> TokenCodec:
    folder = Path(model.tokenizer)
    if (folder / FILE).is_file():
        return load(folder)
    import transformers

    library: Any = transformers
    return _TransformersCodec(
        library.AutoTokenizer.from_pretrained(
            model.tokenizer, revision=model.tokenizer_revision, trust_remote_code=model.trust_remote_code
        )
    )


class _TransformersCodec:
    """A tokenizer that transformers loads by name."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def encode(self, text: str) -> Sequence[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False)
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        text: str = self._tokenizer.decode(list(ids), skip_special_tokens=False)
        return text


def _extend_draft_context(vllm_config: Any) -> None:
    """Extend the context of the drafter that vLLM sees by one draft.

    While one row is nearer to the end of that context than a whole draft, vLLM verifies zeros for all rows and requests no
    drafts. `BatchDrafter` respects the end itself, row by row.
    """
    speculative = vllm_config.speculative_config
    context = copy(speculative.draft_model_config)
    context.max_model_len += speculative.num_speculative_tokens
    speculative.draft_model_config = context
