"""Placeholders of the same length in place of secrets, and the secrets again in place of these.

A placeholder has the secret's length in code points and in UTF-16 units, and its kinds of characters: offsets hold, and it
costs about as many tokens. It tells nothing about the secret, as it depends only on how many secrets came before.
"""

from __future__ import annotations

import hashlib
import string
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock

from editahead_prompts.text.snapshot import Snapshot

from .detection import find_secrets, may_hold_private_key

MAX_DOCUMENTS = 32
"""Documents whose last lines are kept, to see what changed."""
MAX_KNOWN = 500
"""Secrets whose placeholders are remembered, beside those of the texts at hand. The oldest are forgotten."""
MIN_FRAGMENT_CHARS = 8
"""Characters of a secret that count as a piece of it, in edits and in answers. Shorter ones occur by chance."""
_ASTRAL = "\U0001d465"
"""A character of two UTF-16 units, for those of a secret."""
_SEPARATORS = frozenset("-_.+/=")
"""Characters that stay: they divide tokens, and say little."""


@dataclass(frozen=True)
class Masks:
    """The secrets that are known at a time, with their placeholders.

    Attributes:
        placeholders: The placeholder of each secret.
    """

    placeholders: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.placeholders)

    def mask(self, text: str) -> str:
        """Return the text with placeholders in place of secrets, and of pieces of `MIN_FRAGMENT_CHARS` and more."""
        return self._to_placeholders.apply(text)

    def restore(self, text: str) -> str:
        """Return the text with the secrets again in place of placeholders, and of pieces of them."""
        return self._to_secrets.apply(text)

    def mask_snapshot(self, snapshot: Snapshot) -> Snapshot:
        """Return the document with placeholders in place of secrets; the same object if it holds none."""
        text = snapshot.text
        lines: set[int] = set()
        for secret in self.placeholders:
            at = text.find(secret)
            while at >= 0:
                lines.add(snapshot.line_at(at))
                at = text.find(secret, at + len(secret))
        if not lines:
            return snapshot
        masked = (self.mask(line) if i in lines else line for i, line in enumerate(snapshot.lines))
        return replace(snapshot, lines=tuple(masked))

    def holds_placeholder(self, text: str) -> bool:
        """Return whether the text holds a placeholder, or a piece of one."""
        return self.restore(text) != text

    @cached_property
    def _to_placeholders(self) -> _Substitution:
        return _Substitution(self.placeholders.items())

    @cached_property
    def _to_secrets(self) -> _Substitution:
        return _Substitution((placeholder, secret) for secret, placeholder in self.placeholders.items())


