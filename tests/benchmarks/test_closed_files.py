"""Benchmark of renamed definitions that closed files use: CPU time of the first answer, with and without an index."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from editahead_inference import pipeline as pipeline_module
from editahead_inference.pipeline import Pipeline
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.snapshot import Snapshot
from figures import SHORT, percentile, python_text, show
from memory_codebase import MemoryCodebase

pytestmark = pytest.mark.benchmark

ROOT = Path(__file__).parents[2]
RENAMES = 10 if SHORT else 60
SEED = 5
LARGE = 60_000
"""Characters of each file, where all are large."""


class Files(MemoryCodebase):
    """Files whose look-ups take no time, so that the search is what is measured."""

    def __init__(self, files: dict[str, str]) -> None:
        super().__init__(files)
        self.words = {uri: frozenset(WORD.findall(text)) for uri, text in files.items()}

    def files_with(self, tokens: Sequence[str], limit: int, near: str = "") -> Sequence[str]:
        return [uri for uri, words in self.words.items() if words.issuperset(tokens)][:limit]

    def exports(self, name: str, language: str) -> tuple[()]:
        return ()

    def importers(self, name: str) -> tuple[()]:
        return ()

    def shared_names(self, count: int) -> list[str]:
        """Return names that a few of the files have."""
        files_of = Counter(word for words in self.words.values() for word in words)
        names = sorted(
            name for name, files in files_of.items() if 4 <= files <= 12 and "_" in name and name.islower()
        )
        return random.Random(SEED).sample(names, count)


def renamed(name: str, number: int) -> EditorState:
    """Return the state after a definition got another name."""
    uri, rest = f"file:///w/renamed{number}.py", f"    pass\n{python_text(300)}"
    document = Snapshot.from_text(f"def other_{name}():\n{rest}", uri=uri, language="python")
    edit = PastEdit(uri, 0, (f"def {name}():\n",), (f"def other_{name}():\n",), at=1.0)
    return EditorState(document, document.starts[2], (edit,), index_version=1)


def measure(pipeline: Pipeline, names: Sequence[str]) -> list[float]:
    """Return the milliseconds of CPU time of the first answer to each rename."""
    times = []
    for number, name in enumerate(names):
        state = renamed(name, number)
        started = time.thread_time()
        pipeline.predict(state)
        times.append((time.thread_time() - started) * 1000)
    return times


def test_renamed_definitions(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        path.as_uri(): path.read_text("utf-8")
        for part in ("inference", "lsp", "prompts", "retrieval", "evals", "serving", "training")
        for path in sorted((ROOT / part).rglob("*.py"))
    }
    large = {uri: (text * (LARGE // max(len(text), 1) + 1))[:LARGE] for uri, text in texts.items()}
    rows = []
    for what, files in (("as they are", texts), (f"of {LARGE // 1000} KB", large)):
        codebase = Files(files)
        names = codebase.shared_names(RENAMES)
        runs = (
            ("without an index", None, None),
            ("with an index", codebase, None),
            ("all files at once", codebase, float("inf")),
        )
        for how, known, limit in runs:
            with monkeypatch.context() as patch:
                if limit is not None:
                    patch.setattr(pipeline_module, "MAX_NEW_CHARS", limit)
                times = measure(Pipeline(codebase=known), names)
            figures = (f"{percentile(times, share):.0f}" for share in (0.5, 0.95, 0.99))
            rows.append([f"{len(files)} files {what}, {how}", *figures])
    title = f"First answer to {RENAMES} renamed definitions (ms of CPU time), seed {SEED}"
    show(title, ["", "p50", "p95", "p99"], rows)
