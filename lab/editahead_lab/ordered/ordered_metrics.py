"""From the answers after ordered edits to figures."""

from __future__ import annotations

from dataclasses import dataclass, field

from editahead_evals.metrics.confidence_curve import Answer
from editahead_evals.metrics.import_metrics import ImportCounts
from editahead_evals.metrics.metrics import Ratio


@dataclass(slots=True)
class OrderedCounts:
    """The sums over the requests of a pull request: one after each step.

    Attributes:
        requests: all requests.
        opportunities: requests after which edits remain in some file.
        shown: edits shown at opportunities.
        correct: those of `shown` that make remaining hunks of their file, and nothing else.
        next: those of `correct` that are part of a step that may come next.
        elsewhere: those of `shown` that edit another file than the one with the cursor.
        ends: requests after the last step.
        false_ends: edits shown after the last step.
        wrong: edits shown at any request that are not correct.
        reversals: edits shown that undo the last step.
    """

    requests: int = 0
    opportunities: int = 0
    shown: int = 0
    correct: int = 0
    next: int = 0
    elsewhere: int = 0
    ends: int = 0
    false_ends: int = 0
    wrong: int = 0
    reversals: int = 0


ORDERED_METRICS = {
    "coverage": Ratio("correct", "opportunities"),
    "precision": Ratio("correct", "shown"),
    "next": Ratio("next", "opportunities"),
    "elsewhere": Ratio("elsewhere", "shown"),
    "wrong/100": Ratio("wrong", "requests", 100),
    "false end": Ratio("false_ends", "ends"),
    "reversal": Ratio("reversals", "requests"),
}


@dataclass(slots=True)
class PullRequestResult:
    """The result of one pull request.

    Attributes:
        files: the number of its files.
        answers: the answer of each request, with its confidence.
        ms: the latency of each answer, in milliseconds.
        imports: of the shown edits, those that import names.
    """

    id: str
    files: int
    counts: OrderedCounts
    answers: list[Answer] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)
    imports: ImportCounts = field(default_factory=ImportCounts)
