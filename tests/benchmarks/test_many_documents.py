"""Benchmark of one and of many open documents, side by side: waiting times, and memory that comes back.

Three servers take turns, so that a busy machine slows all of them: one with a single document, one where a person types in
one of many documents, and one where the person goes from document to document.
"""

from __future__ import annotations

import os
import random
import re
import sys
from collections.abc import Callable
from contextlib import ExitStack

import pytest

from editahead_evals.client.editor import Editor
from figures import SHORT, p50_p99, percentile, python_text, show
from process_memory import resident_mb

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc, which is Linux's"),
]

DOCUMENTS = 20 if SHORT else 200
OPERATIONS = int(os.environ.get("EDITAHEAD_BENCHMARK_OPERATIONS", "200" if SHORT else "6000"))
"""Changes, each with a request after it, over all three servers."""
LINES = 120
NAMES = ("count", "items", "user", "size", "owner", "method", "offset", "kept", "load", "name")
"""Names of `python_text`, each of which is another one in each document, as in a real project."""
SIGNS = (" = ", "\n", "(", ")", ".", ", ")


def text_of(number: int) -> str:
    """Return the text of a document, which has few lines in common with the others."""
    parts = re.split(r"(\W+|_)", python_text(LINES))
    return f"# {number}\n" + "".join(f"{part}{number}" if part in NAMES else part for part in parts)


class Person:
    """A person in a number of documents, who types and deletes words at random places, and asks after each change."""

    def __init__(self, documents: int, choose: Callable[[random.Random, list[str]], str]) -> None:
        self.editor = Editor({"debounce_ms": 0})
        self.uris = [self.editor.uri(f"service{number}.py") for number in range(documents)]
        self._choose, self._random = choose, random.Random(7)
        self._at: dict[str, int] = {}
        self.ms: list[float] = []
        self.memory = {"idle": self.resident_mb}
        self._open()
        self.editor.next_edit(self.uris[-1], (0, 0), "manual")
        self.memory["open"] = self.resident_mb

    @property
    def resident_mb(self) -> float:
        return resident_mb(self.editor.client.pid)

    def _open(self) -> None:
        for number, uri in enumerate(self.uris):
            self.editor.open(uri, "python", text_of(number))

    def work(self, operations: int) -> None:
        for _ in range(operations):
            uri = self._choose(self._random, self.uris)
            text = self.editor.documents[uri].text
            at = min(self._at.get(uri, 0), len(text))
            if self._random.random() < 0.1:
                at = self._random.randrange(len(text))
            drop = self._random.choice((0, 0, 0, 4, 12)) if len(text) > 2000 else 0
            number = uri.removesuffix(".py").rpartition("service")[2]
            new = self._random.choice((*SIGNS, *(f"{name}{number}" for name in NAMES)))
            self.editor.replace(uri, at, min(at + drop, len(text)), new)
            self._at[uri] = at + len(new)
            point = self.editor.documents[uri].point(at + len(new))
            self.ms.append(self.editor.next_edit(uri, point, "typed").ms)
            if len(self.editor.documents[uri].text) > 20_000:
                self.editor.replace(uri, 0, len(self.editor.documents[uri].text) // 2, "")

    def close(self) -> None:
        for uri in self.uris:
            self.editor.close(uri)
        first = self.uris[0]
        self.editor.open(first, "python", "x = 1\n")
        self.editor.next_edit(first, (0, 0), "manual")
        self.editor.close(first)


def test_many_documents() -> None:
    with ExitStack() as stack:
        people = {
            "1 document": Person(1, lambda _, uris: uris[0]),
            f"1 of {DOCUMENTS} documents": Person(DOCUMENTS, lambda _, uris: uris[0]),
            f"all of {DOCUMENTS} documents": Person(DOCUMENTS, lambda dice, uris: dice.choice(uris)),
        }
        for person in people.values():
            stack.enter_context(person.editor)
        turns = 20
        for turn in range(turns):
            for person in people.values():
                person.work(OPERATIONS // turns // len(people))
                if turn == turns // 2:
                    person.memory["half"] = person.resident_mb
        for person in people.values():
            person.memory["end"] = person.resident_mb
            person.close()
            person.memory["closed"] = person.resident_mb
        base = percentile(people["1 document"].ms, 0.5)
        times = [
            [name, *p50_p99(person.ms), f"{percentile(person.ms, 0.5) / base:.2f}", f"{len(person.ms)}"]
            for name, person in people.items()
        ]
        steps = ("idle", "open", "half", "end", "closed")
        memory = [
            [name, *(f"{person.memory[step]:.0f}" for step in steps)] for name, person in people.items()
        ]
    show("A change and editahead/nextEdit (ms)", ["", "p50", "p99", "p50 : 1 document", "times"], times)
    show("Memory of the server process (MB resident)", ["", *steps], memory)
