"""What a model said, as long as the rest of it may be of use; what was of none for the longest is forgotten first."""

from __future__ import annotations

from editahead_inference.predictors.model.response import ModelResponse


class ResponseCache:
    """Answers, the last used first. The newest is kept, however long its document is.

    most, of_one: so many, in all and of one document. chars: of all the texts that they are of.
    """

    def __init__(self, most: int = 100, of_one: int = 4, chars: int = 10_000_000) -> None:
        self._most, self._of_one, self._chars = most, of_one, chars
        self._told: list[ModelResponse] = []

    def for_document(self, uri: str) -> list[ModelResponse]:
        return [told for told in self._told if told.document.uri == uri]

    def put(self, told: ModelResponse) -> None:
        """It is new, or was of use: what was of none for the longest goes."""
        self.discard(told)
        self._told.insert(0, told)
        for old in self.for_document(told.document.uri)[self._of_one :]:
            self.discard(old)
        chars = sum(told.document.length for told in self._told)
        while len(self._told) > 1 and (len(self._told) > self._most or chars > self._chars):
            chars -= self._told.pop().document.length

    def discard(self, told: ModelResponse) -> None:
        self._told = [other for other in self._told if other is not told]

    def on_close(self, uri: str) -> None:
        self._told = [told for told in self._told if told.document.uri != uri]

    def clear(self) -> None:
        self._told.clear()
