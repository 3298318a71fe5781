"""What a model adds while new code is typed: keys saved, wrong texts, and the tokens that each key costs.

    python tests/benchmarks/typed_runs.py MODEL EDITS_FOLDER --records 40 --since 2025-03

MODEL is a folder of `editahead models use`. Records of the last two shards that are younger than the data of the base are
typed key by key up to a run of new text. The run is then typed by somebody who takes each text at the cursor that is right,
with one key: with the rules alone, and with rules and model. Prints both, side by side.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from editahead_evals.data.edit_records import Record
from editahead_evals.data.key_sessions import Change, Open
from editahead_inference.backends.local.backend import LocalBackend
from editahead_inference.candidates import Prediction
from editahead_inference.pipeline import Pipeline
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_lab.commits.typed_commits import typed_commit
from editahead_lab.training.data.shards import sample, train_shards
from editahead_lsp.protocol.custom_messages import TextDocumentContentChange
from editahead_lsp.session.documents import Document
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.state import EditorState
from editahead_prompts.typing_time import KEY_S, READ_S, count_keys, seconds_saved
from figures import percentile

Ask = Callable[[EditorState], Awaitable[Prediction]]

MIN_RUN, MAX_RUN = 40, 160
"""Characters of a run of new text."""


@dataclass
class Typist:
    """Somebody who types, and what came of it.

    Attributes:
        characters: What was typed or taken.
        keys: The keys that this took.
        shown: Texts at the cursor, each counted once while it is typed as predicted.
        wrong: Those that were not typed.
        seconds: The seconds saved, less those of reading what was shown.
        lengths: The characters of each text shown.
    """

    characters: int = 0
    keys: int = 0
    shown: int = 0
    wrong: int = 0
    seconds: float = 0.0
    lengths: list[int] = field(default_factory=list)

    async def type(self, ask: Ask, page: Page, run: str) -> None:
        """Type a run, and take what is right of what is shown."""
        left = ""
        while run:
            shown = left or at_cursor(await ask(page.state))  # what is typed as predicted stays
            is_right = run.startswith(shown)
            saved = seconds_saved(count_keys(shown)) if is_right else 0.0
            self.seconds += saved
            # Behind the run, nothing is known.
            if len(shown) > 1 and shown != left and (is_right or not shown.startswith(run)):
                self.shown += 1
                self.lengths.append(len(shown))
                self.wrong += not is_right
                self.seconds -= READ_S
            taken = shown if saved else run[0]
            page.insert(taken)
            left = shown[1:] if shown.startswith(taken) else ""
            run = run[len(taken) :]
            self.characters += len(taken)
            self.keys += 1

    def row(self, name: str) -> str:
        """Return a row of the table."""
        saved = 1 - self.keys / max(self.characters, 1)
        right = 1 - self.wrong / max(self.shown, 1)
        wrong, time = 100 * self.wrong / max(self.keys, 1), self.seconds / max(KEY_S * self.characters, KEY_S)
        lengths = sorted(self.lengths) or [0]
        median, long = lengths[len(lengths) // 2], sum(length >= 8 for length in lengths) / len(lengths)
        return f"| {name} | {time:.3f} | {saved:.2f} | {right:.2f} | {wrong:.1f} | {median} | {long:.2f} |"


class Page:
    """A document with its history.

    Args:
        record: The record, for its path and language.
        text: The text.
    """

    def __init__(self, record: Record, text: str) -> None:
        self._document = Document(f"file:///w/{record.path}", record.language, 0, text, "utf-32")
        self._history = EditHistory()
        self.cursor, self._at = 0, 0.0

    @property
    def state(self) -> EditorState:
        """Return the state at the cursor."""
        return EditorState(self._document.snapshot, self.cursor, tuple(self._history.edits))

    def change(self, start: int, end: int, new: str) -> None:
        """Make a change, and go behind it."""
        text, self._at = self._document.snapshot.text, self._at + 0.2
        text = text[:start] + new + text[end:]
        version = self._document.snapshot.version + 1
        made = self._document.change(version, [TextDocumentContentChange(text)])
        self.cursor = start + len(new)
        self._history.record_change(made.before, made.after, made.edit, at=self._at, cursor=self.cursor)
        if len(new) > 1 and start == end:
            self._history.mark_accepted(made.before, made.edit)

    def insert(self, text: str) -> None:
        """Insert a text at the cursor."""
        self.change(self.cursor, self.cursor, text)


def at_cursor(prediction: Prediction) -> str:
    """Return what is shown at the cursor."""
    cursor = prediction.state.cursor
    for edit in (decision.candidate.edit for decision in prediction.shown[:1]):
        if [(r.start, r.end) for r in edit.replacements] == [(cursor, cursor)]:
            return edit.replacements[0].text
    return ""


def runs(changes: Sequence[Change]) -> Iterator[tuple[int, str]]:
    """Yield the runs of text that are typed on at the cursor: number of the first change, and text."""
    first, text, cursor = 0, "", -1
    for number, change in enumerate(changes):
        ((start, end, new),) = change.replacements
        if (start, end) != (cursor, cursor) or len(text) >= MAX_RUN:
            if len(text) >= MIN_RUN:
                yield first, text
            first, text = number, ""
        text, cursor = text + new, change.cursor if change.cursor == start + len(new) else -1
    if len(text) >= MIN_RUN:
        yield first, text


def before_run(record: Record, opened: str, changes: Sequence[Change], first: int) -> Page:
    """Return the page before the change with the number `first`, with the cursor where it will be made."""
    page = Page(record, opened)
    for change in changes[:first]:
        ((start, end, new),) = change.replacements
        page.change(start, end, new)
    ((page.cursor, _, _),) = changes[first].replacements
    return page


@dataclass
class Model:
    """Rules and a model, asked as the server asks them at every key.

    Attributes:
        tokens: The tokens that each request computed.
        seconds: The CPU seconds of each request.
    """

    predictor: ModelPredictor
    pipeline: Pipeline
    tokens: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    async def ask(self, state: EditorState) -> Prediction:
        """Return what is shown once the model has answered, too."""
        rules = self.pipeline.predict(state)
        computed, began = self.predictor.totals.computed, time.process_time()
        response = await self.predictor.predict(state)
        self.tokens.append(self.predictor.totals.computed - computed)
        self.seconds.append(time.process_time() - began)
        return self.pipeline.combine(rules, response)


async def run(args: argparse.Namespace) -> None:
    """Print the table."""
    pipeline = Pipeline()
    model = Model(ModelPredictor(LocalBackend(args.model), args.format, key="bench"), pipeline)

    async def rules(state: EditorState) -> Prediction:
        return pipeline.predict(state)

    young = [
        record
        for shard in train_shards(args.edits, min_count=2)[-2:]
        for record in sample(shard, 2500, 3)
        if str(record["date"]) >= args.since
    ]
    random.Random(args.seed).shuffle(young)
    alone, together, typed = Typist(), Typist(), 0
    for data in young:
        record = Record(**{one.name: data[one.name] for one in fields(Record)})
        session = typed_commit(record)
        (opened,) = (event for event in session.events if isinstance(event, Open))
        changes = [event for event in session.events if isinstance(event, Change)]
        found = list(runs(changes))
        if not found or typed >= args.records:
            continue
        typed += 1
        first, text = random.Random(record.id).choice(found)
        for typist, ask in ((alone, rules), (together, model.ask)):
            await typist.type(ask, before_run(record, opened.text, changes, first), text)
        print(f"{typed}: {alone.row('rules')} {together.row('and model')}", flush=True)
    print(
        "| new code | time saved | keys saved | right | wrong, of 100 keys | characters, median | 8 or more |"
    )
    print(alone.row("rules"))
    print(together.row("rules and model"))
    for name, values in (("tokens computed", model.tokens), ("CPU seconds", model.seconds)):
        print(
            f"{name} of {len(values)} requests: "
            + ", ".join(f"p{round(100 * part)} {percentile(values, part):.2f}" for part in (0.5, 0.95))
        )


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("edits", type=Path)
    parser.add_argument("--records", type=int, default=40)
    parser.add_argument("--format", default="editahead-coder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--since", default="2025-03", help="date of the oldest record")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
