"""Sketches of one element among others that are built alike, in data, markup, configuration and code.

The files are made here, with words of a record as names: the neighbours repeat everything but the name, in each format. The
sketch adds an element first, in the middle or last, or changes a value in one.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

from .line_change import LineChange, indentation
from .snippet_sketches import Marker

Operation = Literal["first", "middle", "last", "changed"]

_OPERATIONS: tuple[Operation, ...] = ("first", "middle", "middle", "last", "last", "changed")
_ELEMENTS = "@"
"""The line of a template that the elements replace."""

_OLD, _NEW = "10", "20"
"""The value in each element, and the one in a changed element."""

_COUNT = 5
"""Elements of a file."""

_WORD = re.compile(r"\b[a-z]{4,10}\b")
_RESERVED = frozenset(
    {
        *(
            "true",
            "false",
            "null",
            "none",
            "name",
            "limit",
            "path",
            "items",
            "check",
            "other",
            "build",
            "test",
            "with",
        ),
        *(
            "from",
            "import",
            "class",
            "this",
            "self",
            "else",
            "while",
            "continue",
            "public",
            "static",
            "void",
            "const",
        ),
        *("function", "string", "return", "case", "default", "break"),
    }
)
"""Words that would be no names, or that the files have already."""


@dataclass(frozen=True, slots=True)
class _Format:
    """A kind of file.

    Attributes:
        text: The file, with a line `@` for the elements. The line above it is the header, unless it is blank.
        element: The lines of an element; `{n}` is its name.
        sign: The comment, with `{}` for its words.
        gap: Blank lines between elements.
        separator: The character between two elements, if any.
    """

    path: str
    language: str
    text: str
    element: str
    sign: str
    gap: int = 0
    separator: str = ""

    @property
    def has_header(self) -> bool:
        above = self.text.split("\n")[: self.text.split("\n").index(_ELEMENTS)]
        return bool(above) and bool(above[-1])


_MARKUP, _SLASHES, _HASH = "<!-- {} -->", "// {}", "# {}"

FORMATS: tuple[_Format, ...] = (
    _Format(
        "items.json",
        "json",
        '{\n  "version": 1,\n  "items": [\n@\n  ],\n  "end": true\n}',
        '    {\n      "name": "{n}",\n      "limit": 10\n    }',
        _SLASHES,
        separator=",",
    ),
    _Format(
        "package.json",
        "json",
        '{\n  "private": true,\n  "dependencies": {\n@\n  },\n  "end": true\n}',
        '    "{n}": "^10.0"',
        _SLASHES,
        separator=",",
    ),
    _Format(
        "settings.jsonc",
        "jsonc",
        '{\n  // Settings.\n  "items": {\n@\n  },\n}',
        '    "{n}": {\n      "limit": 10,\n    },',
        _SLASHES,
    ),
    _Format(
        "ci.yml",
        "yaml",
        "on: push\njobs:\n  one:\n    steps:\n@\n  two:\n    needs: one",
        "      - name: {n}\n        run: make {n}\n        timeout: 10",
        _HASH,
    ),
    _Format(
        "compose.yaml",
        "yaml",
        "version: 3\nservices:\n@\nvolumes:\n  data: {}",
        "  {n}:\n    image: {n}:latest\n    limit: 10",
        _HASH,
    ),
    _Format("hosts.yaml", "yaml", "version: 3\nhosts:\n@\nend: true", "  - host: {n}\n    limit: 10", _HASH),
    _Format("Cargo.toml", "toml", "version = 1\n\n@", '[[items]]\nname = "{n}"\nlimit = 10', _HASH, gap=1),
    _Format(
        "pyproject.toml",
        "toml",
        '[project]\nname = "x"\ndependencies = [\n@\n]\n\n[end]\nx = 1',
        '    "{n}>=10",',
        _HASH,
    ),
    _Format("README.md", "markdown", "# Title\n\n## Tasks\n\n@\n\n## End\n\nBye.", "- {n} takes 10", _MARKUP),
    _Format(
        "guide.md",
        "markdown",
        "# Title\n\nText.\n\n@\n\n## End\n\nBye.",
        "## On {n}\n\nAll about {n}.\n\nTakes 10.",
        _MARKUP,
        gap=1,
    ),
    _Format(
        "table.md",
        "markdown",
        "# Title\n\n| name | limit |\n| --- | --- |\n@\n\nBye.",
        "| {n} | 10 |",
        _MARKUP,
    ),
    _Format(
        "index.html",
        "html",
        '<body>\n  <ul class="all">\n@\n  </ul>\n</body>',
        '    <li>\n      <a href="/{n}">{n}</a>\n      <b>10</b>\n    </li>',
        _MARKUP,
    ),
    _Format(
        "cards.html",
        "html",
        "<body>\n  <main>\n@\n  </main>\n</body>",
        '    <section id="{n}">\n      <p>10</p>\n    </section>',
        _MARKUP,
    ),
    _Format(
        "App.tsx",
        "typescriptreact",
        "export function App() {\n  return (\n    <Form>\n@\n    </Form>\n  );\n}",
        '      <Field name="{n}" size={10} />',
        "{{/* {} */}}",
    ),
    _Format(
        "App.vue",
        "vue",
        "<template>\n  <ul>\n@\n  </ul>\n</template>",
        '    <li key="{n}">\n      <b>10</b>\n    </li>',
        _MARKUP,
    ),
    _Format(
        "schema.sql",
        "sql",
        "CREATE TABLE x (\n@\n    id INTEGER\n);",
        "    {n} VARCHAR(10),",
        "-- {}",
    ),
    _Format(
        "run.sh",
        "shellscript",
        '#!/bin/sh\n\ncase "$1" in\n@\n  *)\n    exit 1\n    ;;\nesac',
        "  {n})\n    run 10\n    ;;",
        _HASH,
    ),
    _Format(
        "style.css",
        "css",
        "body {\n  margin: 0;\n}\n\n@",
        ".{n} {\n  color: red;\n  width: 10px;\n}",
        "/* {} */",
        gap=1,
    ),
    _Format(
        "Dockerfile",
        "dockerfile",
        'FROM python:3\nWORKDIR /app\n@\nCMD ["x"]',
        "RUN install {n} && \\\n    make 10",
        _HASH,
    ),
    _Format(
        "app.js",
        "javascript",
        "const app = express();\n\n@\n\napp.listen(3000);",
        "app.get('/{n}', (req, res) => {\n  res.send(10);\n});",
        _SLASHES,
        gap=1,
    ),
    _Format(
        "kinds.ts",
        "typescript",
        "export function run(kind: string) {\n  switch (kind) {\n@\n    default:\n      return 0;\n  }\n}",
        "    case '{n}':\n      check();\n      return 10;",
        _SLASHES,
    ),
    _Format(
        "run_test.go",
        "go",
        "package a\n\nvar tests = []test{\n@\n}",
        '\t{\n\t\tname: "{n}",\n\t\twant: 10,\n\t},',
        _SLASHES,
    ),
    _Format(
        "cli.py",
        "python",
        "def build(p):\n@\n    return p",
        '    p.add_argument(\n        "--{n}",\n        default=10,\n    )',
        _HASH,
    ),
    _Format(
        "kind.rs",
        "rust",
        "fn run(kind: &str) -> i32 {\n    match kind {\n@\n        _ => 0,\n    }\n}",
        '        "{n}" => read(10),',
        _SLASHES,
    ),
    _Format(
        "Kinds.java",
        "java",
        "public class Kinds {\n@\n}",
        "    @Test\n    public void {n}() {\n        assertEquals(10, run());\n    }",
        _SLASHES,
        gap=1,
    ),
    _Format(
        "items.c",
        "c",
        "static struct item items[] = {\n@\n};",
        '    {\n        .name = "{n}",\n        .limit = 10,\n    },',
        _SLASHES,
    ),
)


@dataclass(frozen=True, slots=True)
class SeriesElement:
    """A change of one element, the lines of its sketch, and the accepted results."""

    change: LineChange
    lines: list[str]
    accepted: tuple[tuple[str, ...], ...]
    kind: str


def series_element(
    source: LineChange, words: Callable[[str], str], rng: random.Random
) -> SeriesElement | None:
    """Return a sketch of one element; None where the source has too few words for names.

    Args:
        source: A change of a real file, of which the names are taken.
        words: Returns the words of the next marker, within a comment of the form that it is given.
        rng: Decides everything else.
    """
    names = sorted(set(_WORD.findall(source.after)) - _RESERVED)
    if len(names) < _COUNT:
        return None
    form = rng.choice(FORMATS)
    elements = [form.element.replace("{n}", name).split("\n") for name in rng.sample(names, _COUNT)]
    operation: Operation = rng.choice(_OPERATIONS)
    if operation == "first" and not form.has_header:
        operation = "middle"
    number = {"first": 0, "last": _COUNT - 1}.get(operation, rng.randrange(1, _COUNT - 1))
    other = list(elements)
    if operation == "changed":
        other[number] = [line.replace(_OLD, _NEW) for line in elements[number]]
        old, new = elements, other
    else:
        del other[number]
        old, new = other, elements
    path = "/".join([*source.path.split("/")[:-1], form.path])
    change = LineChange(path, form.language, _file(form, old), _file(form, new))
    lines = list(_sketch(form, new, number, operation, lambda: words(form.sign), rng))
    accepted = tuple(dict.fromkeys((change.new, *_spaced(form, new, number))))
    return SeriesElement(change, lines, accepted, f"{form.path}-{operation}")


def _joined(form: _Format, elements: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the elements with their separators."""
    return [
        [*each[:-1], each[-1] + form.separator] if number < len(elements) - 1 else list(each)
        for number, each in enumerate(elements)
    ]


