"""Members that values of a language itself have: a receiver of an unknown type may be one of those."""

from __future__ import annotations

import collections
import io
import pathlib
import re

from editahead_prompts.syntax.languages import family_of

_PYTHON = frozenset(
    name
    for kind in (
        str, bytes, bytearray, int, float, complex, list, tuple, dict, set, frozenset, Exception, OSError,
        collections.deque, collections.Counter, collections.OrderedDict,
        io.TextIOWrapper, io.BufferedRandom, io.StringIO, pathlib.Path, re.Pattern, re.Match,
    )
    for name in dir(kind)
)  # fmt: skip  # a table
_WEB = """
add apply at bind body call catch charAt clear close concat copyWithin data delete endsWith entries error every fill
filter finally find findIndex flat flatMap forEach format from get has headers id includes indexOf isArray join key keys
lastIndexOf length log map match message method name next of on once emit open padEnd padStart parse path pop push query
reduce reject remove repeat replace resolve reverse search send set shift size slice some sort splice split startsWith
status stringify substring test text then throw toISOString toJSON toLowerCase toString toUpperCase trim type unshift url
value valueOf values warn write end
"""
_GO = """
Add Bytes Close Context Do Done Err Error Errorf Fatal Fatalf Format Get Header Join Len Less Load Lock Name Next Now
Parse Pop Printf Println Push Read Reset Run Scan Seek Set Store String Sub Swap Type Unlock Unwrap Value Wait Write
"""
_BY_FAMILY = {
    "python": _PYTHON,
    "javascript": frozenset(_WEB.split()),
    "go": frozenset(_GO.split()),
}


def is_standard_member(name: str, language: str) -> bool:
    """Return whether values that every program of a language has have a member of a name."""
    return name in _BY_FAMILY.get(family_of(language), ())
