"""A least recently used cache of the model's responses."""

from __future__ import annotations

from editahead_inference.predictors.model.response import ModelResponse


class ResponseCache:
    """A cache of responses, the last used first. The newest is kept, however long its document is.

    Args:
        max_responses: The number of responses, at most.
        max_per_document: The number of responses for one document, at most.
        max_chars: The characters of all documents that the responses are for, at most.
    """

    def __init__(
        self, max_responses: int = 100, max_per_document: int = 4, max_chars: int = 10_000_000
    ) -> None:
        self._max_responses, self._max_per_document, self._max_chars = (
            max_responses,
            max_per_document,
            max_chars,
        )
        self._responses: list[ModelResponse] = []

    def for_document(self, uri: str) -> list[ModelResponse]:
        """Return the responses for a document, the last used first."""
        return [response for response in self._responses if response.document.uri == uri]

    def put(self, response: ModelResponse) -> None:
        """Add a response or mark it as used, and drop the least recently used ones beyond the limits."""
        self.discard(response)
        self._responses.insert(0, response)
        for old in self.for_document(response.document.uri)[self._max_per_document :]:
            self.discard(old)
        chars = sum(response.document.length for response in self._responses)
        while len(self._responses) > 1 and (
            len(self._responses) > self._max_responses or chars > self._max_chars
        ):
            chars -= self._responses.pop().document.length

    def discard(self, response: ModelResponse) -> None:
        """Remove a response, if it is there."""
        self._responses = [other for other in self._responses if other is not response]

    def on_close(self, uri: str) -> None:
        """Remove the responses for a closed document."""
        self._responses = [response for response in self._responses if response.document.uri != uri]

    def clear(self) -> None:
        """Remove all responses."""
        self._responses.clear()