class SecretMasker:
    """The placeholders of one session: a secret keeps its own, so that prompts keep what they have in common.

    Of a document that it saw before, it reads only what changed. Its methods may be called from several threads.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, str]] = {}  # secret -> number and placeholder
        self._masks: Masks | None = Masks()
        self._count = 0
        self._seen: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._last = ""
        self._lock = Lock()

    def masks_for(self, snapshots: Iterable[Snapshot], texts: Iterable[str] = ()) -> Masks:
        """Return the masks for texts.

        All secrets that are known count, as one of the texts may hold a secret that only its place in another one tells.

        Args:
            snapshots: Documents.
            texts: Other texts, such as edits.
        """
        snapshots, texts = tuple(snapshots), tuple(texts)
        with self._lock:
            for snapshot in snapshots:
                self._learn(self._news(snapshot))
            for text in texts:
                self._learn(text)
            if self._masks is None:
                self._forget((*(snapshot.text for snapshot in snapshots), *texts))
                self._masks = Masks({each: placeholder for each, (_, placeholder) in self._known.items()})
            return self._masks

    def _news(self, snapshot: Snapshot) -> str:
        """Return the lines that changed since the document was seen last; all of them if it may hold a key of many lines."""
        before, lines = self._seen.pop(snapshot.uri, ()), snapshot.lines
        self._seen[snapshot.uri] = lines
        if len(self._seen) > MAX_DOCUMENTS:
            self._seen.popitem(last=False)
        if before is lines:
            return ""
        start, least = 0, min(len(before), len(lines))
        while start < least and before[start] == lines[start]:
            start += 1
        end = 0
        while end < least - start and before[-1 - end] == lines[-1 - end]:
            end += 1
        if start + end > 0 and may_hold_private_key(snapshot.text):
            return snapshot.text
        return "".join(lines[start : len(lines) - end])

    def _learn(self, text: str) -> None:
        for start, end in find_secrets(text):
            secret = text[start:end]
            if secret in self._known:
                continue
            self._masks = None
            number = self._count
            if self._last and secret.startswith(self._last):  # it is being typed: its placeholder grows, too
                number, _ = self._known.pop(self._last, (number, ""))
            self._count += number == self._count
            self._known[secret] = number, make_placeholder(secret, number)
            self._last = secret if len(secret) >= MIN_FRAGMENT_CHARS else ""

    def _forget(self, texts: Sequence[str]) -> None:
        """Forget the oldest secrets beyond the limit that are in none of the texts."""
        beyond = len(self._known) - MAX_KNOWN
        if beyond <= 0:
            return
        spare = [secret for secret in self._known if not any(secret in text for text in texts)][:beyond]
        for secret in spare:
            del self._known[secret]
        if spare:
            self._seen.clear()  # documents that hold them are read again


def mask_text(text: str) -> str:
    """Return the text with its secrets masked, for a place from which they need not come back."""
    return SecretMasker().masks_for((), [text]).mask(text)


def make_placeholder(secret: str, number: int) -> str:
    """Return the placeholder of a secret.

    Args:
        secret: The secret; only its length and kinds of characters count.
        number: The number of the placeholder.
    """
    stream = hashlib.shake_128(f"editahead {number}".encode()).digest(len(secret))
    hides_all = (
        sum(char not in _SEPARATORS for char in secret) <= len(secret) / 2 or len(secret) < MIN_FRAGMENT_CHARS
    )
    return "".join(
        _stand_in(char, byte, keeps=not hides_all) for char, byte in zip(secret, stream, strict=True)
    )


def _stand_in(char: str, byte: int, *, keeps: bool) -> str:
    if char > "\uffff":
        return _ASTRAL
    if keeps and char in _SEPARATORS:
        return char
    if keeps and char in string.digits:
        return string.digits[byte % 10]
    letters = string.ascii_uppercase if char.isupper() else string.ascii_lowercase
    return letters[byte % 26]


class _Substitution:
    """A replacement of texts, and of pieces of them, by the same pieces of other texts.

    Args:
        pairs: A text and what replaces it, of the same length.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._short: list[tuple[str, str]] = []
        self._places: dict[str, list[tuple[str, str, int]]] = {}
        for old, new in pairs:
            if len(old) < MIN_FRAGMENT_CHARS:
                self._short.append((old, new))
            for offset in range(len(old) - MIN_FRAGMENT_CHARS + 1):
                piece = old[offset : offset + MIN_FRAGMENT_CHARS]
                self._places.setdefault(piece, []).append((old, new, offset))

    def apply(self, text: str) -> str:
        """Return the text with all replacements made."""
        out: list[str] = []
        done = at = 0
        while self._places and at + MIN_FRAGMENT_CHARS <= len(text):
            places = self._places.get(text[at : at + MIN_FRAGMENT_CHARS])
            if places is None:
                at += 1
                continue
            found = max((_piece_at(text, at, *place) for place in places), key=len)
            out += (text[done:at], found)
            done = at = at + len(found)
        result = "".join((*out, text[done:]))
        for old, new in self._short:
            result = result.replace(old, new)
        return result


def _piece_at(text: str, at: int, old: str, new: str, offset: int) -> str:
    """Return what replaces the longest piece of `old` from an offset on with which the text goes on."""
    length = MIN_FRAGMENT_CHARS
    while (
        at + length < len(text) and offset + length < len(old) and text[at + length] == old[offset + length]
    ):
        length += 1
    return new[offset : offset + length]
