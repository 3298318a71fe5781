"""What a small model adds to the completion at the cursor: the rest of the line that is being typed.

    python tests/benchmarks/rest_of_line.py MODEL EDITS_FOLDER --records 70 --since 2025-03

MODEL is a folder of `editahead models use` or `editahead train base`. Records of the last two shards that are younger than
the data of the base are typed key by key. At some keys, the rules and the model propose what comes next. A proposal is right
if the person types it next. Prints the table, and the calibration of what the model says where the rules say nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, fields
from math import exp, log
from pathlib import Path

from sklearn.linear_model import LogisticRegression

from editahead_evals.data.edit_records import Record
from editahead_evals.data.key_sessions import Change, Open
from editahead_evals.data.typed_commits import typed_commit
from editahead_inference.backends.base import CompletionRequest, TextChunk
from editahead_inference.backends.local.backend import LocalBackend
from editahead_inference.candidates import Prediction
from editahead_inference.gate.gate import completion_threshold
from editahead_inference.pipeline import Pipeline
from editahead_inference.predictors.model import continuation
from editahead_inference.predictors.model.continuation import Continuation
from editahead_lsp.protocol.custom_messages import TextDocumentContentChange
from editahead_lsp.workspace.documents import Document
from editahead_prompts.composition.hf_tokenizer import load
from editahead_prompts.formats.excerpts import split_cursor_line
from editahead_prompts.formats.next_edit.continuation import types_line_end, without_tail
from editahead_prompts.formats.next_edit.editahead_lines_2611 import EDITAHEAD_LINES
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.state import EditorState
from editahead_training.data.shards import sample, train_shards

KEYS_AHEAD = 80
"""Keys after a moment that tell what the person types next."""


@dataclass(frozen=True)
class Moment:
    """What was proposed after a key, "" for nothing, and what was typed.

    Attributes:
        rules: At the default eagerness.
        bold: Of the rules at eagerness 1.
        tail: What is behind the cursor in its line.
    """

    record: str
    rules: str
    bold: str
    said: Continuation
    tail: str
    typed: str

    def model(self, eagerness: float) -> str:
        """Return what is shown of the model's continuation."""
        text, sure = self.said.best()
        return without_tail(text, self.tail) if sure > completion_threshold(eagerness) else ""


class Model:
    """A model that goes on with a line, asked as the server asks it."""

    def __init__(self, folder: Path) -> None:
        self._backend = LocalBackend(folder)
        self._vocabulary = load(folder)

    async def goes_on(self, state: EditorState) -> Continuation:
        """Return the rest of the line; nothing where the server would not ask for it."""
        said = Continuation()
        if not types_line_end(state):
            return said
        request = EDITAHEAD_LINES.build(state, self._vocabulary)
        query = CompletionRequest(
            request.prompt.text, request.stop, request.max_tokens, logprobs=True, session="s", continues=True
        )
        await self._backend.prepare()
        async with aclosing(self._backend.stream(query)) as stream:
            async for item in stream:
                if isinstance(item, TextChunk) and not said.add(item.text, item.logprobs):
                    break
        return said


async def moments(record: Record, model: Model, pipeline: Pipeline, keys: int) -> AsyncIterator[Moment]:
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
        rules, bold = (_at_cursor(pipeline.predict(state, eagerness=eagerness)) for eagerness in (0.5, 1.0))
        tail = split_cursor_line(state.document, state.cursor)[1].strip()
        yield Moment(record.id, rules, bold, await model.goes_on(state), tail, typed)


def _at_cursor(prediction: Prediction) -> str:
    """Return what the rules would put in at the cursor."""
    cursor = prediction.state.cursor
    for edit in (verdict.candidate.edit for verdict in prediction.shown):
        if [(r.start, r.end) for r in edit.replacements] == [(cursor, cursor)]:
            return edit.replacements[0].text
    return ""


def _typed_next(changes: list[Change], cursor: int) -> str:
    typed = ""
    for change in changes:
        ((start, end, new),) = change.replacements
        if (start, end) != (cursor, cursor):
            break
        typed, cursor = typed + new, start + len(new)
    return typed


def saved(text: str, typed: str) -> int:
    """Return the keys that taking a text saves."""
    return len(text) - 1 if len(text) > 1 and typed.startswith(text) else 0


