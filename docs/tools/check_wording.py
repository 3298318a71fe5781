"""Report phrases that CONTRIBUTING.md ("Wording") rules out, in prose, docstrings, comments and messages.

python docs/tools/check_wording.py
"""

from __future__ import annotations

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
PACKAGES: tuple[str, ...] = ()
"""Folders of Python code whose docstrings, comments and messages are checked, such as "lsp/editahead_lsp".

Still to be added: cli, serving, lsp, inference, prompts, training, evals.
"""


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


def check(root: Path, documents: tuple[str, ...], packages: tuple[str, ...]) -> list[str]:
    """Return one line for each forbidden phrase under `root`: path, line number, phrase."""
    found = []
    for path in sorted(path for pattern in documents for path in root.glob(pattern)):
        found += [(path, hit) for hit in find_in_document(path.read_text("utf-8"))]
    for path in sorted(path for package in packages for path in (root / package).rglob("*.py")):
        found += [(path, hit) for hit in find_in_module(path)]
    return [f'{path.relative_to(root)}:{line}: "{phrase}"' for path, (line, phrase) in found]


if __name__ == "__main__":
    if hits := check(ROOT, DOCUMENTS, PACKAGES):
        sys.exit("\n".join([*hits, 'CONTRIBUTING.md, "Wording", says what to write instead.']))
