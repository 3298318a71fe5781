"""One example of a task: what the model reads, and what it is to say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_prompts.formats.answer_tokens import write_region

Task: TypeAlias = Literal["next edit", "silence", "repair", "apply", "middle", "code"]
"""next edit: the region around a place, rewritten. silence: nothing is to be done in the region. repair: the same as next
edit, but a correct file was damaged and its repair is the answer. apply: a sketch becomes the exact region. middle: fill in
the middle. code: nothing is read, all is said."""

TASKS: tuple[Task, ...] = get_args(Task)

FULL = 100
"""The weight of a token that counts whole, in hundredths."""
COPY_WEIGHT = 50
"""Weight of a token of an answer's line that the region has, too. Changed lines weigh more: they are fewer."""


DECISION_WEIGHT = 250
"""Of the first token of a next edit, which says whether there is one, and of silence."""
CODE = 40
"""Of a token of plain code, of which there are many."""


@dataclass(frozen=True, slots=True)
class Example:
    """A training example.

    Attributes:
        prompt: token ids that are read (may be empty).
        answer: token ids that the model writes, the end of the answer included.
        weights: the weight of each answer token in the loss, in hundredths (0..255).
    """

    task: Task
    prompt: tuple[int, ...]
    answer: tuple[int, ...]
    weights: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.answer or len(self.weights) != len(self.answer):
            raise ValueError("an example has an answer, and a weight for each of its tokens")

    @property
    def tokens(self) -> int:
        return len(self.prompt) + len(self.answer)


def plain(task: Task, prompt: Sequence[int], answer: Sequence[int], weight: int = FULL) -> Example:
    """Return an example in which every token of the answer has the same weight."""
    return Example(task, tuple(prompt), tuple(answer), (weight,) * len(answer))


def rewrite(
    task: Task, prompt: Sequence[int], old: Sequence[str], new: Sequence[str], vocabulary: HfTokenizer
) -> Example:
    """Return an example that rewrites the lines of a region (without line ends) as `new`, with the region's end mark.

    Tokens that copy a line have a smaller weight.
    """
    ids, tells = write_region(old, new, vocabulary)
    weights = [FULL if is_change else COPY_WEIGHT for is_change in tells]
    if task in ("next edit", "repair"):
        weights[0] = DECISION_WEIGHT
    return Example(task, tuple(prompt), ids, tuple(weights))
