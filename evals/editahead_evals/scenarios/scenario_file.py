"""Scenario files: a script, and what is to be predicted after it.

The form of `script.py`, and:

    -- expect --
    silent                          (or with the reason: silent no-history)
    edit                            (exactly these lines change: `@ 12`, then -old and +new lines)
    jump 12                         (the first prediction lies there)
    -- expect after accepts --      (optional: the text once predictions are accepted until there are none)
    the text
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from editahead_evals.data.commit_replay import Hunk
from editahead_evals.errors import ScenarioError

from .script import (
    HEADERS,
    Script,
    errors_named,
    parse_headers,
    parse_hunks,
    parse_script,
    section_lines,
    split_sections,
)


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


def load(path: Path) -> Scenario:
    return parse(path.read_text("utf-8"), path.stem)


def parse(text: str, name: str = "scenario") -> Scenario:
    """Return the scenario that a text describes.

    Raises:
        ScenarioError: the text makes no sense.
    """
    with errors_named(name):
        return _parse(text, name)


def _parse(text: str, name: str) -> Scenario:
    head, sections = split_sections(text)
    about, headers = parse_headers(head, HEADERS)
    known = {"buffer", "steps", "expect", "expect after accepts"}
    if unknown := {title for title in sections if not title.startswith("other: ")} - known:
        raise ScenarioError(f"unknown section {min(unknown)!r}")
    script = parse_script(name, about, headers, sections)
    if "expect" not in sections:
        raise ScenarioError("no section 'expect'")
    after = sections.get("expect after accepts")
    return Scenario(
        **{each.name: getattr(script, each.name) for each in fields(script)},
        expected=_expected(sections["expect"]),
        after=None if after is None else script.document(after, script.last_opened),
    )


def _expected(body: str) -> Expected:
    first, *lines = section_lines(body) or [""]
    word, _, rest = first.partition(" ")
    if word == "silent":
        return Silent(rest.strip() or None)
    if word == "jump" and rest.isdigit():
        return Jump(int(rest) - 1)
    if first == "edit":
        return Shown(tuple(parse_hunks(lines)))
    raise ScenarioError(f"unknown expectation: {first!r}")
