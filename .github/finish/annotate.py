"""Print the places in the JSON of `editahead finish` as annotations of GitHub, and write the outputs of the action.

GitHub reads commands in what a step prints. File names and code are anyone's, so everything that could end a command or
begin another one is escaped.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from editahead_programs.git_command import find_root

MAX_ANNOTATIONS = 50
"""Annotations of one step that are printed. GitHub shows ten of a kind at most, and keeps fifty."""
MAX_LINE = 200
"""Characters of a line of code in a message."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the annotations and return the exit code: 1 when something is missing and that is to fail."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path)
    parser.add_argument(
        "--folder",
        type=Path,
        required=True,
        help="a folder of the repository, at whose root paths in the report begin",
    )
    parser.add_argument("--workspace", type=Path, required=True, help="the root that GitHub's paths begin at")
    parser.add_argument("--output", type=Path, required=True, help="the file for the outputs of the step")
    parser.add_argument("--summary", type=Path, required=True, help="the file for the summary of the step")
    parser.add_argument("--fail", default="false")
    args = parser.parse_args(arguments)
    report = json.loads(args.report.read_text("utf-8"))
    folder = args.folder.resolve()
    prefix = os.path.relpath(find_root(folder) or folder, args.workspace.resolve())
    for command in annotations(report, "" if prefix == "." else f"{Path(prefix).as_posix()}/"):
        sys.stdout.write(command + "\n")
    complete = str(report["complete"]).lower()
    with args.output.open("a", encoding="utf-8") as file:
        file.write(f"complete={complete}\nplaces={len(report['places'])}\n")
    with args.summary.open("a", encoding="utf-8") as file:
        file.write(summary(report) + "\n")
    return 1 if args.fail == "true" and not report["complete"] else 0


def annotations(report: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield a command for each place.

    Args:
        report: The JSON of `editahead finish`.
        prefix: What comes before each path, with a slash at its end; "" for nothing.
    """
    rules = {rule["id"]: rule for rule in report["rules"]}
    for place in report["places"][:MAX_ANNOTATIONS]:
        rule = rules[place["rule"]]
        shown = rule["shownAt"][0] if rule["shownAt"] else None
        where = f" The change did it at {shown['path']}:{shown['line']}." if shown else ""
        new = place["new"].strip().split("\n")[0][:MAX_LINE]
        becomes = f" Likely: {new}" if new else " Likely, these lines go."
        message = (
            f"{rule['label']}: this place is likely missing ({place['confidence']:.0%}).{where}{becomes}"
        )
        fields = {
            "file": prefix + place["path"],
            "line": place["line"],
            "endLine": max(place["line"], place["endLine"]),
            "title": "Likely missing from this change",
        }
        values = ",".join(f"{name}={escape_property(str(value))}" for name, value in fields.items())
        yield f"::warning {values}::{escape_data(message)}"


def summary(report: dict[str, Any]) -> str:
    """Return one sentence without any names."""
    rules, files = report["looked"]["rules"], report["looked"]["files"]
    if report["complete"]:
        return f"Complete, as far as {rules} rules tell ({files} files)."
    return f"{len(report['places'])} places are likely missing, by {rules} rules ({files} files)."


def escape_data(text: str) -> str:
    """Return the message of a command so that it is one line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escape_property(text: str) -> str:
    """Return the value of a property so that it ends neither the property nor the command."""
    return escape_data(text).replace(":", "%3A").replace(",", "%2C")


if __name__ == "__main__":
    sys.exit(main())
