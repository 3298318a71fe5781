"""Right texts with one wrong hunk, as a model or a guess gets them wrong."""

from __future__ import annotations

import random

from editahead_prompts.text.diff import diff_lines


def spoiled(before: str, after: str, rng: random.Random) -> str:
    """Return the text after a change with one wrong hunk.

    The hunk is missing, or keeps its old lines, or is at another place, or loses lines around it, or has
    another indentation.
    """
    old, new = before.split("\n"), after.split("\n")
    hunks = diff_lines(old, new)
    if not hunks:
        return after
    i1, i2, j1, j2 = rng.choice(hunks)
    deleted, inserted = old[i1:i2], new[j1:j2]
    match rng.choice(("missing", "doubled", "moved", "lost", "indented")):
        case "missing":
            new[j1:j2] = deleted
        case "doubled" if deleted:
            new[j1:j2] = [*deleted, *inserted] if rng.random() < 0.5 else [*inserted, *deleted]
        case "moved" if inserted:
            new[j1:j2] = deleted
            at = min(max(j1 + rng.choice((-3, -2, -1, 1, 2, 3)), 0), len(new) - 1)
            new[at:at] = inserted
        case "indented" if inserted:
            step = rng.choice((-4, -2, 2, 4))
            new[j1:j2] = [
                line[-step:] if step < 0 and not line[:-step].strip() else " " * step + line
                for line in inserted
            ]
        case _:
            some = rng.randint(1, 4)
            del new[j2 : min(j2 + some, len(new) - 1)]
    return "\n".join(new)
