"""A predictor of edits that fix a diagnostic, where there is hardly a second fix.

The fixes: the name that a message suggests, the new name of a renamed symbol, an import as another open document shows it,
the removal of an unused import.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from rapidfuzz.distance import OSA

from editahead_inference.candidates import Candidate, CandidateSource
from editahead_prompts.state import Diagnostic, EditorState, PastEdit
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.identifiers import WORD, changed_spans, is_word, tokenize
from editahead_prompts.text.word_patterns import WordPattern

from .propagation.document_index import DocumentIndex
from .propagation.import_rules import IMPORT, UnusedImport, imports_at
from .propagation.missing_imports import imports_of
from .propagation.predictor import to_edit
from .propagation.proposal import Proposal

_SURE = {"suggested": 0.85, "renamed": 0.85, "imported": 0.7, "unused": 0.7, "misspelt": 0.6}
"""The assumed probability of each kind of fix. Chosen, not fitted: commits hold no diagnostics."""
_MAX_DIAGNOSTICS = 8
"""Diagnostics that get fixes, the nearest to the cursor first."""
_MIN_NAME_CHARS = 4
"""Characters from which a name that differs in one place counts as a misspelling."""

_NAME = r"[`'\"‘“]?(?P<name>[^\W\d]\w*)[`'\"’”]?"
_UNDEFINED = WordPattern(
    rf"(?:undefined name|cannot find name|cannot find (?:value|function|type|macro|struct, variant or union type)"
    rf"|use of undeclared identifier|undefined:|unresolved reference:?|undefined variable|undeclared name:) {_NAME}"
    rf"|{_NAME.replace('name', 'other')} (?:is not defined|was not declared in this scope)",
    re.IGNORECASE,
)
_SUGGESTS = WordPattern(
    r"(?:did you mean|similar name exists:?|help: consider importing)[^`'\"‘“\n]*[`'\"‘“](?P<name>[^\W\d]\w*)[`'\"’”]",
    re.IGNORECASE,
)
_NOT_USED = WordPattern(
    rf"unused import:? {_NAME}|import {_NAME.replace('name', 'second')} is not accessed"
    rf"|{_NAME.replace('name', 'third')} (?:is )?"
    r"(?:imported (?:but|and) (?:un|not )used|declared but (?:its value is )?never (?:read|used))",
    re.IGNORECASE,
)


class DiagnosticFixes:
    """A predictor of fixes. For one thread at a time.

    Args:
        trees: The syntax trees, which predictors share.
    """

    source: CandidateSource = "diagnostic"

    def __init__(self, trees: SyntaxTrees) -> None:
        self._trees = trees

    def propose(self, state: EditorState, check: Callable[[], None]) -> list[Candidate]:
        """Return fixes, see `Predictor.propose`."""
        if not state.diagnostics:
            return []
        index = DocumentIndex(state.document)
        here = state.document.line_at(state.cursor)
        line_of = state.document.line_at
        nearest = sorted(state.diagnostics, key=lambda diagnostic: abs(line_of(diagnostic.start) - here))
        found: list[Candidate] = []
        for diagnostic in nearest[:_MAX_DIAGNOSTICS]:
            check()
            if not _is_being_typed(state, diagnostic):
                found += _answers(state, diagnostic, index, self._trees)
        return list({candidate.edit: candidate for candidate in reversed(found)}.values())[::-1]


def _is_being_typed(state: EditorState, diagnostic: Diagnostic) -> bool:
    """Return whether the diagnostic is about text that the user is still typing."""
    return state.cursor_context[0] == "offset" and diagnostic.start <= state.cursor <= diagnostic.end


def _answers(
    state: EditorState, diagnostic: Diagnostic, index: DocumentIndex, trees: SyntaxTrees
) -> Iterator[Candidate]:
    """Yield at most one fix of each kind, the likeliest first."""
    name = state.document.text[diagnostic.start : diagnostic.end]
    undefined = _named(_UNDEFINED, diagnostic.message)
    if undefined and name == undefined:
        suggested = _named(_SUGGESTS, diagnostic.message)
        renamed = _new_name(name, state.history)
        if renamed:
            yield _replacement(state, diagnostic, renamed, "renamed")
        elif suggested and suggested != name:
            yield _replacement(state, diagnostic, suggested, "suggested")
        elif imported := imports_of([name], index, state.other_documents, trees, anywhere=True):
            yield _candidate(state, imported[0].proposal, f"import {name}", f"import:{name}", "imported")
        elif similar := _misspelt(name, index):
            yield _replacement(state, diagnostic, similar, "misspelt")
    unused = _named(_NOT_USED, diagnostic.message)
    line = state.document.line_at(diagnostic.start)
    if unused and imports_at(index, line) and not _is_new(unused, state.history):
        rule = UnusedImport("import-unused", f"unused:{unused}", f"drop import of {unused}", unused, unused)
        for proposal in rule.proposals(index):
            yield _candidate(state, proposal, rule.label, rule.key, "unused")


def _named(pattern: WordPattern, message: str) -> str:
    """Return the name that the pattern finds in a message, or ""."""
    match = pattern.search(message)
    return "" if match is None else next((group for group in match.groups() if group), "")


def _new_name(name: str, history: tuple[PastEdit, ...]) -> str:
    """Return the last name that the user renamed this name to, or ""."""
    for edit in reversed(history):
        for old, new in zip(edit.old, edit.new, strict=False):
            a, b = tokenize(old), tokenize(new)
            for a1, a2, b1, b2 in changed_spans(a, b):
                if a[a1:a2] == [name] and b2 - b1 == 1 and is_word(b[b1]):
                    return b[b1]
    return ""


def _is_new(name: str, history: tuple[PastEdit, ...]) -> bool:
    """Return whether the user added the import, and so may use it soon."""
    return any(name in WORD.findall(line) for edit in history for line in edit.new if IMPORT.match(line))


def _misspelt(name: str, index: DocumentIndex) -> str:
    """Return the only name of the text that differs in one character or in two swapped ones, or ""."""
    if len(name) < _MIN_NAME_CHARS:
        return ""
    similar = [
        known
        for known, count in index.words.items()
        if count > 1
        and known != name
        and abs(len(known) - len(name)) <= 1
        and OSA.distance(name, known, score_cutoff=1) <= 1
    ]
    return similar[0] if len(similar) == 1 and index.words[name] == 1 else ""


def _replacement(state: EditorState, diagnostic: Diagnostic, new: str, kind: str) -> Candidate:
    edit = Edit.replace(diagnostic.start, diagnostic.end, new)
    old = state.document.text[diagnostic.start : diagnostic.end]
    place = diagnostic.start
    return Candidate(
        state.document.uri,
        edit,
        place,
        place + len(new),
        "diagnostic",
        f"{old} -> {new}",
        f"diagnostic:{old}:{new}",
        {f"kind:{kind}": 1.0},
        _SURE[kind],
    )


def _candidate(state: EditorState, proposal: Proposal, label: str, rule: str, kind: str) -> Candidate:
    edit = to_edit(state.document, proposal)
    after = edit.replacements[-1].end + edit.growth
    place = edit.replacements[0].start
    return Candidate(
        state.document.uri,
        edit,
        place,
        after,
        "diagnostic",
        label,
        rule,
        {f"kind:{kind}": 1.0},
        _SURE[kind],
    )
