r"""Scripts: a text, and what a person does to it. The part that scenario files and task files share.

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
    cursor 7 12
    accept                          (ask for the next edit and make the first one shown)
    reject                          (ask, and refuse the first one shown)
    undo                            (take the last step's change of this document back)

Lines and columns are 1-based, columns in characters. Two headers are optional: `no-final-newline: true` takes
the last line end off the text of `file`, `eol: crlf` makes all line ends Windows'.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from editahead_evals.data.commit_replay import Hunk
from editahead_evals.data.languages import language_of
from editahead_evals.errors import RecordError, ScenarioError

T = TypeVar("T")
HEADERS = frozenset({"language", "file", "no-final-newline", "eol"})


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


@dataclass(frozen=True, kw_only=True)
class Script:
    """The documents, and the person's steps in them. All have the script's line ends; lines in steps are 0-based.

    Attributes:
        about: one line for people.
        language: the LSP language id of `file`.
        others: the texts of the other open documents, by path.
        final_newline: whether the text of `file` ends in a line end.
    """

    name: str
    about: str
    language: str
    file: str
    buffer: str
    steps: tuple[Step, ...] = ()
    others: Mapping[str, str] = field(default_factory=dict)
    eol: str = "\n"
    final_newline: bool = True

    @property
    def last_opened(self) -> str:
        """The path of the document that the person is in after the steps."""
        return next((step.path for step in reversed(self.steps) if isinstance(step, Open)), self.file)

    def language_of(self, path: str) -> str:
        return self.language if path == self.file else language_of(path) or "plaintext"

    def document(self, body: str, path: str) -> str:
        """Return a section's body as the text of the document at `path`, with its line ends."""
        final = self.final_newline or path != self.file
        return (body if final else body.removesuffix("\n")).replace("\n", self.eol)


def load_folder(folder: Path, load: Callable[[Path], T], what: str) -> list[T]:
    """Return what the text files of a folder hold, in the order of their names.

    Args:
        folder: the folder.
        load: reads one file.
        what: what the files are, in the plural, for a message.

    Raises:
        RecordError: the folder holds none, or a file cannot be read.
    """
    try:
        loaded = [load(path) for path in sorted(folder.glob("*.txt"))]
    except (ScenarioError, OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{folder}: {error}") from error
    if not loaded:
        raise RecordError(f"{folder}: no {what} (*.txt)")
    return loaded


@contextmanager
def errors_named(name: str) -> Iterator[None]:
    """Put the name of a file before the message of each `ScenarioError`."""
    try:
        yield
    except ScenarioError as error:
        raise ScenarioError(f"{name}: {error}") from None


def parse_script(name: str, about: str, headers: Mapping[str, str], sections: Mapping[str, str]) -> Script:
    """Return the script of a file's headers and sections; others of them are ignored.

    Raises:
        ScenarioError: the headers or sections make no sense.
    """
    eol = {"lf": "\n", "crlf": "\r\n"}.get(headers.get("eol", "lf"))
    if eol is None:
        raise ScenarioError("eol is lf or crlf")
    if "buffer" not in sections:
        raise ScenarioError("no section 'buffer'")
    others = {
        title.removeprefix("other: "): body.replace("\n", eol)
        for title, body in sections.items()
        if title.startswith("other: ")
    }
    final = headers.get("no-final-newline") != "true"
    buffer = sections["buffer"] if final else sections["buffer"].removesuffix("\n")
    steps = tuple(_step(line, eol) for line in section_lines(sections.get("steps", "")))
    if foreign := {step.path for step in steps if isinstance(step, Open)} - {headers["file"], *others}:
        raise ScenarioError(f"no document {min(foreign)}")
    return Script(
        name=name,
        about=about,
        language=headers["language"],
        file=headers["file"],
        buffer=buffer.replace("\n", eol),
        steps=steps,
        others=others,
        eol=eol,
        final_newline=final,
    )


def split_sections(text: str) -> tuple[str, dict[str, str]]:
    """Return the text before the first section, and the sections by title."""
    parts = re.split(r"^-- (.+) --\n", text, flags=re.MULTILINE)
    titles, bodies = parts[1::2], parts[2::2]
    if len(set(titles)) < len(titles):
        raise ScenarioError("a section appears twice")
    return parts[0], dict(zip(titles, bodies, strict=True))


def parse_headers(head: str, known: Collection[str]) -> tuple[str, dict[str, str]]:
    """Return what the file is about, and its headers.

    Raises:
        ScenarioError: a header is unknown, or one that every file needs is missing.
    """
    about, *lines = head.splitlines()
    if not about.startswith("# "):
        raise ScenarioError("the first line must say what it is about: # ...")
    headers = {}
    for line in lines:
        key, colon, value = line.partition(":")
        if not colon or key not in known:
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


def section_lines(body: str) -> list[str]:
    """Return a section's lines that are not blank. Texts may contain separators at which `str.splitlines` would split."""
    return [line for line in body.split("\n") if line.strip()]
