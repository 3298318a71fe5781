"""Renames of definitions in real repositories: what `finish --write` leaves behind without a word.

Each definition is renamed in its own line only, as a script does, then what `finish` finds is made. A use is left behind
if the old name is still there, the report does not list it, and another program says that it means the definition: with
`--jedi PYTHON`, the references that Jedi finds (a Python that has it, for Python files). Without one, all remaining
occurrences in code that are not listed are printed, for a person to judge.

    python tests/benchmarks/real_renames.py --count 10 --seed 1 [--jedi PYTHON] FOLDER...
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))

from editahead_inference.finish.finisher import Finisher
from editahead_inference.finish.report import ChangedFile, FinishReport
from editahead_lab.training.data.commit_codebase import CommitCodebase
from editahead_lab.training.data.replay_moments import ROOT
from editahead_prompts.syntax.constructors import is_assigned_member
from editahead_prompts.syntax.languages import PARSED_LANGUAGES, find_language, language_of
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot

NAME = re.compile(r"[^\W\d]\w{2,}")
JEDI = """
import jedi, json, sys
project = jedi.Project(sys.argv[1])
for line in sys.stdin:
    path, row, column = json.loads(line)
    script = jedi.Script(path=path, project=project)
    try:
        found = script.get_references(row, column, include_builtins=False)
    except Exception:
        found = []
    print(json.dumps([[str(one.module_path), one.line, one.column] for one in found]), flush=True)
