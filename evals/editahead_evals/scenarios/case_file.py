r"""Case files: the one form of all tests that are text, from tasks to merges.

    # one line that says what this is about
    language: python                (headers)
    -- buffer --                    (sections; a section's text goes up to the next one)
    the text
    -- other: app/views.py --       (with what the section is about, if there may be several)
    its text

A file of several cases has `=== title` in place of the first line of each:

    === the first
    -- buffer --
    ...
    === the second
    ...

`<U+00A0>` is a character that is hard to see, or a `-` that would begin a section. In a section with the text of a document,
a last line `\ No newline at end of file` takes the line end off. The header `eol: crlf` makes all line ends of documents
Windows', `cr` those of old Macs. Which headers and sections there are, a `CaseKind` says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from editahead_evals.errors import RecordError, ScenarioError

T = TypeVar("T")

_NO_END = "\n\\ No newline at end of file\n"
_EOLS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}


@dataclass(frozen=True)
class Case:
    """A case as it is written.

    Attributes:
        name: The name of the file, with the title where the file has several cases.
        about: One line for people.
        sections: The texts by title, such as `other: app/views.py`.
    """

    name: str
    about: str
    headers: Mapping[str, str]
    sections: Mapping[str, str]

    @property
    def eol(self) -> str:
        return _EOLS[self.headers.get("eol", "lf")]

    def text(self, title: str) -> str:
        """Return a section as the text of a document, with its line ends."""
        return self.sections[title].removesuffix(_NO_END).replace("\n", self.eol)

    def texts(self, word: str) -> dict[str, str]:
        """Return the texts of all sections `word: path`, by path."""
        return {
            title.removeprefix(f"{word}: "): self.text(title)
            for title in self.sections
            if title.startswith(f"{word}: ")
        }

    def lines(self, title: str) -> list[str]:
        """Return the lines of a section that are not blank, none where there is no such section.

        Texts may contain separators at which `str.splitlines` would split.
        """
        return [line for line in self.sections.get(title, "").split("\n") if line.strip()]


@dataclass(frozen=True, kw_only=True)
class CaseKind(Generic[T]):
    """A kind of cases: which headers and sections they have, and what they mean.

    Attributes:
        what: The cases in the plural, for messages.
        required: The headers and sections that each case needs.
        headers: The headers beside `eol`.
        sections: The first words of the titles.
        read: Returns what a case means; a `ScenarioError` where it makes no sense.
    """

    what: str
    required: frozenset[str]
    headers: frozenset[str]
    sections: frozenset[str]
    read: Callable[[Case], T]

    def parse(self, text: str, name: str = "case") -> list[T]:
        """Return the cases in a text.

        Raises:
            ScenarioError: The text makes no sense.
        """
        blank, *blocks = re.split(r"^=== ", text, flags=re.MULTILINE)
        if blank.strip() and blocks:
            raise ScenarioError(f"{name}: text above the first title: {blank.splitlines()[0]!r}")
        if not blocks:
            return [self._read(name, text)]
        return [self._read(f"{name}: {block.splitlines()[0]}", f"# {block}") for block in blocks]

    def parse_one(self, text: str, name: str = "case") -> T:
        """Return the only case in a text.

        Raises:
            ScenarioError: The text makes no sense.
        """
        (found,) = self.parse(text, name)
        return found

    def load(self, path: Path) -> list[T]:
        """Return the cases in a file.

        Raises:
            ScenarioError: The file makes no sense.
        """
        return self.parse(path.read_text("utf-8"), path.stem)

    def load_folder(self, folder: Path) -> list[T]:
        """Return the cases in the text files of a folder, in the order of their names.

        Raises:
            RecordError: The folder holds none, or a file cannot be read.
        """
        try:
            loaded = [case for path in sorted(folder.glob("*.txt")) for case in self.load(path)]
        except (ScenarioError, OSError, UnicodeDecodeError) as error:
            raise RecordError(f"{folder}: {error}") from error
        if not loaded:
            raise RecordError(f"{folder}: no {self.what} (*.txt)")
        return loaded

    def _read(self, name: str, text: str) -> T:
        try:
            return self.read(self._parse(name, text))
        except ScenarioError as error:
            raise ScenarioError(f"{name}: {error}") from None

    def _parse(self, name: str, text: str) -> Case:
        head, *parts = re.split(r"^-- (.+) --\n", text, flags=re.MULTILINE)
        titles, bodies = parts[::2], parts[1::2]
        if unknown := {title for title in titles if title.partition(": ")[0] not in self.sections}:
            raise ScenarioError(f"unknown section {min(unknown)!r}")
        if len(set(titles)) < len(titles):
            raise ScenarioError("a section appears twice")
        about, headers = self._headers(head)
        if missing := self.required - headers.keys() - set(titles):
            one = min(missing)
            raise ScenarioError(f"no {'section' if one in self.sections else 'header'} {one!r}")
        return Case(name, about, headers, dict(zip(titles, map(_with_characters, bodies), strict=True)))

    def _headers(self, head: str) -> tuple[str, dict[str, str]]:
        about, *lines = head.splitlines() or [""]
        if not about.startswith("# "):
            raise ScenarioError("the first line must say what it is about: # ...")
        headers = {}
        for line in lines:
            key, colon, value = line.partition(":")
            if not colon or key not in self.headers | {"eol"}:
                raise ScenarioError(f"unknown header {line!r}")
            headers[key] = value.strip()
        if headers.get("eol", "lf") not in _EOLS:
            raise ScenarioError("eol is lf, crlf or cr")
        return about.removeprefix("# "), headers


def _with_characters(body: str) -> str:
    return re.sub(r"<U\+([0-9A-F]{4,6})>", lambda found: chr(int(found[1], 16)), body)
