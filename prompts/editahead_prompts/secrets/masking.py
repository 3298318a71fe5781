"""Placeholders of the same length in place of secrets, and the secrets again in place of these.

A placeholder has the secret's length in code points and in UTF-16 units, and its kinds of characters: offsets hold, and it
costs about as many tokens. It tells nothing about the secret, as it depends only on how many secrets came before.
"""

from __future__ import annotations

import hashlib
import string
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from threading import Lock
from types import MappingProxyType

from editahead_prompts.text.snapshot import Snapshot

from .detection import find_secrets, may_hold_private_key
from .substitution import MIN_FRAGMENT_CHARS, Substitution

MAX_DOCUMENTS = 32
"""Documents whose last lines are kept, to see what changed."""
MAX_KNOWN = 500
"""Secrets whose placeholders are remembered, beside those of the texts at hand. The oldest are forgotten."""
_ASTRAL = "\U0001d465"
"""A character of two UTF-16 units, for those of a secret."""
_SEPARATORS = frozenset("-_.+/=")
"""Characters that stay: they divide tokens, and say little."""


class Masks:
    """The secrets that are known at a time, with their placeholders.

    Attributes:
        placeholders: The placeholder of each secret.
    """

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._secrets: dict[str, str] = {}
        self.placeholders: Mapping[str, str] = MappingProxyType(self._known)
        self._to_placeholders, self._to_secrets = Substitution(), Substitution()

    def __bool__(self) -> bool:
        return bool(self._known)

    def add(self, secret: str, placeholder: str) -> None:
        """Add a secret that is not known."""
        self._known[secret] = placeholder
        self._to_placeholders.add(secret, placeholder)
        if placeholder not in self._secrets:  # very short ones may be the same
            self._secrets[placeholder] = secret
            self._to_secrets.add(placeholder, secret)

    def remove(self, secret: str) -> None:
        """Forget a secret."""
        placeholder = self._known.pop(secret)
        self._to_placeholders.remove(secret)
        if self._secrets.get(placeholder) == secret:
            del self._secrets[placeholder]
            self._to_secrets.remove(placeholder)

    def held(self, texts: Iterable[str]) -> set[str]:
        """Return the secrets that texts hold."""
        return {secret for text in texts for secret in self._to_placeholders.held(text)}

    def mask(self, text: str) -> str:
        """Return the text with placeholders in place of secrets, and of pieces of `MIN_FRAGMENT_CHARS` and more."""
        return self._to_placeholders.apply(text)

    def restore(self, text: str) -> str:
        """Return the text with the secrets again in place of placeholders, and of pieces of them."""
        return self._to_secrets.apply(text)

    def mask_snapshot(self, snapshot: Snapshot) -> Snapshot:
        """Return the document with placeholders in place of secrets; the same object if it holds none."""
        lines = self._to_placeholders.apply_to_lines(snapshot.lines)
        return snapshot if lines == snapshot.lines else replace(snapshot, lines=lines)


class SecretMasker:
    """The placeholders of one session: a secret keeps its own, so that prompts keep what they have in common.

    Of a document that it saw before, it reads only what changed. Its methods may be called from several threads.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        """The number of each secret's placeholder; the secret that was learnt last is last."""
        self._masks = Masks()
        self._count = 0
        self._max_known = MAX_KNOWN
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
                self._learn(self._changed_text(snapshot))
            for text in texts:
                self._learn(text)
            if len(self._numbers) > self._max_known:
                self._forget((*(snapshot.text for snapshot in snapshots), *texts))
            return self._masks

    def _changed_text(self, snapshot: Snapshot) -> str:
        """Return the lines that changed since the document was seen last; all of them if it may hold a key of many lines."""
        before, lines = self._seen.pop(snapshot.uri, ()), snapshot.lines
        self._seen[snapshot.uri] = lines
        if len(self._seen) > MAX_DOCUMENTS:
            self._seen.popitem(last=False)
        if before is lines:
            return ""
        start, shorter = 0, min(len(before), len(lines))
        while start < shorter and before[start] == lines[start]:
            start += 1
        end = 0
        while end < shorter - start and before[-1 - end] == lines[-1 - end]:
            end += 1
        if start + end > 0 and may_hold_private_key(snapshot.text):
            return snapshot.text
        return "".join(lines[start : len(lines) - end])

    def _learn(self, text: str) -> None:
        for start, end in find_secrets(text):
            secret = text[start:end]
            if secret in self._numbers:
                continue
            number = self._count
            if self._last and secret.startswith(self._last):  # it is being typed: its placeholder grows, too
                number = self._remove(self._last)
            self._count += number == self._count
            self._numbers[secret] = number
            self._masks.add(secret, make_placeholder(secret, number))
            self._last = secret if len(secret) >= MIN_FRAGMENT_CHARS else ""

    def _remove(self, secret: str) -> int:
        """Forget a secret, and return its number."""
        if secret == self._last:
            self._last = ""
        self._masks.remove(secret)
        return self._numbers.pop(secret)

    def _forget(self, texts: Iterable[str]) -> None:
        """Forget the oldest secrets beyond the limit that are in none of the texts."""
        held = self._masks.held(texts)
        spare = [secret for secret in self._numbers if secret not in held][: len(self._numbers) - MAX_KNOWN]
        for secret in spare:
            self._remove(secret)
        if spare:
            self._seen.clear()  # documents that hold them are read again
        # Where the texts hold more than the limit, it is some while before they are searched again.
        self._max_known = max(MAX_KNOWN, len(self._numbers) * 5 // 4 if len(held) > MAX_KNOWN else 0)


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
