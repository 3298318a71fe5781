"""What the moment says, whatever is proposed: whether what is being typed at the cursor looks finished.

A name of which half is typed looks like a change of its own. It may not be continued elsewhere, but nothing says so: not
a pause, not a key. So the gate weighs what a person would look at: is the name at the cursor known, does the line parse,
is there less than was removed.
"""

from __future__ import annotations

import math
import re

from editahead_prompts.snapshot import Snapshot
from editahead_prompts.state import PastEdit, State
from editahead_prompts.syntax import SyntaxTrees
from editahead_prompts.tokens import WORD

from .candidates import Candidate

_MANY = 9
_AT_END = re.compile(r"\w+\Z")
_AFTER = {
    "opener": "([{<",
    "closer": ")]}>",
    "comma": ",;",
    "quote": "\"'`",
    "space": " \t",
    "line-start": "\r\n",
}
"""Characters before the cursor, by what they say of it."""
_PAIRS = tuple(zip("([{", ")]}", strict=True))


class Situation:
    """Features of one state, and of each candidate in it."""

    def __init__(self, state: State, trees: SyntaxTrees) -> None:
        self._state = state
        last = _open_edit(state)
        self._token = ""
        if last is None:
            self._features = {"away": 1.0}
        else:
            text = state.document.text
            match = _AT_END.search(text[max(state.cursor - 80, 0) : state.cursor])
            inside = text[state.cursor : state.cursor + 1].isalnum()
            if match is not None and WORD.fullmatch(match[0]) and not inside:
                self._token = match[0]
            self._features = _typing(state, last, self._token, trees)

    def of(self, candidate: Candidate) -> dict[str, float]:
        """What the candidate says, and what the moment says."""
        features = {**candidate.features, **self._features}
        features["elsewhere"] = float(candidate.uri != self._state.document.uri)
        if self._token:
            features["puts-token"] = float(
                any(self._token in WORD.findall(r.text) for r in candidate.edit.replacements)
            )
        return features


def _open_edit(state: State) -> PastEdit | None:
    """The edit that the person is typing at; None when they have gone from it."""
    return state.history[-1] if state.history and state.standpoint[0] == "offset" else None


def _typing(state: State, last: PastEdit, token: str, trees: SyntaxTrees) -> dict[str, float]:
    snapshot = state.document
    old, new = "".join(last.old), "".join(last.new)
    removed, added = _changed(old, new)
    line = snapshot.line_at(state.cursor)
    before = snapshot.text[state.cursor - 1 : state.cursor] or "\n"
    rest = snapshot.text[state.cursor : snapshot.starts[line + 1]].strip()
    broken = trees.broken_lines(snapshot, last.line, last.line + max(len(last.new), 1))
    values = {
        "line-rest": float(bool(rest)),
        "removed": round(math.log1p(len(removed)), 1),
        "added": round(math.log1p(len(added)), 1),
        "added-lines": float(min(added.count("\n"), _MANY)),
        "unbalanced": float(_unbalanced(new) - _unbalanced(old)),
        "broken": -1.0 if broken is None else float(min(broken, _MANY)),
    }
    for name, characters in _AFTER.items():
        if before in characters:
            values[f"after-{name}"] = 1.0
    if token:
        inside = WORD.findall(new).count(token)
        values |= {
            "token": float(min(len(token), 20)),
            "token-known": float(min(_count(snapshot, token) - inside, _MANY)),
            "token-begins": float(min(len(_longer(snapshot, token)), _MANY)),
            "token-kept": float(token in WORD.findall(old)),
            "token-begins-removed": float(
                any(name.startswith(token) and name != token for name in WORD.findall(old))
            ),
        }
    return values


def _changed(old: str, new: str) -> tuple[str, str]:
    """What is between the common head and tail of both."""
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    most = shorter - head
    tail = next((n for n in range(most) if old[-1 - n] != new[-1 - n]), most)
    return old[head : len(old) - tail], new[head : len(new) - tail]


def _unbalanced(text: str) -> int:
    """Brackets that are open, or closed without being opened, and quotes without their other."""
    brackets = sum(abs(text.count(opener) - text.count(closer)) for opener, closer in _PAIRS)
    return brackets + sum(text.count(quote) % 2 for quote in "\"'`")


def _count(snapshot: Snapshot, token: str) -> int:
    return len(re.findall(rf"(?<!\w){re.escape(token)}(?!\w)", snapshot.text))


def _longer(snapshot: Snapshot, token: str) -> set[str]:
    """The names that begin with the token and go on."""
    return set(re.findall(rf"(?<!\w){re.escape(token)}\w+", snapshot.text))
