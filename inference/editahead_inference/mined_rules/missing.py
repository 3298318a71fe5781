"""What a change lacks by the rules of its repository."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import splitext

from editahead_prompts.text.edits import Edit
from editahead_prompts.text.indentation import indentation
from editahead_prompts.text.snapshot import Snapshot, line_body, line_end

from .co_changes import AddedName, CoChange, added_names
from .commits import MinedCommit
from .rewrites import Rewrite
from .rules import MinedRule
from .templates import instantiate, line_pattern

MIN_SORTED = 3
"""Lines like the missing one from which their order tells something."""


@dataclass(frozen=True, slots=True)
class RulePlace:
    """A place that a change lacks by a rule.

    Attributes:
        rule: The rule.
        path: The path of the file from the root.
        edit: The edit of its present text.
        names: The spellings of the name that is missing there; empty for a rewrite.
    """

    rule: MinedRule
    path: str
    edit: Edit
    names: tuple[str, ...]


@dataclass(frozen=True)
class WrittenLine:
    """A line that the change wrote: the path of the file, and the 0-based line of the present text."""

    path: str
    line: int


def find_missing(
    rules: Sequence[MinedRule],
    change: MinedCommit,
    written: Sequence[WrittenLine],
    snapshot_of: Callable[[str], Snapshot | None],
    is_new: Callable[[AddedName], bool],
) -> Iterator[RulePlace]:
    """Yield the places that a change lacks by rules that are not off.

    Args:
        rules: The rules.
        change: The change.
        written: The lines that it wrote.
        snapshot_of: Returns the present text of a file; None for one that is gone, or that may not be read.
        is_new: Returns whether a name was nowhere before the change.
    """
    used = [rule for rule in rules if not rule.is_off]
    triggers: dict[object, list[tuple[MinedRule, CoChange]]] = {}
    rewrites: dict[str, list[tuple[MinedRule, Rewrite]]] = {}
    for rule in used:
        if isinstance(rule.what, CoChange):
            triggers.setdefault(rule.what.trigger, []).append((rule, rule.what))
        else:
            rewrites.setdefault(rule.what.extension, []).append((rule, rule.what))
    if triggers:
        yield from _missing_lines(triggers, added_names(change), is_new, snapshot_of)
    for place in written:
        for rule, rewrite in rewrites.get(splitext(place.path)[1], ()):
            snapshot = snapshot_of(place.path)
            old = "" if snapshot is None else line_body(snapshot.lines[place.line])
            new = rewrite.apply(old)
            if snapshot is not None and new is not None:
                at = snapshot.starts[place.line]
                yield RulePlace(rule, place.path, Edit.replace(at, at + len(old), new), ())


def _missing_lines(
    triggers: Mapping[object, Sequence[tuple[MinedRule, CoChange]]],
    names: Iterable[AddedName],
    is_new: Callable[[AddedName], bool],
    snapshot_of: Callable[[str], Snapshot | None],
) -> Iterator[RulePlace]:
    """Yield the lines that co-changes ask for with new names, each by the surest rule."""
    done: set[tuple[str, str]] = set()
    for name in names:
        found = [one for trigger in name.triggers for one in triggers.get(trigger, ())]
        if not found or not is_new(name):
            continue
        for rule, what in sorted(found, key=lambda one: (-one[1].confidence, one[0].id)):
            path = what.consequence.path
            line = instantiate(what.consequence.template, name.words, name.spellings)
            snapshot = None if (path, line) in done else snapshot_of(path)
            edit = None if snapshot is None else _insertion(snapshot, what.consequence.template, line)
            if edit is not None:
                done.add((path, line))
                yield RulePlace(rule, path, edit, tuple(name.spellings.values()))


def _insertion(snapshot: Snapshot, template: str, line: str) -> Edit | None:
    """Return the edit that inserts a line beside those of its template; None where there is none, or the line is there."""
    pattern = line_pattern(template)
    bodies = [line_body(one) for one in snapshot.lines]
    if any(body.strip() == line for body in bodies):
        return None
    alike = [number for number, body in enumerate(bodies) if pattern.fullmatch(body.strip())]
    if not alike:
        return None
    block = _last_run(alike)
    after = _line_before([bodies[number].strip() for number in block], block, line)
    indent = indentation(bodies[block[-1]])
    anchor = snapshot.lines[after] if after >= 0 else ""
    end = line_end(anchor) or snapshot.eol
    at = snapshot.starts[after + 1]
    is_last = after >= 0 and not line_end(anchor)  # the last line has no line end
    return Edit.replace(at, at, f"{end}{indent}{line}" if is_last else f"{indent}{line}{end}")


def _last_run(numbers: Sequence[int]) -> range:
    """Return the last of some ascending numbers, with those directly before it."""
    first = numbers[-1]
    for number in reversed(numbers[:-1]):
        if number != first - 1:
            break
        first = number
    return range(first, numbers[-1] + 1)


def _line_before(texts: Sequence[str], block: range, line: str) -> int:
    """Return the line behind which another one belongs: by their order if the block is sorted, else the last one."""
    if len(block) >= MIN_SORTED and list(texts) == sorted(texts):
        return next((n - 1 for n, text in zip(block, texts, strict=True) if text > line), block[-1])
    return block[-1]
