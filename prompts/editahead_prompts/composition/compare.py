"""The cache-miss debugger: where a document's prompt first differs from the one before.

A model server computes only what comes after the first changed token. The part that stands there is the one to blame, and
to move further down.
"""

from __future__ import annotations

from dataclasses import dataclass

from editahead_prompts.diff import common_head

from .render import Prompt


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two prompts part. `now` and `then` are the names of the parts there, None where a prompt has ended.

    offset: of the first character that differs. kept: tokens of the new prompt that a cache can serve, counted in ids where
    they are known, else in whole pieces. fresh: those that have to be computed.
    """

    now: str | None
    then: str | None
    offset: int
    kept: int
    fresh: int


def first_difference(then: Prompt, now: Prompt) -> Difference | None:
    """Where `now` parts from `then`; None when their texts are equal."""
    if now.text == then.text:
        return None
    offset = common_head(then.text, now.text)
    here, there = now.piece_at(offset), then.piece_at(offset)
    if now.ids is not None and then.ids is not None:
        kept = next(
            (n for n, (a, b) in enumerate(zip(then.ids, now.ids, strict=False)) if a != b),
            min(len(then.ids), len(now.ids)),
        )
    else:
        kept = min(sum(piece.tokens for piece in now.pieces if piece.end <= offset), now.tokens)
    return Difference(
        None if here is None else here.name,
        None if there is None else there.name,
        offset,
        kept,
        now.tokens - kept,
    )
