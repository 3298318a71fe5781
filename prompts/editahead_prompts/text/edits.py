"""The edit algebra: edits as values over one text.

Offsets are code points from the start of the text that the edit applies to. An edit's replacements are sorted
and disjoint; two of them may touch, and an insertion may touch a replacement.

With `t` any text that the edits fit, these laws hold:

- `compose(a, b).apply(t) == b.apply(a.apply(t))`, and composing is associative;
- `invert(a, t).apply(a.apply(t)) == t`;
- `rebase(a, b).apply(b.apply(t))` is both edits made at once, b's text first where both insert at one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .affixes import common_affixes
from .snapshot import Snapshot, split_lines

Bias = Literal["before", "after"]


@dataclass(frozen=True, slots=True, order=True)
class Replacement:
    """`text` in place of the characters from `start` up to, not including, `end`."""

    start: int
    end: int
    text: str

    @property
    def growth(self) -> int:
        """By how many characters the text gets longer (shorter when negative)."""
        return len(self.text) - (self.end - self.start)


@dataclass(frozen=True, slots=True)
class Edit:
    """Replacements made at once, all of them in the offsets of the same text."""

    replacements: tuple[Replacement, ...] = ()

    @classmethod
    def replace(cls, start: int, end: int, text: str) -> Edit:
        return cls((Replacement(start, end, text),))

    @classmethod
    def from_replacements(cls, replacements: Iterable[Replacement], length: int | None = None) -> Edit:
        """An edit of replacements in any order, checked. Insertions at one place keep the order given.

        ValueError when two overlap, when one ends before it starts or begins before the text, or, where the
        text's `length` is given, when one reaches past its end.
        """
        made = cls(tuple(sorted(replacements, key=lambda r: (r.start, r.end))))
        made.check(length)
        return made

    def __bool__(self) -> bool:
        return bool(self.replacements)

    def check(self, length: int | None = None) -> None:
        """ValueError when the replacements are not sorted, disjoint and inside a text of `length`."""
        at = 0
        for r in self.replacements:
            if r.end < r.start:
                raise ValueError(f"a replacement ends before it starts: {r.start}..{r.end}")
            if r.start < at:
                raise ValueError(
                    f"replacements overlap, are not sorted or begin before the text: {r.start} < {at}"
                )
            at = r.end
        if length is not None and at > length:
            raise ValueError(f"a replacement reaches past the end of the text: {at} > {length}")

    def apply(self, text: str) -> str:
        """The text after the edit."""
        out: list[str] = []
        at = 0
        for r in self.replacements:
            out += (text[at : r.start], r.text)
            at = r.end
        out.append(text[at:])
        return "".join(out)

    @property
    def growth(self) -> int:
        """By how many characters the text gets longer (shorter when negative)."""
        return sum(r.growth for r in self.replacements)

    @property
    def changed_span(self) -> tuple[int, int]:
        """From the first changed character to the last, in the text before; (0, 0) for an empty edit."""
        if not self.replacements:
            return 0, 0
        return self.replacements[0].start, self.replacements[-1].end

    def result_spans(self) -> Iterator[tuple[int, int]]:
        """Where each replacement's text lies in the text after the edit, in order."""
        shift = 0
        for r in self.replacements:
            yield r.start + shift, r.start + shift + len(r.text)
            shift += r.growth

    def map_offset(self, offset: int, bias: Bias = "after") -> int:
        """Where the place `offset` of the text before is in the text after.

        `bias` decides where the edit leaves a choice: at an insertion's place, and inside replaced
        characters, the answer is "before" or "after" the new text. At the ends of a replaced stretch there is
        no choice: its start stays before the new text, its end after it.
        """
        shift = 0
        for r in self.replacements:
            if r.start > offset or (r.start == offset < r.end):
                break
            if r.end > offset or r.start == r.end == offset:
                if bias == "before":
                    return r.start + shift
                if r.end > offset:
                    return r.start + shift + len(r.text)
            shift += r.growth
        return offset + shift


