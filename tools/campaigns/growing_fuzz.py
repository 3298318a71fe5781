"""The growing fuzzer: inputs that grow in one dimension at a time, for each parser and each rule.

`.venv/bin/python tools/campaigns growth` runs it. Each pair of a target and a dimension gets inputs of 4, 16 and 64 thousand
characters, in a process of its own, until one takes longer than `ENOUGH_S` of CPU time. A pair is reported whose time grows
faster than `LINEAR` for each doubling, or that does not end within `PATIENCE_S`. `--only` takes a pattern of the targets'
names, and `--log` a file for all times.
"""

from __future__ import annotations

import gc
import json
import os
import re
import resource
import time
from collections.abc import Iterator
from contextlib import suppress
from math import log2
from pathlib import Path

from editahead_inference.errors import Cancelled
from growing_inputs import GROWING
from growing_targets import TARGETS

FIRST, STEP, LAST = 4_000, 4, 64_000
"""Characters of the smallest and the largest input, and how much longer each is than the one before."""
ENOUGH_S = 0.6
"""CPU seconds from which a larger input tells nothing new."""
PATIENCE_S = 12
"""CPU seconds of one pair."""
LINEAR = 2.6
"""How much longer twice the input may take."""
MEASURABLE_S = 0.1
"""CPU seconds from which a growth is one, and no noise."""

Times = list[tuple[int, float]]
"""The CPU seconds of each size."""


def never() -> None:
    """Check nothing: the time until an answer that nothing ends is measured."""


def measure(target: str, dimension: str) -> Iterator[tuple[int, float]]:
    """Yield the size and the CPU seconds of inputs that grow."""
    size = FIRST
    while size <= LAST:
        text = GROWING[dimension](size)
        started = time.process_time()
        with suppress(Cancelled):
            TARGETS[target](text, never)
        seconds = time.process_time() - started
        yield size, seconds
        if seconds > ENOUGH_S:
            return
        size *= STEP


def measure_in_child(target: str, dimension: str) -> tuple[Times, str]:
    """Return the times of a pair, and what went wrong: "" for nothing, "slow", or the name of an exception."""
    read_end, write_end = os.pipe()
    if not (child := os.fork()):
        resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE_S, PATIENCE_S + 1))
        problem = ""
        try:
            for row in measure(target, dimension):
                os.write(write_end, (json.dumps(row) + "\n").encode())
        except BaseException as error:
            problem = type(error).__name__
            os.write(write_end, (json.dumps(problem) + "\n").encode())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as file:
        rows = [json.loads(line) for line in file]
    _, status = os.waitpid(child, 0)
    problem = "slow" if status else next((row for row in rows if isinstance(row, str)), "")
    return [tuple(row) for row in rows if not isinstance(row, str)], problem


def growth(times: Times) -> float:
    """Return how much longer twice the input takes, between the two largest inputs."""
    if len(times) < 2 or times[-1][1] < MEASURABLE_S:
        return 0.0
    return float((times[-1][1] / max(times[-2][1], 1e-3)) ** (1 / log2(STEP)))


def main(only: str, log: Path | None) -> int:
    """Measure all pairs; return 1 if one is above linear."""
    TARGETS["rename_beside (python)"]("x = 1\n", never)  # what is loaded once is loaded now
    gc.freeze()
    worst, pairs, above = 0.0, 0, 0
    for target in (name for name in TARGETS if re.search(only, name)):
        for dimension in GROWING:
            times, problem = measure_in_child(target, dimension)
            pairs += 1
            ratio = growth(times)
            worst = max(worst, ratio)
            is_above = ratio > LINEAR or bool(problem)
            above += is_above
            if log is not None:
                with log.open("a") as file:
                    file.write(json.dumps([target, dimension, ratio, problem, times]) + "\n")
            if is_above:
                size, seconds = times[-1] if times else (0, 0.0)
                print(f"{target}: {dimension}: {ratio:.1f} {problem} {size:,}: {seconds:.2f} s", flush=True)
    print(f"{pairs:,} pairs, {above} above linear, worst {worst:.1f}", flush=True)
    return 1 if above else 0
