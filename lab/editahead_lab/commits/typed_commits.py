r"""A commit as the typing of a person who writes top-down and fixes up: one key after the other, with an editor's help.

A stand-in for recordings, of which there are few. Pure and deterministic:

- The hunks are typed from the top of the file down. Imports are fixed up: a hunk of import lines comes after the first later
  hunk that uses a name of it, as a person notices the missing import then.
- Within a hunk, what stays is left alone. A changed span is selected and typed over: its first key replaces it. Texts that
  have little in common are replaced as a whole.
- New lines are begun at the end of the line above. Enter also puts in the line's indentation, as editors do.

Lines here are split at "\n", as in `commit_replay`. The typing of a person is not known: these figures rank versions.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from editahead_evals.data.commit_replay import Hunk, diff
from editahead_evals.data.edit_records import Record
from editahead_evals.data.key_sessions import Change, Event, Focus, KeySession, Open
from editahead_prompts.text.affixes import common_affixes

KEY_S = 0.15
"""Seconds from one key to the next."""
PLACE_S = 2.0
"""Seconds before the first key at another place."""
MIN_SIMILARITY = 0.5
"""The similarity of two texts (`difflib` ratio over tokens) below which one is typed over the other as a whole."""
MIN_KEPT_LETTERS = 3
"""Letters of a word that is left alone between two changed spans. People type over what is shorter."""

_TOKEN = re.compile(r"\w+|\n[ \t]*|[ \t]+|.")
_IMPORT = re.compile(
    r"""\s*(?:import\b|from\s+\S+\s+import\b|use\s|using\s|\#\s*include\b|package\b|(?:\w+\s+)?"[^"]+"$"""
    r"""|(?:const|let|var)\s.*=\s*require\()"""
)
_KEY = re.compile(r"\n[ \t]*|.")
_WORD = re.compile(r"[^\W\d]\w*")


def typed_commit(record: Record) -> KeySession:
    """Return the session in which a person makes a commit's change of one file."""
    events: list[Event] = [Open(record.path, record.language, record.before), Focus(record.path)]
    text, at = record.before, 0.0
    for start, end, new in _spans(record.before, record.after):
        at += PLACE_S
        keys = _KEY.findall(new) or [""]
        for number, key in enumerate(keys):
            if number == 0:
                made = (start, end, key)
            else:
                start += len(keys[number - 1])
                made = (start, start, key)
            at += KEY_S
            text = text[: made[0]] + key + text[made[1] :]
            events.append(Change(record.path, (made,), made[0] + len(key), True, at))
    assert text == record.after
    return KeySession(record.id, record.language, events)


def in_typing_order(hunks: Sequence[Hunk]) -> list[Hunk]:
    """Return hunks in the order of typing: top-down, and imports after the first hunk below that uses them."""
    order: list[Hunk] = []
    waiting: list[tuple[Hunk, frozenset[str]]] = []
    for number, hunk in enumerate(hunks):
        names = _imported_names(hunk)
        if names and any(names & _words(later.new) for later in hunks[number + 1 :] if not _is_import(later)):
            waiting.append((hunk, names))
            continue
        order.append(hunk)
        if not _is_import(hunk):
            used = _words(hunk.new)
            order += [each for each, wanted in waiting if wanted & used]
            waiting = [(each, wanted) for each, wanted in waiting if not wanted & used]
    return order


def _spans(before: str, after: str) -> Iterator[tuple[int, int, str]]:
    """Yield the spans to type over, in the order of typing, each in the offsets of the text by then."""
    lines = tuple(before.split("\n"))
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    hunks = diff(lines, tuple(after.split("\n")))
    done: list[tuple[int, int]] = []
    for hunk in in_typing_order(hunks):
        start, end, new = _region(lines, starts, hunk, len(before))
        shift = sum(growth for where, growth in done if where <= start)
        old, growth = before[start:end], 0
        for a, b, text in _changed_spans(old, new):
            yield start + shift + growth + a, start + shift + growth + b, text
            growth += len(text) - (b - a)
        done.append((start, growth))


def _region(lines: Sequence[str], starts: Sequence[int], hunk: Hunk, length: int) -> tuple[int, int, str]:
    """Return the characters that a hunk replaces, and what replaces them.

    Whole lines are inserted after the end of the line above, and deleted with their line ends.
    """
    first, last = starts[hunk.start], min(starts[hunk.end] - 1, length)
    if hunk.old and hunk.new:
        return first, last, "\n".join(hunk.new)
    if hunk.new:
        text = "\n".join(hunk.new)
        return (first - 1, first - 1, "\n" + text) if hunk.start else (0, 0, text + "\n")
    if hunk.end < len(lines):
        return first, starts[hunk.end], ""
    return max(first - 1, 0), length, ""


def _changed_spans(old: str, new: str) -> list[tuple[int, int, str]]:
    """Return the spans of `old` that a person types over, top-down, and what they type."""
    head, tail = common_affixes(old, new)
    deleted, typed = old[head : len(old) - tail], new[head : len(new) - tail]
    if not deleted or not typed:
        return [(head, head + len(deleted), typed)]
    a, b = _TOKEN.findall(deleted), _TOKEN.findall(typed)
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    if matcher.ratio() < MIN_SIMILARITY:
        return [(head, head + len(deleted), typed)]
    spans: list[tuple[int, int, str]] = []
    open_a = open_b = 0
    for block in matcher.get_matching_blocks():
        if block.size and not any(_is_kept(token) for token in a[block.a : block.a + block.size]):
            continue
        if block.a > open_a or block.b > open_b:
            start = head + sum(map(len, a[:open_a]))
            end = head + sum(map(len, a[: block.a]))
            spans.append((start, end, "".join(b[open_b : block.b])))
        open_a, open_b = block.a + block.size, block.b + block.size
    return spans


def _is_kept(token: str) -> bool:
    return sum(map(str.isalpha, token)) >= MIN_KEPT_LETTERS


def _is_import(hunk: Hunk) -> bool:
    """Return whether all lines of a hunk are imports."""
    lines = [line for line in (*hunk.old, *hunk.new) if line.strip()]
    return bool(lines) and all(_IMPORT.match(line) for line in lines)


def _imported_names(hunk: Hunk) -> frozenset[str]:
    """Return the words that a hunk of imports adds; none for other hunks."""
    return _words(hunk.new) - _words(hunk.old) if _is_import(hunk) else frozenset()


def _words(lines: Sequence[str]) -> frozenset[str]:
    return frozenset(word for line in lines for word in _WORD.findall(line) if len(word) >= MIN_KEPT_LETTERS)
