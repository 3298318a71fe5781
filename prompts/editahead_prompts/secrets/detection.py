r"""The search for secrets: known tokens, private keys, passwords in URLs, random values after names such as `token`.

Each search begins with fixed texts. Only lines that hold one are looked at closely, so that a text without secrets costs
little more than reading it.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Iterator

from .token_formats import TOKEN_FORMATS

MAX_VALUE_CHARS = 500
"""Characters of a value after a name. Longer values are data."""
MAX_LINE_CHARS = 20_000
"""Characters of a line in which values after names are looked for. Longer lines are data, or written by a program."""
MAX_KEY_CHARS = 20_000
"""Characters of a private key whose end is not there."""
MAX_NAME_CHARS = 40
"""Characters of a name before the word that tells what it names."""
MIN_VALUE_CHARS = 16
"""Characters of a value after a name, at least, unless the name is that of a password."""
MIN_PASSWORD_CHARS = 6

Span = tuple[int, int]
"""The start and the end of a secret, in code points from the start of the text."""

_WORDS = (
    "key",
    "token",
    "secret",
    "passw",
    "pwd",
    "credential",
    "auth",
    "passphrase",
    "bearer",
    "identified",
    "cookie",
)
"""Texts one of which every name of a secret holds, in lower case."""

_ASSIGNMENT = re.compile(
    r"""
    (?P<name>(?:key|tokens?|secrets?|passw(?:or)?d|passwd|passphrase|pwd|credentials?|auth(?:orization)?|bearer|cookie
       |identified\ by)(?![a-z])[a-z0-9_-]{0,24})
    (?:["'`\])]{0,3}\s{0,8}(?::=|=>|==?|!=|:\s{0,8}[a-z][\w.|\[\] ]{0,30}=|:|,|\|\||\((?=["'`]))\s{0,8}|\s{1,8})
    (?:(?:bearer|basic|token)\s{1,4})?
    (?:(?P<prefix>[a-z]{0,2})(?P<quote>["'`]))?
    (?P<value>[^\s"'`<>(){}\[\],;&]{6,500})
    (?P<end>["'`]|(?=[\s,;)}\]&<]|\Z))?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NAME_CHARS = string.ascii_letters + string.digits + "_.-"
_QUOTED_PASSWORD = re.compile(
    r"""(?:passw(?:or)?d|passwd|passphrase|pwd)[a-z0-9_-]{0,24}["'`\])]{0,3}\s{0,8}
    (?:=>|==|:=|:\s{0,8}[a-z]\w{0,20}\s{0,4}=|[=:(])\s{0,8}
    [a-z]{0,2}(?P<quote>["'`])(?P<secret>(?:(?!(?P=quote))[^\\\n]){6,200})(?P=quote)""",
    re.VERBOSE | re.IGNORECASE,
)
_URL = re.compile(r"://(?P<user>[^\s:/@\"'`<>]{0,100}):(?P<secret>[^\s@\"'`<>,]{3,300}?)@(?=[\w\[])", re.I)
_NETRC = re.compile(r"\blogin\s+\S{1,100}\s+password\s+(?P<secret>[^\s\"'{}\\]{6,200})(?=\s|\Z)")
_KEY_BEGIN = re.compile(r"-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d")
_KEY_PIECE = re.compile(r"\\[nrt]|(?P<secret>[A-Za-z0-9+/=]{8,})")
_KEY_END = re.compile(r"-----END|Private-MAC")
_AZURE = re.compile(r"(?:AccountKey|SharedAccessKey|SharedSecretValue)=(?P<secret>[A-Za-z0-9+/=%]{16,200})")

_PLACEHOLDER = re.compile(
    r"\$\{|\{\{|\$[A-Z_a-z(]|%[sd(]|<|\.\.\.|\*\*\*|xxxx|process\.env|os\.environ|getenv|"
    r"example|sample|\bpass\b|^pass|placeholder|changeme|change[-_]me|your|dummy|redacted|replace|insert|todo|fixme|"
    r"undefined|null|password|passwd|secret|token|123456|abcdef|foobar|qwerty|lorem",
    re.I,
)
"""Pattern of what documentation and templates write in place of a secret."""
_PUBLIC_NAME = re.compile(
    r"public|key_?(?:id|name|path|file|type|size|code|word|map)|token_?(?:type|name|url|uri|id|izer)|"
    r"cache|hash|sha|checksum|digest|primary|foreign|sort|partition",
    re.I,
)
"""Pattern of names whose values are no secrets."""
_STRONG_NAME = re.compile(
    r"token|secret|passw|pwd|credential|auth|passphrase|bearer|api|access|private|identified|cookie|encrypt|sign|master",
    re.I,
)
_PASSWORD_NAME = re.compile(r"passw|pwd|passphrase|identified", re.I)
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.I)
_HEX = re.compile(r"[0-9a-f]{32,}", re.I)
_RANDOM_CHARS = re.compile(r"[A-Za-z0-9+/=_.~!@#$%^&*?-]+")
_NO_WORD = re.compile(r"[b-df-hj-np-tv-xz]{5}|[B-DF-HJ-NP-TV-XZ]{5}")
"""Pattern of consonants as words do not have them."""
_CLASSES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_NAME = re.compile(r"(?:[A-Za-z_$][\w$]*[.:]+)+[A-Za-z_$][\w$]*")
"""Pattern of a name with its owners, as code writes it without quotes."""


def find_secrets(text: str) -> list[Span]:
    """Return the spans of secrets, in order and disjoint. None holds a line end."""
    spans: list[Span] = []
    for form in TOKEN_FORMATS:
        if any(start in text for start in form.starts):
            spans += (found.span("secret") for found in form.pattern.finditer(text))
    if may_hold_private_key(text):
        spans += _private_keys(text)
    if "://" in text:
        spans += (found.span("secret") for found in _URL.finditer(text) if _is_password(found))
    if "AccountKey=" in text or "SharedAccessKey=" in text or "SharedSecretValue=" in text:
        spans += (found.span("secret") for found in _AZURE.finditer(text))
    spans += _assigned(text)
    return _disjoint(spans)


def may_hold_private_key(text: str) -> bool:
    """Return whether the text may hold a private key, the one kind of secret that goes over lines."""
    return "PRIVATE KEY" in text or "PuTTY-User-Key" in text


def _private_keys(text: str) -> Iterator[Span]:
    """Yield the pieces of the bodies of private keys."""
    for begin in _KEY_BEGIN.finditer(text):
        end = _KEY_END.search(text, begin.end(), begin.end() + MAX_KEY_CHARS)
        last = end.start() if end is not None else min(len(text), begin.end() + MAX_KEY_CHARS)
        for piece in _KEY_PIECE.finditer(text, begin.end(), last):
            if piece["secret"] is not None:
                yield piece.span("secret")


def _assigned(text: str) -> Iterator[Span]:
    """Yield the values after names of secrets."""
    for start, end in _lines_with_names(text):
        line = text[start:end]
        for found in _QUOTED_PASSWORD.finditer(line):
            if _is_quoted_password(found["secret"]):
                yield start + found.start("secret"), start + found.end("secret")
        for found in _ASSIGNMENT.finditer(line):
            before = line[max(0, found.start() - MAX_NAME_CHARS) : found.start()]
            name = before[len(before.rstrip(_NAME_CHARS)) :] + found["name"]
            if found["quote"] is None and _NAME.fullmatch(found["value"]):
                continue
            if _is_secret_value(name, found["value"]):
                yield start + found.start("value"), start + found.end("value")
        for found in _NETRC.finditer(line):
            yield start + found.start("secret"), start + found.end("secret")


def _lines_with_names(text: str) -> list[Span]:
    """Return the spans of lines, without line ends, that hold a name of a secret."""
    lower = text.lower()
    if len(lower) != len(text):  # some letters are longer in lower case
        lower = "".join(char.lower() if char.isascii() else char for char in text)
    found: set[Span] = set()
    for word in _WORDS:
        at = lower.find(word)
        while at >= 0:
            furthest = max(0, at - MAX_LINE_CHARS - 1)
            start = max(text.rfind("\n", furthest, at), text.rfind("\r", furthest, at), furthest - 1) + 1
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            if end - start <= MAX_LINE_CHARS:
                found.add((start, end))
            else:
                found.add((max(start, at - 100), min(end, at + 2 * MAX_VALUE_CHARS)))
                end = min(end, at + MAX_VALUE_CHARS)
            at = lower.find(word, end)
    return sorted(found)


def _is_password(found: re.Match[str]) -> bool:
    """Return whether a URL's password may be a real one."""
    secret, user = found["secret"], found["user"]
    if len(secret) < MIN_PASSWORD_CHARS and (secret.isalpha() or secret.isdigit()):
        return False
    return secret not in (user, "postgres") and not secret.endswith("/") and not _PLACEHOLDER.search(secret)


def _is_quoted_password(value: str) -> bool:
    """Return whether a quoted text after a name of a password may be a real one, and no word or sentence."""
    if " " in value.strip() and not any(char.isdigit() for char in value):
        return False
    kinds = sum(any(test(char) for char in value) for test in (str.islower, str.isupper, str.isdigit))
    kinds += any(not char.isalnum() and char not in "_-. /:" for char in value)
    has_digit_or_sign = any(
        char.isdigit() or (not char.isalnum() and char not in "_-. /:%") for char in value
    )
    return kinds >= 2 and has_digit_or_sign and not _PLACEHOLDER.search(value) and " " not in value


def _is_secret_value(name: str, value: str) -> bool:
    """Return whether a value after a name may be a secret."""
    if _PUBLIC_NAME.search(name) and not _PASSWORD_NAME.search(name):
        return False
    if _PLACEHOLDER.search(value) or len(value) < MIN_VALUE_CHARS or not _RANDOM_CHARS.fullmatch(value):
        return False
    if _UUID.fullmatch(value):
        return _STRONG_NAME.search(name) is not None
    return looks_random(value.rstrip("="))


def looks_random(value: str) -> bool:
    """Return whether a value looks like chosen by chance, and not like words, numbers, a path or a date."""
    if _HEX.fullmatch(value):
        return len(set(value.lower())) >= 8 and not value.isdigit() and not value.isalpha()
    digits = sum(char.isdigit() for char in value)
    letters = sum(char.isalpha() for char in value)
    if not digits or letters < digits / 2:
        return False
    # Words change their class of letters seldom, and random ones at nearly every second character.
    changes = len(_CLASSES.findall(value)) - 1
    is_mixed = changes >= len(value) / 5 or _NO_WORD.search(value) is not None
    return is_mixed and _entropy(value) >= min(3.4, math.log2(len(value)) - 0.9)


def _entropy(value: str) -> float:
    """Return the entropy of the characters, in bits for each."""
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())


def _disjoint(spans: list[Span]) -> list[Span]:
    """Return the spans in order, overlapping ones joined."""
    out: list[Span] = []
    for start, end in sorted(spans):
        if out and start < out[-1][1]:
            out[-1] = out[-1][0], max(end, out[-1][1])
        elif start < end:
            out.append((start, end))
    return out
