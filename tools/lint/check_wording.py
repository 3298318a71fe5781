"""Report phrases that CONTRIBUTING.md ("Wording") rules out, in prose, docstrings, comments, messages and names.

python tools/lint/check_wording.py [--lower]

The last column of docs/glossary.md has words that names do not use: those of functions, parameters, classes, variables, and
tests. The list `wording_allowed.txt` holds one line for each name that still does: word, top-level folder, name. `--lower`
takes out the names that no longer exist, and adds nothing: the list only shrinks.
"""

from __future__ import annotations

import ast
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = ROOT / "tools" / "lint" / "wording_allowed.txt"
GLOSSARY = ROOT / "docs" / "glossary.md"

PHRASES = (
    "so many",
    "who asks",
    "whichever",
    "nobody",
    "of use",
    "is told",
    "are told",
    "says of itself",
    "stands",
)
_FORBIDDEN = re.compile(r"\b(?:" + "|".join(PHRASES).replace(" ", r"\s+") + r")\b", re.IGNORECASE)
_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)

DOCUMENTS = ("*.md", "changes/*.md", "docs/**/*.md", "tests/scenarios/*.md")
PACKAGES = (
    "cli",
    "lsp",
    "workspace",
    "serving",
    "inference",
    "retrieval",
    "prompts",
    "programs",
    "evals",
    "lab",
    "tools",
    "tests/support",
)
"""Folders of Python code whose docstrings, comments and messages are checked."""
NAMED = (*(package for package in PACKAGES if "/" not in package), "tests")
"""Folders of Python code whose names are checked."""

Names = dict[tuple[str, str, str], str]
"""Where a word, a folder and a name occur first: the path and the line number."""

_NO_VERB = re.compile(
    r"(?:a|all|an|and|are|as|at|both|by|each|every|for|from|here|his|how|if|in|is|its?|many|more|most|no|none|not|of|on|one|"
    r"only|or|our|same|so|some|such|than|that|their|them|then|there|these|they|this|those|to|two|was|were|what|whatever|when|"
    r"where|whether|which|who|whoever|whose|why|with|the)"
)
"""First words that make a function's docstring a noun phrase or a clause."""
PROPERTIES = frozenset(["property", "cached_property", "setter"])


