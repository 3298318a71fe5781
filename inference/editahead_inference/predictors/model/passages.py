"""The probabilities of passages by a model: of lines of a text, below the lines above them."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, cast

from editahead_inference.backends.base import CompletionRequest, Scorer
from editahead_inference.errors import BackendError
from editahead_prompts.composition.token_cuts import cut_to_first_lines, cut_to_last_lines
from editahead_prompts.formats.escaping import escape
from editahead_prompts.formats.next_edit.editahead_coder_2611 import EDITAHEAD_CODER, write_text_above
from editahead_prompts.text.snapshot import Snapshot

if TYPE_CHECKING:
    from .predictor import ModelPredictor

log = logging.getLogger(__name__)

TOKENS_ABOVE, PASSAGE_TOKENS = 96, 160
"""The most tokens of the lines above, and of a passage. More above would cost the time of another passage."""

THREADS = 2
"""The threads of a model in this process: the speed that was measured is that of all of them together."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of a document, with the text above them; both with line feeds only."""

    uri: str
    above: str
    text: str


PassageScores: TypeAlias = Mapping[Passage, Sequence[float]]
"""The log-probability of each token of each passage."""


async def score_passages(
    model: ModelPredictor, passages: Collection[Passage], documents: Collection[Snapshot], within_s: float
) -> PassageScores | None:
    """Return the scores of passages; None where the model cannot score them, or not within the time.

    Cancelling ends the request. No secret is in a prompt.

    Args:
        model: The model.
        passages: The passages.
        documents: The files that they are from.
        within_s: Seconds. A model that is known to take longer is not asked.
    """
    try:
        if model.backend.health.condition != "ready":
            await model.backend.prepare()
        if not model.backend.capabilities.scores:
            return None
        below, tokens = await model.run_off_loop(partial(_by_prompt, model, passages, documents))
        if tokens * (model.backend.capabilities.prompt_token_s or 0.0) > THREADS * within_s:
            return None
        scores: dict[Passage, Sequence[float]] = {}
        for prompt, shown in below.items():
            texts = list(dict.fromkeys(shown.values()))
            query = CompletionRequest(prompt, stop=(), max_tokens=0)
            found = await cast(Scorer, model.backend).score(query, texts)
            by_text = dict(zip(texts, found, strict=True))
            scores.update((passage, by_text[text]) for passage, text in shown.items())
    except BackendError as error:
        log.debug("passages were not scored: %s", error.detail)
        return None
    return scores


def _by_prompt(
    model: ModelPredictor, passages: Collection[Passage], documents: Collection[Snapshot]
) -> tuple[dict[str, dict[Passage, str]], int]:
    """Return by prompt the passages that follow it, each as the model sees it; and the tokens of all together."""
    format = model.known_format
    tokenizer = model.find_tokenizer(format or EDITAHEAD_CODER)
    special = () if format is None else format.special_tokens
    pieces = [text for passage in passages for text in (passage.above, passage.text)]
    masks = model.masker.masks_for(documents, pieces)
    found: dict[str, dict[Passage, str]] = {}
    tokens = 0
    for passage in passages:
        name = escape(model.paths.for_document(passage.uri), special)
        above, text = (escape(masks.mask(text), special) for text in (passage.above, passage.text))
        above = cut_to_last_lines(above, TOKENS_ABOVE, tokenizer)
        text = cut_to_first_lines(text, PASSAGE_TOKENS, tokenizer)
        is_ours = format is not None and format.name == EDITAHEAD_CODER.name
        prompt = write_text_above(name, above) if is_ours else f"{name}\n{above}"
        tokens += tokenizer.count(text) + (0 if prompt in found else tokenizer.count(prompt))
        found.setdefault(prompt, {})[passage] = text
    return found, tokens
