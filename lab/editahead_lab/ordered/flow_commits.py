"""EditFlow's commits: hunks of which people said which may follow which.

The form is that of github.com/code-philia/EditFlow (MIT; arXiv 2602.21697): a folder with one JSON object for each commit.
`commit_snapshots` holds, by file, its lines in windows: a list of lines that stay, or a hunk with `idx`, `before` and
`after`. `partial_orders` holds pairs of hunks: the first leads to the second ("0 before 1"), the second to the first
("1 before 0"), or each to the other ("bi-directional"). All else is ignored.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from editahead_evals.errors import RecordError

from .ordered_edits import FileSteps, PullRequest

Windows: TypeAlias = Sequence[Any]
_LEADS: Mapping[str, Sequence[tuple[int, int]]] = {
    "0 before 1": ((0, 1),),
    "1 before 0": ((1, 0),),
    "bi-directional": ((0, 1), (1, 0)),
}
"""The edges of a pair, by its label; a label that is not here says that the two have no relation."""


def read_flow_commits(folder: Path) -> list[PullRequest]:
    """Return the commits of a folder, by name. Each is played along its edges, the lowest hunk first.

    Raises:
        RecordError: A file cannot be read or is damaged, or there is none.
    """
    found = [_read(path) for path in sorted(folder.glob("*.json"))]
    if not found:
        raise RecordError(f"{folder}: no commits (*.json)")
    return found


def _read(path: Path) -> PullRequest:
    try:
        value = json.loads(path.read_text("utf-8"))
        files: Mapping[str, Windows] = value["commit_snapshots"]
        hunks = [
            window["idx"] for windows in files.values() for window in windows if isinstance(window, dict)
        ]
        edges = frozenset(edge for pair in value["partial_orders"] for edge in _edges(pair))
        places = {hunk: number for number, hunk in enumerate(_order(hunks, edges))}
        steps = [_file_steps(path.stem, name, windows, places) for name, windows in files.items()]
        orders = frozenset((places[first], places[second]) for first, second in edges)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"{path}: not a commit of EditFlow: {type(error).__name__}: {error}") from None
    return PullRequest(path.stem, [file for file in steps if file.numbers], orders)


def _edges(pair: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    hunks = pair["edit_hunk_pair"]
    for first, second in _LEADS.get(pair["edit_order"], ()):
        yield hunks[first], hunks[second]


def _order(hunks: Sequence[int], edges: frozenset[tuple[int, int]]) -> list[int]:
    """Return an order of hunks: from those to which the fewest lead, along the edges, the lowest first."""
    leading: dict[int, int] = defaultdict(int)
    for _, second in edges:
        leading[second] += 1
    left = sorted(hunks, key=lambda hunk: (leading[hunk], hunk))
    order: list[int] = []
    while left:
        may_follow = sorted(hunk for hunk in left if any((made, hunk) in edges for made in order))
        chosen = may_follow[0] if may_follow else left[0]
        left.remove(chosen)
        order.append(chosen)
    return order


def _file_steps(id: str, path: str, windows: Windows, places: Mapping[int, int]) -> FileSteps:
    """Return the steps of one file.

    Raises:
        ValueError: A line has another line end than LF.
    """
    numbers = sorted(places[window["idx"]] for window in windows if isinstance(window, dict))
    texts = [_text(windows, places, made=numbers[:count]) for count in range(len(numbers) + 1)]
    if any("\r" in text for text in texts):
        raise ValueError(f"{path} has line ends other than LF")
    return FileSteps(id, path, tuple(texts), tuple(numbers))


def _text(windows: Windows, places: Mapping[int, int], *, made: Sequence[int]) -> str:
    lines: list[str] = []
    for window in windows:
        is_hunk = isinstance(window, dict)
        lines += window["after" if places[window["idx"]] in made else "before"] if is_hunk else window
    return "".join(lines)
