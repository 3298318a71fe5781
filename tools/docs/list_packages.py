"""The table of packages in ARCHITECTURE.md, from the first line of each package's docstring.

Run `python tools/docs/list_packages.py ARCHITECTURE.md` to replace the table in the file.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = (
    "cli",
    "lsp",
    "workspace",
    "serving",
    "evals",
    "inference",
    "retrieval",
    "prompts",
    "programs",
    "lab",
)
HEAD = "| package | what it holds |\n| --- | --- |\n"
NO_PACKAGES = frozenset(["sample"])
"""Folders of sample code, which are no packages of Editahead."""


def table() -> str:
    """Return the table in Markdown, one row a package."""
    rows = []
    for part in PARTS:
        for path in sorted((ROOT / part).rglob("__init__.py")):
            folder = path.parent.relative_to(ROOT / part)
            if NO_PACKAGES.isdisjoint(folder.parts):
                docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
                summary = docstring.partition("\n")[0]
                rows.append(f"| `{'.'.join(folder.parts)}` | {summary} |\n")
    return HEAD + "".join(rows)


def replace_table(text: str) -> str:
    """Return a document with its table replaced."""
    before, _, rest = text.partition(HEAD)
    return before + table() + rest[rest.index("\n\n") + 1 :]


if __name__ == "__main__":
    document = Path(sys.argv[1])
    document.write_text(replace_table(document.read_text("utf-8")), "utf-8")