def apply_to_lines(snapshot: Snapshot, edit: Edit) -> tuple[str, ...]:
    """`split_lines` of the edited text. Splits only the lines that the edit touches."""
    if not edit:
        return snapshot.lines
    start, end = edit.changed_span
    # The line before: it may end in a carriage return, which a line feed put behind it joins.
    first, last = max(snapshot.line_at(start) - 1, 0), snapshot.line_at(end)
    base = snapshot.starts[first]
    part = Edit(tuple(Replacement(r.start - base, r.end - base, r.text) for r in edit.replacements))
    new = split_lines(part.apply("".join(snapshot.lines[first : last + 1])))
    # Only the document's last line has no end; before that, the part ends with one and split_lines added "".
    rest = snapshot.lines[last + 1 :]
    return (*snapshot.lines[:first], *(new[:-1] if rest else new), *rest)


def normalise(edit: Edit, text: str) -> Edit:
    """The same change of `text` with touching replacements merged and those that change nothing dropped.

    `normalise(e, t).apply(t) == e.apply(t)`, and normalising twice is normalising once.
    """
    changes = (r for r in edit.replacements if text[r.start : r.end] != r.text)
    merged = (r for r in _merged(changes) if text[r.start : r.end] != r.text)
    return Edit(tuple(merged))


def _merged(replacements: Iterable[Replacement]) -> Iterator[Replacement]:
    """Touching ones as one; sorted input."""
    last: Replacement | None = None
    for r in replacements:
        if last is not None and last.end == r.start:
            last = Replacement(last.start, r.end, last.text + r.text)
            continue
        if last is not None:
            yield last
        last = r
    if last is not None:
        yield last


def compose(first: Edit, then: Edit) -> Edit:
    """One edit that does what `first` and after it `then` do. `then` is in the offsets of first's result.

    The result has no two touching replacements, so it depends on nothing but which characters survive and
    what stands between them. That makes it associative:
    `compose(compose(a, b), c) == compose(a, compose(b, c))`.
    """
    # Both edits in the offsets of the text between them: `first` as (start, end, the replacement).
    made = [(start, end, r) for r, (start, end) in zip(first.replacements, first.result_spans(), strict=True)]
    wanted = list(then.replacements)
    out: list[Replacement] = []
    shift = 0  # how much longer the text between is than the first text, before the cluster at hand
    i = k = 0
    while i < len(made) or k < len(wanted):
        # A cluster: a run in which each stretch touches one before it. Nothing of the first text survives.
        low = min([m[0] for m in made[i : i + 1]] + [w.start for w in wanted[k : k + 1]])
        high = low
        i0, k0 = i, k
        while True:
            if i < len(made) and made[i][0] <= high:
                high = max(high, made[i][1])
                i += 1
            elif k < len(wanted) and wanted[k].start <= high:
                high = max(high, wanted[k].end)
                k += 1
            else:
                break
        cluster = made[i0:i]
        text: list[str] = []
        at = low
        for w in wanted[k0:k]:
            text += (_kept(cluster, at, w.start), w.text)
            at = w.end
        text.append(_kept(cluster, at, high))
        start = low - shift
        shift += sum(r.growth for _, _, r in cluster)
        merged = Replacement(start, high - shift, "".join(text))
        if merged.text or merged.start < merged.end:
            out.append(merged)
    return Edit(tuple(out))


def _kept(made: list[tuple[int, int, Replacement]], low: int, high: int) -> str:
    """What the made stretches hold between two offsets of the text between."""
    return "".join(r.text[max(low - start, 0) : max(high - start, 0)] for start, _, r in made)


def invert(edit: Edit, text: str) -> Edit:
    """The edit that takes `edit` back: over its result, giving `text` again."""
    spans = zip(edit.replacements, edit.result_spans(), strict=True)
    return Edit(tuple(Replacement(start, end, text[r.start : r.end]) for r, (start, end) in spans))


def rebase(edit: Edit, over: Edit) -> Edit | None:
    """`edit`, made against the same text as `over`, for the text after `over`; None when they conflict.

    They conflict when they touch the same characters: both replace one, or one inserts strictly inside what
    the other replaces. So nothing that `over` made (what the person typed) is ever removed or split. Where
    both insert at one place, over's text comes first. An insertion at the edge of a replaced stretch stays
    outside of it.
    """
    out: list[Replacement] = []
    for r in edit.replacements:
        if any(_collide(r, o) for o in over.replacements):
            return None
        start = over.map_offset(r.start, "after")
        end = start if r.start == r.end else over.map_offset(r.end, "before")
        out.append(Replacement(start, end, r.text))
    return Edit(tuple(out))


