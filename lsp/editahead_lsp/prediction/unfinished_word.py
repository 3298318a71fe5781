"""The word at the cursor that is still being typed: edits elsewhere wait until it is finished.

A preview of what follows from a half-typed name changes with every key, and is never what is meant.
"""

from __future__ import annotations

from dataclasses import replace

from editahead_inference.candidates import GateDecision, Prediction, Silence
from editahead_prompts.state import EditorState
from editahead_prompts.text.identifiers import WORD, word_before
from editahead_prompts.text.word_patterns import WordPattern

PAUSE_S = 0.3
"""Seconds without a change after which the word at the cursor counts as finished."""
_REST = WordPattern(r"\w*")
_WAITS = Silence("debounced", "What follows is shown once the word at the cursor is finished.")


def only_at_cursor(prediction: Prediction) -> Prediction:
    """Return the prediction without edits elsewhere, if the word at the cursor may go on; else the prediction itself."""
    state = prediction.state
    if not prediction.shown or not _is_word_unfinished(state):
        return prediction
    shown = tuple(decision for decision in prediction.shown if _is_at_cursor(state, decision))
    if len(shown) == len(prediction.shown):
        return prediction
    return replace(prediction, shown=shown, silence=None if shown else _WAITS)


def _is_word_unfinished(state: EditorState) -> bool:
    """Return whether the cursor is right behind what the last edit brought of a word, while the next key may join the edit.

    That is a new word, or the new beginning of an old one.
    """
    last, document = (state.history[-1] if state.history else None), state.document
    if last is None or not last.open or last.uri != document.uri:
        return False
    line = document.line_at(state.cursor)
    if not last.line <= line < last.line + len(last.new):
        return False
    body, column = document.lines[line], state.cursor - document.starts[line]
    word, rest = word_before(body, column), _REST.match(body, column)
    old = {name for line in last.old for name in WORD.findall(line)}
    return bool(word) and word not in old and rest is not None and rest[0] in old | {""}


def _is_at_cursor(state: EditorState, decision: GateDecision) -> bool:
    candidate = decision.candidate
    is_here = candidate.uri == state.document.uri
    return is_here and any(r.start <= state.cursor <= r.end for r in candidate.edit.replacements)
