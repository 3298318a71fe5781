"""The frozen generator: from records of real commits and a seed to sketches whose results are known.

Frozen means: the same records, count and seed give the same cases for as long as `VERSION` is the same. Change anything
that changes a case, and raise it; figures of different versions are not to be compared.

Every case is a fair question: sketches with several readings (see `ambiguity.py`) are left out, unless ambiguity is the
damage; then `accepted` is empty and a refusal is the only right answer.

Damage and what it accepts besides the commit's own result:

- dropped-context: a change has unchanged lines on one side only, or a blank line of the context is missing. In a sketch that
  shows code (not in a diff) the missing blank line may then also be missing from the result.
- indentation: the sketch is dedented, indented more, or in another unit or with tabs for spaces.
- final-newline: the sketch, or the file itself, ends without a line end. The file's end stays as it is.
- paraphrased-comment: an unchanged comment is in other words; either comment is accepted.
- similar-places: the file also holds a copy of the declaration under another name, before or after it. A sketch that does
  not show the name may have two places: then only a refusal is right.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from editahead_evals.data.edit_records import Record

from . import answer_wrapping, marker_wording, patch_sketches
from .file_sketches import FileSketchCase, SketchPlan, make_file_sketch
from .line_change import LineChange, text

VERSION = 5

_SEED_VERSION = 1
"""Part of the seed of each kind. Kinds that were there before give the same cases as in earlier versions."""

_TRIES = 400
"""Records looked at for one case before its kind is given up for this sample."""

_MAX_SKETCH = 40_000
"""Characters. Longer ones are no sketches."""


@dataclass(frozen=True, slots=True)
class CaseFile:
    """One file of a case.

    Attributes:
        accepted: the correct texts; empty when only a refusal is right.
    """

    path: str
    language: str
    before: str
    accepted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A sketch and the results that are right for it.

    Attributes:
        variant: a finer kind than the style, for reading failures.
        damage: the kind of damage; "" for none.
    """

    id: str
    style: str
    variant: str
    damage: str
    sketch: str
    files: tuple[CaseFile, ...]

    @property
    def only_refusal(self) -> bool:
        return not all(file.accepted for file in self.files)


_CLEAN = {
    "context-markers": 12,
    "enclosing-markers": 12,
    "sloppy-markers": 20,
    "added-element": 24,
    "series-element": 24,
    "declaration": 8,
    "unified-diff": 14,
    "search-replace": 8,
    "begin-patch": 8,
    "whole-file": 4,
    "named-scope": 6,
    "left-out-bodies": 6,
    "partial-class": 6,
    "added-import": 12,
}
_DAMAGED = {
    "dropped-context": ("context-markers", "context-markers", "unified-diff", "begin-patch"),
    "indentation": (
        "context-markers",
        "enclosing-markers",
        "declaration",
        "declaration",
        "unified-diff",
        "search-replace",
    ),
    "final-newline": ("whole-file", "context-markers", "declaration", "unified-diff"),
    "paraphrased-comment": (
        "context-markers",
        "enclosing-markers",
        "declaration",
        "unified-diff",
        "search-replace",
    ),
    "similar-places": (
        "context-markers",
        "enclosing-markers",
        "declaration",
        "unified-diff",
        "search-replace",
        "begin-patch",
    ),
}
_SEVERAL = ("context-markers", "unified-diff", "search-replace", "begin-patch", "whole-file")

PLANS: tuple[SketchPlan, ...] = (
    *(SketchPlan(style) for style, times in _CLEAN.items() for _ in range(times)),
    *(SketchPlan(style, damage) for damage, styles in _DAMAGED.items() for style in styles),
    *(SketchPlan(style, several=True) for style in _SEVERAL for _ in range(2)),
)
"""The kinds of cases, each as often as it is listed."""


def cases(records: Sequence[Record], count: int, seed: int) -> Iterator[Case]:
    """Yield `count` cases of the kinds of `PLANS` in equal shares, in mixed order.

    One record may give cases of several kinds, but only one of each kind. A kind that the records cannot give
    is left out, and others take its place. Fewer than `count` cases come when the records run out.
    """
    groups = [list(group) for _, group in groupby(records, key=lambda record: (record.repo, record.commit))]
    commits = [group[:5] for group in groups if len({record.path for record in group}) == len(group) > 1]
    singles = [[record] for record in records]
    kinds = list(dict.fromkeys(PLANS))
    sources: dict[SketchPlan, Iterator[list[Record]]] = {}
    for plan in kinds:
        stock = commits if plan.several else singles
        order = random.Random(f"{_SEED_VERSION}:{seed}:{_seed_text(plan)}")
        sources[plan] = iter(order.sample(stock, len(stock)))
    plans = list(PLANS)
    order = random.Random(f"{VERSION}:{seed}")
    made = 0
    while made < count and plans:
        order.shuffle(plans)
        for plan in list(plans):
            case = _next_case(plan, sources[plan], seed)
            if case is None:
                plans = [other for other in plans if other != plan]
                continue
            yield case
            made += 1
            if made == count:
                return


def _seed_text(plan: SketchPlan) -> str:
    """Return the text of a plan in a seed: frozen like `VERSION`, whatever the class is called."""
    return f"Plan(style={plan.style!r}, damage={plan.damage!r}, several={plan.several!r})"


