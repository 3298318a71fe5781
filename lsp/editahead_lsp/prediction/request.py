"""A request for suggestions, and the surfaces that send one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal

from editahead_inference.candidates import Silence
from editahead_lsp.presentation.to_lsp import CanShow
from editahead_lsp.session.documents import Document
from editahead_prompts.state import EditorState

Surface = Literal[
    "inlineCompletion", "copilotInlineEdit", "nextEdit", "command", "codeAction", "completion", "hint"
]

VERSIONED_SURFACES: frozenset[Surface] = frozenset(
    ["copilotInlineEdit", "nextEdit", "command", "codeAction", "hint"]
)
"""The surfaces whose answers name the version that they are for."""
AT_CURSOR_SURFACES: frozenset[Surface] = frozenset(["inlineCompletion", "completion"])
"""The surfaces that show the likeliest suggestion at the cursor first. The others show next edits before next tokens."""
UNASKED_SURFACES: frozenset[Surface] = frozenset(["hint", "completion"])
"""The surfaces whose requests no key of the user causes."""
MAX_ALTERNATIVES = 5
"""Limits the suggestions in one answer."""


@dataclass
class PredictionRequest:
    """A request for suggestions.

    Attributes:
        started_at: The time of the request in seconds.
        superseded: Done when a newer request for the same document and surface has come.
        can_show: Returns whether the surface can show a suggestion.
        max_suggestions: The number of suggestions that the surface shows, at most.
        delay_s: The seconds to wait before a prediction.
        model_delay_s: The seconds from the request to a request to a model.
        pause_s: The seconds from the request for which edits elsewhere wait while the word at the cursor may go on.
        is_asked_for: Whether the user may be shown what the user has not seen yet. With the setting `trigger` "manual", an
            automatic request only keeps what is on the screen.
        silence: The reason, when it is already known that nothing will be shown.
        look: The comparison of the document with its file, where one was in progress when the state was frozen.
    """

    surface: Surface
    started_at: float
    superseded: asyncio.Future[None]
    can_show: CanShow
    max_suggestions: int = MAX_ALTERNATIVES
    document: Document | None = None
    state: EditorState | None = None
    delay_s: float = 0.0
    model_delay_s: float = 0.0
    pause_s: float = 0.0
    is_asked_for: bool = True
    silence: Silence | None = None
    look: asyncio.Future[None] | None = None
