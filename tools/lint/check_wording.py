"""Report phrases that CONTRIBUTING.md ("Wording") rules out, in prose, docstrings, comments and messages.

python tools/lint/check_wording.py
"""

from __future__ import annotations

import ast
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

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
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            decorators = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
            first = (ast.get_docstring(node) or "").split(" ", 1)[0].strip(".,:;`").lower()
            if _NO_VERB.fullmatch(first) and decorators.isdisjoint(PROPERTIES):
                yield node.lineno, first


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


if __name__ == "__main__":
    if hits := check(ROOT, DOCUMENTS, PACKAGES):
        sys.exit("\n".join([*hits, 'CONTRIBUTING.md, "Wording", says what to write instead.']))
