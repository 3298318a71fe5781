"""Rendering of parts to a prompt within a token budget, with the reason for each omission.

The rule, which a test verifies by brute force: go through the parts by priority (equal ones in the order of the prompt) and
include each part that still fits, of a `FirstFitting` the first alternative that fits; a part that does not fit ends its
group. Tokens of required parts are set aside from the start. Parts are counted one by one, and the whole prompt at the end.
If the prompt has more tokens than its parts, the limit is lowered by the excess and the choice is repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from editahead_prompts.errors import PromptTooLongError

from .parts import (
    REQUIRED,
    CacheBreakpoint,
    FirstFitting,
    Group,
    OutOfReach,
    Part,
    Reserve,
    Text,
    TokenBoundary,
)
from .tokenizers import Tokenizer, count_within

OmissionReason: TypeAlias = Literal[
    "the prompt's budget", "its group's budget", "follows one left out", "a shorter one is used"
]


@dataclass(frozen=True, slots=True)
class PromptSpan:
    """A span of the rendered text and the part it comes from. Offsets in code points; tokens counted alone."""

    name: str
    start: int
    end: int
    tokens: int


@dataclass(frozen=True, slots=True)
class OmittedPart:
    """A part that was omitted from the prompt."""

    name: str
    priority: float
    tokens: int
    why: OmissionReason


@dataclass(frozen=True, slots=True)
class Prompt:
    """A rendered prompt.

    Attributes:
        pieces: Spans that cover the text without gaps, in order.
        left_out: Omitted parts, in the order of the parts.
        tokens: The number of tokens of the whole text.
        reserved: The number of tokens kept free.
        ids: The token ids; None where the tokenizer does not know them.
        fixed: The offset of the last cache breakpoint.
    """

    text: str
    pieces: tuple[PromptSpan, ...]
    left_out: tuple[OmittedPart, ...]
    tokens: int
    reserved: int
    ids: tuple[int, ...] | None
    fixed: int

    def piece_at(self, offset: int) -> PromptSpan | None:
        """Return the span that holds the character at `offset`; None at the end."""
        return next((piece for piece in self.pieces if piece.start <= offset < piece.end), None)


@dataclass(frozen=True, eq=False)
class _Frame:
    """A group around a part. Two equal groups are different frames.

    Attributes:
        cost: Tokens of the group's `before` and `after`.
    """

    name: str
    group: Group
    cost: int


@dataclass(frozen=True)
class _Item:
    """A leaf of the tree of parts.

    Attributes:
        place: The position among all leaves.
        texts: The text, or the alternatives.
        costs: The tokens of each text.
        frames: The enclosing groups, outermost first.
    """

    place: int
    name: str
    priority: float
    texts: tuple[str, ...]
    costs: tuple[int, ...]
    frames: tuple[_Frame, ...]

    @property
    def required(self) -> bool:
        return self.priority == REQUIRED


@dataclass(frozen=True)
class _Mark:
    """A token boundary or a cache breakpoint."""

    kind: TokenBoundary | CacheBreakpoint
    frames: tuple[_Frame, ...]


_Leaf: TypeAlias = _Item | _Mark


def render(part: Part, budget: int, tokenizer: Tokenizer) -> Prompt:
    """Render parts to a prompt.

    Args:
        budget: The most tokens that the prompt may have, reserved ones included.

    Raises:
        PromptTooLongError: The required parts have more tokens than the budget.
    """
    left_out: dict[int, OmittedPart] = {}
    leaves = list(_Flattening(tokenizer, budget, left_out).flatten(part))
    fixed = (n for n, x in enumerate(leaves) if isinstance(x, _Mark) and isinstance(x.kind, CacheBreakpoint))
    last = max(fixed, default=0)
    leaves[:last] = [replace(x, priority=REQUIRED) if isinstance(x, _Item) else x for x in leaves[:last]]
    items = [leaf for leaf in leaves if isinstance(leaf, _Item)]
    limit = budget
    while True:
        lacking: dict[int, OmittedPart] = {}
        chosen = _choose(items, limit, lacking, "the prompt's budget")
        prompt = _assemble(leaves, chosen, tokenizer, left_out | lacking)
        excess = prompt.tokens + prompt.reserved - budget
        if excess <= 0:
            return prompt
        if not chosen:  # only what encloses token boundaries and breakpoints is left
            raise PromptTooLongError(f"an empty prompt: {prompt.tokens} tokens are needed, {budget} allowed")
        limit -= excess


class _Flattening:
    """A traversal that yields the leaves in order and cuts groups to their own budgets."""

    def __init__(self, tokenizer: Tokenizer, budget: int, left_out: dict[int, OmittedPart]) -> None:
        self._tokenizer, self._budget = tokenizer, budget
        self._left_out = left_out
        self._place = 0

    def flatten(self, part: Part, frames: tuple[_Frame, ...] = ()) -> Iterator[_Leaf]:
        match part:
            case TokenBoundary() | CacheBreakpoint():
                yield _Mark(part, frames)
            case Group():
                yield from self._group(part, frames)
            case Text(text, priority, name):
                yield self._item(name, priority, (text,), frames)
            case FirstFitting(alternatives, priority, name):
                yield self._item(name, priority, alternatives, frames)
            case OutOfReach(tokens, name):
                item = self._item(name, 0, (), frames)
                self._left_out[item.place] = OmittedPart(item.name, 0, tokens, "the prompt's budget")
            case Reserve(tokens, name):
                yield replace(self._item(name, REQUIRED, ("",), frames), costs=(tokens,))

    def _item(self, name: str, priority: float, texts: tuple[str, ...], frames: tuple[_Frame, ...]) -> _Item:
        self._place += 1
        full = "/".join(n for n in (*(frame.name for frame in frames), name) if n)
        costs = tuple(count_within(self._tokenizer, text, self._budget) for text in texts)
        return _Item(self._place, full, priority, texts, costs, frames)

    def _group(self, group: Group, frames: tuple[_Frame, ...]) -> Iterator[_Leaf]:
        cost = self._tokenizer.count(group.before) + self._tokenizer.count(group.after)
        frame = _Frame(group.name, group, cost)
        leaves = [leaf for part in group.parts for leaf in self.flatten(part, (*frames, frame))]
        if group.budget is None:
            yield from leaves
            return
        depth = len(frames)
        inside = [replace(leaf, frames=leaf.frames[depth:]) for leaf in leaves if isinstance(leaf, _Item)]
        chosen = _choose(inside, group.budget, self._left_out, "its group's budget")
        for leaf in leaves:
            if not isinstance(leaf, _Item):
                yield leaf
            elif (which := chosen.get(leaf.place)) is not None:
                yield replace(leaf, texts=leaf.texts[which:], costs=leaf.costs[which:])


def _choose(
    items: Sequence[_Item], limit: int, left_out: dict[int, OmittedPart], why: OmissionReason
) -> dict[int, int]:
    """Return the index of the included alternative by place, and record omitted items in `left_out`."""
    order = sorted(items, key=lambda i: (-i.priority, i.required and len(i.texts) > 1, i.place))
    needed = [item for item in order if item.required]
    chosen: dict[int, int] = {}
    opened: set[_Frame] = set()
    ended: set[_Frame | None] = set()
    used = 0
    for turn, item in enumerate(order):
        group = item.frames[-1] if item.frames else None
        around = sum(frame.cost for frame in item.frames if frame not in opened)
        costs = [cost + around if text else cost for text, cost in zip(item.texts, item.costs, strict=True)]
        later = _min_tokens(needed[turn + 1 :], opened.union(item.frames)) if item.required else 0
        which = next((n for n, cost in enumerate(costs) if used + cost + later <= limit), None)
        if item.required and which is None:
            min_tokens = used + min(costs) + later
            raise PromptTooLongError(
                f"{item.name or 'a required part'}: {min_tokens} tokens are needed, {limit} allowed"
            )
        if group in ended and not item.required:
            which = None
            reason: OmissionReason = "follows one left out"
        else:
            reason = why if which is None else "a shorter one is used"
        if which != 0:
            left_out[item.place] = OmittedPart(item.name, item.priority, item.costs[0], reason)
        if which is None:
            ended.add(group)
            continue
        chosen[item.place] = which
        used += costs[which]
        if item.texts[which]:
            opened.update(item.frames)
    return chosen


def _min_tokens(items: Sequence[_Item], opened: set[_Frame]) -> int:
    """Return the fewest tokens that all the items need."""
    frames = {frame for item in items if all(item.texts) for frame in item.frames} - opened
    return sum(min(item.costs) for item in items) + sum(frame.cost for frame in frames)


def _assemble(
    leaves: Sequence[_Leaf], chosen: dict[int, int], tokenizer: Tokenizer, left_out: dict[int, OmittedPart]
) -> Prompt:
    """Assemble the prompt of the chosen items."""
    writer = _Writer(tokenizer)
    reserved = fixed = 0
    for leaf in leaves:
        if isinstance(leaf, _Mark):
            writer.go_to(leaf.frames)
            if isinstance(leaf.kind, TokenBoundary):
                writer.end_segment()
            else:
                fixed = writer.length
        elif (which := chosen.get(leaf.place)) is not None:
            if leaf.texts[which]:
                writer.go_to(leaf.frames)
                writer.write(leaf.name, leaf.texts[which])
            else:
                reserved += leaf.costs[which]
    writer.go_to(())
    writer.end_segment()
    segments = writer.segments
    encoded = [tokenizer.encode(segment) for segment in segments]
    ids = [known for known in encoded if known is not None]
    return Prompt(
        "".join(segments),
        tuple(writer.pieces),
        tuple(left_out[place] for place in sorted(left_out)),
        sum(map(tokenizer.count, segments)),
        reserved,
        tuple(number for known in ids for number in known) if len(ids) == len(segments) else None,
        fixed,
    )


class _Writer:
    """A writer of text that writes a group's `before` and `after` around the first and the last text in the group."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.pieces: list[PromptSpan] = []
        self.segments: list[str] = []
        self.length = 0
        self._tokenizer = tokenizer
        self._texts: list[str] = []
        self._open: list[_Frame] = []

    def write(self, name: str, text: str) -> None:
        if text:
            end = self.length + len(text)
            self.pieces.append(PromptSpan(name, self.length, end, self._tokenizer.count(text)))
            self._texts.append(text)
            self.length = end

    def go_to(self, frames: tuple[_Frame, ...]) -> None:
        """Close the groups that are not among `frames`, and open those of `frames` that are not open."""
        while self._open and self._open[-1] not in frames:
            frame = self._open.pop()
            self.write(f"{frame.name}/after", frame.group.after)
        for frame in frames[len(self._open) :]:
            self._open.append(frame)
            self.write(f"{frame.name}/before", frame.group.before)

    def end_segment(self) -> None:
        if self._texts:
            self.segments.append("".join(self._texts))
            self._texts = []
