"""What `editahead finish` prints: a report for people, JSON, or a patch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from editahead_cli.console import print_exactly
from editahead_prompts.text.control_characters import escape_line

if TYPE_CHECKING:
    from rich.text import Text

    from editahead_cli.json_output import FinishOutput
    from editahead_inference.finish.report import FinishRule, LeftUse, MissingPlace
    from editahead_workspace.finish.change_finish import FinishResult

_MAX_LINES = 12
"""Lines of one side of a place that are shown."""
_MAX_SHOWN_AT = 4
"""Places at which a person made a rule that are shown."""
_MAX_USES = 20
"""Uses of one name that are shown."""
_MAX_WIDTH = 120
"""Characters of a line with a use that are shown."""
_MAX_LEFT_OUT = 5
"""Files that do not take part that are shown."""


def make_output(result: FinishResult, *, with_all: bool) -> FinishOutput:
    """Return the report as JSON prints it. Lines count from 1.

    Args:
        result: What was found.
        with_all: Whether to list unlikely places, too.
    """
    from editahead_cli import json_output

    report = result.report
    return json_output.FinishOutput(
        report.is_complete,
        [
            json_output.FinishRuleOutput(
                rule.id,
                rule.label,
                [json_output.LineAt(_name(uri, result), line + 1) for uri, line in rule.shown_at],
            )
            for rule in report.rules
        ],
        [
            json_output.MissingPlaceOutput(
                _name(place.uri, result),
                place.line + 1,
                place.end_line,
                "".join(place.old),
                "".join(place.new),
                place.rule,
                round(place.confidence, 4),
                place.kind,
            )
            for place in (report.places if with_all else report.likely)
        ],
        json_output.LookedOutput(report.files, len(report.rules), round(result.ms, 1)),
        [
            json_output.LeftUseOutput(
                _name(use.uri, result), use.line + 1, use.column + 1, use.text, use.name, use.new, use.reason
            )
            for use in report.uses
        ],
        list(report.unsearched),
    )


def print_patch(result: FinishResult) -> None:
    """Print the likely edits as a patch, each character as it is."""
    from editahead_inference.apply.file_change import FileChange
    from editahead_inference.apply.planner import review_changes
    from editahead_prompts.syntax.syntax_trees import SyntaxTrees
    from editahead_workspace.apply.annotated_diff import diff_lines

    edits = result.report.edits()
    changes = [
        FileChange("edit", snapshot, edits[snapshot.uri], 1.0, "unified-diff")
        for snapshot in sorted(result.report.snapshots, key=lambda snapshot: snapshot.uri)
        if snapshot.uri in edits
    ]
    for change in review_changes(changes, (), SyntaxTrees()):
        lines = diff_lines(change, change.original, change.hunks, [result.root])
        print_exactly(f"{line}{line.carriage_return}" for line in lines)


def print_report(result: FinishResult, *, with_all: bool, written: Sequence[str] = ()) -> None:
    """Print the report for a person.

    Args:
        result: What was found.
        with_all: Whether to list unlikely places, too.
        written: The URIs of the files that were changed.
    """
    from editahead_cli.rich_console import SafeConsole

    console = SafeConsole(highlight=False, soft_wrap=True)
    for line in _lines(result, with_all, written):
        console.print(line)


def _lines(result: FinishResult, with_all: bool, written: Sequence[str]) -> Iterator[Text]:
    report = result.report
    changed = len(result.change.files)
    if not changed:
        yield _text((f"Nothing to finish: {result.change.source} has no changed files.", "bold"))
        yield from _left_out(result)
        return
    yield _text((f"{_count(changed, 'changed file')}: {result.change.source}", "bold"))
    shown = report.places if with_all else report.likely
    by_rule = {
        rule.id: places
        for rule in report.rules
        if (places := [place for place in shown if place.rule == rule.id])
    }
    done = [rule for rule in report.rules if rule.id not in by_rule]
    for rule in report.rules:
        if rule.id in by_rule:
            yield _text()
            yield _heading(rule, result)
            for place in by_rule[rule.id]:
                yield from _place(place, result)
    if done:
        yield _text()
        yield _text(("Complete", "bold green"))
        for rule in done:
            yield _heading(rule, result, "  ")
    yield from _uses(result)
    yield from _left_out(result)
    yield _text()
    yield from _summary(result, written)


def _heading(rule: FinishRule, result: FinishResult, indent: str = "") -> Text:
    where = [f"{_name(uri, result)}:{line + 1}" for uri, line in rule.shown_at]
    more = f" and {len(where) - _MAX_SHOWN_AT} more" if len(where) > _MAX_SHOWN_AT else ""
    label = _text((f"{indent}{escape_line(rule.label)}", "" if indent else "bold"))
    if where:
        label.append(f"  you did it at {', '.join(where[:_MAX_SHOWN_AT])}{more}", "dim")
    return label


def _place(place: MissingPlace, result: FinishResult) -> Iterator[Text]:
    likely = "" if place.is_likely else ", unlikely"
    kind = "" if place.kind == "code" else f"  {place.kind}"
    yield _text(
        (f"  {_name(place.uri, result)}:{place.line + 1}", "cyan"),
        (f"  {place.confidence:.0%}{likely}{kind}", "green" if place.is_likely else "yellow"),
    )
    pairs = zip(place.old, place.new, strict=False) if len(place.old) == len(place.new) else ()
    if pairs:
        changes = list(pairs)
        yield from (_changed("-", old, new, "red") for old, new in changes[:_MAX_LINES])
        yield from (_changed("+", new, old, "green") for old, new in changes[:_MAX_LINES])
    else:
        yield from (_changed("-", old, None, "red") for old in place.old[:_MAX_LINES])
        yield from (_changed("+", new, None, "green") for new in place.new[:_MAX_LINES])
    hidden = sum(max(0, len(lines) - _MAX_LINES) for lines in (place.old, place.new))
    if hidden:
        yield _text((f"    ... {_count(hidden, 'more line')}", "dim"))
    if place.reason:
        yield _text((f"    {escape_line(place.reason)}", "dim italic"))


def _changed(sign: str, line: str, other: str | None, style: str) -> Text:
    """Return a line of a diff, with the part that differs from the other side in bold."""
    from editahead_prompts.text.affixes import common_affixes

    body = line.rstrip("\r\n")
    start, end = 0, len(body)
    if other is not None:
        above, below = common_affixes(body, other.rstrip("\r\n"))
        start, end = above, len(body) - below
    pieces = (body[:start], style), (body[start:end], f"bold {style}"), (body[end:], style)
    return _text((f"    {sign} ", style), *((escape_line(piece), look) for piece, look in pieces))


def _uses(result: FinishResult) -> Iterator[Text]:
    """Yield the uses of what the change took away, those of one definition together."""
    by_definition: dict[tuple[str, str, tuple[str, int]], list[LeftUse]] = {}
    for use in result.report.uses:
        by_definition.setdefault((use.name, use.new, use.deleted_at), []).append(use)
    for (name, new, (uri, line)), uses in by_definition.items():
        where = f"{_name(uri, result)}:{line + 1}"
        done = f"was renamed to `{new}` in {where}" if new else f"was taken out of {where}"
        yield _text()
        yield _text(
            ("Look at this", "bold yellow"),
            (f"  `{escape_line(name)}` {done}; {_forms(name, uses)} left", "bold"),
        )
        for use in uses[:_MAX_USES]:
            at = f"  {_name(use.uri, result)}:{use.line + 1}"
            yield _text((at, "cyan"), (f"  {escape_line(use.text.strip()[:_MAX_WIDTH])}", ""))
        if len(uses) > _MAX_USES:
            yield _text((f"  and {len(uses) - _MAX_USES} more (--json lists all)", "dim"))
    for name in result.report.unsearched:
        yield _text()
        yield _text(
            (f"`{escape_line(name)}` is in too many files: not all of them were looked at.", "bold yellow")
        )


def _forms(name: str, uses: Sequence[LeftUse]) -> str:
    """Return how many uses there are, and of which form, with the verb: "3 calls of `.name(` are"."""
    around = {
        (use.text[: use.column][-1:] == ".", use.text[use.column + len(name) :][:1] == "(") for use in uses
    }
    is_member, is_called = (all(flags) for flags in zip(*around, strict=True))
    written = f"{'.' if is_member else ''}{escape_line(name)}{'(' if is_called else ''}"
    return f"{_count(len(uses), 'call' if is_called else 'use')} of `{written}` {'is' if len(uses) == 1 else 'are'}"


def _left_out(result: FinishResult) -> Iterator[Text]:
    left_out = result.change.left_out
    if not left_out:
        return
    yield _text()
    yield _text((f"Left out: {_count(len(left_out), 'changed file')}", "dim"))
    for file in left_out[:_MAX_LEFT_OUT]:
        yield _text((f"  {escape_line(file.path)}: {escape_line(file.reason)}", "dim"))
    if len(left_out) > _MAX_LEFT_OUT:
        yield _text((f"  and {len(left_out) - _MAX_LEFT_OUT} more", "dim"))


def _summary(result: FinishResult, written: Sequence[str]) -> Iterator[Text]:
    report = result.report
    rules = _count(len(report.rules), "rule")
    looked = f"Looked at {_count(report.files, 'file')} in {result.ms / 1000:.1f} s."
    if report.is_complete:
        words = "Complete, as far as no rule tells: nothing in the change is like a rewrite that goes on."
        if report.rules:
            words = f"Complete, as far as {rules} {'tells' if len(report.rules) == 1 else 'tell'}."
        yield _text((words, "bold green"))
    elif written:
        files = _count(len(written), "file")
        places = _count(sum(place.uri in written for place in report.likely), "place")
        yield _text((f"Changed {places} in {files}:", "bold green"))
        for uri in written:
            yield _text((f"  {_name(uri, result)}", "cyan"))
    elif report.likely:
        files = _count(len({place.uri for place in report.likely}), "file")
        words = f"{_count(len(report.likely), 'place')} left in {files}, by {rules}."
        yield _text((words, "bold yellow"))
        if result.change.is_on_disk:
            yield _text(("`editahead finish --write` makes these edits, with the same options.", "dim"))
    if report.uses:
        words = f"{_count(len(report.uses), 'use')} to look at: no edit is sure there."
        yield _text((words, "bold yellow"))
    yield _text((looked, "dim"))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _name(uri: str, result: FinishResult) -> str:
    from editahead_workspace.apply.annotated_diff import display_name

    return display_name(uri, [result.root])


def _text(*pieces: tuple[str, str]) -> Text:
    from rich.text import Text

    return Text.assemble(*pieces)
