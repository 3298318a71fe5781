"""Totals of the tokens that requests to a model cost."""

from __future__ import annotations

from dataclasses import dataclass

from editahead_inference.backends.base import Usage


@dataclass
class TokenTotals:
    """The tokens of all requests so far, as the server counts them.

    For a request that ended early, the server reports nothing. Then `prompt` is the format's count, and `cached` the
    tokens in common with one of the document's last prompts, if the server keeps prompts.
    """

    requests: int = 0
    prompt: int = 0
    cached: int = 0
    completion: int = 0
    drafted: int = 0
    accepted: int = 0

    @property
    def computed(self) -> int:
        """Tokens of prompts and answers that had to be computed."""
        return self.prompt - self.cached + self.completion

    def add(self, usage: Usage) -> None:
        """Add the tokens of a request."""
        self.requests += 1
        self.prompt += usage.prompt
        self.cached += usage.cached or 0
        self.completion += usage.completion
        self.drafted += usage.drafted
        self.accepted += usage.accepted
