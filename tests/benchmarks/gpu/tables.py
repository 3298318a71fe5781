"""The figures as tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from draft_length import best, milliseconds

ACCEPTANCES = (0.7, 0.9, 0.97, 0.99, 0.999)
"""Of a drafted token, if those before it were right: next edits are at the lower end, Apply at the upper."""

Figures = Mapping[str, Any]


def tables(figures: Figures) -> list[str]:
    """Return the lines of all tables of one model. Those that were not measured are left out."""
    lines = ["", f"**{figures['model']}**"]
    for rows in (
        _first_tokens(figures),
        _computed(figures),
        _edits(figures),
        _clients(figures),
        _steps(figures),
    ):
        if len(rows) > 1:
            lines += ["", *_lines(rows)]
    if not figures["complete"]:
        lines += ["", f"Not complete: {figures['reason']}."]
    return lines


def best_lengths(figures: Figures) -> dict[str, tuple[str, float]]:
    """Return the quickest length of drafts by way, with how many times as fast as no drafts it is."""
    edits = figures.get("edits", {})
    found = {}
    for way in [way for way in ("n-grams", "file") if way in edits and "none" in edits]:
        length = min(edits[way], key=lambda length: float(edits[way][length]["ms"]))
        found[way] = length, edits["none"]["0"]["ms"] / edits[way][length]["ms"]
    return found


def _first_tokens(figures: Figures) -> list[list[str]]:
    firsts = figures.get("first token", {})
    if not firsts:
        return []
    rows = [["ms to the first token: tokens of the prompt", *firsts]]
    return rows + [[kind, *(f"{first[kind]:.0f}" for first in firsts.values())] for kind in ("cold", "warm")]


def _computed(figures: Figures) -> list[list[str]]:
    computed = figures.get("computed", {})
    if not computed:
        return []
    return [
        ["the cursor in the prompt", *computed],
        ["tokens computed a key", *(f"{n:.1f}" for n in computed.values())],
    ]


def _edits(figures: Figures) -> list[list[str]]:
    edits = figures.get("edits", {})
    rows = [["an edit: drafts", "most tokens of a draft", "ms", "times as fast", "tokens a step"]]
    for way, by_length in edits.items():
        for length, found in sorted(by_length.items(), key=lambda known: int(known[0])):
            faster = edits["none"]["0"]["ms"] / found["ms"]
            chosen = " (best)" if best_lengths(figures).get(way, ("", 0))[0] == length else ""
            rows.append(
                [way, length + chosen, f"{found['ms']:.0f}", f"{faster:.1f}", f"{found['tokens a step']:.1f}"]
            )
    return rows


def _clients(figures: Figures) -> list[list[str]]:
    clients = figures.get("clients", {})
    if not clients:
        return []
    return [
        ["clients at the same time", *clients],
        ["edits a second", *(f"{found['edits a second']:.1f}" for found in clients.values())],
        [
            "there within half a second: what looking ahead hits",
            *(f"{found['hits']:.2f}" for found in clients.values()),
        ],
    ]


def _steps(figures: Figures) -> list[list[str]]:
    steps = {int(rows): ms for rows, ms in figures.get("steps", {}).items()}
    if not steps:
        return []
    rows = [
        ["a step: rows verified", *map(str, steps)],
        ["ms", *(f"{ms:.1f}" for ms in steps.values())],
        ["as one row", *(f"{ms / milliseconds(steps, 1):.2f}" for ms in steps.values())],
    ]
    return rows + list(_drafts(steps))


def _drafts(steps: Mapping[int, float]) -> Iterator[list[str]]:
    for acceptance in ACCEPTANCES:
        length, faster = best(steps, acceptance)
        said = f"best length if {acceptance} of drafted tokens are right"
        yield [said, f"{length} ({faster:.1f} times as fast)", *[""] * (len(steps) - 1)]


def _lines(rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [lines[0], f"| --- |{' ---: |' * (len(rows[0]) - 1)}", *lines[1:]]
