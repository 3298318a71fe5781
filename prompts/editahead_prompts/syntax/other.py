"""Languages without a grammar, of which little is known."""

from __future__ import annotations

from .language import Language

PROSE = tuple(
    Language(name, is_prose=True)
    for name in ("plaintext", "latex", "restructuredtext", "asciidoc", "git-commit")
)
MARKDOWN = Language("markdown", extensions=("md", "markdown"), is_prose=True)
KOTLIN = Language("kotlin", extensions=("kt", "kts"), line_comment="//", block_comment=True, overloads=True)
OVERLOADING = tuple(Language(name, overloads=True) for name in ("groovy", "scala"))
