"""The first hour: episodes of editing in a real Neovim, each with an empty state folder, and their table.

    PYTHONPATH=tests/support .venv/bin/python tools/measure/first_hour.py [EPISODES.toml ...] [--repositories FOLDER]

Without files, our own episodes are played. Other people's code is not part of this repository: name a folder of it, with
one folder for each repository that the files of episodes name.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from committed_folder import fill_folder
from episodes import Episode, read_episodes
from neovim import NEOVIM_0_12, Neovim
from neovim_person import Person, Score
from server_with_planned_edits import REAL

OWN = tuple(sorted((Path(__file__).parents[2] / "tests/benchmarks/first_hour").glob("*.toml")))
COLUMNS = (
    "episodes", "finished", "part", "silent", "right", "wrong", "ghost right", "wrong", "Tabs", "typed", "saved", "seconds",
)  # fmt: skip  # a table


def play(episode: Episode, program: Path, home: Path, settings: dict[str, Any]) -> Score:
    """Play an episode in a folder, with an empty state."""
    folder = home / episode.repository.name
    fill_folder(folder, episode.before())
    homes = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
    options = {"cmd": REAL, "settings": settings}
    first = folder / episode.first_path
    with contextlib.closing(Neovim(program, folder, [first], homes, options, before=BEFORE)) as neovim:
        neovim.until(READY)
        return Person(neovim, folder, episode).play()


BEFORE = "set lines=40 columns=100"
READY = """(function()
  local client = vim.lsp.get_clients({ name = 'editahead', bufnr = 0 })[1]
  local status = { command = 'editahead.status', arguments = {} }
  local answer = client and client.initialized and client:request_sync('workspace/executeCommand', status, 5000)
  local index = answer and answer.result and answer.result.index[1]
  return index and index.state == 'ready'
end)()"""
"""Lua expression: whether the server runs, and has read the repository."""


def row(name: str, scores: Sequence[Score]) -> str:
    """Return a line of the table."""
    outcomes = [score.outcome for score in scores]
    cells = [len(scores), *(outcomes.count(outcome) for outcome in ("finished", "part", "silent"))]
    names = ("right", "wrong", "ghost_right", "ghost_wrong", "tabs", "typed", "saved", "saved_s")
    cells += [round(sum(getattr(score, name) for score in scores)) for name in names]
    return "| " + " | ".join(map(str, (name, *cells))) + " |"


def table(played: Sequence[tuple[str, Score]]) -> Iterable[str]:
    """Yield the lines of the table by kind, and the times."""
    yield "| " + " | ".join(("kind", *COLUMNS)) + " |"
    yield "| --- " * (len(COLUMNS) + 1) + "|"
    for kind in sorted({kind for kind, _ in played}):
        yield row(kind, [score for other, score in played if other == kind])
    scores = [score for _, score in played]
    yield row("all", scores)
    latencies = sorted(1000 * one for score in scores for one in score.latencies)
    if latencies:
        high = latencies[int(len(latencies) * 0.95)]
        yield f"from the last key to the screen: {statistics.median(latencies):.0f} ms p50, {high:.0f} ms p95"
    firsts = [score.first_s for score in scores if score.first_s is not None]
    if firsts:
        yield f"to the first accepted edit: {statistics.median(firsts):.1f} s p50, in {len(firsts)} episodes"
    yield f"drawn elsewhere and wrong while the person typed: {sum(score.flicker for score in scores)}"
    yield f"gone while the person read: {sum(score.lost for score in scores)}"


def play_all(
    files: Iterable[Path], program: Path, repositories: Path | None, only: str, settings: dict[str, Any]
) -> list[tuple[str, Score]]:
    """Play the episodes of files one after another, and print each."""
    played = []
    for episode in (one for file in files for one in read_episodes(file, repositories) if only in one.name):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
            score = play(episode, program, Path(home).resolve(), settings)
        played.append((episode.kind, score))
        seen = {key: value for key, value in vars(score).items() if key != "latencies"}
        print(json.dumps({"name": episode.name, **seen, "load": os.getloadavg()[0]}), flush=True)
    return played


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--repositories", type=Path)
    parser.add_argument("--only", default="", help="a part of the names to play")
    parser.add_argument("--neovim", type=Path, default=NEOVIM_0_12)
    parser.add_argument("--settings", type=json.loads, default={}, help="the server's settings, as JSON")
    options = parser.parse_args(arguments)
    files = options.files or OWN
    played = play_all(files, options.neovim, options.repositories, options.only, options.settings)
    print("\n".join(table(played)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
