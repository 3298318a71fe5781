"""The parts of HTML reports: the page, sections, tables. A page needs no network and runs no scripts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from editahead_evals.metrics.bootstrap import Interval
from editahead_evals.metrics.metrics import SERVER, Row

from .comparison import Comparison
from .output import Measured
from .terminal_tables import cell

STYLE = """
:root { color-scheme: light dark; --ground: #fff; --ink: #1c1e21; --faint: #5f656c; --line: #e3e5e8; --blue: #2563c9;
  --red: #b3261e; --green: #1a7f37; --red-ground: #fdecea; --green-ground: #e6f4ea; }
@media (prefers-color-scheme: dark) { :root { --ground: #16181b; --ink: #e4e6e9; --faint: #a0a6ad; --line: #31353a;
  --blue: #7cacf8; --red: #f2b8b5; --green: #86d993; --red-ground: #41211f; --green-ground: #1d3524; } }
body { background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; max-width: 88rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; } p.note { color: var(--faint); }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } tr.us { font-weight: 600; }
td small { color: var(--faint); font-weight: 400; } td.better { color: var(--green); } td.worse { color: var(--red); }
.plots { display: flex; flex-wrap: wrap; gap: 2rem; } figure { margin: 0; } figcaption { font-weight: 600; }
svg { max-width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: var(--ink); }
svg .middle { text-anchor: middle; } svg .end { text-anchor: end; }
svg .axis, svg .whisker { stroke: var(--ink); } svg .grid { stroke: var(--line); }
svg .faint { stroke: var(--faint); stroke-dasharray: 4 4; } svg .curve { fill: none; stroke: var(--blue); stroke-width: 2; }
svg .dot { fill: var(--blue); } svg .mark { fill: var(--red); } svg .track { fill: var(--line); }
svg .bar { fill: var(--blue); opacity: .75; }
dt { font-weight: 600; float: left; clear: left; width: 9rem; } dd { margin-left: 9.5rem; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .6rem 0; padding: .5rem .8rem; }
summary { cursor: pointer; }
.case { display: flex; flex-wrap: wrap; gap: 1rem; } .case > div { flex: 1 1 20rem; min-width: 0; }
pre { overflow-x: auto; margin: .3rem 0; font: 12.5px/1.45 ui-monospace, monospace; } pre span { display: block; }
.minus { background: var(--red-ground); } .plus { background: var(--green-ground); } .at { color: var(--faint); }
"""


def page(title: str, parts: Iterable[str]) -> str:
    """Return a whole page with this title and these parts of its body."""
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )


def section(title: str, content: str) -> str:
    return f"<h2>{escape(title)}</h2>\n{content}"


def table_rows(head: Iterable[str], rows: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return table rows, each given as its class and its cells in HTML."""
    out = ['<div class="wide"><table><tr>', *(f"<th>{escape(each)}</th>" for each in head), "</tr>"]
    for kind, cells in rows:
        out.append(f'<tr class="{kind}">')
        out += [each if each.startswith("<td") else f"<td>{each}</td>" for each in cells]
        out.append("</tr>")
    return "".join([*out, "</table></div>"])


def interval_value(interval: Interval) -> str:
    value, _, bounds = cell(interval).partition(" ")
    return f"{value} <small>{bounds}</small>" if bounds else value


def figure_table(
    what: str,
    rows: Mapping[str, Row],
    sums: Mapping[str, str],
    metrics: Iterable[str],
) -> str:
    return table_rows(
        [what, *sums, "shown", *metrics],
        (
            (
                "us" if name == SERVER else "",
                [
                    escape(name),
                    *(str(getattr(row.counts, each)) for each in (*sums.values(), "shown")),
                    *(interval_value(row.figures[metric]) for metric in metrics),
                ],
            )
            for name, row in rows.items()
        ),
    )


def page_head(title: str, report: Measured, items: str) -> list[str]:
    """Return what a page begins with: its title, what it measures, and what that was measured on."""
    where = f"{escape(report.note)}<br>{escape(report.where(items))}"
    return [f"<h1>{escape(title)}</h1>", f'<p class="note">{where}</p>']


def compared_sections(comparison: Comparison | None) -> list[str]:
    """Return the section with a comparison, if there is one."""
    if comparison is None:
        return []
    rows = []
    for figure, each in comparison.figures.items():
        shade = "worse" if each.is_worse else "better" if each.is_better else ""
        difference = f'<td class="{shade}">{interval_value(each.difference)}</td>'
        rows.append(
            ("", [escape(figure), interval_value(each.ours), interval_value(each.theirs), difference])
        )
    table = table_rows(["figure", "here", comparison.commit, "difference"], rows)
    return [section(f"Against {comparison.commit}", table)]


def named_intervals(values: Mapping[str, Interval]) -> str:
    rows = (("", [escape(name), interval_value(value)]) for name, value in values.items())
    return table_rows(["figure", "value"], rows)


def glossary(meanings: Mapping[str, str]) -> str:
    rows = (f"<dt>{escape(name)}</dt><dd>{escape(meaning)}</dd>" for name, meaning in meanings.items())
    return f"<dl>{''.join(rows)}</dl>"