"""


@dataclass
class Figures:
    renames: int = 0
    made: int = 0
    listed: int = 0
    known: int = 0
    left: list[str] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Target:
    path: str
    line: int
    column: int
    name: str
    role: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jedi", help="a Python that has Jedi")
    args = parser.parse_args()
    total = Figures()
    for folder in args.folders:
        figures = measure(folder.resolve(), args.count, args.seed, args.jedi)
        _print(folder.name, figures)
        total = Figures(
            total.renames + figures.renames,
            total.made + figures.made,
            total.listed + figures.listed,
            total.known + figures.known,
            total.left + figures.left,
            total.ms + figures.ms,
        )
    _print("all", total)
    for left in total.left:
        print("  ", left)


def _print(name: str, figures: Figures) -> None:
    ms = sorted(figures.ms) or [0.0]
    print(
        f"{name}: {figures.renames} renames, {figures.made} uses renamed, {figures.listed} listed to look at, "
        f"{figures.known} known references, {len(figures.left)} left behind unlisted; "
        f"p50 {ms[len(ms) // 2]:.0f} ms, p95 {ms[int(len(ms) * 0.95)]:.0f} ms",
        flush=True,
    )


def measure(folder: Path, count: int, seed: int, jedi: str | None) -> Figures:
    """Rename some definitions of a folder, one after the other, each in a fresh copy of its texts."""
    texts = _read(folder)
    codebase = CommitCodebase(code_only=False)
    figures = Figures()
    targets = list(_targets(texts, jedi is not None))
    chosen = random.Random(seed).sample(targets, min(count, len(targets)))
    known = _references(folder, chosen, jedi) if jedi else None
    for number, target in enumerate(chosen):
        new = f"{target.name}_anew" if "_" in target.name or target.name.islower() else f"{target.name}Anew"
        before = texts[target.path]
        lines = before.splitlines(keepends=True)
        body = lines[target.line]
        end = target.column + len(target.name)
        lines[target.line] = body[: target.column] + new + body[end:]
        after = "".join(lines)
        codebase.update({**texts, target.path: after})
        began = time.process_time()
        report = Finisher(codebase).find([_changed(target.path, before, after)])
        figures.ms.append(1000 * (time.process_time() - began))
        figures.renames += 1
        figures.made += len(report.likely)
        figures.listed += len(report.uses)
        left = _left(report, {**texts, target.path: after}, target)
        if known is not None:
            figures.known += len(known[number])
            left = [place for place in left if place in known[number]]
        for path, line, _ in left:
            shown = texts[path].splitlines()[line].strip()[:90]
            figures.left.append(f"{target.path}:{target.line + 1} {target.name}: {path}:{line + 1} {shown}")
    return figures


def _read(folder: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size < 200_000 and language_of(path.name) in PARSED_LANGUAGES:
            text = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
            if "\ufffd" not in text:
                found[path.relative_to(folder).as_posix()] = text
    return found


def _snapshot(path: str, text: str) -> Snapshot:
    return Snapshot.from_text(text, uri=f"{ROOT}/{path}", language=language_of(path))


def _changed(path: str, before: str, after: str) -> ChangedFile:
    return ChangedFile(_snapshot(path, before), _snapshot(path, after))


def _targets(texts: Mapping[str, str], only_python: bool) -> Iterator[Target]:
    """Yield the definitions that may be renamed: no special ones, none that the text defines twice."""
    trees = SyntaxTrees()
    for path, text in texts.items():
        if only_python and not path.endswith(".py"):
            continue
        snapshot = _snapshot(path, text)
        language = find_language(snapshot.language)
        seen: dict[tuple[str, str, str], list[Target]] = {}
        for number, line in enumerate(snapshot.lines):
            for match in NAME.finditer(line):
                at = snapshot.starts[number] + match.start()
                occurrence = trees.occurrence(snapshot, at, at + len(match[0]))
                node = trees.node_at(snapshot, at, at + len(match[0]))
                if occurrence.imports or occurrence.role not in ("plain", "member") or node is None:
                    continue
                if match[0].startswith(("__", "test")) or not (
                    occurrence.defines or is_assigned_member(node, language)
                ):
                    continue
                scope = occurrence.owner if occurrence.role == "member" else str(occurrence.binder)
                key = match[0], occurrence.role, scope
                target = Target(path, number, match.start(), match[0], occurrence.role)
                seen.setdefault(key, []).append(target)
        yield from (found[0] for found in seen.values() if len(found) == 1)


def _left(report: FinishReport, texts: Mapping[str, str], target: Target) -> list[tuple[str, int, int]]:
    """Return where the old name is still in code, and the report neither rewrites nor lists it, by path, line and column."""
    trees = SyntaxTrees()
    edits = {uri.removeprefix(f"{ROOT}/"): edit for uri, edit in report.edits().items()}
    listed = {(use.uri.removeprefix(f"{ROOT}/"), use.line, use.column) for use in report.uses}
    found: list[tuple[str, int, int]] = []
    for path, text in texts.items():
        snapshot = _snapshot(path, text)
        edited = [(one.start, one.end) for one in edits[path].replacements] if path in edits else []
        for match in re.finditer(rf"\b{re.escape(target.name)}\b", text):
            start, end = match.span()
            line = snapshot.line_at(start)
            place = path, line, start - snapshot.starts[line]
            is_made = any(first <= end and start <= last for first, last in edited)
            if place not in listed and not is_made and trees.occurrence(snapshot, start, end).role != "text":
                found.append(place)
    return found


def _references(folder: Path, targets: Sequence[Target], python: str) -> list[set[tuple[str, int, int]]]:
    """Return where the references to each definition are, as Jedi finds them, by path, line and column."""
    asked = "".join(json.dumps([str(folder / one.path), one.line + 1, one.column]) + "\n" for one in targets)
    done = subprocess.run(
        [python, "-c", JEDI, str(folder)], input=asked, capture_output=True, text=True, check=True
    )
    found = []
    for line in done.stdout.splitlines():
        places = [(Path(path), row - 1, column) for path, row, column in json.loads(line) if path != "None"]
        found.append(
            {
                (path.relative_to(folder).as_posix(), row, column)
                for path, row, column in places
                if path.is_relative_to(folder)
            }
        )
    return found


if __name__ == "__main__":
    main()
