"""The tables of figures in docs/, from the results in docs/results.

`python tools/docs/make_figures.py docs` replaces the tables between `<!-- figures: NAME -->` and `<!-- end of figures -->`.
`python tools/docs/make_figures.py docs --keep RESULT.json` takes over what `editahead eval --edits ... --json` printed: its
figures, and what they were measured on, without files, names or code.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

PREDICTORS = {
    "editahead": "**Editahead**",
    "last substitution": "repeat the last substitution",
    "most similar line": "change the most similar line",
    "silence": "say nothing",
}
FIGURES = ("coverage", "precision", "location", "false end", "reversal")
_PLACE = re.compile(r"(<!-- figures: ([\w-]+) -->\n).*?(<!-- end of figures -->)", re.DOTALL)


def reduce_result(result: Mapping[str, Any], date: str) -> dict[str, Any]:
    """Return what is kept of a result of `editahead eval --edits`.

    Args:
        result: The output as JSON.
        date: The day of the measurement, in ISO format.
    """
    return {
        "commit": result["commit"],
        "date": date,
        "machine": result["machine"],
        "data": Path(result["data"]).name,
        "files": len(result["files"]),
        "seed": result["seed"],
        "moments": result["predictors"]["editahead"]["counts"]["opportunities"],
        "figures": {
            name: {
                figure: {
                    bound: None if value is None else round(value, 4)
                    for bound, value in found["figures"][figure].items()
                }
                for figure in FIGURES
            }
            for name, found in result["predictors"].items()
            if name in PREDICTORS
        },
    }


def next_edits(result: Mapping[str, Any]) -> str:
    """Return the table of next edits on real commits."""
    rows = ["| | " + " | ".join(FIGURES) + " |", "| --- " * (len(FIGURES) + 1) + "|"]
    for name, title in PREDICTORS.items():
        cells = [_cell(result["figures"][name][figure], name == "editahead") for figure in FIGURES]
        rows.append(f"| {title} | " + " | ".join(cells) + " |")
    measured = (
        f"*{result['files']} files of `{result['data']}` (seed {result['seed']}, {result['moments']:,} moments), commit "
        f"{result['commit']}, {result['date']}, {result['machine']}; 95% intervals of Editahead's figures in brackets.*"
    )
    return "\n".join([*rows, "", measured]) + "\n"


def _cell(figure: Mapping[str, float | None], ours: bool) -> str:
    value = figure["value"]
    if value is None:
        return "-"
    text = f"{value:.3f}" if value else "0"
    if not ours:
        return text
    return f"**{text}**" + (f" ({figure['low']:.2f}-{figure['high']:.2f})" if value else "")


def first_edits(result: Mapping[str, Any]) -> str:
    """Return the table of the time from nothing to the first accepted edit."""
    rows = ["| editor | installation | then, to the first accepted edit |", "| --- | --- | --- |"]
    for name, seconds in result["editors"].items():
        install = f"{seconds['install']:.0f} s" if "install" in seconds else "-"
        rows.append(f"| {name} | {install} | {seconds['edit']:.1f} s |")
    measured = f"*Medians of {result['runs']} runs, commit {result['commit']}, {result['date']}, {result['machine']}.*"
    return "\n".join([*rows, "", measured]) + "\n"


TABLES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "next-edits": next_edits,
    "first-edits": first_edits,
}


def replace_tables(text: str, results: Path) -> str:
    """Return a document with its tables replaced."""

    def table(place: re.Match[str]) -> str:
        result = json.loads((results / f"{place[2]}.json").read_text("utf-8"))
        return f"{place[1]}\n{TABLES[place[2]](result)}\n{place[3]}"

    return _PLACE.sub(table, text)


def write_result(file: Path, result: Mapping[str, Any]) -> None:
    """Write a result as a file of docs/results."""
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("docs", type=Path)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    if arguments.keep is not None:
        today = datetime.now(UTC).date().isoformat()
        kept = reduce_result(json.loads(arguments.keep.read_text("utf-8")), today)
        write_result(arguments.docs / "results" / "next-edits.json", kept)
    for page in sorted(arguments.docs.rglob("*.md")):
        page.write_text(replace_tables(page.read_text("utf-8"), arguments.docs / "results"), "utf-8")
