"""Compare the functions above the limits of complexity and of parameters with the list of those that are still allowed.

python tools/lint/check_complexity.py [--lower]

Ruff measures: C901 is the cyclomatic complexity, PLR0913 the number of parameters; pyproject.toml has the limits. The list,
`complexity_allowed.txt`, holds one line for each function: rule, value, file, function. `--lower` takes over what got
better, and adds nothing: the list only shrinks.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = ROOT / "tools" / "lint" / "complexity_allowed.txt"
RULES = "C901,PLR0913"

Values = dict[tuple[str, str, str], int]
"""The measured value of a rule, a file and a function."""

_VALUE = re.compile(r"\((\d+) > \d+\)")


def measure(root: Path = ROOT, *options: str) -> Values:
    """Return the functions below `root` that are above a limit; comments that silence the rules do not count."""
    command = [str(Path(sys.executable).with_name("ruff")), "check", "--ignore-noqa", "--exit-zero"]
    command += ["--select", RULES, "--output-format", "json", *options, str(root)]
    found = json.loads(subprocess.run(command, cwd=root, check=True, capture_output=True).stdout)
    names: dict[str, dict[int, str]] = {}
    values: Values = {}
    for one in found:
        path = one["filename"]
        if path not in names:
            names[path] = dict(_functions(ast.parse(Path(path).read_text("utf-8"))))
        function = names[path][one["location"]["row"]]
        (value,) = _VALUE.findall(one["message"])
        values[one["code"], Path(path).relative_to(root).as_posix(), function] = int(value)
    return values


def _functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[int, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield child.lineno, prefix + child.name
            yield from _functions(child, f"{prefix}{child.name}.")
        else:
            yield from _functions(child, prefix)


def read(text: str) -> Values:
    """Return the values of a list."""
    rows = (line.split(" ") for line in text.splitlines())
    return {(rule, path, function): int(value) for rule, value, path, function in rows}


def write(values: Values) -> str:
    """Return the list of `values`."""
    return "".join(f"{key[0]} {value} {key[1]} {key[2]}\n" for key, value in sorted(values.items()))


def compare(measured: Values, allowed: Values) -> list[str]:
    """Return one line for each function that is not as the list says."""
    hits = []
    for key in sorted(measured.keys() | allowed.keys()):
        now, limit = measured.get(key, 0), allowed.get(key, 0)
        if now > limit:
            hits.append(f"{key[1]}: {key[2]}: {key[0]} is {now}: divide it up")
        elif now < limit:
            hits.append(f"{key[1]}: {key[2]}: {key[0]} is no longer {limit}: run this script with --lower")
    return hits


def lower(measured: Values, allowed: Values) -> Values:
    """Return `allowed` with what got better; a function that is new or got worse changes nothing."""
    return {key: min(limit, measured[key]) for key, limit in allowed.items() if key in measured}


if __name__ == "__main__":
    now, listed = measure(), read(ALLOWED.read_text("utf-8"))
    if "--lower" in sys.argv:
        listed = lower(now, listed)
        ALLOWED.write_text(write(listed), "utf-8")
    if hits := compare(now, listed):
        sys.exit("\n".join(hits))
