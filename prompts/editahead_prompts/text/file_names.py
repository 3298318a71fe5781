"""Names of files in all their spellings.

File systems take several spellings for one name: in another case, with trailing dots, with characters that they ignore, or
shortened. `fold_name` undoes that, so that no spelling leads past a rule.
"""

from __future__ import annotations

import re
import unicodedata

from editahead_prompts.short_cache import cache_short


def fold_name(name: str) -> str:
    """Return one spelling for all those that some file system takes for the same name of a file."""
    if (
        name.isascii() and name.isprintable()
    ):  # nearly every name, and there is nothing to undo but case and the end
        return name.casefold().partition(":")[0].rstrip(" .")
    plain = unicodedata.normalize("NFKC", name)
    visible = "".join(char for char in plain if unicodedata.category(char) not in ("Cf", "Cc"))
    return visible.casefold().partition(":")[0].rstrip(" .")


@cache_short(8192)
def is_git_folder(name: str) -> bool:
    """Return whether some file system takes one component of a path for `.git`, which git itself rejects, too."""
    return any(
        folded == ".git" or re.fullmatch(r"git~\d+", folded) is not None
        for folded in map(fold_name, name.split("\\"))
    )
