"""Whether a line of a sketch is another version of a line of the file, or something beside it."""

from __future__ import annotations

import re
from collections import Counter

from .line_matching import TERMINAL
from .line_names import identity

_MAX_MORE_WORDS = 2
"""Words that a new version of a line without a name may have more, or less."""


def is_new_version(new: str, old: str) -> bool:
    """Return whether a line is certainly another version of a line, not something beside it.

    Both have one name, or the words of one are those of the other and hardly any more, or both leave the block. Entries of a
    list that share words are two entries.

    Args:
        new: The normalised line.
        old: The other one.
    """
    name, other = identity(new), identity(old)
    if name is not None and name.startswith("import "):
        return name == other and set(re.findall(r"\w+", old)) <= set(re.findall(r"\w+", new))
    if name is not None or other is not None:
        return name == other
    words, others = Counter(re.findall(r"\w+", new)), Counter(re.findall(r"\w+", old))
    more = (words - others) + (others - words)
    is_contained = len(words) > 1 and len(others) > 1 and (words <= others or others <= words)
    if is_contained and more.total() <= _MAX_MORE_WORDS and not (new.endswith(",") or old.endswith(",")):
        return True
    return TERMINAL.match(new) is not None and TERMINAL.match(old) is not None
