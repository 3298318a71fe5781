"""Scenarios: a script, and what is to be predicted after it. A kind of case files (`case_file.py`).

The sections of `script.py`, and:

    -- expect --
    silent                          (or with the reason: silent no-history)
    edit                            (exactly these lines change: `@ 12`, then -old and +new lines)
    jump 12                         (the first prediction lies there)
    -- expect after accepts --      (optional: the text once predictions are accepted until there are none)
    the text
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from editahead_evals.data.commit_replay import Hunk
from editahead_evals.errors import ScenarioError

from .case_file import Case, CaseKind
from .script import HEADERS, SECTIONS, Script, parse_hunks, read_script


@dataclass(frozen=True, slots=True)
class Silent:
    reason: str | None


@dataclass(frozen=True, slots=True)
class Shown:
    """The expected hunks over the present text, without line ends; lines are 0-based, unlike in the file itself."""

    hunks: tuple[Hunk, ...]


@dataclass(frozen=True, slots=True)
class Jump:
    line: int


Expected = Silent | Shown | Jump


@dataclass(frozen=True, kw_only=True)
class Scenario(Script):
    """A scenario.

    Attributes:
        after: the text of the last document once predictions are accepted until silence, where one is given.
    """

    expected: Expected
    after: str | None = None


def _read(case: Case) -> Scenario:
    script = read_script(case)
    after = "expect after accepts"
    return Scenario(
        **{each.name: getattr(script, each.name) for each in fields(script)},
        expected=_expected(case.lines("expect")),
        after=case.text(after) if after in case.sections else None,
    )


def _expected(written: list[str]) -> Expected:
    first, *lines = written or [""]
    word, _, rest = first.partition(" ")
    if word == "silent":
        return Silent(rest.strip() or None)
    if word == "jump" and rest.isdigit():
        return Jump(int(rest) - 1)
    if first == "edit":
        return Shown(tuple(parse_hunks(lines)))
    raise ScenarioError(f"unknown expectation: {first!r}")


SCENARIOS = CaseKind(
    what="scenarios",
    required=HEADERS | {"buffer", "expect"},
    headers=HEADERS,
    sections=SECTIONS | {"expect", "expect after accepts"},
    read=_read,
)
