"""Commits as examples of the format `editahead-coder`: what the model reads at a moment, and what it is to say.

Prompts are those of the format itself, to the token.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import quote

from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_prompts.errors import PromptTooLongError
from editahead_prompts.formats.base import PromptPaths, PromptRequest
from editahead_prompts.formats.next_edit.editahead_coder_2611 import EDITAHEAD_CODER, END, SPECIAL
from editahead_prompts.formats.next_edit.hunk_answer import write_replacement
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot

from .file_replay import Change, Continuation, FileReplay, Moment, NextEdit, Target

Kind: TypeAlias = Literal["continuation", "edit", "silence"]
KINDS: tuple[Kind, ...] = get_args(Kind)

MAX_ANSWER_TOKENS = 160
"""Tokens of an answer, its end included. Longer continuations are cut, longer edits left out."""
KEPT = {"continuation": 0.55, "edit": 1.0, "silence": 0.5}
"""Share of the examples of each kind that are kept."""
MAX_COMMIT_FILES = 20
"""Commits of more files are left out: few of them are one change."""
MAX_EARLIER = 4
"""Changes of a file that the histories of later files show."""
ROOT = "file:///commit/"
PATHS = PromptPaths((ROOT,))
_RESERVED = ("<|fim", "<|endof", "<|im_", "<|file", "<|repo")
"""Beginnings of the model's own tokens. Files with them are about models."""


@dataclass(frozen=True, slots=True)
class Example:
    """Token ids that the model reads, and those that it is to say."""

    kind: Kind
    prompt: tuple[int, ...]
    answer: tuple[int, ...]


def examples_of_commit(
    records: Sequence[dict[str, Any]], seed: int, vocabulary: HfTokenizer
) -> list[Example]:
    """Return the examples of a commit's files, which are the same for the same seed.

    Args:
        records: The files, each with `id`, `path`, `before` and `after`.
        seed: Of all choices.
        vocabulary: The model's tokenizer.
    """
    rng = random.Random(f"{seed}:{records[0]['id']}")
    rng.random()  # the choice of commits, which was part of the first run
    if len(records) > MAX_COMMIT_FILES:
        return []
    earlier: list[Change] = []
    examples: list[Example] = []
    for record in rng.sample(records, len(records)):
        before, after = (record[side].replace("\r\n", "\n") for side in ("before", "after"))
        if any(token in before for token in _RESERVED) or "\r" in before + after:
            continue
        replay = FileReplay.of_texts(before, after, earlier, rng)
        if replay is None:
            continue
        made = [make_example(moment, record["path"], vocabulary) for moment in replay.moments()]
        examples += [one for one in made if one is not None and rng.random() < KEPT[one.kind]]
        earlier += [Change(record["path"], one.old, one.new) for one in replay.changes][-MAX_EARLIER:]
    return examples


def make_example(moment: Moment, path: str, vocabulary: HfTokenizer) -> Example | None:
    """Return the example of a moment; None where the right answer is not clear, or too long."""
    document = Snapshot.from_text("\n".join(moment.lines), uri=ROOT + quote(path))
    history = [_past_edit(change, document.uri) for change in moment.history]
    if moment.open is not None:
        history.append(_past_edit(moment.open, document.uri, open=True))
    state = EditorState(document, moment.cursor, tuple(history))
    continues = isinstance(moment.question, Continuation)
    build = EDITAHEAD_CODER.build_continuation if continues else EDITAHEAD_CODER.build_next_edit
    try:
        request = build(state, vocabulary, budget=moment.budget, paths=PATHS)
    except PromptTooLongError:
        return None
    if isinstance(moment.question, Continuation):
        return _continuation(moment.question, request, vocabulary)
    return _next_edit(moment, moment.question, request, vocabulary)


def _past_edit(change: Change, uri: str, *, open: bool = False) -> PastEdit:
    old, new = (tuple(f"{line}\n" for line in lines) for lines in (change.old, change.new))
    return PastEdit(ROOT + quote(change.path) if change.path else uri, 0, old, new, open=open)


def _continuation(question: Continuation, request: PromptRequest, vocabulary: HfTokenizer) -> Example | None:
    said = vocabulary.encode(question.text)
    if not said:
        return None
    if len(said) > MAX_ANSWER_TOKENS:
        said = said[:MAX_ANSWER_TOKENS]
    elif question.is_whole:
        said = (*said, *vocabulary.encode(END))
    return Example("continuation", _ids(request), said)


def _next_edit(
    moment: Moment, question: NextEdit, request: PromptRequest, vocabulary: HfTokenizer
) -> Example | None:
    region, silence = request.region, vocabulary.encode(END)
    target = _nearest(question.targets, region.first, region.end, request.document.line_at(moment.cursor))
    if target is None:
        if any(one.first < region.end + 2 and one.end > region.first - 2 for one in question.targets):
            return None  # half of it is shown: whether it is to be said is not clear
        return Example("silence", _ids(request), silence)
    shown = moment.lines[region.first : region.end]
    place = target.first - region.first, target.end - region.first
    answer = write_replacement(shown, *place, target.new, SPECIAL, on_top=region.first == 0)
    if answer is None:
        return None
    said = vocabulary.encode(answer)
    return None if len(said) >= MAX_ANSWER_TOKENS else Example("edit", _ids(request), (*said, *silence))


def _nearest(targets: Sequence[Target], first: int, end: int, line: int) -> Target | None:
    """Return the remaining edit among the lines from `first` to `end` that is nearest to a line; those below win ties."""

    def distance(target: Target) -> float:
        if target.first >= line:
            return target.first - line
        last = target.end - 1 if target.end > target.first else target.end
        return max(line - last, 0) + 0.5

    return min(_shown(targets, first, end), key=distance, default=None)


def _shown(targets: Sequence[Target], first: int, end: int) -> Iterator[Target]:
    for target in targets:
        is_insertion = target.first == target.end
        if target.first >= first and target.end <= end and (target.first < end or is_insertion):
            yield target


def _ids(request: PromptRequest) -> tuple[int, ...]:
    return tuple(request.prompt.ids or ())
