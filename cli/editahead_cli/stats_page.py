"""The page of `editahead stats --html`: it needs nothing else, no network and no scripts, and is light or dark."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from editahead_evals.report.html_parts import page, section, table_rows
from editahead_prompts.text.control_characters import escape_line

from .json_output import CharacterFigures, OutcomeFigures, StatsOutput

_BAR_WIDTH = 160
_CHARACTERS = ("made", "typed", "share made", "", "kept 5 minutes")
_OUTCOMES = ("seen", "accepted", "share accepted", "", "rejected", "kept 5 minutes", "median answer")
_NOTES = (
    "Made: characters that accepted edits inserted. Typed: characters of changes of at most four "
    "characters; what you paste counts as neither.",
    "Seen: edits that were first in the list for a second, or that you acted on. Accepted: of those seen, including "
    "those that you typed as predicted.",
    "The log holds no code. It stays on this machine.",
)


def as_html(found: StatsOutput) -> str:
    """Return the page of these figures."""
    total = found.characters.total
    parts = [
        "<main>",
        "<h1>What Editahead did for you</h1>",
        f"<p>{_summary(total, found.total)}</p>",
        section("Characters, by week", _characters("week from", found.characters.weeks)),
        section("Characters, by language", _characters("language", found.characters.languages)),
        section("Edits, by week", _outcomes("week from", found.weeks)),
        section("Edits, by language", _outcomes("language", found.languages)),
        section("What the figures mean", "".join(f"<p>{escape(note)}</p>" for note in _NOTES)),
        f'<p class="note">{escape(escape_line(found.file))}</p>',
        "</main>",
    ]
    return page("Editahead: what it did for you", parts)


def _summary(characters: CharacterFigures, outcomes: OutcomeFigures) -> str:
    if not characters.typed + characters.made:
        return "Nothing was counted yet. Edit some code with Editahead, and look again."
    return (
        f"Of {characters.typed + characters.made:,} characters, Editahead made {characters.made:,}: "
        f"<strong>{_percent(_share(characters))}</strong>. You accepted {outcomes.accepted:,} of the {outcomes.seen:,} "
        "edits that you saw."
    )


def _characters(what: str, groups: Mapping[str, CharacterFigures]) -> str:
    return _table(
        (what, *_CHARACTERS),
        {
            name: [
                f"{one.made:,}",
                f"{one.typed:,}",
                _percent(_share(one)),
                _bar(_share(one)),
                _percent(one.kept_share),
            ]
            for name, one in groups.items()
        },
    )


def _outcomes(what: str, groups: Mapping[str, OutcomeFigures]) -> str:
    return _table(
        (what, *_OUTCOMES),
        {
            name: [
                f"{one.seen:,}",
                f"{one.accepted:,}",
                _percent(one.accepted / one.seen if one.seen else None),
                _bar(one.accepted / one.seen if one.seen else None),
                f"{one.rejected:,}",
                _percent(one.kept300.kept / one.kept300.known if one.kept300.known else None),
                f"{one.latency.p50:.0f} ms",
            ]
            for name, one in groups.items()
        },
    )


def _table(head: tuple[str, ...], rows: Mapping[str, list[str]]) -> str:
    if not rows:
        return "<p>Nothing yet.</p>"
    return table_rows(head, (("", [escape(escape_line(name)), *cells]) for name, cells in rows.items()))


def _share(one: CharacterFigures) -> float | None:
    return one.made / (one.made + one.typed) if one.made + one.typed else None


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f}%"


def _bar(share: float | None) -> str:
    """Return a bar. It repeats the figure beside it, so that screen readers skip it."""
    width = round(_BAR_WIDTH * (share or 0))
    return (
        f'<svg aria-hidden="true" width="{_BAR_WIDTH}" height="10"><rect class="track" width="{_BAR_WIDTH}" height="10"/>'
        f'<rect class="bar" width="{width}" height="10"/></svg>'
    )
