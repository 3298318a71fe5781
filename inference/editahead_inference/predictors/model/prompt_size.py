"""The length of prompts for a model in this process, by its measured speed."""

from __future__ import annotations

PROMPT_SIZES, FIRST_ANSWER_S = (384, 512, 768), 2.5
"""Tokens of prompts, and the seconds in which the chosen size is computed from nothing."""
MUCH_SLOWER = 2.0
"""How many times `FIRST_ANSWER_S` the size in use may take: for a shorter one, a prompt is computed anew amid typing."""


class PromptSize:
    """The size in use. Before the speed is known, it is the largest."""

    def __init__(self) -> None:
        self._size: int | None = None

    def choose(self, token_s: float | None) -> int:
        """Return the tokens of the next prompt. token_s: the seconds that a token takes; None = not known yet."""
        if token_s is None:
            return self._size or PROMPT_SIZES[-1]
        fitting = (size for size in PROMPT_SIZES if size * token_s <= FIRST_ANSWER_S)
        size = max(fitting, default=PROMPT_SIZES[0])
        kept = self._size
        if kept is None or size > kept or kept * token_s > MUCH_SLOWER * FIRST_ANSWER_S:
            kept = self._size = size
        return kept
