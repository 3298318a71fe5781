"""What a base that has read code adds to the completion at the cursor: the rest of the line that it is likely to say.

    python tests/benchmarks/rest_of_line.py BASE EDITS_FOLDER --records 70 --since 2025-03

BASE is a folder of `editahead train base`. Records of the last two shards that are younger than its data are typed key by
key. At some keys, the rules and the base propose what comes next. A proposal is right if the person types it next. Needs the
extra `train`.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM

from editahead_evals.data.edit_records import Record
from editahead_evals.data.key_sessions import Change, Open
from editahead_evals.data.typed_commits import typed_commit
from editahead_inference.pipeline import Pipeline
from editahead_lsp.protocol.custom_messages import TextDocumentContentChange
from editahead_lsp.workspace.documents import Document
from editahead_prompts.composition.hf_tokenizer import load
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.state import EditorState
from editahead_training.data.shards import sample, train_shards

CONTEXT, ANSWER = 400, 14
"""Tokens before the cursor, and most tokens of a continuation."""
LEAST = 0.2
"""The probability of a continuation at which it ends."""
KEYS_AHEAD = 80
"""Keys after a moment that tell what the person types next."""


@dataclass(frozen=True)
class Moment:
    """What was proposed after a key. rules: "" for nothing. pieces: tokens of the base with their probabilities."""

    rules: str
    pieces: list[tuple[str, float]]
    typed: str

    def base(self, least: float) -> str:
        """Return the longest beginning of the continuation with at least this probability."""
        text, sure = "", 1.0
        for piece, probability in self.pieces:
            sure *= probability
            if sure < least:
                break
            text += piece
        return text


class Continuation:
    """A base that goes on with a text. It says the last token of the text anew, which may be a part of a word."""

    def __init__(self, folder: Path) -> None:
        self._vocabulary = load(folder)
        self._model = AutoModelForCausalLM.from_pretrained(
            folder, dtype=torch.bfloat16, local_files_only=True
        ).eval()
        size = self._model.config.vocab_size
        self._texts = [self._vocabulary.decode((id,)) for id in range(size)]
        self._special = torch.zeros(size, dtype=torch.bool)
        self._special[list(self._vocabulary.encoder.get_added_tokens_decoder())] = True

    def pieces(self, text: str) -> Iterator[tuple[str, float]]:
        """Yield the likeliest tokens to the line's end, with their probabilities."""
        ids = list(self._vocabulary.encode(text[-8 * CONTEXT :]))[-CONTEXT:]
        held = self._texts[ids[-1]] if ids else ""
        if "\n" in held or len(ids) < 2:
            held = ""
        else:
            ids.pop()
        fed, cache, sure = torch.tensor([ids]), None, 1.0
        for _ in range(ANSWER if ids else 0):
            with torch.inference_mode():
                said = self._model(fed, past_key_values=cache, use_cache=True)
            cache, logits = said.past_key_values, said.logits[0, -1].float()
            logits[self._special] = -torch.inf
            if held:
                logits[[not piece.startswith(held) for piece in self._texts]] = -torch.inf
            probability, id = torch.softmax(logits, -1).max(-1)
            piece, end, _ = self._texts[int(id)][len(held) :].partition("\n")
            held, sure, fed = "", sure * float(probability), id.view(1, 1)
            if piece:
                yield piece, float(probability)
            if end or sure < LEAST:
                return


def moments(record: Record, base: Continuation, pipeline: Pipeline, keys: int) -> Iterator[Moment]:
    """Yield what is proposed after some keys of a record that is typed."""
    session = typed_commit(record)
    (opened,) = (event for event in session.events if isinstance(event, Open))
    changes = [event for event in session.events if isinstance(event, Change)]
    chosen = set(random.Random(record.id).sample(range(len(changes)), min(keys, len(changes))))
    history, text = EditHistory(), opened.text
    document = Document(f"file:///w/{record.path}", record.language, 0, text, "utf-32")
    for number, change in enumerate(changes):
        ((start, end, new),) = change.replacements
        text = text[:start] + new + text[end:]
        made = document.change(number + 1, [TextDocumentContentChange(text)])
        history.record_change(made.before, made.after, made.edit, at=change.at, cursor=change.cursor)
        typed = _typed_next(changes[number + 1 : number + KEYS_AHEAD], change.cursor)
        if number not in chosen or not typed or typed[0] == "\n":
            continue
        state = EditorState(document.snapshot, change.cursor, tuple(history.edits))
        rules = [
            candidate.edit.replacements[0].text
            for candidate in (verdict.candidate for verdict in pipeline.predict(state).shown)
            if [(r.start, r.end) for r in candidate.edit.replacements] == [(change.cursor, change.cursor)]
        ]
        yield Moment(rules[0] if rules else "", list(base.pieces(text[: change.cursor])), typed)


def _typed_next(changes: list[Change], cursor: int) -> str:
    typed = ""
    for change in changes:
        ((start, end, new),) = change.replacements
        if (start, end) != (cursor, cursor):
            break
        typed, cursor = typed + new, start + len(new)
    return typed


def row(name: str, told: list[tuple[str, str]]) -> str:
    """Return a row of the table. told: what was shown, "" for nothing, and what was typed."""
    shown = [(text, typed) for text, typed in told if len(text) > 1]
    right = [text for text, typed in shown if typed.startswith(text)]
    saved = sum(len(text) - 1 for text in right)
    return (
        f"| {name} | {100 * len(shown) / len(told):.0f} | {len(right) / max(len(shown), 1):.2f} "
        f"| {100 * (len(shown) - len(right)) / len(told):.1f} | {saved / len(told):.2f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", type=Path)
    parser.add_argument("edits", type=Path)
    parser.add_argument("--records", type=int, default=70)
    parser.add_argument("--keys", type=int, default=4)
    parser.add_argument("--since", default="2025-03", help="date of the oldest record")
    args = parser.parse_args()
    torch.set_num_threads(1)
    base, pipeline = Continuation(args.base), Pipeline()
    young = [
        record
        for shard in train_shards(args.edits, least=2)[-2:]
        for record in sample(shard, 2500, 3)
        if str(record["date"]) >= args.since
    ]
    random.Random(1).shuffle(young)
    found: list[Moment] = []
    began = time.process_time()
    for data in young[: args.records]:
        record = Record(**{field.name: data[field.name] for field in fields(Record)})
        found += moments(record, base, pipeline, args.keys)
    print(f"{len(found)} moments, {time.process_time() - began:.0f} s of CPU time")
    print("| shown | of 100 keys | right | wrong, of 100 keys | characters saved by each key |")
    print(row("rules", [(one.rules, one.typed) for one in found]))
    for least in (0.5, 0.6, 0.7, 0.8, 0.9):
        print(row(f"base at {least}", [(one.base(least), one.typed) for one in found]))
        print(
            row(f"rules, else base at {least}", [(one.rules or one.base(least), one.typed) for one in found])
        )


if __name__ == "__main__":
    main()
