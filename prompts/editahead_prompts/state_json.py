"""Editor states as JSON, to render, score or learn from a stored prediction again.

A stored state holds the texts of all its documents. `state_from_json(state_to_json(state)) == state` for every state.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar, cast, get_args

from editahead_prompts.errors import InvalidStateError

from .state import (
    Diagnostic,
    EditorState,
    MovedFile,
    Origin,
    PastEdit,
    RelatedCode,
    RelatedKind,
    RuleOutcomes,
    UserPreferences,
)
from .symbol_evidence import ClosedPlace, NamedPlace, SymbolEvidence
from .text.edits import Edit, Replacement
from .text.snapshot import Snapshot, split_lines

VERSION = 1
"""Version of the stored form. Raise the number when an older reader would misread the form."""


T = TypeVar("T")


def state_to_json(state: EditorState) -> dict[str, Any]:
    """Convert a state to a JSON object. Lone surrogates survive if the JSON is written in ASCII."""
    taste = state.taste
    return {
        "stateVersion": VERSION,
        "document": _document(state.document),
        "cursor": state.cursor,
        "history": [_past(edit) for edit in state.history],
        "others": [_document(other) for other in state.other_documents],
        "refused": {uri: list(map(_replacements, edits)) for uri, edits in state.rejected.items()},
        "undone": [_past(edit) for edit in state.undone],
        "outcomes": {rule: [o.accepted, o.rejected] for rule, o in state.outcomes.items()},
        "taste": taste and {"weights": dict(taste.weights), "trust": taste.trust, "recent": taste.recent},
        "diagnostics": [[d.start, d.end, d.message, d.code] for d in state.diagnostics],
        "proposed": list(map(_replacements, state.proposed)),
        "closed": [_document(closed) for closed in state.closed_documents],
        "importSources": [_document(source) for source in state.import_sources],
        "indexVersion": state.index_version,
        "moved": [[moved.old, moved.new] for moved in state.moved_files],
        "related": [[r.uri, r.line, r.text, r.kind, r.score] for r in state.related_code],
        "evidence": list(map(_evidence, state.evidence)),
    }


def state_from_json(value: Any) -> EditorState:
    """Restore a stored state.

    Raises:
        InvalidStateError: The value is not a stored state, or has another version.
    """
    try:
        if _a(int, value["stateVersion"]) != VERSION:
            raise InvalidStateError(f"a state of version {value['stateVersion']!r}; {VERSION} is understood")
        taste = value["taste"]
        return EditorState(
            document=_snapshot(value["document"]),
            cursor=_a(int, value["cursor"]),
            history=_edits(value["history"]),
            other_documents=tuple(map(_snapshot, value["others"])),
            rejected={uri: tuple(map(_edit, edits)) for uri, edits in value["refused"].items()},
            undone=_edits(value["undone"]),
            outcomes={
                rule: RuleOutcomes(*_all((int, int), counts)) for rule, counts in value["outcomes"].items()
            },
            taste=None if taste is None else _taste(taste),
            diagnostics=tuple(
                Diagnostic(*_all((int, int, str, str), fields)) for fields in value["diagnostics"]
            ),
            proposed=tuple(map(_edit, value.get("proposed", ()))),
            closed_documents=tuple(map(_snapshot, value.get("closed", ()))),
            import_sources=tuple(map(_snapshot, value.get("importSources", ()))),
            index_version=_a(int, value.get("indexVersion", 0)),
            moved_files=tuple(MovedFile(*_all((str, str), moved)) for moved in value.get("moved", ())),
            related_code=tuple(map(_related, value.get("related", ()))),
            evidence=tuple(map(_evidence_from, value.get("evidence", ()))),
        )
    except InvalidStateError:
        raise
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise InvalidStateError(f"not a stored state ({type(error).__name__}: {error})") from error


def _replacements(edit: Edit) -> list[list[Any]]:
    return [[r.start, r.end, r.text] for r in edit.replacements]


def _edit(replacements: Any) -> Edit:
    return Edit(tuple(Replacement(*_all((int, int, str), r)) for r in replacements))


def _document(document: Snapshot) -> dict[str, Any]:
    return {
        "uri": document.uri,
        "language": document.language,
        "version": document.version,
        "text": document.text,
    }


def _snapshot(value: Any) -> Snapshot:
    uri, language, text = (_a(str, value[key]) for key in ("uri", "language", "text"))
    return Snapshot(uri, language, _a(int, value["version"]), split_lines(text))


def _taste(value: Any) -> UserPreferences:
    weights = tuple((name, _number(weight)) for name, weight in value["weights"].items())
    return UserPreferences(weights, _number(value["trust"]), _number(value["recent"]))


def _related(value: Any) -> RelatedCode:
    uri, line, text, kind, score = value
    if kind not in get_args(RelatedKind):
        raise InvalidStateError(f"not a stored state (related code is {' or '.join(get_args(RelatedKind))})")
    return RelatedCode(_a(str, uri), _a(int, line), _a(str, text), cast(RelatedKind, kind), _number(score))


def _evidence(evidence: SymbolEvidence) -> dict[str, Any]:
    return {
        "name": evidence.name,
        "uri": evidence.uri,
        "start": evidence.start,
        "end": evidence.end,
        "places": [[p.uri, p.start, p.before, p.after] for p in evidence.places],
        "closed": [[p.uri, p.line, p.column, p.before, p.after] for p in evidence.closed_places],
        "complete": evidence.is_complete,
        "touched": evidence.is_touched,
    }


def _evidence_from(value: Any) -> SymbolEvidence:
    name, uri = (_a(str, value[key]) for key in ("name", "uri"))
    start, end = (_a(int, value[key]) for key in ("start", "end"))
    return SymbolEvidence(
        *(name, uri, start, end),
        places=tuple(NamedPlace(*_all((str, int, str, str), place)) for place in value["places"]),
        closed_places=tuple(
            ClosedPlace(*_all((str, int, int, str, str), place)) for place in value["closed"]
        ),
        is_complete=_a(bool, value["complete"]),
        is_touched=_a(bool, value["touched"]),
    )


def _past(edit: PastEdit) -> dict[str, Any]:
    return {
        "uri": edit.uri,
        "line": edit.line,
        "old": list(edit.old),
        "new": list(edit.new),
        "at": edit.at,
        "origin": edit.origin,
        "open": edit.open,
        "erases": edit.erases,
    }


def _edits(values: Iterable[Any]) -> tuple[PastEdit, ...]:
    return tuple(
        PastEdit(
            _a(str, v["uri"]),
            _a(int, v["line"]),
            tuple(_a(str, line) for line in _a(list, v["old"])),
            tuple(_a(str, line) for line in _a(list, v["new"])),
            _number(v["at"]),
            _origin(v["origin"]),
            open=_a(bool, v["open"]),
            erases=_a(bool, v.get("erases", False)),  # states that were saved before have none
        )
        for v in values
    )


def _a(kind: type[T], value: Any) -> T:
    """Return the value if its type is exactly `kind`; else raise `InvalidStateError`."""
    if type(value) is not kind:
        raise InvalidStateError(f"not a stored state ({kind.__name__} expected, not {type(value).__name__})")
    return value


def _all(kinds: tuple[type, ...], values: Any) -> list[Any]:
    return [_a(kind, value) for kind, value in zip(kinds, values, strict=True)]


def _number(value: Any) -> float:
    return value if type(value) is int else _a(float, value)


def _origin(value: Any) -> Origin:
    if value not in get_args(Origin):
        raise InvalidStateError(f"not a stored state (an edit is {' or '.join(get_args(Origin))})")
    return cast(Origin, value)
