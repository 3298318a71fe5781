"""How long it takes from nothing, and from an editor's start, to the first accepted edit, by the README alone.

`.venv/bin/python tools/editors/time_first_edits.py docs/results/first-edits.json` runs the tests that play the README in
real editors (editors/README.md says how to fetch them) three times, and keeps the median of what they record. pip's cache
is not used. Then `make docs` makes the table.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
TESTS = {
    "test_neovim": "Neovim 0.11, with our plugin",
    "test_helix": "Helix 25",
    "test_emacs": "Emacs 28",
    "test_the_first_start_installs_the_server": "VS Code, the first time: it installs the server",
    "test_a_later_start": "VS Code, later",
    "test_vim": "Vim 9 with ALE, by docs/editors.md",
}
PARTS = ("install", "edit")
"""The figures of a test: it records each with the unit as suffix, `edit_s`."""
RUNS = 3


def run_tests(report: Path) -> None:
    """Run the tests, one at a time, with a report as XML."""
    files = ["tests/editors/test_readme.py", "tests/editors/test_vscode_installation.py"]
    chosen = [
        "-m",
        "editors",
        "-k",
        " or ".join(TESTS),
        "-p",
        "no:randomly",
        f"--junitxml={report}",
        "-o",
        "junit_family=legacy",
    ]
    subprocess.run(
        [sys.executable, "-m", "pytest", *chosen, *files],
        cwd=ROOT,
        env={**os.environ, "PIP_NO_CACHE_DIR": "1"},
        check=True,
    )


def read_seconds(report: Path) -> dict[str, dict[str, float]]:
    """Return, by editor, the seconds of the installation, if any, and those from then to the first accepted edit."""
    found = {}
    for case in ElementTree.parse(report).iter("testcase"):
        kept = {node.get("name"): float(str(node.get("value"))) for node in case.iter("property")}
        if "edit_s" in kept:
            editor = TESTS[str(case.get("name"))]
            found[editor] = {part: kept[f"{part}_s"] for part in PARTS if f"{part}_s" in kept}
    return found


def medians(runs: Sequence[Mapping[str, Mapping[str, float]]]) -> dict[str, dict[str, float]]:
    """Return the median of each figure, by editor."""
    seconds: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        for editor, parts in run.items():
            for part, value in parts.items():
                seconds[editor][part].append(value)
    return {
        editor: {part: round(statistics.median(values), 1) for part, values in parts.items()}
        for editor, parts in seconds.items()
    }


def main(file: Path) -> None:
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        for _ in range(RUNS):
            run_tests(report)
            runs.append(read_seconds(report))
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    result = {
        "commit": commit,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine,
        "runs": RUNS,
        "editors": medians(runs),
    }
    file.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
