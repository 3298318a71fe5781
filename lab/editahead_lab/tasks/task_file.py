"""Tasks: a script, the places that must follow, and those that must not change. A kind of case files.

The sections of `scenarios/script.py` with one more header, `kind: rename`, and these sections, each for `file` or, as in
`follow: app/views.py`, for another document. Lines are those of the text after the steps, counted from 1:

    -- follow --                    (all of them must follow; none in a task where silence is right)
    @ 12
    -the line as it is
    +the line as it becomes
    or                              (optional: other lines that are as good)
    +the line in other words
    -- may --                       (changes that are neither missed nor wrong; same form)
    -- keep --                      (lines that an incautious answer would change)
    @ 20
    =the line

Every line that is in neither `follow` nor `may` must stay as it is; `keep` names the ones that a task is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from itertools import pairwise

from editahead_evals.errors import ScenarioError
from editahead_evals.scenarios.case_file import Case, CaseKind
from editahead_evals.scenarios.script import HEADERS, SECTIONS, Script, read_script

_PLACE_SECTIONS = ("follow", "may", "keep")


@dataclass(frozen=True, slots=True)
class Place:
    """A replacement of the lines `start` up to, not including, `end`, counted from 0.

    Attributes:
        old: the present lines, without line ends; empty for an insertion.
        options: the texts of which one must follow; the same as `old` where the place must not change.
    """

    start: int
    old: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]

    @property
    def end(self) -> int:
        return self.start + len(self.old)


@dataclass(frozen=True, kw_only=True)
class Task(Script):
    """A task. Places are by path, over the text after the steps.

    Attributes:
        kind: the kind of work, for the tables.
        follow: the places that must change.
        may: the places that may change, too.
        keep: the places that must not change, where that is what the task is about.
    """

    kind: str
    follow: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)
    may: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)
    keep: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of all documents."""
        return (self.file, *self.others)


def _read(case: Case) -> Task:
    script = read_script(case)
    places: dict[str, dict[str, tuple[Place, ...]]] = {word: {} for word in _PLACE_SECTIONS}
    for title in case.sections:
        word, _, path = title.partition(": ")
        if word not in places:
            continue
        if path and path not in script.others:
            raise ScenarioError(f"no document of section {title!r}")
        places[word][path or script.file] = _checked(_places(case.lines(title)))
    return Task(
        **{each.name: getattr(script, each.name) for each in fields(script)},
        kind=case.headers["kind"],
        follow=places["follow"],
        may=places["may"],
        keep=places["keep"],
    )


def _checked(places: Iterator[Place]) -> tuple[Place, ...]:
    """Return the places.

    Raises:
        ScenarioError: they are out of order, or two of them overlap.
    """
    found = tuple(places)
    for above, below in pairwise(found):
        if below.start < above.end or below.start == above.start:
            raise ScenarioError(f"the place of line {below.start + 1} belongs below the one before it")
    return found


def _places(lines: list[str]) -> Iterator[Place]:
    start: int | None = None
    old: list[str] = []
    options: list[list[str]] = [[]]
    for line in [*lines, "@ 0"]:
        if match := re.fullmatch(r"@ (\d+)", line):
            if start is not None:
                yield from _split(Place(start, tuple(old), tuple(map(tuple, options))))
            elif old or options != [[]]:
                raise ScenarioError("a place begins with its line: @ 12")
            start, old, options = int(match[1]) - 1, [], [[]]
        elif line == "or":
            options.append([])
        elif line.startswith(("-", "=")):
            old.append(line[1:])
        elif not line.startswith("+"):
            raise ScenarioError(f"a line of a place begins with -, + or =: {line!r}")
        if line.startswith(("+", "=")):
            options[-1].append(line[1:])


def _split(place: Place) -> Iterator[Place]:
    """Yield each changed line as a place of its own, where all options have as many lines as there are now."""
    if not place.old or any(len(option) != len(place.old) for option in place.options):
        yield place
        return
    for at, old in enumerate(place.old):
        options = tuple(dict.fromkeys((option[at],) for option in place.options))
        if options != ((old,),) or place.options == (place.old,):
            yield Place(place.start + at, (old,), options)


TASKS = CaseKind(
    what="tasks",
    required=HEADERS | {"kind", "buffer"},
    headers=HEADERS | {"kind"},
    sections=SECTIONS | set(_PLACE_SECTIONS),
    read=_read,
)
