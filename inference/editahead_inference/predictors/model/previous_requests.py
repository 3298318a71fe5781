"""The last requests for documents, in a format that keeps its window: what the next prompt and its draft begin with."""

from __future__ import annotations

from collections import OrderedDict

from editahead_prompts.composition.tokenizers import Tokenizer
from editahead_prompts.formats.base import PromptPaths, PromptRequest
from editahead_prompts.formats.next_edit.editahead_coder_2611 import EditaheadCoderFormat
from editahead_prompts.state import EditorState

from .continuation import Continuation

MAX_DOCUMENTS = 16
"""Documents whose last request is kept."""


class PreviousRequests:
    """The last request for each document, and what came of the last one for text at the cursor."""

    def __init__(self) -> None:
        self._requests: OrderedDict[str, PromptRequest] = OrderedDict()
        self._said: tuple[PromptRequest, Continuation] | None = None

    def build(
        self,
        format: EditaheadCoderFormat,
        state: EditorState,
        tokenizer: Tokenizer,
        budget: int,
        paths: PromptPaths,
    ) -> PromptRequest:
        """Build the request for a state with the window of the document's last request, where that may stay.

        Raises:
            PromptTooLongError: See `Format.build`.
        """
        uri = state.document.uri
        request = format.build(state, tokenizer, budget=budget, paths=paths, previous=self._requests.get(uri))
        self._requests[uri] = request
        self._requests.move_to_end(uri)
        if len(self._requests) > MAX_DOCUMENTS:
            self._requests.popitem(last=False)
        return request

    def on_close(self, uri: str) -> None:
        """Forget a closed document."""
        self._requests.pop(uri, None)
        if self._said is not None and self._said[0].document.uri == uri:
            self._said = None

    def record_said(self, request: PromptRequest, said: Continuation) -> None:
        """Keep what comes of a request for text at the cursor."""
        self._said = request, said

    def said_before(self, request: PromptRequest) -> str:
        """Return what the model said last behind the cursor of a request, as far as the text does not contradict it."""
        if self._said is None or self._said[0].document.uri != request.document.uri:
            return ""
        last, said = self._said
        whole = last.document.text[: last.cursor] + said.text
        before = request.document.text[: request.cursor]
        return whole[len(before) :] if whole.startswith(before) else ""
