r"""Scripts: a text, and what a person does to it. The headers and sections that scenarios and tasks share.

    # one line that says what this is about
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
    edit 3 5 `old` => `new`         (replace exactly this text at this place)
    cursor 7 12
    accept                          (ask for the next edit and make the first one shown)
    reject                          (ask, and refuse the first one shown)
    undo                            (take the last step's change of this document back)

Lines and columns are 1-based, columns in characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from editahead_evals.data.commit_replay import Hunk
from editahead_evals.data.languages import language_of
from editahead_evals.errors import ScenarioError

from .case_file import Case

HEADERS = frozenset({"language", "file"})
SECTIONS = frozenset({"buffer", "other", "steps"})


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
class Type:
    """A replacement of the text `old` at a place, of one line or several. The column is 0-based, too."""

    line: int
    column: int
    old: str
    new: str


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


Step = Replace | Insert | Delete | Type | Open | Cursor | Accept | Reject | Undo | Diagnose


@dataclass(frozen=True, kw_only=True)
class Script:
    """The documents, and the person's steps in them. All have the script's line ends; lines in steps are 0-based.

    Attributes:
        about: one line for people.
        language: the LSP language id of `file`.
        others: the texts of the other open documents, by path.
    """

    name: str
    about: str
    language: str
    file: str
    buffer: str
    steps: tuple[Step, ...] = ()
    others: Mapping[str, str] = field(default_factory=dict)
    eol: str = "\n"

    def language_of(self, path: str) -> str:
        return self.language if path == self.file else language_of(path) or "plaintext"


def read_script(case: Case) -> Script:
    """Return the script in a case; its other sections are ignored.

    Raises:
        ScenarioError: The headers or sections make no sense.
    """
    others = case.texts("other")
    steps = tuple(_step(line, case.eol) for line in case.lines("steps"))
    file = case.headers["file"]
    if foreign := {step.path for step in steps if isinstance(step, Open)} - {file, *others}:
        raise ScenarioError(f"no document {min(foreign)}")
    return Script(
        name=case.name,
        about=case.about,
        language=case.headers["language"],
        file=file,
        buffer=case.text("buffer"),
        steps=steps,
        others=others,
        eol=case.eol,
    )


_STEPS = re.compile(
    r"""replace\ (?P<replace>\d+)\ `(?P<old>[^`]+)`\ =>\ `(?P<new>[^`]*)`
    | insert\ (?P<insert>\d+)\ `(?P<text>[^`]+)`
    | edit\ (?P<edit>\d+)\ (?P<from>\d+)\ `(?P<before>[^`]*)`\ =>\ `(?P<after>[^`]*)`
    | diagnose\ (?P<diagnose>\d+)\ `(?P<at>[^`]+)`\ =>\ `(?P<message>[^`]+)`
    | delete\ (?P<first>\d+)(?:-(?P<last>\d+))?
    | open\ (?P<path>.+)
    | cursor\ (?P<line>\d+)\ (?P<column>\d+)
    | (?P<word>accept|reject|undo)""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\n|\\u(0060|005c)")
_WORDS: Mapping[str, Step] = {"accept": Accept(), "reject": Reject(), "undo": Undo()}


def _step(line: str, eol: str) -> Step:
    match = _STEPS.fullmatch(line.rstrip())
    if match is None:
        raise ScenarioError(f"no such step: {line!r}")
    found = match.groupdict()

    def typed(part: str) -> str:
        return _ESCAPE.sub(
            lambda escape: eol if escape[0] == "\\n" else chr(int(escape[1], 16)), str(found[part])
        )

    if found["replace"]:
        return Replace(int(found["replace"]) - 1, typed("old"), typed("new"))
    if found["insert"]:
        return Insert(int(found["insert"]) - 1, typed("text"))
    if found["edit"]:
        return Type(int(found["edit"]) - 1, int(found["from"]) - 1, typed("before"), typed("after"))
    if found["diagnose"]:
        return Diagnose(int(found["diagnose"]) - 1, typed("at"), typed("message"))
    if found["first"]:
        return Delete(int(found["first"]) - 1, int(found["last"] or found["first"]) - 1)
    if found["path"]:
        return Open(found["path"])
    if found["line"]:
        return Cursor(int(found["line"]) - 1, int(found["column"]) - 1)
    return _WORDS[found["word"]]


def parse_hunks(lines: list[str]) -> Iterator[Hunk]:
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