def _file(form: _Format, elements: Sequence[Sequence[str]]) -> tuple[str, ...]:
    inner = [line for each in _joined(form, elements) for line in (*each, *[""] * form.gap)]
    inner = inner[: len(inner) - form.gap]
    lines = form.text.split("\n")
    at = lines.index(_ELEMENTS)
    return (*lines[:at], *inner, *lines[at + 1 :])


def _spaced(form: _Format, elements: Sequence[Sequence[str]], number: int) -> Iterator[tuple[str, ...]]:
    """Yield the file with fewer blank lines around one element."""
    joined = _joined(form, elements)
    lines = form.text.split("\n")
    at = lines.index(_ELEMENTS)
    for above, below in product(range(form.gap + 1), repeat=2):
        inner: list[str] = []
        for place, each in enumerate(joined):
            gap = above if place == number else below if place == number + 1 else form.gap
            inner += [*[""] * (gap if place else 0), *each]
        yield (*lines[:at], *inner, *lines[at + 1 :])


def _sketch(
    form: _Format,
    elements: Sequence[Sequence[str]],
    number: int,
    operation: Operation,
    marker: Marker,
    rng: random.Random,
) -> Iterator[str]:
    """Yield the lines of the sketch: the element, what tells its place, and markers for the rest."""
    joined = _joined(form, elements)
    shown = _shown_elements(form, number, operation, rng)
    lines = form.text.split("\n")
    at = lines.index(_ELEMENTS)
    shows_header = form.has_header and (operation in ("first", "last") or rng.random() < 0.5)
    below = next((line for line in lines[at + 1 :] if line), "")
    gap = [""] * form.gap
    inner = indentation(joined[0][0])
    if shows_header:
        if at > 1:
            yield marker()
        yield lines[at - 1]
    if shown.start > 0 or not shows_header:
        yield inner + marker()
        yield from gap
    yield from joined[shown.start]
    for place in shown[1:]:
        yield from gap
        yield from joined[place]
    if shown.stop < len(joined) or (below and not shows_header):
        yield from gap
        yield inner + marker()
    if shows_header and below:
        yield below
        if lines[at + 2 :]:
            yield indentation(below) + marker()


def _shown_elements(form: _Format, number: int, operation: Operation, rng: random.Random) -> range:
    """Return the elements that a sketch shows: the one that changes, and neighbours that tell its place."""
    first = last = number
    if operation == "last":
        first -= not form.has_header or rng.random() < 0.5
    elif operation != "first":
        first -= 1
    if operation == "first":
        last += 1
    elif operation != "last":
        last += rng.random() < 0.5
    return range(first, last + 1)