def gain(found: list[Moment], eagerness: float) -> str:
    """Return how many more keys are saved with the model than without, with the middle 95% over resamplings by record."""
    by_record: dict[str, list[tuple[int, int]]] = {}
    for one in found:
        with_model = one.rules or one.model(eagerness)
        by_record.setdefault(one.record, []).append(
            (saved(one.rules, one.typed), saved(with_model, one.typed))
        )
    dice, gains = random.Random(0), []
    for _ in range(1000):
        drawn = [
            pair for name in dice.choices(sorted(by_record), k=len(by_record)) for pair in by_record[name]
        ]
        gains.append(sum(after for _, after in drawn) / max(sum(before for before, _ in drawn), 1) - 1)
    gains.sort()
    return f"{gains[500]:+.0%} ({gains[25]:+.0%} to {gains[974]:+.0%})"


def row(name: str, told: list[tuple[str, str]]) -> str:
    """Return a row of the table. told: what was shown, "" for nothing, and what was typed."""
    shown = [(text, typed) for text, typed in told if len(text) > 1]
    right = [text for text, typed in shown if typed.startswith(text)]
    return (
        f"| {name} | {100 * len(shown) / len(told):.0f} | {len(right) / max(len(shown), 1):.2f} "
        f"| {100 * (len(shown) - len(right)) / len(told):.1f} | {sum(saved(*one) for one in told) / len(told):.2f} |"
    )


def calibration(found: list[Moment]) -> tuple[float, float, int]:
    """Return offset and slope of the log-odds of continuations where the rules say nothing, and on how many that rests."""
    odds, right = [], []
    for one in found:
        text = ""
        for piece, total in [] if one.rules else one.said.pieces:
            text += piece
            sure = min(max(exp(total), 1e-4), 1 - 1e-4)
            if len(text) > 1:
                odds.append([log(sure / (1 - sure))])
                right.append(one.typed.startswith(text.rstrip()))
    fitted = LogisticRegression(C=10).fit(odds, right)
    return float(fitted.intercept_[0]), float(fitted.coef_[0][0]), len(right)


async def run(args: argparse.Namespace) -> None:
    """Print the table."""
    model, pipeline = Model(args.model), Pipeline()
    young = [
        record
        for shard in train_shards(args.edits, least=2)[-2:]
        for record in sample(shard, 2500, 3)
        if str(record["date"]) >= args.since
    ]
    random.Random(args.seed).shuffle(young)
    found: list[Moment] = []
    began = time.process_time()
    for data in young[args.skip : args.skip + args.records]:
        record = Record(**{field.name: data[field.name] for field in fields(Record)})
        found += [moment async for moment in moments(record, model, pipeline, args.keys)]
    print(f"{len(found)} moments, {time.process_time() - began:.0f} s of CPU time")
    print("| shown | of 100 keys | right | wrong, of 100 keys | characters saved by each key |")
    print(row("rules, at the default eagerness", [(one.rules, one.typed) for one in found]))
    print(row("rules, at eagerness 1", [(one.bold, one.typed) for one in found]))
    for eagerness in (0.5, 0.75, 1.0):
        shown = [(one.rules or one.model(eagerness), one.typed) for one in found]
        print(row(f"rules, else the model at {eagerness}", shown))
        print(row(f"model at {eagerness}", [(one.model(eagerness), one.typed) for one in found]))
    print(f"keys saved with the model, beside those without: {gain(found, 0.5)}")
    print("offset {:.2f}, slope {:.2f}, from {} beginnings".format(*calibration(found)))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("edits", type=Path)
    parser.add_argument("--records", type=int, default=70)
    parser.add_argument("--skip", type=int, default=0, help="records that the calibration was fitted to")
    parser.add_argument("--keys", type=int, default=4)
    parser.add_argument("--calibration", type=float, nargs=2, metavar=("OFFSET", "SLOPE"), help="another one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--since", default="2025-03", help="date of the oldest record")
    args = parser.parse_args()
    if args.calibration:
        continuation.OFFSET, continuation.SLOPE = args.calibration
    asyncio.run(run(args))


if __name__ == "__main__":
    main()
