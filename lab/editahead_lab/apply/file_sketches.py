"""One file's part of a sketch: what it shows of a change in each style, and with each damage."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from . import corruptions as damages
from . import marker_wording, patch_sketches, snippet_sketches
from .added_elements import added_element
from .import_sketches import import_sketch
from .line_change import Declaration, LineChange, indentation
from .member_sketches import Others, member_sketch
from .series_elements import series_element

_MAX_DECLARATION = 150
_MAX_FILE = 500
"""Lines of a file, at most, that a sketch repeats as a whole."""


Accepted = tuple[tuple[str, ...], ...]
"""The right results, as lines; none where only a refusal is right."""


@dataclass(frozen=True, slots=True)
class SketchPlan:
    style: str
    damage: str = ""
    several: bool = False


@dataclass(frozen=True, slots=True)
class FileSketchCase:
    """The part of a sketch for one file: its lines before wrapping, and the accepted results as lines."""

    change: LineChange
    lines: list[str]
    accepted: Accepted
    variant: str


def make_file_sketch(
    plan: SketchPlan, change: LineChange, variant: str, rng: random.Random
) -> FileSketchCase | None:
    twins: damages.DuplicatedDeclaration | None = None
    if plan.damage == "similar-places":
        twins = damages.duplicate_declaration(change, rng)
        if twins is None:
            return None
        change = twins.both
        if make_file_sketch(SketchPlan(plan.style), twins.alone, variant, random.Random(0)) is None:
            return None  # it would be no fair question without the copy either
    match plan.style:
        case "left-out-bodies" | "partial-class":
            return _members(change, "left-out" if plan.style == "left-out-bodies" else "hidden", rng)
        case "context-markers" | "enclosing-markers" | "sloppy-markers" | "named-scope":
            return _snippet(plan, change, twins, variant, rng)
        case "added-element":
            return _added_element(change, variant, rng)
        case "series-element":
            return _series_element(change, variant, rng)
        case "added-import":
            return _added_import(change, variant, rng)
        case "declaration":
            return _declaration(plan, change, twins, rng)
        case "whole-file":
            return _whole(change)
        case _:
            return _patch(plan, change, twins, variant, rng)


def _whole(change: LineChange) -> FileSketchCase | None:
    """Return the new file as a sketch.

    None where the first or last lines of the file are removed: the sketch could then be read as a part of the
    file.
    """
    if any(map(change.leaves_no_trace, change.hunks)) or len(change.new) > _MAX_FILE:
        return None
    return FileSketchCase(change, list(change.new), (change.new,), "")


def _snippet(
    plan: SketchPlan,
    change: LineChange,
    twins: damages.DuplicatedDeclaration | None,
    variant: str,
    rng: random.Random,
) -> FileSketchCase | None:
    shown, details = _view(plan, change, rng)
    if shown is None or not shown.has_gap:
        return None
    damaged = _damaged_view(plan, shown, rng)
    if damaged is None:
        return None
    shown, accepted = damaged
    if not shown.has_one_reading():
        if twins is None:
            return None
        accepted = () if _reads_as_both(shown, twins) else accepted
    name = next((d.name for d in change.new_declarations if d.name.isidentifier()), "module")
    lines = _marked(shown, variant, _marker(variant, change.language, rng, name))
    if lines is not None and plan.damage == "indentation":
        details = rng.choice(damages.INDENTATIONS)
        lines = damages.reindented(lines, details, change.old)
    if lines is None:
        return None
    return FileSketchCase(change, lines, accepted, "/".join(filter(None, (variant, details))))


def _view(
    plan: SketchPlan, change: LineChange, rng: random.Random
) -> tuple[snippet_sketches.SnippetView | None, str]:
    """Return what a sketch with markers shows of a change, and a word for it where the style does not say it."""
    if plan.style == "named-scope":
        return snippet_sketches.scoped(change), ""
    if plan.style == "enclosing-markers":
        return snippet_sketches.enclosing(change, rng), ""
    if plan.style == "sloppy-markers" and rng.random() < 0.5:
        return snippet_sketches.enclosing(change, rng), "enclosing"
    return snippet_sketches.context(change), ""


def _damaged_view(
    plan: SketchPlan, shown: snippet_sketches.SnippetView, rng: random.Random
) -> tuple[snippet_sketches.SnippetView, Accepted] | None:
    """Return the view after damage to its context or its comments, and the accepted results."""
    if plan.damage == "dropped-context":
        return _less(shown, rng)
    if plan.damage != "paraphrased-comment":
        return shown, (shown.change.new,)
    found = _other_words(shown.change, shown.lines, rng)
    if found is None:
        return None
    shown.written, accepted = found
    return shown, accepted


def _reads_as_both(shown: snippet_sketches.SnippetView, twins: damages.DuplicatedDeclaration) -> bool:
    """Return whether what a sketch shows is in the declaration and in its copy."""
    stretches = [each for run in shown.readings() if run.changes for each in run.stretches]
    named = twins.is_named_by(shown.change.new[line] for line in shown.lines)
    return not named and twins.are_in_both(stretches)


def _marker(variant: str, language: str, rng: random.Random, name: str = "module") -> snippet_sketches.Marker:
    """Return the function that words the next marker."""
    if variant in marker_wording.SLOPPY:
        return lambda: marker_wording.sloppy(variant, language, name, rng)
    return lambda: marker_wording.clean(language)


def _marked(
    shown: snippet_sketches.SnippetView, variant: str, marker: snippet_sketches.Marker
) -> list[str] | None:
    """Return the lines of a sketch with its markers as the variant has them; None where they would say something else."""

    def indent(line: str) -> str:
        if variant == "marker-at-left":
            return ""
        return indentation(line) + ("    " if variant == "marker-too-deep" else "")

    change = shown.change
    lines = shown.rendered(marker, indent)
    if change.language == "python" and _has_stub(lines):
        return None
    if variant == "marker-at-left" and not any(_hidden_indentations(shown)):
        return None  # their right place is the left margin
    if variant in ("no-first-marker", "no-last-marker"):
        ends = (min(shown.lines) > 0, max(shown.lines) < len(change.new) - 1)
        is_last = variant == "no-last-marker"
        if not ends[is_last] or sum(ends) + len(list(shown.runs())) - 1 < 2:
            return None
        del lines[-1 if is_last else 0]
    return lines


def _series_element(change: LineChange, variant: str, rng: random.Random) -> FileSketchCase | None:
    """Return a sketch of one element of a file that is made with the words of this one."""
    marker = _marker(variant, "python", rng)

    def words(sign: str) -> str:
        return sign.format(marker().removeprefix("#").strip())

    made = series_element(change, words, rng)
    if made is None:
        return None
    return FileSketchCase(made.change, made.lines, made.accepted, f"{made.kind}-{variant}")


def _added_element(change: LineChange, variant: str, rng: random.Random) -> FileSketchCase | None:
    """Return a sketch that adds an element of the new file which stays out of the file."""
    added = added_element(change.path, change.language, change.new, rng)
    if added is None:
        return None

    lines = added.rendered(_marker(variant, change.language, rng))
    if len(lines) >= len(change.new) or (change.language == "python" and _has_stub(lines)):
        return None
    return FileSketchCase(added.change, lines, added.accepted, f"{added.where}-{variant}")


def _added_import(change: LineChange, variant: str, rng: random.Random) -> FileSketchCase | None:
    """Return a sketch that adds an import of the new file beside a mark for the others."""
    code_mark = _marker(variant, change.language, rng)
    made = import_sketch(change, lambda: marker_wording.imports(change.language, rng), code_mark, rng)
    if made is None:
        return None
    return FileSketchCase(made.change, made.lines, made.accepted, f"{made.kind}-{variant}")


def _members(change: LineChange, others: Others, rng: random.Random) -> FileSketchCase | None:
    """Return a sketch of a class that shows one member, or leaves the bodies of the others out in words."""
    made = member_sketch(change, others, rng)
    if made is None:
        return None
    return FileSketchCase(made.change, made.lines, (made.change.new,), made.variant)


def _has_stub(lines: Sequence[str]) -> bool:
    """Return whether three dots are a block's only line, which is Python code with a meaning of its own."""
    used = [line for line in lines if line.strip()]
    for before, line, after in zip(used, used[1:], [*used[2:], ""], strict=False):
        if (
            line.strip() == "..."
            and before.endswith(":")
            and len(indentation(after)) < len(indentation(line))
        ):
            return True
    return False


