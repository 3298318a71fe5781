"""The first edit that the server shows at a cursor, in any document, and its confidence."""

from __future__ import annotations

from dataclasses import dataclass

from editahead_evals.client.editor import Editor
from editahead_evals.data.commit_replay import Point


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """A shown edit by the text that its document has after it."""

    id: str
    uri: str
    after: str


def first_answer(editor: Editor, uri: str, at: Point) -> tuple[ShownDocument | None, float]:
    """Return what `copilotInlineEdit` shows first, else `inlineCompletion`; and the latency of the first response.

    The latency is in milliseconds.
    """
    response = editor.inline_edit(uri, at)
    for edit in response.result["edits"]:
        target = edit["textDocument"]["uri"]
        after = editor.documents[target].edited([{"range": edit["range"], "newText": edit["text"]}])
        return ShownDocument(edit["command"]["arguments"][0], target, after), response.ms
    for item in editor.inline_completion(uri, at).result["items"]:
        after = editor.documents[uri].edited([{"range": item["range"], "newText": item["insertText"]}])
        return ShownDocument(item["command"]["arguments"][0], uri, after), response.ms
    return None, response.ms


def confidence_of(editor: Editor, uri: str, at: Point, shown: ShownDocument) -> float | None:
    """Return the confidence of a shown edit, as `editahead/nextEdit` has it for the same edit."""
    for prediction in editor.next_edit(uri, at).result["predictions"]:
        target = prediction["textDocument"]["uri"]
        if target != shown.uri or not prediction["edits"]:
            continue
        if (
            prediction["id"] == shown.id
            or editor.documents[target].edited(prediction["edits"]) == shown.after
        ):
            return float(prediction["confidence"])
    return None
