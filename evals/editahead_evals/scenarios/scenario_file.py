r"""Scenario files: a text, what a person does to it, and what is to be predicted then.

    # one line that says what this scenario is about
    language: python
    file: app/models.py
    -- buffer --
    the text
    -- other: app/views.py --       (another open document; may be repeated)
    its text
    -- steps --
    replace 3 `old` => `new`        (in line 3; `old` goes in one change, `new` is typed)
    insert 5 `text\n`               (typed before line 5)
    delete 4-6                      (or one line: delete 4)
    open app/views.py               (go to the start of that document)
    cursor 7 12
    accept                          (ask for the next edit and make the first one shown)
    reject                          (ask, and refuse the first one shown)
    undo                            (take the last step's change of this document back)
    -- expect --
    silent                          (or with the reason: silent no-history)
    edit                            (exactly these lines change: `@ 12`, then -old and +new lines)
    jump 12                         (the first prediction lies there)
    -- expect after accepts --      (optional: the text once predictions are accepted until there are none)
    the text

Lines and columns are 1-based, columns in characters. Two headers are optional: `no-final-newline: true` takes
the last line end off the texts of `file`, `eol: crlf` makes all line ends Windows'.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from editahead_evals.data.commit_replay import Hunk
from editahead_evals.data.languages import language_of
from editahead_evals.errors import ScenarioError

HEADERS = {"language", "file", "no-final-newline", "eol"}


@dataclass(frozen=True, slots=True)
class Replace:
    line: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Insert:
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Delete:
    """A deletion of the lines `first` to `last`, both included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Open:
    path: str


@dataclass(frozen=True, slots=True)
class Cursor:
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Accept:
    pass


@dataclass(frozen=True, slots=True)
class Reject:
    pass


@dataclass(frozen=True, slots=True)
class Undo:
    pass


@dataclass(frozen=True, slots=True)
class Diagnose:
    """A diagnostic of the editor on the only `text` in the line."""

    line: int
    text: str
    message: str


Step = Replace | Insert | Delete | Open | Cursor | Accept | Reject | Undo | Diagnose


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


@dataclass(frozen=True)
class Scenario:
    """A scenario. Its texts and steps have the scenario's line ends; lines in steps are 0-based."""

    name: str
    about: str
    language: str
    file: str
    buffer: str
    expected: Expected
    steps: tuple[Step, ...] = ()
    others: Mapping[str, str] = field(default_factory=dict)
    after: str | None = None
    eol: str = "\n"


def load(path: Path) -> Scenario:
    return parse(path.read_text("utf-8"), path.stem)


def parse(text: str, name: str = "scenario") -> Scenario:
    """Return the scenario that a text describes.

    Raises:
        ScenarioError: the text makes no sense.
    """
    try:
        return _parse(text, name)
    except ScenarioError as error:
        raise ScenarioError(f"{name}: {error}") from None


def _parse(text: str, name: str) -> Scenario:
    head, sections = _sections(text)
    about, headers = _headers(head)
    eol = {"lf": "\n", "crlf": "\r\n"}.get(headers.get("eol", "lf"))
    if eol is None:
        raise ScenarioError("eol is lf or crlf")
    ends = headers.get("no-final-newline") != "true"

    def document(body: str, final: bool = True) -> str:
        return (body if final else body.removesuffix("\n")).replace("\n", eol)

    others = {
        title.removeprefix("other: "): document(body)
        for title, body in sections.items()
        if title.startswith("other: ")
    }
    if (
        unknown := set(sections)
        - {f"other: {path}" for path in others}
        - {
            "buffer",
            "steps",
            "expect",
            "expect after accepts",
        }
    ):
        raise ScenarioError(f"unknown section {min(unknown)!r}")
    if missing := {"buffer", "expect"} - set(sections):
        raise ScenarioError(f"no section {min(missing)!r}")
    steps = tuple(_step(line, eol) for line in _lines(sections.get("steps", "")))
    opened = next((step.path for step in reversed(steps) if isinstance(step, Open)), headers["file"])
    if foreign := {step.path for step in steps if isinstance(step, Open)} - {headers["file"], *others}:
        raise ScenarioError(f"no document {min(foreign)}")
    after = sections.get("expect after accepts")
    return Scenario(
        name=name,
        about=about,
        language=headers["language"],
        file=headers["file"],
        buffer=document(sections["buffer"], ends),
        expected=_expected(sections["expect"]),
        steps=steps,
        others=others,
        after=None if after is None else document(after, ends or opened != headers["file"]),
        eol=eol,
    )


