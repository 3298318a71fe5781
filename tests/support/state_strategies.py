"""Strategies for editor states of any content, valid in form only: offsets may lie outside of the texts."""

from __future__ import annotations

from hypothesis import strategies as st

from editahead_prompts.state import (
    Diagnostic,
    EditorState,
    MovedFile,
    PastEdit,
    RelatedCode,
    RuleOutcomes,
    UserPreferences,
)
from editahead_prompts.symbol_evidence import ClosedPlace, NamedPlace, SymbolEvidence
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.snapshot import Snapshot

TEXTS = st.text(st.characters() | st.sampled_from("\n\r\ud800é"), max_size=20)
NUMBERS = st.integers(0, 99)
FLOATS = st.floats(allow_nan=False)
URIS = st.sampled_from(["file:///a.py", "untitled:1"])
DOCUMENTS = st.builds(Snapshot.from_text, TEXTS, uri=URIS, language=st.just("go"), version=NUMBERS)
LINES = st.lists(TEXTS, max_size=3).map(tuple)
PAST = st.builds(
    PastEdit,
    *(URIS, NUMBERS, LINES, LINES, FLOATS),
    origin=st.sampled_from(["typed", "accepted"]),
    open=st.booleans(),
)
EDITS = st.lists(st.builds(Replacement, NUMBERS, NUMBERS, TEXTS), max_size=2).map(lambda r: Edit(tuple(r)))
EVIDENCE = st.builds(
    SymbolEvidence,
    *(TEXTS, URIS, NUMBERS, NUMBERS),
    places=st.lists(st.builds(NamedPlace, URIS, NUMBERS, TEXTS, TEXTS), max_size=2).map(tuple),
    closed_places=st.lists(st.builds(ClosedPlace, URIS, NUMBERS, NUMBERS, TEXTS, TEXTS), max_size=2).map(
        tuple
    ),
    is_complete=st.booleans(),
    is_touched=st.booleans(),
)
STATES = st.builds(
    EditorState,
    DOCUMENTS,
    NUMBERS,
    history=st.lists(PAST, max_size=3).map(tuple),
    other_documents=st.lists(DOCUMENTS, max_size=2).map(tuple),
    rejected=st.dictionaries(URIS, st.lists(EDITS, max_size=2).map(tuple)),
    undone=st.lists(PAST, max_size=2).map(tuple),
    outcomes=st.dictionaries(TEXTS, st.builds(RuleOutcomes, NUMBERS, NUMBERS)),
    taste=st.none()
    | st.builds(
        UserPreferences,
        st.dictionaries(st.sampled_from("abc"), FLOATS).map(lambda d: tuple(sorted(d.items()))),
        FLOATS,
        FLOATS,
    ),
    diagnostics=st.lists(st.builds(Diagnostic, NUMBERS, NUMBERS, TEXTS, TEXTS), max_size=2).map(tuple),
    moved_files=st.lists(st.builds(MovedFile, URIS, URIS), max_size=2).map(tuple),
    related_code=st.lists(
        st.builds(RelatedCode, URIS, NUMBERS, TEXTS, st.sampled_from(["definition", "similar"]), FLOATS),
        max_size=2,
    ).map(tuple),
    evidence=st.lists(EVIDENCE, max_size=2).map(tuple),
)
