"""Where the merge is not sure, a model of ours is asked for the exact region; its answer has to pass the checks.

What it says is never offered as sure: it is marked as the model's, for a person to confirm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from editahead_inference.backends.backend import Usage
from editahead_inference.modelling.told import Said
from editahead_prompts.sketches.sketch import FileSketch, Sketch
from editahead_prompts.snapshot import Snapshot
from editahead_prompts.syntax import SyntaxTrees

from .agreement import agreed
from .narrowing import Question, questions
from .placing import Target
from .plan import Merges
from .results import Merge, RefusalReason

CONFIDENCE = 0.5
"""Of a hunk by the model. Not measured: a person decides."""

_ASKED: frozenset[RefusalReason] = frozenset(
    {"unplaced", "ambiguous", "unparsed", "would-break-syntax", "would-lose-code"}
)
"""Refusals that are about what the sketch says."""


class Asks(Protocol):
    """Asks the model, and waits; None when there is none that could tell, or the request does not fit."""

    def __call__(self, questions: Sequence[Question], check: Callable[[], None]) -> Said | None: ...


@dataclass
class Rewriting:
    """A merge that asks a model where it is not sure. used: what the model was asked, and said, in tokens."""

    merge: Merges
    ask: Asks
    used: list[Usage] = field(default_factory=list)

    def __call__(
        self,
        sketch: Sketch,
        part: FileSketch,
        original: Snapshot,
        *,
        syntax: SyntaxTrees | None = None,
        span: tuple[int, int] | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> Merge:
        trees = syntax or SyntaxTrees()
        merged = self.merge(sketch, part, original, syntax=trees, span=span, check=check)
        if merged.refusal is None or merged.refusal.reason not in _ASKED:
            return merged
        said = self.ask(tuple(questions(sketch, part, merged)), check)
        if said is None:
            return merged
        self.used.append(said.usage)
        if said.text is None:
            return merged
        check()
        target = Target(original, trees, 0, len(original.lines), check)
        edit, doubt = agreed(sketch, part, target, said.text, span)
        if doubt is not None:
            return merged
        guess = edit.apply(original.text)
        return replace(merged, guess=guess, edit=edit, refusal=None, confidence=CONFIDENCE, origin="model")