def _hidden_indentations(shown: snippet_sketches.SnippetView) -> Iterator[str]:
    """Yield the indentation of the first line of each hidden stretch, at which its marker belongs."""
    at = 0
    for run in [*shown.runs(), range(len(shown.change.new), len(shown.change.new))]:
        hidden = [line for line in shown.change.new[at : run.start] if line.strip()]
        yield from (indentation(line) for line in hidden[:1])
        at = run.stop


def _less(
    shown: snippet_sketches.SnippetView, rng: random.Random
) -> tuple[snippet_sketches.SnippetView, Accepted] | None:
    """Return the view with less context: without one side of a change, or without a blank line."""
    return _without_blank_line(shown, rng) if rng.random() < 0.4 else _without_one_side(shown, rng)


def _without_blank_line(
    shown: snippet_sketches.SnippetView, rng: random.Random
) -> tuple[snippet_sketches.SnippetView, Accepted] | None:
    change = shown.change
    changed = {line for _, _, j1, j2 in change.hunks for line in range(j1, j2)}
    inner = [line for run in shown.runs() for line in run[1:-1]]
    blank = [line for line in inner if not change.new[line].strip() and line not in changed]
    if not blank:
        return None
    lost = rng.choice(blank)
    shown.omitted = frozenset({lost})
    return shown, (change.new, (*change.new[:lost], *change.new[lost + 1 :]))


