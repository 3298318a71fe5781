"""The edit algebra: edits as values over one text.

Offsets are code points from the start of the text that the edit applies to. An edit's replacements are sorted
and disjoint; two of them may touch, and an insertion may touch a replacement.

With `t` any text that the edits fit, these laws hold:

- `compose(a, b).apply(t) == b.apply(a.apply(t))`, and composing is associative;
- `invert(a, t).apply(a.apply(t)) == t`;
- `rebase(a, b).apply(b.apply(t))` is both edits made at once, with b's text first where both insert at one place.
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
    """A replacement of the characters from `start` up to, not including, `end` by `text`."""

    start: int
    end: int
    text: str

    @property
    def growth(self) -> int:
        """By how many characters the text gets longer (shorter when negative)."""
        return len(self.text) - (self.end - self.start)


@dataclass(frozen=True, slots=True)
class Edit:
    """A set of replacements made at once, all in the offsets of the same text."""

    replacements: tuple[Replacement, ...] = ()

    @classmethod
    def replace(cls, start: int, end: int, text: str) -> Edit:
        return cls((Replacement(start, end, text),))

    @classmethod
    def from_replacements(cls, replacements: Iterable[Replacement], length: int | None = None) -> Edit:
        """Sort and check replacements, and return the edit. Insertions at one place keep their order.

        Args:
            length: The length of the text, in code points. Without it, the end of the text is not checked.

        Raises:
            ValueError: Two replacements overlap, one ends before it starts, or one reaches out of the text.
        """
        made = cls(tuple(sorted(replacements, key=lambda r: (r.start, r.end))))
        made.check(length)
        return made

    def __bool__(self) -> bool:
        return bool(self.replacements)

    def check(self, length: int | None = None) -> None:
        """Check that the replacements are sorted, disjoint and inside the text.

        Args:
            length: The length of the text, in code points. Without it, the end of the text is not checked.

        Raises:
            ValueError: The replacements break one of these rules.
        """
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
        """Return the text after the edit."""
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
        """The span from the first changed character to the last in the old text; (0, 0) for an empty edit."""
        if not self.replacements:
            return 0, 0
        return self.replacements[0].start, self.replacements[-1].end

    def result_spans(self) -> Iterator[tuple[int, int]]:
        """Yield the span of each replacement's text in the text after the edit, in order."""
        shift = 0
        for r in self.replacements:
            yield r.start + shift, r.start + shift + len(r.text)
            shift += r.growth

    def map_offset(self, offset: int, bias: Bias = "after") -> int:
        """Map an offset in the old text to an offset in the new text.

        Args:
            offset: An offset in the text before the edit.
            bias: The side of the new text to return for the place of an insertion and for an offset inside
                replaced characters. The start of a replaced span always maps before the new text, and its end
                after the new text.
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
    """Return `split_lines` of the edited text. Only the lines that the edit touches are split."""
    if not edit:
        return snapshot.lines
    start, end = edit.changed_span
    # Include the line before: it may end in a carriage return, which an inserted line feed would join.
    first, last = max(snapshot.line_at(start) - 1, 0), snapshot.line_at(end)
    base = snapshot.starts[first]
    part = Edit(tuple(Replacement(r.start - base, r.end - base, r.text) for r in edit.replacements))
    new = split_lines(part.apply("".join(snapshot.lines[first : last + 1])))
    # Only the document's last line has no line end. Before the last line, `split_lines` adds "" to the part.
    rest = snapshot.lines[last + 1 :]
    return (*snapshot.lines[:first], *(new[:-1] if rest else new), *rest)


def normalise(edit: Edit, text: str) -> Edit:
    """Merge touching replacements and drop those that change nothing of `text`.

    `normalise(e, t).apply(t) == e.apply(t)`, and normalising twice is normalising once.
    """
    changes = (r for r in edit.replacements if text[r.start : r.end] != r.text)
    merged = (r for r in _merged(changes) if text[r.start : r.end] != r.text)
    return Edit(tuple(merged))


def _merged(replacements: Iterable[Replacement]) -> Iterator[Replacement]:
    """Yield sorted replacements with touching ones merged."""
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
    """Return one edit with the effect of `first` followed by `then`.

    No two replacements of the result touch, so the result depends only on which characters survive and on
    the text between them. Therefore `compose(compose(a, b), c) == compose(a, compose(b, c))`.

    Args:
        then: An edit in the offsets of the text after `first`.
    """
    # Both edits in the offsets of the intermediate text: `first` as (start, end, replacement).
    made = [(start, end, r) for r, (start, end) in zip(first.replacements, first.result_spans(), strict=True)]
    wanted = list(then.replacements)
    out: list[Replacement] = []
    shift = 0  # growth from the first text to the intermediate text before the current cluster
    i = k = 0
    while i < len(made) or k < len(wanted):
        # A cluster is a run of spans that touch. No character of the first text survives inside a cluster.
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
    """Return the part of the first edit's texts between two offsets of the intermediate text."""
    return "".join(r.text[max(low - start, 0) : max(high - start, 0)] for start, _, r in made)


def invert(edit: Edit, text: str) -> Edit:
    """Return the edit that restores `text` from the result of `edit`."""
    spans = zip(edit.replacements, edit.result_spans(), strict=True)
    return Edit(tuple(Replacement(start, end, text[r.start : r.end]) for r, (start, end) in spans))


def rebase(edit: Edit, over: Edit) -> Edit | None:
    """Rebase `edit` over another edit of the same text; None when the edits conflict.

    The edits conflict when both replace the same character, or when one inserts strictly inside a span that
    the other replaces. So text that `over` inserted (typed by the user) is never removed or split. Where both
    insert at one place, the text of `over` comes first. An insertion at the edge of a replaced span stays
    outside the span.
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
    """Return whether the two replace a common character, or one inserts strictly inside the other."""
    return a.start < b.end and b.start < a.end and (a.start < a.end or b.start < b.end)


def interpolate(edit: Edit, typed: Edit, text: str) -> Edit | None:
    """Return the rest of a shown prediction after typing; None when the typing contradicts the prediction.

    Both edits apply to `text`; the result applies to the text after `typed`. Typing continues a replacement
    when it inserts the first characters of the replacement's text, removes characters of the replaced span,
    or both. Typing elsewhere moves the edit as `rebase` does. Other typing that touches a replacement
    contradicts the prediction. The result is empty when all of the prediction has been typed.
    """
    keys = [o for o in (_trimmed(o, text) for o in typed.replacements) if not _idle(o)]
    used: set[int] = set()  # indices in `keys` that continue a replacement
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
    """Return the indices of the keys that touch the replacement."""
    return [k for k, o in enumerate(keys) if o.start <= r.end and r.start <= o.end]


def _ways(r: Replacement, text: str, stray: Sequence[Replacement]) -> list[Replacement]:
    """Return replacements with the same effect on `text` as `r`.

    One change often has several forms: "a" inserted before or after another "a", a line inserted before or
    after a line break. Only forms that one of the stray keys may have begun are returned.
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
    """Return what the typed `o` leaves of the predicted `r`; None when `o` does not continue `r`.

    The result holds the count of typed characters, the count of characters still to replace, and the rest of
    the text.
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
    """Return whether the replacement neither removes nor inserts text."""
    return r.start == r.end and not r.text


def _trimmed(r: Replacement, text: str, *, tail_first: bool = False) -> Replacement:
    """Trim the common prefix and suffix of the old and the new text."""
    old, new = text[r.start : r.end], r.text
    head, tail = common_affixes(old, new, suffix_first=tail_first)
    return Replacement(r.start + head, r.end - tail, new[head : len(new) - tail])
