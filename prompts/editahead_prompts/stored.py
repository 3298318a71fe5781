"""States as JSON: stored with a prediction, they can be rendered again, scored, or learned from.

A stored state holds the texts of all its documents. `state_of(as_json(state)) == state` for every state.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .edits import Edit, Replacement
from .snapshot import Snapshot, split_lines
from .state import Diagnostic, PastEdit, RuleOutcomes, State, Taste

VERSION = 1
"""Of the form; raised when an older reader would go wrong."""


class NotAState(ValueError):
    """JSON that is no stored state, or one of another version; the message is for a person."""


def as_json(state: State) -> dict[str, Any]:
    """A state as JSON knows it. Half surrogate pairs survive where JSON is written in ASCII."""
    taste = state.taste
    return {
        "stateVersion": VERSION,
        "document": _document(state.document),
        "cursor": state.cursor,
        "history": [_past(edit) for edit in state.history],
        "others": [_document(other) for other in state.others],
        "refused": {uri: list(map(_replacements, edits)) for uri, edits in state.refused.items()},
        "undone": [_past(edit) for edit in state.undone],
        "outcomes": {rule: [o.accepted, o.rejected] for rule, o in state.outcomes.items()},
        "taste": taste and {"weights": dict(taste.weights), "trust": taste.trust, "recent": taste.recent},
        "diagnostics": [[d.start, d.end, d.message, d.code] for d in state.diagnostics],
        "proposed": list(map(_replacements, state.proposed)),
    }


def state_of(value: Any) -> State:
    """The state that was stored. NotAState when it is none."""
    try:
        if value["stateVersion"] != VERSION:
            raise NotAState(f"a state of version {value['stateVersion']!r}; {VERSION} is understood")
        taste = value["taste"]
        return State(
            document=_snapshot(value["document"]),
            cursor=int(value["cursor"]),
            history=_edits(value["history"]),
            others=tuple(map(_snapshot, value["others"])),
            refused={uri: tuple(map(_edit, edits)) for uri, edits in value["refused"].items()},
            undone=_edits(value["undone"]),
            outcomes={rule: RuleOutcomes(*counts) for rule, counts in value["outcomes"].items()},
            taste=taste and Taste(tuple(taste["weights"].items()), taste["trust"], taste["recent"]),
            diagnostics=tuple(Diagnostic(*fields) for fields in value["diagnostics"]),
            proposed=tuple(map(_edit, value.get("proposed", ()))),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise NotAState(f"not a stored state ({type(error).__name__}: {error})") from error


def _replacements(edit: Edit) -> list[list[Any]]:
    return [[r.start, r.end, r.text] for r in edit.replacements]


def _edit(replacements: Any) -> Edit:
    return Edit(tuple(Replacement(*r) for r in replacements))


def _document(document: Snapshot) -> dict[str, Any]:
    return {
        "uri": document.uri,
        "language": document.language,
        "version": document.version,
        "text": document.text,
    }


def _snapshot(value: Any) -> Snapshot:
    return Snapshot(value["uri"], value["language"], value["version"], split_lines(value["text"]))


def _past(edit: PastEdit) -> dict[str, Any]:
    return {
        "uri": edit.uri,
        "line": edit.line,
        "old": list(edit.old),
        "new": list(edit.new),
        "at": edit.at,
        "origin": edit.origin,
        "open": edit.open,
    }


def _edits(values: Iterable[Any]) -> tuple[PastEdit, ...]:
    return tuple(
        PastEdit(v["uri"], v["line"], tuple(v["old"]), tuple(v["new"]), v["at"], v["origin"], open=v["open"])
        for v in values
    )