def find_in_document(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line number and the phrase of every hit outside code."""
    prose = _CODE.sub(lambda code: re.sub(r"\S", " ", code[0]), text)
    yield from _find(prose, first_line=1)


def find_in_module(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line number and the phrase of every hit in a string or a comment."""
    with tokenize.open(path) as file:
        if not _FORBIDDEN.search(file.read()):  # most modules: tokens take much longer
            return
        file.seek(0)
        for token in tokenize.generate_tokens(file.readline):
            if tokenize.tok_name[token.type] in ("STRING", "FSTRING_MIDDLE", "COMMENT"):
                yield from _find(token.string, first_line=token.start[0])


def _find(text: str, *, first_line: int) -> Iterator[tuple[int, str]]:
    for match in _FORBIDDEN.finditer(text):
        yield first_line + text.count("\n", 0, match.start()), " ".join(match[0].split())


def find_docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line number and the first word of each function's docstring that does not begin with a verb.

    Ruff's D401 knows verbs in other forms, such as "Returns". This check knows words that begin a noun phrase or a clause.
    Properties are named after values, so their docstrings may begin with one.
    """
    for named in _find_named(source):
        first = named.docstring.split(" ", 1)[0].strip(".,:;`").lower()
        if _NO_VERB.fullmatch(first):
            yield named.line, first


def check(root: Path, documents: tuple[str, ...], packages: tuple[str, ...]) -> list[str]:
    """Return one line for each forbidden phrase under `root`: path, line number, phrase."""
    found = []
    for path in sorted(path for pattern in documents for path in root.glob(pattern)):
        found += [(path, hit) for hit in find_in_document(path.read_text("utf-8"))]
    for path in sorted(path for package in packages for path in (root / package).rglob("*.py")):
        if path == Path(__file__):  # it names the phrases
            continue
        found += [(path, hit) for hit in find_in_module(path)]
        found += [(path, hit) for hit in find_docstrings(path.read_text("utf-8"))]
    return [f'{path.relative_to(root)}:{line}: "{phrase}"' for path, (line, phrase) in found]


def read_words(glossary: str) -> frozenset[str]:
    """Return the words in the last column of a glossary."""
    rows = (line for line in glossary.splitlines() if line.startswith("| "))
    return frozenset(word for row in rows for word in re.findall(r"`(\w+)`", row.rsplit("|", 2)[1]))


def find_names(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line number and the name of each function, parameter, class, variable and attribute of `self`."""
    for named in _find_named(source):
        yield named.line, named.name


class _Named(NamedTuple):
    line: int
    name: str
    docstring: str = ""
    """Of a function that is no property."""


@cache
def _find_named(source: str) -> list[_Named]:
    """Return the functions, parameters, classes, variables and attributes of `self` of a module.

    The fields of a `TypedDict` are left out: they are keys of JSON, which other programs read.
    """
    found: list[tuple[ast.AST, _Named]] = []
    keys: set[ast.AST] = set()
    dicts = {"TypedDict"}
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ClassDef(lineno=line, name=name):
                if not dicts.isdisjoint(map(ast.unparse, node.bases)):
                    dicts.add(name)
                    keys.update(field.target for field in node.body if isinstance(field, ast.AnnAssign))
                found.append((node, _Named(line, name)))
            case ast.FunctionDef(lineno=line, name=name) | ast.AsyncFunctionDef(lineno=line, name=name):
                decorators = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
                docstring = ast.get_docstring(node) if decorators.isdisjoint(PROPERTIES) else None
                found.append((node, _Named(line, name, docstring or "")))
            case (
                ast.arg(lineno=line, arg=name)
                | ast.Name(lineno=line, id=name, ctx=ast.Store())
                | ast.Attribute(lineno=line, attr=name, value=ast.Name("self"), ctx=ast.Store())
            ):
                found.append((node, _Named(line, name)))
    return [named for node, named in found if node not in keys]


def find_words(name: str) -> set[str]:
    """Return the words of a name in snake case or camel case."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def measure(root: Path, folders: tuple[str, ...], words: frozenset[str]) -> Names:
    """Return the names with one of the words."""
    found: Names = {}
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            for line, name in find_names(path.read_text("utf-8")):
                for word in find_words(name) & words:
                    found.setdefault((word, folder, name), f"{path.relative_to(root).as_posix()}:{line}")
    return found


def read_allowed(text: str) -> set[tuple[str, str, str]]:
    """Return the word, folder and name of each line of the list."""
    rows = (line.split(" ") for line in text.splitlines())
    return {(word, folder, name) for word, folder, name in rows}


def write_allowed(names: Iterable[tuple[str, str, str]]) -> str:
    """Return the list of `names`."""
    return "".join(f"{' '.join(key)}\n" for key in sorted(names))


def compare(measured: Names, allowed: set[tuple[str, str, str]]) -> list[str]:
    """Return one line for each name that is not as the list says."""
    new = [f'{measured[key]}: "{key[0]}" in the name {key[2]}' for key in measured.keys() - allowed]
    old = [
        f"{key[1]}: {key[2]} is no longer there: run this script with --lower"
        for key in allowed - measured.keys()
    ]
    return sorted(new) + sorted(old)


if __name__ == "__main__":
    now, listed = (
        measure(ROOT, NAMED, read_words(GLOSSARY.read_text("utf-8"))),
        read_allowed(ALLOWED.read_text("utf-8")),
    )
    if "--lower" in sys.argv:
        listed &= now.keys()
        ALLOWED.write_text(write_allowed(listed), "utf-8")
    if hits := check(ROOT, DOCUMENTS, PACKAGES) + compare(now, listed):
        sys.exit(
            "\n".join([*hits, 'CONTRIBUTING.md, "Wording", and docs/glossary.md say what to write instead.'])
        )
