"""Changes to look at with `finish`, and a codebase in memory."""

from __future__ import annotations

from collections.abc import Mapping

from editahead_inference.finish.report import ChangedFile
from editahead_inference.finish.weights import FinishWeights
from editahead_lab.training.data.commit_codebase import CommitCodebase
from editahead_lab.training.data.replay_moments import ROOT
from editahead_prompts.syntax.languages import language_of
from editahead_prompts.text.snapshot import Snapshot

ALL_LIKELY = FinishWeights(
    {
        "features": [],
        "bias": 0.0,
        "trees": [],
        "thresholds": dict.fromkeys(("code", "test", "documentation", "configuration", "translation"), 0.5),
    }
)
"""Weights by which each place is as likely as not, and told."""


def snapshot(path: str, text: str) -> Snapshot:
    return Snapshot.from_text(text, uri=f"{ROOT}/{path}", language=language_of(path))


def changed(path: str, before: str, after: str) -> ChangedFile:
    return ChangedFile(snapshot(path, before), snapshot(path, after))


def codebase(files: Mapping[str, str]) -> CommitCodebase:
    known = CommitCodebase(code_only=False)
    known.update(files)
    return known
