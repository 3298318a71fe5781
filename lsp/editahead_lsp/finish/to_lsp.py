"""What a change lacks in LSP terms: places, and one edit that makes them. The functions are pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from editahead_lsp.protocol.client_capabilities import ClientCapabilities
from editahead_lsp.protocol.custom_messages import TextEdit, VersionedTextDocument
from editahead_lsp.protocol.finish_messages import (
    FinishedRule,
    FinishResult,
    LeftOut,
    LeftPlace,
    LeftUse,
    Looked,
    ShownAt,
)
from editahead_lsp.protocol.lsp_types import (
    AnnotatedTextEdit,
    ChangeAnnotation,
    TextDocumentEdit,
    WorkspaceEdit,
)
from editahead_workspace.finish.messages import Found

from .service import CurrentPlace


def to_result(
    found: Found,
    places: Sequence[CurrentPlace],
    uses: Sequence[LeftUse],
    client: ClientCapabilities,
    ms: float,
) -> FinishResult:
    """Return the result of the command.

    Args:
        found: What was found.
        places: The places of the result, in the present texts.
        uses: The uses to look at, in the present texts.
        client: What the client can do.
        ms: How long it took, in milliseconds.
    """
    labels = {rule.id: rule.label for rule in found.rules}
    likely = [place for place in places if place.found.likely]
    return FinishResult(
        not (likely or uses or found.unsearched),
        found.source,
        [
            FinishedRule(rule.id, rule.label, [ShownAt(uri, line) for uri, line in rule.shown_at])
            for rule in found.rules
        ],
        [to_place(place) for place in places],
        to_edit(likely, labels, client),
        [LeftOut(path, reason) for path, reason in found.left_out],
        Looked(found.files, len(found.rules), round(ms, 3)),
        list(uses),
        list(found.unsearched),
    )


def to_place(place: CurrentPlace) -> LeftPlace:
    """Return a place as the client gets it."""
    found = place.found
    return LeftPlace(
        place.uri,
        place.version,
        place.range,
        found.old,
        found.new,
        found.rule,
        round(found.confidence, 4),
        found.kind,
        found.likely,
        found.why,
    )


def to_plain_edit(places: Sequence[CurrentPlace], versioned: bool) -> WorkspaceEdit:
    """Return one edit that makes some places, without a question.

    Args:
        places: The places.
        versioned: Whether the client supports versions of documents.
    """
    by_file = _by_file(places)
    edits = {uri: [edit for place in found for edit in place.edits] for uri, found in by_file.items()}
    if not versioned:
        return WorkspaceEdit(changes=edits)
    return WorkspaceEdit(
        [
            TextDocumentEdit(VersionedTextDocument(uri, found[0].version), [*edits[uri]])
            for uri, found in by_file.items()
        ]
    )


def to_edit(
    places: Sequence[CurrentPlace], labels: dict[str, str], client: ClientCapabilities
) -> WorkspaceEdit:
    """Return one edit that makes all places, with a confirmation for each where the client can ask for it.

    Args:
        places: The places.
        labels: The labels of the rules by id.
        client: What the client can do.
    """
    if not client.annotates_edits:
        return to_plain_edit(places, client.document_changes)
    annotations: dict[str, ChangeAnnotation] = {}
    changes: list[TextDocumentEdit] = []
    for uri, found in _by_file(places).items():
        edits: list[TextEdit | AnnotatedTextEdit] = []
        for place in found:
            id = str(len(annotations) + 1)
            label = labels.get(place.found.rule, "")
            title = f"{label}, line {place.range.start.line + 1} ({place.found.confidence:.0%})"
            annotations[id] = ChangeAnnotation(title, True, place.found.why)
            edits += (AnnotatedTextEdit(edit.range, edit.new_text, id) for edit in place.edits)
        changes.append(TextDocumentEdit(VersionedTextDocument(uri, found[0].version), edits))
    return WorkspaceEdit([*changes], change_annotations=annotations or None)


def _by_file(places: Sequence[CurrentPlace]) -> dict[str, list[CurrentPlace]]:
    by_file: defaultdict[str, list[CurrentPlace]] = defaultdict(list)
    for place in places:
        by_file[place.uri].append(place)
    return by_file
