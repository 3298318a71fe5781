"""Plan a team's index: measure the calls of a real server, then simulate how many repositories it serves.

PYTHONPATH=tests/support .venv/bin/python tools/measure/plan_team_index.py --repositories 10000

The simulation draws each repository's size and activity, and each member's clones; all figures but those of the calls are
assumptions, which the options change.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from editahead_retrieval.team.server import VECTOR_BYTES, PublishedContent, TeamServer
from real_postgres import reason_without_postgres, running_postgres
from team_of_members import KEY, Team

PIECES_PER_FILE = 7
"""Pieces of a content, about as many as this project's modules have."""
ROUNDS = 5
SIZES = (300, 1_000, 3_000, 10_000)
"""Files of the clones whose searches are measured."""
FILES = 20_000
"""Files in the database while that is measured."""
BATCH = 400
RETENTION_DAYS = 90
SEED = 7


@dataclass(frozen=True)
class Calls:
    """What a server needs: milliseconds of each call, and bytes of each row with its indexes.

    Attributes:
        hold_ms: Proofs of one content, in milliseconds.
        nearest_ms: The search through one content, in milliseconds.
        fetch_ms: The vector of one chunk, in milliseconds.
        put_ms: A new chunk with its place in a content, in milliseconds.
        bytes: The bytes on the disk of one content with its pieces and chunks.
    """

    hold_ms: float
    nearest_ms: float
    fetch_ms: float
    put_ms: float
    bytes: float


@dataclass(frozen=True)
class Load:
    """What a simulated team stores, and what it asks for on a working day."""

    contents: int
    bytes: float
    first_answers: int
    server_s: float
    largest_ms: float


def measure_calls() -> Calls:
    """Return what the calls need on this machine, and print them."""
    rng = random.Random(SEED)
    with (
        running_postgres() as server,
        Team.create(server) as team,
    ):
        client = team.client("ada")
        contents = [KEY.prove_content(number.to_bytes(16, "big"), "python") for number in range(FILES)]
        chunks = [KEY.prove_chunk(number.to_bytes(16, "big")) for number in range(FILES * PIECES_PER_FILE)]
        put_s = sum(
            _seconds(partial(_publish, client, contents, chunks, start, rng))
            for start in range(0, FILES, BATCH)
        )
        size = team.administration.status().size
        fetch_ms = _median(lambda: client.vectors_of(chunks[:2_000])) / 2_000
        question = [rng.randint(-127, 127) for _ in range(VECTOR_BYTES)]
        holds, searches = [], []
        for files in SIZES:
            clone = KEY.name_clone(f"/{files}", b"secret")
            chosen = rng.sample(contents, files)
            root = KEY.prove_root(files.to_bytes(16, "big"))
            holds.append(_median(partial(client.hold, clone, root, chosen)))
            searches.append(_median(partial(client.nearest, clone, question, 400)))
            print(f"clone of {files} files: proofs {holds[-1]:.0f} ms, search {searches[-1]:.0f} ms")
    calls = Calls(
        holds[-1] / SIZES[-1],
        searches[-1] / SIZES[-1],
        fetch_ms,
        1_000 * put_s / len(chunks),
        size / FILES,
    )
    print(
        f"a vector fetched {calls.fetch_ms:.3f} ms, stored {calls.put_ms:.3f} ms; a content {calls.bytes:.0f} bytes"
    )
    return calls


def simulate(options: argparse.Namespace, calls: Calls) -> Load:
    """Return the load of a team.

    Args:
        options: The assumptions.
        calls: What the calls of the server need.
    """
    rng = random.Random(SEED)
    sizes = [
        max(1, round(rng.lognormvariate(math.log(options.files), 1.2))) for _ in range(options.repositories)
    ]
    stored = changed_today = 0
    for size in sizes:
        commits = rng.lognormvariate(math.log(options.commits), 1.0)
        changed = min(commits * options.files_per_commit, float(size))
        stored += round(size + changed * RETENTION_DAYS * 5 / 7)
        changed_today += round(changed)
    clones = [rng.choice(sizes) for _ in range(round(options.members * options.clones_per_day))]
    answers_ms = sum(options.questions * files * calls.nearest_ms + files * calls.hold_ms for files in clones)
    fetched = sum(clones) * PIECES_PER_FILE + changed_today * PIECES_PER_FILE * options.readers
    server_ms = answers_ms + fetched * calls.fetch_ms + changed_today * PIECES_PER_FILE * calls.put_ms
    return Load(
        stored,
        stored * calls.bytes,
        len(clones),
        server_ms / 1_000,
        max(sizes) * (calls.nearest_ms + calls.hold_ms),
    )


def main() -> None:
    """Measure, simulate, and print a table."""
    parser = argparse.ArgumentParser(description="Plan a team's index.")
    parser.add_argument("--repositories", type=int, default=10_000)
    parser.add_argument("--files", type=float, default=300, help="files of a repository, the median")
    parser.add_argument(
        "--commits", type=float, default=2, help="commits of a repository a working day, the median"
    )
    parser.add_argument("--files-per-commit", type=float, default=3)
    parser.add_argument("--members", type=int, default=3_000)
    parser.add_argument(
        "--clones-per-day", type=float, default=0.2, help="new clones of a member a working day"
    )
    parser.add_argument(
        "--questions", type=float, default=3, help="searches in a clone before its own index is built"
    )
    parser.add_argument(
        "--readers", type=float, default=5, help="members who have the clone of a changed file"
    )
    options = parser.parse_args()
    reason = reason_without_postgres()
    if reason:
        raise SystemExit(f"no PostgreSQL with pgvector: {reason}")
    calls = measure_calls()
    whole = options.repositories
    for share in (0.01, 0.1, 1.0):
        options.repositories = round(whole * share)
        load = simulate(options, calls)
        print(
            f"{options.repositories} repositories: {load.contents / 1e6:.2f} million contents, "
            f"{load.bytes / 1e9:.1f} GB; {load.first_answers} new clones a day, {load.server_s:.0f} s of the server a day; "
            f"the largest repository's first answer {load.largest_ms:.0f} ms"
        )


def _publish(
    client: TeamServer, contents: list[bytes], chunks: list[bytes], start: int, rng: random.Random
) -> None:
    files = range(start, min(start + BATCH, FILES))
    part = chunks[PIECES_PER_FILE * files.start : PIECES_PER_FILE * files.stop]
    client.put_vectors(part, [rng.randbytes(VECTOR_BYTES) for _ in part])
    client.put_contents(
        [
            PublishedContent(
                contents[file],
                [
                    (40 * at, 40 * at + 40, chunks[PIECES_PER_FILE * file + at])
                    for at in range(PIECES_PER_FILE)
                ],
            )
            for file in files
        ]
    )


def _seconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _median(call: Callable[[], object]) -> float:
    """Return the median of some calls in milliseconds."""
    return 1_000 * sorted(_seconds(call) for _ in range(ROUNDS))[ROUNDS // 2]


if __name__ == "__main__":
    main()
