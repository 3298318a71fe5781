"""Edits for models: prompts of known answers for those by shape, and of code of this repository for trained ones."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from answering_model import FIRST, successors

if TYPE_CHECKING:
    from editahead_prompts.state import EditorState

ROOT = Path(__file__).resolve().parents[3]
ANSWER, CHANGES = 256, 3
"""Tokens of an answer, and its places that differ from the region: a function, rewritten."""
MAX_ANSWER = 128
"""Tokens of an answer of a trained model: those of this size answer with a hunk or a window."""
_CHANGED_TOKENS = 3
_LINE = "def change():\n"
"""The first line of a region and of its answer. The answer's is part of the prompt."""


@dataclass(frozen=True, slots=True)
class EditPrompt:
    """A prompt in tokens, the most tokens of its answer, and the tokens that end it before."""

    prompt: tuple[int, ...]
    answer_tokens: int
    ends: tuple[int, ...] = ()


def known_edits(vocabulary: int, number: int, seed: int = 9) -> list[EditPrompt]:
    """Return prompts in Editahead's format whose answers an answering model knows.

    The region is the answer, in which some places have other tokens. No token of it repeats, which favours n-grams.
    """
    from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
    from editahead_prompts.formats.next_edit.editahead_2611 import FILE, NEXT, REGION, REGION_END

    encode, following, dice = bundled_tokenizer().encode, successors(vocabulary), random.Random(seed)
    made = []
    for _ in range(number):
        answer = [dice.randrange(FIRST, vocabulary)]
        while len(answer) < ANSWER:
            answer.append(following[answer[-1]])
        region = list(answer)
        for place in sorted(dice.sample(range(8, ANSWER - 8), CHANGES), reverse=True):
            kept = dice.choice((0, _CHANGED_TOKENS))  # inserted by the answer, or replaced by it
            region[place : place + _CHANGED_TOKENS] = [dice.randrange(FIRST, vocabulary) for _ in range(kept)]
        head, tail = encode(f"{FILE}a.py\n{REGION}\n{_LINE}"), encode(f"{REGION_END}\n{NEXT}\n{_LINE}")
        made.append(EditPrompt((*head, *region, *tail, answer[0]), ANSWER - 1))
    return made


def rename_edits(folder: Path, number: int) -> list[EditPrompt]:
    """Return prompts for a trained model in its own format: a name of this repository's code was changed at one place."""
    from editahead_prompts.composition.hf_tokenizer import load
    from editahead_prompts.formats.next_edit.editahead_coder_2611 import EditaheadCoderFormat
    from editahead_prompts.formats.registry import select_format

    format, tokenizer = select_format(folder.name), load(folder)
    made = []
    for state in _renames(number):
        if isinstance(format, EditaheadCoderFormat):
            request = format.build_next_edit(state, tokenizer)
        else:
            request = format.build(state, tokenizer)
        ends = [tokenizer.encode(stop) for stop in request.stop]
        prompt = request.prompt.ids or tokenizer.encode(request.prompt.text)
        made.append(EditPrompt(tuple(prompt), MAX_ANSWER, tuple(end[0] for end in ends if len(end) == 1)))
    return made


def _renames(number: int) -> list[EditorState]:
    from editahead_prompts.history.edit_history import EditHistory
    from editahead_prompts.state import EditorState
    from editahead_prompts.text.edits import Edit
    from editahead_prompts.text.snapshot import Snapshot

    states: list[EditorState] = []
    for path in sorted((ROOT / "inference").rglob("*.py")):
        text = path.read_text("utf-8")
        at = text.find("self._")
        if text.count("self._") < 4 or len(states) == number:
            continue
        before = Snapshot.from_text(text, uri=path.as_uri(), language="python")
        edit = Edit.replace(at + 6, at + 6, "new_")
        after = Snapshot.from_text(edit.apply(text), uri=path.as_uri(), language="python", version=2)
        history = EditHistory()
        history.on_open(before)
        history.record_change(before, after, edit, at=1.0, cursor=None)
        states.append(EditorState(after, at + 10, history.edits))
    return states