def _without_one_side(
    shown: snippet_sketches.SnippetView, rng: random.Random
) -> tuple[snippet_sketches.SnippetView, Accepted] | None:
    _, _, j1, j2 = rng.choice(shown.change.hunks)
    run = next(run for run in shown.runs() if run.start <= j1 and j2 <= run.stop)
    edge = range(run.start, j1) if rng.random() < 0.5 else range(j2, run.stop)
    if not edge or len(edge) == len(run) or not set(edge) <= shown.change.old_line.keys():
        return None
    shown.lines = shown.lines - set(edge)
    return shown, (shown.change.new,)


def _other_words(
    change: LineChange, lines: set[int], rng: random.Random
) -> tuple[dict[int, str], Accepted] | None:
    """Return the lines with one unchanged comment in other words, and the two accepted results."""
    found = snippet_sketches.comments(change, lines, marker_wording.comment_sign(change.language))
    for line in rng.sample(found, len(found)):
        other = damages.paraphrase_comment(change.new[line])
        if other is not None:
            return {line: other}, (change.new, (*change.new[:line], other, *change.new[line + 1 :]))
    return None


def _declaration(
    plan: SketchPlan, change: LineChange, twins: damages.DuplicatedDeclaration | None, rng: random.Random
) -> FileSketchCase | None:
    if twins is not None:
        return FileSketchCase(
            change, snippet_sketches.declaration(change, twins.declaration), (change.new,), ""
        )
    pairs = [(old, new) for old, new in change.pairs if _shows_its_head(change, old, new)]
    if not pairs:
        return None
    old, new = rng.choice(pairs)
    change = change.restrict_to(old, new)
    new = Declaration(
        new.kind,
        new.name,
        old.start,
        old.start + new.body - new.start,
        old.start + new.end - new.start,
        new.footer,
    )
    lines = snippet_sketches.declaration(change, new)
    accepted: Accepted = (change.new,)
    kind = ""
    if plan.damage == "indentation":
        kind = rng.choice(damages.INDENTATIONS)
        moved = damages.reindented(lines, kind, change.old)
        if moved is None:
            return None
        lines = moved
    if plan.damage == "paraphrased-comment":
        found = _other_words(change, set(range(new.start, new.end)), rng)
        if found is None:
            return None
        written, accepted = found
        lines = [written.get(line, change.new[line]) for line in range(new.start, new.end)]
    return FileSketchCase(change, lines, accepted, kind)


def _shows_its_head(change: LineChange, old: Declaration, new: Declaration) -> bool:
    """Return whether a declaration can be shown whole.

    A declaration that lost its first lines, decorators for instance, cannot: the lines may just as well have
    been left out.
    """
    lost = any(i1 == old.start and j1 == j2 for i1, _, j1, j2 in change.hunks)
    return not lost and new.end - new.start <= _MAX_DECLARATION