def _sections(text: str) -> tuple[str, dict[str, str]]:
    """Return the text before the first section, and the sections by title."""
    parts = re.split(r"^-- (.+) --\n", text, flags=re.MULTILINE)
    titles, bodies = parts[1::2], parts[2::2]
    if len(set(titles)) < len(titles):
        raise ScenarioError("a section appears twice")
    return parts[0], dict(zip(titles, bodies, strict=True))


def _headers(head: str) -> tuple[str, dict[str, str]]:
    about, *lines = head.splitlines()
    if not about.startswith("# "):
        raise ScenarioError("the first line must say what it is about: # ...")
    headers = {}
    for line in lines:
        key, colon, value = line.partition(":")
        if not colon or key not in HEADERS:
            raise ScenarioError(f"unknown header {line!r}")
        headers[key] = value.strip()
    if missing := {"language", "file"} - set(headers):
        raise ScenarioError(f"no header {min(missing)!r}")
    return about[2:], headers


_STEPS = re.compile(
    r"""replace\ (?P<replace>\d+)\ `(?P<old>[^`]+)`\ =>\ `(?P<new>[^`]*)`
    | insert\ (?P<insert>\d+)\ `(?P<text>[^`]+)`
    | diagnose\ (?P<diagnose>\d+)\ `(?P<at>[^`]+)`\ =>\ `(?P<message>[^`]+)`
    | delete\ (?P<first>\d+)(?:-(?P<last>\d+))?
    | open\ (?P<path>.+)
    | cursor\ (?P<line>\d+)\ (?P<column>\d+)
    | (?P<word>accept|reject|undo)""",
    re.VERBOSE,
)
_WORDS: Mapping[str, Step] = {"accept": Accept(), "reject": Reject(), "undo": Undo()}


def _step(line: str, eol: str) -> Step:
    match = _STEPS.fullmatch(line.rstrip())
    if match is None:
        raise ScenarioError(f"no such step: {line!r}")
    found = match.groupdict()

    def typed(part: str) -> str:
        return str(found[part]).replace("\\n", eol)

    if found["replace"]:
        return Replace(int(found["replace"]) - 1, typed("old"), typed("new"))
    if found["insert"]:
        return Insert(int(found["insert"]) - 1, typed("text"))
    if found["diagnose"]:
        return Diagnose(int(found["diagnose"]) - 1, typed("at"), typed("message"))
    if found["first"]:
        return Delete(int(found["first"]) - 1, int(found["last"] or found["first"]) - 1)
    if found["path"]:
        return Open(found["path"])
    if found["line"]:
        return Cursor(int(found["line"]) - 1, int(found["column"]) - 1)
    return _WORDS[found["word"]]


def _expected(body: str) -> Expected:
    first, *lines = _lines(body) or [""]
    word, _, rest = first.partition(" ")
    if word == "silent":
        return Silent(rest.strip() or None)
    if word == "jump" and rest.isdigit():
        return Jump(int(rest) - 1)
    if first == "edit":
        return Shown(tuple(_hunks(lines)))
    raise ScenarioError(f"unknown expectation: {first!r}")


def _hunks(lines: list[str]) -> Iterator[Hunk]:
    at: int | None = None
    old: list[str] = []
    new: list[str] = []
    for line in [*lines, "@ 0"]:
        if match := re.fullmatch(r"@ (\d+)", line):
            if at is not None:
                yield Hunk(at, at + len(old), tuple(old), tuple(new))
            elif old or new:
                raise ScenarioError("an expected edit begins with its line: @ 12")
            at, old, new = int(match[1]) - 1, [], []
        elif line.startswith(("-", "+")):
            (old if line[0] == "-" else new).append(line[1:])
        else:
            raise ScenarioError(f"an expected line begins with - or +: {line!r}")


def _lines(body: str) -> list[str]:
    """Return a section's lines that are not blank. Texts may contain separators at which `str.splitlines` would split."""
    return [line for line in body.split("\n") if line.strip()]


def language_for(scenario: Scenario, path: str) -> str:
    return scenario.language if path == scenario.file else language_of(path) or "plaintext"
