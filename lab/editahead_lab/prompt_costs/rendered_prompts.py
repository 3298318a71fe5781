"""States as prompts, one after the other, with what each would cost a server with a prefix cache."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from editahead_prompts.composition.cache_miss_tracker import CacheMissTracker
from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_prompts.errors import PromptTooLongError
from editahead_prompts.formats.base import Format, PromptPaths
from editahead_prompts.state import EditorState

from .prefix_cache import PrefixCache
from .typing_sessions import ROOT

BLOCKS = (16, 128)
"""Tokens of a block: vLLM's defaults on a GPU and on a CPU."""

PATHS = PromptPaths((ROOT,))


@dataclass(frozen=True)
class Rendered:
    """One request of a session.

    Attributes:
        text: the prompt; "" where none fits the budget.
        tokens: the number of the prompt's tokens; 0 where none fits the budget.
        refusal: why there is no prompt.
        prefill: by block size, the tokens that no earlier prompt of the session had in this place.
        part: the part of the first difference from the session's prompt before; None for none, and for the
            first prompt.
        fresh: the tokens from this difference on.
        left_out: the tokens that are not in the prompt, by group.
    """

    session: str
    text: str = ""
    tokens: int = 0
    prefill: Mapping[int, int] = field(default_factory=dict)
    part: str | None = None
    fresh: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    refusal: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {**vars(self), "prefill": {str(block): tokens for block, tokens in self.prefill.items()}}

    @classmethod
    def of_json(cls, value: dict[str, Any]) -> Rendered:
        return cls(**{**value, "prefill": {int(block): n for block, n in value["prefill"].items()}})


def render_all(
    format: Format,
    states: Iterable[tuple[str, EditorState]],
    vocabulary: HfTokenizer,
    budget: int | None = None,
) -> Iterator[Rendered]:
    """Yield each state as the format's prompt; the states of a session follow one another.

    `budget` is a number of tokens; None takes the format's own. The cache is empty at the start of a session
    and forgets nothing.
    """
    misses = CacheMissTracker()
    session: str | None = None
    caches: dict[int, PrefixCache] = {}
    for name, state in states:
        if name != session:
            session, caches = name, {block: PrefixCache(block) for block in BLOCKS}
            misses.on_close(name)
        try:
            prompt = format.build(state, vocabulary, budget=budget, paths=PATHS).prompt
        except PromptTooLongError as error:
            yield Rendered(name, refusal=str(error))
            continue
        found = misses.record_sent(name, prompt)
        assert prompt.ids is not None
        left_out: Counter[str] = Counter()
        for left in prompt.left_out:
            left_out[left.name.partition("/")[0]] += left.tokens
        yield Rendered(
            name,
            prompt.text,
            prompt.tokens,
            {block: cache.prefill(prompt.ids) for block, cache in caches.items()},
            found.part if found else None,
            found.fresh if found else 0,
            dict(left_out),
        )
