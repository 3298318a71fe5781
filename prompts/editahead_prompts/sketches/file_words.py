"""The words above a block of code that say whether the file of the block is new, or there already."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PATH = "\0"
"""What a path is read as, as the words in it say nothing."""

_NAMED = re.compile(r"`[^`]*`|\S*[/\\.]\S+")
_NEW = re.compile(
    r"\b(?:creat(?:e[sd]?|ing)|new (?:\w+ )?file|add(?:ing)? (?:an?|the|another|this) (?:new )?(?:\w+ )?file)\b|\(new\b"
    r"|\b(?:sav(?:e|ed|ing)|writ(?:e|ing)|put(?:ting)?) (?:it|this|that|these|the|all) "
    rf"|\b(?:add|adding|new|save as) (?:an? |the |new |file )*{_PATH}",
    re.IGNORECASE,
)
_THERE = re.compile(
    r"\b(?:(?:updat|chang|replac|renam|mov|remov|delet)(?:e[sd]?|ing)|modif(?:y|ies|ied|ying)|exist(?:s|ing)|rewr[io]t\w*"
    r"|(?:edit|adjust|append|insert|extend|refactor)(?:s|ed|ing)?|fix(?:es|ed|ing)?|unchanged|lines? \d+)\b"
    rf"|\b(?:at|from|in|inside|into|to|within) (?:the |your |our |file )*{_PATH}"
    rf"|\b(?:beginning|bottom|end|part|section|start|top) of (?:the |your |our |file )*{_PATH}",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\b\d+:\d+:(?=\S)|\.[a-z]\w*:\d+(?:[-:]\d+)?(?=[`*:\s)]|$)|#L\d+", re.IGNORECASE)


def says_new(line: str) -> bool:
    """Return whether a line says that a file is new."""
    return _NEW.search(_NAMED.sub(_PATH, line)) is not None


def says_there(words: Iterable[str], fence: str) -> bool:
    """Return whether the words above a block, or its fence, say that the file is there already, and not that it is new.

    Args:
        words: The lines above the block.
        fence: The line of the fence.
    """
    lines = list(words)
    if any(map(_RANGE.search, [*lines, fence])):
        return True
    if any(map(says_new, lines)):
        return False
    return any(_THERE.search(_NAMED.sub(_PATH, line)) for line in lines)
