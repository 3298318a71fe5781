"""The fuzzing campaign: parts that go on where the last one ended, until hours of work are done.

`.venv/bin/python tools/campaigns fuzz --hours 24` runs it until the hours of work are done, in all. The cache folder
keeps what was done (`fuzz/log.jsonl`) and the inputs of divergences (`fuzz/examples`), which are tried first the next time.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import resource
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase

from editahead_inference.pipeline import Pipeline
from fuzz_editor import FuzzEditor
from fuzz_targets import TARGETS
from server_harness import ServerHarness

EXAMPLES = 400
"""Inputs of one target in one part."""
SLOW_EXAMPLES = {"walk_workspaces": 100, "keep_indexes": 60, "damage_indexes": 40}
"""Inputs in one part of targets that write files and start programs."""
MESSAGES = 2_000
"""Messages to the server in one part."""
MAX_GROWTH = 1.5
"""The memory at the end of a campaign's process may be that many times the memory after its first part."""


def fuzz_target(name: str, examples: int, database: Path | None) -> int:
    """Run a target, and return how many inputs it has seen. Raises what the target raises."""
    seen = 0

    @settings(
        max_examples=examples,
        database=None if database is None else DirectoryBasedExampleDatabase(database / name),
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=True,
    )
    @given(st.data())
    def run(data: st.DataObject) -> None:
        nonlocal seen
        seen += 1
        TARGETS[name](data)

    run()
    return seen


async def fuzz_client(seed: int, messages: int) -> int:
    """Send random messages, compare the mirror after each, and expect exactly one answer to each request."""
    editor, harness = FuzzEditor(seed), ServerHarness(Pipeline())
    harness.longest_s = 60
    await harness.initialize()
    for _ in range(messages):
        message = editor.message()
        if isinstance(message, bytes):
            harness.server.receive(message)
            await harness.take(lambda m: m.get("id") is None and "error" in m)
            continue
        if "id" in message:
            message["id"] += 1000  # those of the harness itself are below
        harness.server.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())
        documents = {d.uri: d.snapshot.text for d in harness.server.session.documents}
        assert documents == {uri: editor.text(uri) for uri in editor.texts}, f"seed {seed}"
        if editor.random.random() < 0.3:
            await asyncio.sleep(0)
    for number in sorted(editor.waiting):
        reply = await harness.reply(number + 1000)
        assert ("result" in reply) != ("error" in reply), f"seed {seed}"
    harness.finish()  # no second answer is there
    return messages


def run_client(seed: int) -> int:
    """Run `fuzz_client` in a loop of its own."""
    return asyncio.run(fuzz_client(seed, MESSAGES))


def resident_mb() -> float:
    """Return the resident memory of this process in megabytes, where /proc tells it; else the largest so far."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def main(hours: float) -> int:
    """Run parts until the hours are done; return 1 after a divergence."""
    logging.disable(logging.ERROR)  # the server says of each malformed message that it is one
    cache = Path(os.environ.get("EDITAHEAD_CACHE") or Path.home() / ".cache" / "editahead") / "fuzz"
    cache.mkdir(parents=True, exist_ok=True)
    log = cache / "log.jsonl"
    done = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    seconds = sum(row["seconds"] for row in done)
    operations = sum(row["operations"] for row in done)
    part, failures, first_mb = max((row["part"] for row in done), default=0), 0, 0.0

    def run(name: str, work: Callable[[], int]) -> None:
        nonlocal seconds, operations, failures
        started, row = time.monotonic(), dict[str, Any](part=part, target=name, operations=0, divergence=None)
        try:
            row["operations"] = work()
        except Exception:
            failures += 1
            row["divergence"] = traceback.format_exc()
            print(f"{name} diverges:\n{row['divergence']}", file=sys.stderr)
        row |= {"seconds": round(time.monotonic() - started, 3), "mb": round(resident_mb())}
        seconds, operations = seconds + row["seconds"], operations + row["operations"]
        with log.open("a") as file:
            file.write(json.dumps(row) + "\n")

    while seconds < hours * 3600:
        part += 1
        for name in TARGETS:
            examples = SLOW_EXAMPLES.get(name, EXAMPLES)
            run(name, partial(fuzz_target, name, examples, cache / "examples"))
        run("client", partial(run_client, part))
        first_mb = first_mb or resident_mb()
        print(
            f"part {part}: {operations:,} operations in {seconds / 3600:.2f} of {hours:g} hours, "
            f"{operations / seconds:.0f} a second, {failures} divergences, {resident_mb():.0f} MB",
            flush=True,
        )
        if resident_mb() > MAX_GROWTH * first_mb:
            print(f"memory has grown from {first_mb:.0f} MB", file=sys.stderr)
            failures += 1
            break
    return 1 if failures else 0
