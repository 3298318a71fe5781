"""Questions as people ask them, over packages that anyone can unpack: written by hand, without a look at what is found."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import NamedTuple

from editahead_retrieval.search.places import FileText


class AskedQuestion(NamedTuple):
    """A question to a package.

    Attributes:
        text: The question.
        names: The functions or types that answer it, each in its file, as `file.py:name`.
    """

    text: str
    names: tuple[str, ...]


def questions_of(package: str) -> list[AskedQuestion]:
    """Return the questions to a package, by the name of its folder, such as `itsdangerous-2.2.0`."""
    text = resources.files(__package__).joinpath("asked_questions.toml").read_text("utf-8")
    name = re.split(r"-\d", package)[0].replace("_", "-").lower()
    found: Mapping[str, str | list[str]] = tomllib.loads(text).get(name, {})
    return [
        AskedQuestion(text, (names,) if isinstance(names, str) else tuple(names))
        for text, names in found.items()
    ]


def answers_in(question: AskedQuestion, files: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """Yield the chunks that answer a question: the path, and the 0-based first line.

    Args:
        question: The question.
        files: The texts by path.
    """
    for answer in question.names:
        ending, _, name = answer.rpartition(":")
        definition = re.compile(rf"^[ \t]*(?:async[ ]+)?(?:def|class)[ ]+{re.escape(name)}\b", re.MULTILINE)
        for path, text in files.items():
            if not f"/{path}".endswith(f"/{ending}"):
                continue
            read = FileText(path, text)
            for match in definition.finditer(text):
                place = read.place_at(text.count("\n", 0, match.start()))
                if place is not None:
                    yield path, place.line
