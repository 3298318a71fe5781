"""Benchmark of the search: the time of an answer by the number of files, by words, and by words and meaning.

The files are copies of the project's own modules with other names, and the questions its own first lines of documentation.
`EDITAHEAD_SEARCH_FILES` says how many files there are at most.
"""

from __future__ import annotations

import ast
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.index.location import size_on_disk
from editahead_retrieval.vectors.shipped import SHIPPED
from editahead_workspace.codebase.search_encoder import NO_ENCODER, SearchEncoder, open_search_encoder
from editahead_workspace.codebase.workspace_codebase import IndexedFolder
from editahead_workspace.codebase.workspace_search import WorkspaceSearch
from editahead_workspace.settings import Settings
from figures import SHORT, percentile, show
from index_workspace import build_index, database_of
from many_files import ROOT, copy_modules

pytestmark = pytest.mark.benchmark
pytest.importorskip("numpy")

MOST = int(os.environ.get("EDITAHEAD_SEARCH_FILES", "200" if SHORT else "10000"))
QUESTIONS = 8 if SHORT else 64
SEED = 7


def questions() -> Iterator[str]:
    """Yield the first lines of the documentation of functions."""
    for path in sorted((ROOT / "lsp").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and (text := ast.get_docstring(node)):
                yield text.partition("\n")[0]


def times(folder: IndexedFolder, encoder: SearchEncoder, asked: list[str]) -> list[float]:
    """Return the CPU seconds of the answers to some questions."""
    taken, search = [], WorkspaceSearch()
    for question in asked:
        began = time.process_time()
        search.search([folder], question, 10, max_file_bytes=1_000_000, encoder=encoder)
        taken.append(time.process_time() - began)
    search.close()
    return taken


def test_an_answer_by_the_number_of_files(tmp_path: Path) -> None:
    asked = random.Random(SEED).sample(list(questions()), QUESTIONS)
    rows = []
    for count in (MOST // 10, MOST):
        root, index = tmp_path / f"files{count}", tmp_path / f"index{count}"
        copy_modules(root, count)
        began = time.process_time()
        build_index(root, index, encoder=str(SHIPPED), max_files=count, max_bytes=10**10)
        built_s = time.process_time() - began
        folder = IndexedFolder(root, database_of(index), ExclusionRules([root], IgnorePatterns(())))
        for name, encoder in (("words", NO_ENCODER), ("words and meaning", open_search_encoder(Settings()))):
            taken = times(folder, encoder, asked)
            cells = [taken[0], *(percentile(taken[1:], share) for share in (0.5, 0.95))]
            figures = [f"{1000 * cell:.0f}" for cell in cells]
            rows.append([f"{count:,}", f"{built_s:.0f}", f"{size_on_disk(index) / 1e6:.0f}", name, *figures])
    columns = ["files", "build CPU s", "index MB", "search by", "first CPU ms", "p50", "p95"]
    show("an answer by the number of files", columns, rows)