def _patch(
    plan: SketchPlan,
    change: LineChange,
    twins: damages.DuplicatedDeclaration | None,
    variant: str,
    rng: random.Random,
) -> FileSketchCase | None:
    before, after, details = _context_sizes(plan, variant, rng)
    parts = patch_sketches.hunks(change, before, after)
    written: dict[int, str] = {}
    accepted: Accepted = (change.new,)
    context = set(chain.from_iterable(range(part.j1, part.j2) for part in parts)) & set(change.old_line)
    if plan.damage == "paraphrased-comment":
        found = _other_words(change, context, rng)
        if found is None:
            return None
        written, accepted = found
    if plan.damage == "dropped-context" and not details:
        blank = sorted(line for line in context if not change.new[line].strip())
        if not blank:
            return None
        lost = frozenset({rng.choice(blank)})
        parts, details = [replace(part, omitted=lost) for part in parts], "blank-lost"
    lines = _patch_lines(plan, change, variant, parts, written, rng)
    if lines is not None and twins is not None and _matches_both(lines, change, parts, twins):
        accepted = ()
    if lines is not None and plan.damage == "indentation":
        details = rng.choice(damages.INDENTATIONS)
        lines = _shifted(lines, details, change.old)
    if lines is None:
        return None
    return FileSketchCase(change, lines, accepted, "/".join(filter(None, (variant, details))))


def _context_sizes(plan: SketchPlan, variant: str, rng: random.Random) -> tuple[int, int, str]:
    """Return the lines of context before and after each change, and a word for them where the damage is in these."""
    if variant == "little-context":
        return *rng.choice(((1, 1), (1, 0), (0, 1), (2, 0))), ""
    if plan.damage == "dropped-context" and rng.random() < 0.6:
        return *rng.choice(((0, 3), (3, 0), (1, 1), (0, 2))), "one-side"
    return snippet_sketches.CONTEXT, snippet_sketches.CONTEXT, ""


def _matches_both(
    lines: Sequence[str],
    change: LineChange,
    parts: Sequence[patch_sketches.PatchHunk],
    twins: damages.DuplicatedDeclaration,
) -> bool:
    """Return whether a patch fits a declaration and its copy, and says nothing of which is meant."""
    if patch_sketches.END_OF_FILE in lines or patch_sketches.are_placed(change, parts):
        return False
    stretches = [(part.i1, change.old[part.i1 : part.i2]) for part in parts]
    named = twins.is_named_by(chain.from_iterable(old for _, old in stretches))
    return not named and twins.are_in_both(stretches)


def _patch_lines(
    plan: SketchPlan,
    change: LineChange,
    variant: str,
    parts: list[patch_sketches.PatchHunk],
    written: dict[int, str],
    rng: random.Random,
) -> list[str] | None:
    """Return the patch's lines; None where its hunks fit several places.

    For the damage "similar-places" they may fit several, and no heading names the declaration.
    """
    has_twin = plan.damage == "similar-places"
    if plan.style == "search-replace":
        found = parts if has_twin else patch_sketches.search_hunks(change, rng)
        if found is None or any(line.startswith(_SIGNS) for line in (*change.old, *change.new)):
            return None
        return patch_sketches.search_replace(
            change, found, "cline" if variant == "cline" else "aider", written
        )
    headings = 0.0 if has_twin else 0.5
    if not has_twin and not patch_sketches.are_placed(change, parts):
        if plan.style != "begin-patch" or not patch_sketches.are_placed_by_headings(change, parts):
            return None
        headings = 1.0
    if plan.style == "begin-patch":
        return patch_sketches.begin_patch(change, parts, rng, written, headings)
    return patch_sketches.unified(change, parts, _unified_style(variant), rng, written, headings)


def _unified_style(variant: str) -> patch_sketches.UnifiedStyle:
    return next(style for style in patch_sketches.UNIFIED if style == variant)


_SIGNS = (
    "<<<<<<< ",
    "=======",
    ">>>>>>> ",
    "------- ",
    "+++++++ ",
    "diff --git ",
    "index ",
    "--- ",
    "+++ ",
    "@@",
    "*** ",
)


def _shifted(lines: Sequence[str], kind: str, old: Sequence[str]) -> list[str] | None:
    """Return a patch in which the code has another indentation."""
    tagged = any(line.startswith("@@") for line in lines)
    code = [line[1:] if tagged else line for line in lines if not line.startswith(_SIGNS)]
    moved = damages.reindented(code, kind, old)
    if moved is None:
        return None
    out = iter(moved)
    return [line if line.startswith(_SIGNS) else (line[0] if tagged else "") + next(out) for line in lines]
