"""Responses to prompts without secrets, as responses for the real texts."""

from __future__ import annotations

from dataclasses import replace

from editahead_prompts.secrets.masked_state import restore_edit
from editahead_prompts.secrets.masking import Masks
from editahead_prompts.state import EditorState

from .response import ApplyResponse, ModelResponse


def restore_response(
    response: ModelResponse, state: EditorState, masked: EditorState, masks: Masks
) -> ModelResponse:
    """Return the response with secrets in place of their placeholders.

    Args:
        response: The response to the masked state.
        state: The state.
        masked: The state with placeholders in place of secrets.
        masks: The secrets with their placeholders.
    """
    if not masks:
        return response
    original = state.document
    restored = (
        replace(rewrite, edit=restore_edit(rewrite.edit, original, masked.document, masks))
        for rewrite in response.rewrites
    )
    edits = dict(zip(masked.proposed, state.proposed, strict=True))
    return replace(
        response,
        document=original,
        rewrites=tuple(rewrite for rewrite in restored if rewrite.edit),
        continuation=None,  # it says placeholders
        scores=tuple((edits.get(edit, edit), logprob) for edit, logprob in response.scores),
    )


def restore_apply_response(response: ApplyResponse, masks: Masks) -> ApplyResponse:
    """Return the response to a sketch with secrets in place of their placeholders."""
    if not masks or response.text is None:
        return response
    return replace(response, text=masks.restore(response.text))