def _next_case(plan: SketchPlan, source: Iterator[list[Record]], seed: int) -> Case | None:
    for _ in range(_TRIES):
        group = next(source, None)
        if group is None:
            return None
        case = _case(plan, group, random.Random(f"{_SEED_VERSION}:{seed}:{_seed_text(plan)}:{group[0].id}"))
        if case is not None:
            return case
    return None


def _case(plan: SketchPlan, group: Sequence[Record], rng: random.Random) -> Case | None:
    parts = []
    variant = _variant(plan, rng)
    for record in group:
        change = LineChange.from_texts(record.path, record.language, record.before, record.after)
        part = None if change is None else make_file_sketch(plan, change, variant, rng)
        if part is not None:
            parts.append(part)
    if len(parts) < (2 if plan.several else 1):
        return None
    lines, how = _wrapped(plan, parts, variant, rng)
    sketch = text(lines)
    files = [
        CaseFile(part.change.path, part.change.language, part.change.before, tuple(map(text, part.accepted)))
        for part in parts
    ]
    if plan.damage == "final-newline":
        if how != "bare" or rng.random() < 0.5:
            files = [_without_end(file) for file in files]
        else:
            sketch = sketch[:-1]
    if len(sketch) > _MAX_SKETCH:
        return None
    style = f"{plan.style} x files" if plan.several else plan.style
    variant = "/".join(dict.fromkeys((parts[0].variant, how)))
    return Case(f"{group[0].id}#{style}#{plan.damage}", style, variant, plan.damage, sketch, tuple(files))


def _without_end(file: CaseFile) -> CaseFile:
    return CaseFile(file.path, file.language, file.before[:-1], tuple(text[:-1] for text in file.accepted))


def _variant(plan: SketchPlan, rng: random.Random) -> str:
    match plan.style:
        case "sloppy-markers":
            return rng.choice([*marker_wording.SLOPPY, *_SHAPES])
        case "added-element":
            return rng.choice(["clean", "clean", *marker_wording.SLOPPY])
        case "added-import":
            return rng.choice(["clean", "clean", "rest-of", "existing", "unchanged"])
        case "series-element":
            return rng.choice(["clean", *marker_wording.IN_WORDS])
        case "unified-diff":
            if plan.damage == "similar-places":
                return "no-numbers"
            styles = [style for style in patch_sketches.UNIFIED if style != "no-header" or not plan.several]
            return rng.choice(styles)
        case "search-replace":
            return rng.choice(("aider", "aider", "cline"))
        case _:
            return ""


_SHAPES = ("no-first-marker", "no-last-marker", "marker-at-left", "marker-too-deep", "prose")
"""Sloppiness other than in the words."""


def _wrapped(
    plan: SketchPlan, parts: Sequence[FileSketchCase], variant: str, rng: random.Random
) -> tuple[list[str], str]:
    """Return the parts as an answer contains them, and the kind of wrapping."""
    path = parts[0].change.path
    several = len(parts) > 1
    match plan.style:
        case "begin-patch":
            lines = ["*** Begin Patch", *(line for part in parts for line in part.lines), "*** End Patch"]
            lines, how = _maybe_fenced(lines, rng.choice(("", "diff", "patch")), rng)
        case "unified-diff":
            lines = [line for part in parts for line in part.lines]
            lines, how = _maybe_fenced(lines, rng.choice(("diff", "diff", "patch", "")), rng)
        case "search-replace":
            lines, how = list(_search_replace_blocks(parts, rng)), "as-is"
        case _ if several:
            lines, how = list(_fences(parts, rng)), "fences"
        case _:
            lines, how = _fence_or_bare(plan, parts[0], variant, rng)
    if variant == "prose" or (several and rng.random() < 0.5):
        lines = answer_wrapping.with_prose(lines, path, rng)
    return lines, how


def _search_replace_blocks(parts: Sequence[FileSketchCase], rng: random.Random) -> Iterator[str]:
    """Yield the blocks of each file, most of them below its path and some in fences."""
    for part in parts:
        if len(parts) > 1 or rng.random() < 0.5:
            yield part.change.path
        if rng.random() < 0.5:
            yield from answer_wrapping.fenced(part.lines, part.change.language, None, rng)
        else:
            yield from part.lines


def _fences(parts: Sequence[FileSketchCase], rng: random.Random) -> Iterator[str]:
    """Yield a fence for each file, with its path."""
    for part in parts:
        yield from answer_wrapping.fenced(part.lines, part.change.language, part.change.path, rng)
        yield ""


def _fence_or_bare(
    plan: SketchPlan, part: FileSketchCase, variant: str, rng: random.Random
) -> tuple[list[str], str]:
    """Return one part in a fence, with or without its path, or as it is."""
    roll = rng.random()
    if variant != "prose" and (roll < 0.3 or (plan.damage == "final-newline" and roll < 0.6)):
        return list(part.lines), "bare"
    named = part.change.path if rng.random() < 0.5 else None
    return answer_wrapping.fenced(part.lines, part.change.language, named, rng), "fence"


def _maybe_fenced(lines: list[str], word: str, rng: random.Random) -> tuple[list[str], str]:
    if rng.random() < 0.5:
        return lines, "bare"
    return answer_wrapping.fenced(lines, "", None, rng, word), "fence"
