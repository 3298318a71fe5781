"""The time of a person at the keyboard: what reading an offer costs, and what taking one saves.

Time, not keys, is the measure of what is shown while a person types. Each offer that is shown is read, right or wrong. One
that is right is taken where that is faster than typing its text.
"""

from __future__ import annotations

import re

from .text.scripts import count_letters

KEY_S = 0.115
"""Seconds that a person takes for a key, in the median."""
READ_S = 0.25
"""Seconds to read an offer."""
ACCEPT_S = 0.12
"""Seconds to take an offer with one key."""
_LINE_BREAK = re.compile(r"\n[ \t]*")


def count_keys(text: str) -> int:
    """Return the keys that type a text, where editors indent the next line and a sign of Chinese takes several."""
    return count_letters(_LINE_BREAK.sub("\n", text))


def seconds_saved(keys: int) -> float:
    """Return the seconds that a right offer saves who has read it: those of its keys, without those of the accept.

    Where typing is as fast, a person types: then it saves none.
    """
    return max(keys * KEY_S - ACCEPT_S, 0.0)


def expected_seconds(text: str, probability: float) -> float:
    """Return the seconds that an offer at the cursor saves on average; less than 0 where reading it costs more.

    Args:
        text: The text that it types.
        probability: The probability that the person goes on to type just that, 0..1.
    """
    return probability * seconds_saved(count_keys(text)) - READ_S


def needed_probability(text: str, min_seconds: float) -> float:
    """Return the probability from which `expected_seconds` of a text is `min_seconds`; infinite where none is enough."""
    saved = seconds_saved(count_keys(text))
    return (READ_S + min_seconds) / saved if saved else float("inf")