def _collide(a: Replacement, b: Replacement) -> bool:
    """Whether they share a character, or one inserts strictly inside the other."""
    return a.start < b.end and b.start < a.end and (a.start < a.end or b.start < b.end)


def interpolate(edit: Edit, typed: Edit, text: str) -> Edit | None:
    """What is left of a shown prediction after the person typed, both over `text`; None when typed otherwise.

    Typing through: at the place of one of the edit's replacements the person inserted the first characters of
    its text, or removed characters that it replaces, or both; what remains is in the offsets of the text
    after `typed`. Typing elsewhere moves the edit along as `rebase` does. Anything else that touches one of
    its places is not what was predicted. An empty edit is left when all of it has been typed.
    """
    keys = [o for o in (_trimmed(o, text) for o in typed.replacements) if not _idle(o)]
    used: set[int] = set()  # places in `keys` that are accounted for
    out: list[Replacement] = []
    wanted = normalise(edit, text).replacements
    stray = [o for o in keys if not any(_near(_trimmed(r, text), [o]) for r in wanted)]
    for r in wanted:
        ways = _ways(r, text, stray)
        way, near = ways[0], _near(ways[0], keys)
        left: tuple[int, int, str] | None = None if near else (0, way.end - way.start, way.text)
        for other in ways:
            at = _near(other, keys)
            step = _left(other, keys[at[0]]) if len(at) == 1 and at[0] not in used else None
            if step is not None:
                way, near, left = other, at, step
                break
        if left is None:
            return None
        used.update(near)
        done, length, rest = left
        start = (
            way.start + done + sum(o.growth for o in keys[: near[0] if near else None] if o.start < way.start)
        )
        out.append(Replacement(start, start + length, rest))
    return Edit(tuple(r for r in out if not _idle(r)))


def _near(r: Replacement, keys: Sequence[Replacement]) -> list[int]:
    """Which of the keys touch it."""
    return [k for k, o in enumerate(keys) if o.start <= r.end and r.start <= o.end]


def _ways(r: Replacement, text: str, stray: Sequence[Replacement]) -> list[Replacement]:
    """Replacements that make the same of `text` as `r` does.

    A change can often be said in several ways: "a" is inserted before or behind another "a", a line before
    a line break or behind it. These are the ways in which one of the stray keys may have begun it.
    """
    out = [_trimmed(r, text), _trimmed(r, text, tail_first=True)]
    first = out[0]
    if first.start < first.end:
        return out
    for o in stray:
        low, high = sorted((o.start, first.start))
        gap, new = text[low:high], first.text
        if low == o.start and new.endswith(gap):
            out.append(Replacement(low, low, gap + new[: len(new) - len(gap)]))
        elif high == o.start and new.startswith(gap):
            out.append(Replacement(high, high, new[len(gap) :] + gap))
    return out


def _left(r: Replacement, o: Replacement) -> tuple[int, int, str] | None:
    """What the typed `o` leaves of the predicted `r`; None when it is not a step of it.

    The answer: how many characters are done, how many are still to be replaced, and the text still to come.
    """
    if o.start < r.start or o.end > r.end:
        return None
    length = (r.end - r.start) - (o.end - o.start)
    if not o.text:
        return 0, length, r.text
    if o.start == r.start and r.text.startswith(o.text):
        return len(o.text), length, r.text[len(o.text) :]
    return None


def _idle(r: Replacement) -> bool:
    """Whether it neither removes nor inserts anything."""
    return r.start == r.end and not r.text


def _trimmed(r: Replacement, text: str, *, tail_first: bool = False) -> Replacement:
    """Without the characters that old and new text have in common at their ends."""
    old, new = text[r.start : r.end], r.text
    head, tail = common_affixes(old, new, suffix_first=tail_first)
    return Replacement(r.start + head, r.end - tail, new[head : len(new) - tail])
