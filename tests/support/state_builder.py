"""A user who edits several documents, for tests of inference: the states that a server would build, without a server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from editahead_inference.candidates import Prediction
from editahead_inference.gate.gate import Gate, Weights
from editahead_inference.pipeline import Pipeline
from editahead_inference.predictors.propagation.document_index import DocumentIndex
from editahead_inference.predictors.propagation.predictor import to_edit
from editahead_inference.predictors.propagation.proposal import Proposal
from editahead_inference.predictors.propagation.rule import Rule
from editahead_inference.predictors.propagation.rule_induction import induce_rules
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot, split_lines

HERE = "file:///a.py"


class Person:
    """A user who edits documents one after another, with ten seconds between two edits."""

    def __init__(self, text: str, *, uri: str = HERE, language: str = "python") -> None:
        self.history = EditHistory()
        self.documents: dict[str, Snapshot] = {}
        self.cursor = 0
        self.texts: list[str] = []
        """Every text of a document before an edit."""
        self._at = 0.0
        self.uri = uri
        self.open(text, uri=uri, language=language)

    @property
    def snapshot(self) -> Snapshot:
        return self.documents[self.uri]

    @property
    def text(self) -> str:
        return self.snapshot.text

    def open(self, text: str, *, uri: str, language: str = "python") -> Person:
        """Open a document; it becomes the active one."""
        self.documents[uri] = Snapshot.from_text(text, uri=uri, language=language)
        self.history.on_open(self.documents[uri])
        self.uri, self.cursor = uri, 0
        return self

    def look(self, uri: str) -> Person:
        self.uri, self.cursor = uri, 0
        return self

    def make(self, edit: Edit) -> Person:
        before = self.snapshot
        self.texts.append(before.text)
        after = Snapshot.from_text(
            edit.apply(before.text), uri=before.uri, language=before.language, version=before.version + 1
        )
        self._at += 10.0
        self.documents[self.uri] = after
        self.history.record_change(before, after, edit, at=self._at, cursor=None)
        self.cursor = edit.changed_span[1] + edit.growth
        return self

    def replace(self, old: str, new: str) -> Person:
        """Replace the first `old` with `new`, in one change."""
        at = self.text.index(old)
        return self.make(Edit.replace(at, at + len(old), new))

    def insert(self, text: str, *, before: str) -> Person:
        at = self.text.index(before)
        return self.make(Edit.replace(at, at, text))

    def make_at_end(self, text: str) -> Person:
        """Type at the end of the document, in one change."""
        end = self.snapshot.length
        return self.make(Edit.replace(end, end, text))

    def type(self, text: str, *, after: str) -> Person:
        """Type a text behind the first `after`, one key at a time."""
        at = self.text.index(after) + len(after)
        for k, character in enumerate(text):
            self._at -= 9.9
            self.make(Edit.replace(at + k, at + k, character))
        return self

    def state(self, **more: Any) -> EditorState:
        others = tuple(other for uri, other in self.documents.items() if uri != self.uri)
        return EditorState(
            self.snapshot,
            more.pop("cursor", self.cursor),
            self.history.edits,
            others,
            undone=self.history.undone,
            **more,
        )


def certain() -> Gate:
    """Return a gate that finds every candidate likely, so that only its filters reject candidates."""
    return Gate(Weights({"features": [], "bias": 3.0, "trees": []}))


def shown_texts(prediction: Prediction) -> list[str]:
    """Return the text after each shown edit, best first."""
    texts: list[str] = []
    for decision in prediction.shown:
        snapshot = prediction.state.snapshot(decision.candidate.uri)
        assert snapshot is not None
        texts.append(decision.candidate.edit.apply(snapshot.text))
    return texts


def predict(state: EditorState, *, eagerness: float = 1.0) -> Prediction:
    """Return the prediction of the rules, without the influence of weights."""
    return Pipeline(gate=certain()).predict(state, eagerness=eagerness)


def applied(snapshot: Snapshot, proposal: Proposal) -> str:
    """Return the text after the candidate's edit, and check that the edit is minimal."""
    lines = snapshot.lines
    text = "".join((*lines[: proposal.start], *proposal.lines, *lines[proposal.end :]))
    assert to_edit(snapshot, proposal).apply(snapshot.text) == text
    return text


def results(rule: Rule, text: str) -> list[str]:
    """Return the text after each candidate of the rule."""
    snapshot = Snapshot.from_text(text)
    return [applied(snapshot, proposal) for proposal in rule.proposals(DocumentIndex(snapshot))]


def taught(old: str, new: str, text: str, *, before: str = "", after: str = "") -> Iterator[tuple[Rule, str]]:
    """Return every rule learned from old -> new (whole lines), with its result for each place in `text`."""
    for rule in induce_rules(_lines(old), _lines(new), before, after):
        for result in results(rule, text):
            yield rule, result


def outcomes(old: str, new: str, text: str, *, before: str = "", after: str = "") -> set[str]:
    return {result for _, result in taught(old, new, text, before=before, after=after)}


def _lines(text: str) -> tuple[str, ...]:
    return tuple(filter(None, split_lines(text)))
