"""Cases of Apply as text files: a sketch of a change, the file that it is for, and what a person expects of the merge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast, get_args

from editahead_evals.errors import ScenarioError

from .case_file import Case, CaseKind

Wanted = Literal["exact", "exact-or-refused", "refused", "choice"]
"""Exactly the text after; this or a refusal; a refusal; a refusal with choices."""


@dataclass(frozen=True)
class MergeCase:
    """A sketch for a file.

    Attributes:
        after: The text that is right; None where the file stays as it is, or only `absent` counts.
        choices: The texts that must be among the choices of a refusal, by title; a title of digits means any.
        absent: What the text may not hold, if it is not refused.
        reason: The refusal's reason, if it matters.
        detail: A part of the refusal's sentence, if it matters.
    """

    name: str
    path: str
    language: str | None
    wanted: Wanted
    before: str
    sketch: str
    after: str | None
    choices: dict[str, str]
    absent: list[str]
    reason: str | None = None
    detail: str = ""


def _read(case: Case) -> MergeCase:
    wanted = case.headers.get("wanted", "exact")
    if wanted not in get_args(Wanted):
        raise ScenarioError(f"wanted: {wanted} is none of {', '.join(get_args(Wanted))}")
    return MergeCase(
        case.name,
        case.headers["file"],
        case.headers.get("language"),
        cast(Wanted, wanted),
        case.text("before"),
        case.sections["sketch"],
        case.text("after") if "after" in case.sections else None,
        case.texts("choice"),
        case.lines("lacks"),
        case.headers.get("reason"),
        case.headers.get("detail", ""),
    )


MERGES = CaseKind(
    what="merges",
    required=frozenset({"file", "before", "sketch"}),
    headers=frozenset({"file", "language", "wanted", "reason", "detail", "note"}),
    sections=frozenset({"before", "sketch", "after", "choice", "lacks"}),
    read=_read,
)
