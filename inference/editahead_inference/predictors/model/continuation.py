"""The text that goes on at the cursor, token by token, as a model says it: how much of it to show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import exp

from editahead_prompts.typing_time import expected_seconds

MIN_GAIN_S = 0.1
"""The expected seconds from which a text is worth reading. It is chosen."""
MIN_PROBABILITY = 0.64
"""The model's probability of a continuation below which it is shown at no eagerness, and not read any further."""
SHOWN = 0.8
"""The probability above which a continuation is shown at the default eagerness."""
UNKNOWN = 0.65
"""The probability of a continuation of which the server says none: too little for the default eagerness."""


@dataclass
class Continuation:
    """A continuation while it comes.

    Attributes:
        has_logprobs: Whether the server reports log-probabilities. Without them, nothing tells how much is likely.
        pieces: The texts that came, each with the sum of the log-probabilities of all tokens up to its end.
    """

    has_logprobs: bool = True
    pieces: list[tuple[str, float]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Everything that came."""
        return "".join(piece for piece, _ in self.pieces)

    def add(self, text: str, logprobs: Sequence[float]) -> bool:
        """Add a part of the answer, and return whether more of it may be likely enough."""
        total = (self.pieces[-1][1] if self.pieces else 0.0) + sum(logprobs)
        self.pieces.append((text, total))
        return exp(total) >= MIN_PROBABILITY

    def best(self) -> tuple[str, float]:
        """Return the beginning that promises to save the most seconds, with its probability; "" if none does.

        One that is likely enough to be shown goes before others. None ends within a word.
        """
        if not self.has_logprobs:
            return self.text.rstrip(), UNKNOWN
        found = [one for one in self._beginnings() if one[0] >= MIN_GAIN_S]
        _, _, text, sure = max(found, key=lambda one: (one[1], one[0]), default=(0.0, False, "", 0.0))
        return text, sure

    def weigh(self, text: str, confidence: float) -> float:
        """Return the probability of another text at the cursor, which somebody else gives a confidence.

        Where the two agree, the surer one counts. A text that the model contradicts has at most the probability that the
        model leaves for it there. Where the model stopped before the text's end, it says nothing.
        """
        if not self.has_logprobs:
            return confidence
        said, sure = "", 1.0
        for piece, total in self.pieces:
            said += piece
            if said.startswith(text):
                return max(confidence, exp(total))
            if not text.startswith(said):
                return min(confidence, sure - exp(total))
            sure = exp(total)
        return confidence

    def after(self, typed: str) -> Continuation | None:
        """Return the rest once its beginning was typed; None if something else was."""
        said, sure, rest = "", 0.0, Continuation(self.has_logprobs)
        for piece, total in self.pieces:
            said += piece
            if len(said) <= len(typed):
                sure = total
            else:
                rest.pieces.append((said[-min(len(piece), len(said) - len(typed)) :], total - sure))
        return rest if rest.pieces and said.startswith(typed) else None

    def _beginnings(self) -> Iterator[tuple[float, bool, str, float]]:
        """Yield the beginnings: seconds that each promises to save, whether it is shown, its text and its probability."""
        text = ""
        following = [*(piece for piece, _ in self.pieces[1:]), ""]
        for (piece, total), after in zip(self.pieces, following, strict=False):
            text += piece
            if exp(total) < MIN_PROBABILITY:
                return
            if not _splits_word(text, after):
                sure, shown = exp(total), text.rstrip()
                yield expected_seconds(shown, sure), sure > SHOWN, shown, sure


def _splits_word(text: str, after: str) -> bool:
    border = (text[-1:] + after[:1]).replace("_", "a")
    return len(border) == 2 and border.isalnum()
