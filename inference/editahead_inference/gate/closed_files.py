"""The probability of an edit in a file that is not open.

Trees and calibration were fitted to documents that a person opened, which says much: a closed file that the index found is
seldom the next place. Terms that are fitted to commits of several files correct the log-odds for that.
"""

from __future__ import annotations

import json
import math
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from urllib.parse import unquote

from editahead_inference.candidates import WITNESSED, Candidate
from editahead_inference.predictors.propagation.import_rules import IMPORT
from editahead_prompts.state import EditorState
from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.word_patterns import WordPattern

from .calibration import logit
from .decision_trees import sigmoid
from .filters import lines_after, touched_lines

_LAST_EDITS = 6
_MAX_IMPORT_LINES = 200
"""First lines of a file in which its imports are looked for."""
_TOKEN = WordPattern(r"\w+")


def closed_threshold(eagerness: float) -> float:
    """Return the probability above which an edit of a closed file is shown: 0.9 at eagerness 0, 0.4 at eagerness 1.

    It is higher than for open documents, as the edit takes a person away from where they are. At the default eagerness, 73%
    of what was shown was right, in commits of repositories that the fit did not see.
    """
    return 0.9 - 0.5 * min(max(eagerness, 0.0), 1.0)


def closed_features(state: EditorState, candidate: Candidate, probability: float) -> dict[str, float]:
    """Return what tells whether an edit of a closed file is next.

    Args:
        state: The state.
        candidate: An edit of one of its closed documents.
        probability: Its probability as if the document were open.
    """
    edited = state.history[-1].uri if state.history else state.document.uri
    features = candidate.features
    removed = _removed_tokens(state, candidate)
    return {
        "one": 1.0,
        "log-odds": logit(probability),
        "same-folder": float(posixpath.dirname(edited) == posixpath.dirname(candidate.uri)),
        "similarity": features.get("similarity", 0.0),
        "age": features.get("age", 0.0),
        "length": math.log1p(features.get("source-length", 0.0)),
        "converted": features.get("converted", 0.0),
        "import": features.get("import", 0.0),
        "follows": float(candidate.confidence is not None),
        "imports": float(_imports_replaced_name(state, candidate, edited, removed)),
        "gone": _deleted_share(state, edited, removed),
    }


def _removed_tokens(state: EditorState, candidate: Candidate) -> list[str]:
    """Return the words and numbers that an edit removes from its lines."""
    snapshot = state.snapshot(candidate.uri)
    if snapshot is None or not candidate.edit:
        return []
    start, end = touched_lines(snapshot, candidate.edit)
    kept = set(_TOKEN.findall(lines_after(snapshot, candidate.edit, start, end)))
    before = dict.fromkeys(_TOKEN.findall("".join(snapshot.lines[start:end])))
    return [token for token in before if token not in kept]


def _deleted_share(state: EditorState, edited: str, removed: Sequence[str]) -> float:
    """Return the share of the removed tokens that the edited file has no more: the person is done with them there."""
    document = state.snapshot(edited)
    if document is None or not removed:
        return 0.0
    return sum(token not in document.text for token in removed) / len(removed)


def _imports_replaced_name(
    state: EditorState, candidate: Candidate, edited: str, removed: Sequence[str]
) -> bool:
    """Return whether the closed file imports a name that the edit replaces from the file that was edited, or its folder.

    What the name means there is then known, and what is left of it is broken.
    """
    if not candidate.kind.startswith("rename"):
        return False
    modules = _modules(edited)
    return any(
        not names.isdisjoint(removed) and not modules.isdisjoint(names.difference(removed))
        for names in _imports(state, candidate)
    )


def _imports_edited(state: EditorState, candidate: Candidate) -> bool:
    """Return whether the closed file imports something from a file that was edited lately, or from its folder.

    Who follows a rename edits other files than that of the definition.
    """
    edited = {state.document.uri, *(edit.uri for edit in state.history[-_LAST_EDITS:])}
    modules = set[str]().union(*map(_modules, edited))
    return any(not modules.isdisjoint(names) for names in _imports(state, candidate))


def _modules(uri: str) -> set[str]:
    """Return the names by which others import a file: its own and its folder's."""
    folder, name = posixpath.split(unquote(uri))
    return {posixpath.splitext(name)[0], posixpath.basename(folder)}


def _imports(state: EditorState, candidate: Candidate) -> Iterator[set[str]]:
    """Yield the names in each line of imports of the candidate's file."""
    snapshot = state.snapshot(candidate.uri)
    lines = () if snapshot is None else snapshot.lines[:_MAX_IMPORT_LINES]
    return (set(WORD.findall(line)) for line in lines if IMPORT.match(line))


_NAMED_FILES = ("moved-file", "mined-co-change", "import-path", "rename-witnessed")
"""Kinds of candidates that say which file needs the edit, so that its likeness says nothing more."""


def _names_file(candidate: Candidate) -> bool:
    return candidate.kind in _NAMED_FILES or WITNESSED in candidate.features


def closed_probability(
    state: EditorState, candidate: Candidate, probability: float, terms: Mapping[str, float] | None = None
) -> float:
    """Return the probability that an edit of a closed file is next.

    Args:
        state: The state.
        candidate: An edit of one of its closed documents.
        probability: Its probability as if the document were open.
        terms: Weights by feature; by default the shipped ones.
    """
    weights = _shipped_terms() if terms is None else terms
    features = closed_features(state, candidate, probability)
    if (features["follows"] and features["imports"]) or _names_file(candidate):
        return probability  # the code or the history says what follows, and in which file
    if candidate.kind == "rename-defined" and (features["same-folder"] or _imports_edited(state, candidate)):
        return probability  # bindings lead there: by the package, or by the type of a receiver
    return sigmoid(sum(weights.get(name, 0.0) * value for name, value in features.items()))


@cache
def _shipped_terms() -> Mapping[str, float]:
    """Return the shipped terms (closed_files.json, fitted by `editahead-lab train closed-files`)."""
    text = resources.files(__package__).joinpath("closed_files.json").read_text("utf-8")
    terms: Mapping[str, float] = json.loads(text)["terms"]
    return terms
