"""Diffs of git for just the text that the file has: a diff holds git's name of its text, so that its numbers are right."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from editahead_inference.apply.placement.placement import Placement, Target
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.sketches.sketch import Diff, FileSketch, Hunk, Sketch
from editahead_prompts.text.snapshot import Snapshot


def place_by_numbers(sketch: Sketch, part: FileSketch, target: Target) -> Placement | None:
    """Return the places that the headers of all hunks name; None unless the diff is one of the file's very text.

    Characters that chats put into code are code here, as no chat changed the diff.
    """
    if not isinstance(part.content, Diff) or part.old_blob is None:
        return None
    if not any(name.startswith(part.old_blob) for name in _blob_names(target.original)):
        return None
    splices: list[Splice] = []
    for hunk in part.content.hunks:
        at = hunk.line
        if at is None or not hunk.is_counted:
            return None
        end = at + len(hunk.old)
        old, new = (tuple(_exact(sketch, hunk, deleted)) for deleted in "+-")
        if (splices and splices[-1].end > at) or tuple(target.lines.bodies[at:end]) != old:
            return None
        splices.append(Splice(at, end, new, hunk.at, hunk.at + len(hunk.lines)))
    return Placement(tuple(splices))


def _exact(sketch: Sketch, hunk: Hunk, left_out: str) -> Iterator[str]:
    """Yield the lines of a hunk as they were pasted, without those with a tag."""
    for line in hunk.lines:
        if line.tag != left_out:
            yield sketch.pasted[line.at][1:] if line.at in sketch.pasted else line.text


def _blob_names(snapshot: Snapshot) -> Iterator[str]:
    """Yield git's names of a text, by its two ways to hash."""
    data = snapshot.text.encode("utf-8", "surrogatepass")
    for algorithm in ("sha1", "sha256"):
        digest = hashlib.new(algorithm, usedforsecurity=False)
        digest.update(b"blob %d\0" % len(data) + data)
        yield digest.hexdigest()
