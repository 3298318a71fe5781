"""The words that models leave code out with: in the language's comment style, and sloppily."""

from __future__ import annotations

import random

CLEAN = "... existing code ..."

SLOPPY: dict[str, tuple[str, ...]] = {
    "bare-dots": ("...", "…"),
    "comment-dots": ("{c} ...", "{c}...", "{c} …", "{c} ....", "{c} . . ."),
    "block-comment": ("/* ... */", "/* ... existing code ... */", "/* rest of the code */", "/* … */"),
    "rest-of": (
        "{c} rest of the code",
        "{c} ... rest of the code ...",
        "{c} ... (rest of function)",
        "{c} ... rest of the file remains the same",
        "{c} Rest of your code here",
        "{c} ... remaining code ...",
        "{c} (rest of the implementation unchanged)",
        "{c} ... the rest stays the same ...",
    ),
    "unchanged": (
        "{c} unchanged",
        "{c} ... unchanged ...",
        "{c} ... (unchanged)",
        "{c} [unchanged code]",
        "{c} no changes here",
        "{c} same as before",
        "{c} ... keep existing code ...",
        "{c} ... code remains unchanged ...",
    ),
    "existing": (
        "{c} existing code",
        "{c} existing code...",
        "{c} ...existing code...",
        "{c} … existing code …",
        "{c} --- existing code ---",
        "{c} [existing code]",
        "{c} (existing code)",
        "{c} <existing code>",
        "{c} ... previous code ...",
        "{c} ... EXISTING CODE ...",
    ),
    "named": (
        "{c} ... existing imports ...",
        "{c} ... other methods ...",
        "{c} ... other functions unchanged ...",
        "{c} ... existing fields ...",
        "{c} ... more code ...",
        "{c} ... existing {n} code ...",
        "{c} ... rest of {n} ...",
    ),
    "html-comment": ("<!-- ... -->", "<!-- ... existing code ... -->", "<!-- existing code -->"),
    "other-language": (
        "{o} ... existing code ...",
        "{o} ...",
        "{o} ... rest of code ...",
        "{{/* ... existing code ... */}}",
    ),
}
"""Kind -> wordings. {c}: the language's comment sign, {o}: another language's, {n}: a name from the file."""

IN_WORDS = ("comment-dots", "rest-of", "unchanged", "existing", "named")
"""The kinds of `SLOPPY` that are a comment in the language's own style."""

IMPORTS = (
    "{c} ... existing imports ...",
    "{c} ... other imports ...",
    "{c} ... rest of the imports ...",
    "{c} ... imports unchanged ...",
    "{c} existing imports",
    "{c} other imports...",
    "{c} (existing imports)",
    "{c} ... keep existing imports ...",
)
"""Wordings for the imports of a file."""

_HASH = frozenset({"python"})


def comment_sign(language: str) -> str:
    return "#" if language in _HASH else "//"


def clean(language: str) -> str:
    return f"{comment_sign(language)} {CLEAN}"


def sloppy(kind: str, language: str, name: str, rng: random.Random) -> str:
    """Return one of a kind's wordings, formatted for a language and a name."""
    sign = comment_sign(language)
    other = "//" if sign == "#" else "#"
    return rng.choice(SLOPPY[kind]).format(c=sign, o=other, n=name)


def imports(language: str, rng: random.Random) -> str:
    """Return one of the wordings for the imports of a file."""
    return rng.choice(IMPORTS).format(c=comment_sign(language))
