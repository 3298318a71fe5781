"""Benchmark of a model in this process on one core, with the size of the shipped one.

It measures the time of loading, of a next edit with and without drafts, and how often bfloat16 changes an answer when it
verifies drafts. The weights are the shipped or random ones, but the answers are the right ones: the right token's logit is
raised. Prompts come from this repository's files; an answer is the region with one changed line. Processor time is shown
beside elapsed time, which depends on the machine's load. It needs torch, which `make engine-test` installs.
"""

from __future__ import annotations

import asyncio
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import small_model
from editahead_inference.backends.base import CompletionRequest, StreamEnd, TextChunk, Usage
from editahead_inference.backends.factory import SHIPPED_MODEL_DIR
from editahead_inference.backends.local import qwen3
from editahead_inference.backends.local.backend import LocalBackend
from editahead_inference.backends.local.model import LocalModel, load_network
from editahead_inference.predictors.model.draft_texts import draft_texts
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.formats.next_edit.editahead_2611 import EDITAHEAD, REGION_END
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot
from figures import SHORT, percentile, show

pytest.importorskip("torch", reason="the extra `local` installs it")
pytestmark = pytest.mark.benchmark

ROOT = Path(__file__).parents[2]
EDITS = 12 if SHORT else 60
BUDGET, PROMPT = 1400, range(600, 900)
"""Tokens; no prompt is as long as it might be."""
FRESH = 200
"""Tokens at the end of a prompt that are not in the cache when somebody types."""
SURE = 1e4
SEED = 7


@dataclass(frozen=True, slots=True)
class NextEdit:
    prompt: tuple[int, ...]
    answer: tuple[int, ...]
    drafts: tuple[str, ...]


class Forced:
    """A network that says what it is told to, after as much work as if it had found out. steps: rows of each."""

    def __init__(self, network: Any) -> None:
        self._network = network
        self.context, self.vocabulary = network.context, network.vocabulary
        self.eos_ids, self.crops = network.eos_ids, network.crops
        self.new_cache = network.new_cache
        self.ids: tuple[int, ...] = ()
        self.steps: list[int] = []

    def forward(self, ids: Sequence[int], cache: Any, rows: int) -> Any:
        logits = self._network.forward(ids, cache, rows).clone()  # from what may not be changed
        first = cache.size - rows + 1  # the position of the token that the first row is about
        for row, token in enumerate(self.ids[first : first + rows]):
            logits[row, token] += SURE
        self.steps.append(len(ids))
        return logits


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if (SHIPPED_MODEL_DIR / "config.json").is_file():
        return SHIPPED_MODEL_DIR
    told = small_model.config(small_model.SHIPPED)
    return small_model.make(tmp_path_factory.mktemp("model") / "editahead", told)


def next_edits() -> Iterator[NextEdit]:
    """Yield edits in the middle of a region that replace or add one word."""
    dice = random.Random(SEED)
    encode = bundled_tokenizer().encode
    files = sorted(path for part in ("lsp", "inference", "prompts") for path in (ROOT / part).rglob("*.py"))
    count = 0
    while count < EDITS:
        text = dice.choice(files).read_text("utf-8")
        document = Snapshot.from_text(text, uri="file:///project/part/module.py", language="python")
        line = dice.randrange(len(document.lines))
        past = PastEdit(document.uri, line, ("def before(items):\n",), (document.lines[line],), open=True)
        state = EditorState(document, document.starts[line], (past,))
        request = EDITAHEAD.build(state, bundled_tokenizer(), budget=BUDGET)
        bodies = request.region.bodies(document)
        words = [(n, found) for n, body in enumerate(bodies[4:], 4) for found in re.finditer(r"\w{3,}", body)]
        if len(bodies) < 16 or not words:
            continue
        number, word = dice.choice(words)
        body = bodies[number]
        new = (
            body[: word.start()] + dice.choice(["account", "account_id, items", "None"]) + body[word.end() :]
        )
        answer = "".join(f"{b}\n" for b in (*bodies[:number], new, *bodies[number + 1 :])) + REGION_END
        prompt = encode(request.prompt.text)
        if len(prompt) in PROMPT and 100 <= len(ids := encode(answer)) <= 220:
            yield NextEdit(prompt, ids, draft_texts(EDITAHEAD, request, state))
            count += 1


@dataclass(frozen=True, slots=True)
class Took:
    """Times in milliseconds; `steps` are those after the prompt."""

    clock: float
    processor: float
    steps: int
    usage: Usage


def asked(model: LocalModel, forced: Forced, edit: NextEdit, *, drafted: bool) -> Took:
    forced.ids = (*edit.prompt, *edit.answer)
    query = CompletionRequest("", (REGION_END,), 512, ids=edit.prompt, logprobs=True, session="one")
    model.prefill(replace(query, session="two"), lambda: None)  # another document was the last one
    model.prefill(replace(query, ids=(*edit.prompt[:-FRESH], 5)), lambda: None)
    forced.steps.clear()
    started = time.perf_counter(), time.thread_time()
    *pieces, end = model.generate(replace(query, drafts=edit.drafts if drafted else ()), lambda: None)
    took = time.perf_counter() - started[0], time.thread_time() - started[1]
    assert isinstance(end, StreamEnd) and end.usage is not None and end.reason == "stop"
    text = "".join(piece.text for piece in pieces if isinstance(piece, TextChunk))
    assert text + REGION_END == bundled_tokenizer().decode(edit.answer)
    assert end.usage.cached == len(edit.prompt) - FRESH
    return Took(took[0] * 1000, took[1] * 1000, len(forced.steps) - 1, end.usage)


def test_a_next_edit_with_and_without_drafts(folder: Path) -> None:
    edits = list(next_edits())
    rows = []
    for dtype in ("float32", "bfloat16"):
        kept: list[Forced] = []

        def load(folder: Path, dtype: str, kept: list[Forced] = kept) -> Forced:
            kept.append(Forced(load_network(folder, dtype)))
            return kept[0]

        model = LocalModel(folder, dtype, 0, 1 << 28, load)
        for drafted in (False, True):
            took = [asked(model, kept[0], edit, drafted=drafted) for edit in edits]
            said = sum(one.usage.completion for one in took)
            rows.append(
                [
                    f"{dtype}, {'drafts' if drafted else 'none'}",
                    *(f"{percentile([one.clock for one in took], share):.0f}" for share in (0.5, 0.95)),
                    *(f"{percentile([one.processor for one in took], share):.0f}" for share in (0.5, 0.95)),
                    f"{said / sum(one.steps for one in took):.1f}",
                    f"{sum(one.usage.accepted for one in took) / max(sum(one.usage.drafted for one in took), 1):.0%}",
                ]
            )
    tokens = [
        percentile([float(len(part)) for part in parts], 0.5)
        for parts in zip(*((e.prompt, e.answer) for e in edits), strict=True)
    ]
    title = f"A next edit in ms: {tokens[0]:.0f} tokens, of which {FRESH} are new, and an answer of {tokens[1]:.0f} (p50)"
    columns = ["", "clock, p50", "p95", "processor, p50", "p95", "tokens a step", "accepted"]
    show(title, columns, rows)


LOADING = """
import sys, time
from pathlib import Path
folder, way = Path(sys.argv[1]), sys.argv[2]
def took():
    global at
    before, at = at, (time.perf_counter(), time.process_time())
    print(*((now - then) * 1000 for now, then in zip(at, before)))
at = time.perf_counter(), time.process_time()
import torch
took()
if way == "ours":
    from editahead_inference.backends.local.model import LocalModel
    LocalModel(folder, "auto", 0, 0)
else:
    import transformers
    transformers.AutoTokenizer.from_pretrained(folder)
    transformers.AutoModelForCausalLM.from_pretrained(folder, dtype="auto")
took()
"""


def test_loading(folder: Path) -> None:
    """Measure in processes of their own."""
    rows = []
    for way in ("ours", "transformers"):
        if way == "transformers" and find_spec("transformers") is None:
            continue
        told: list[list[float]] = []
        for _ in range(2 if SHORT else 7):
            command = [sys.executable, "-c", LOADING, folder, way]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            told.append([float(number) for number in done.stdout.split()])
        best, middle = ([percentile(part, share) for part in zip(*told, strict=True)] for share in (0.0, 0.5))
        rows.append([way, *(f"{best[n]:.0f} / {middle[n]:.0f}" for n in range(4))])
    columns = ["best / p50", "torch: clock", "processor", "the model after it: clock", "processor"]
    show("Loading, in ms", columns, rows)


def test_near_ties_in_bfloat16(folder: Path) -> None:
    """How often a verified row has another likeliest token than the same row by itself, and how near the two then were."""
    torch: Any = pytest.importorskip("torch")
    edits = list(next_edits())[: 4 if SHORT else 20]
    rows = []
    for dtype in ("float32", "bfloat16"):
        network = qwen3.Qwen3Network(folder, dtype)
        count, gaps, apart = 0, [0.0], [0.0]
        for edit in edits:
            alone, together = network.new_cache(), network.new_cache()
            for cache in (alone, together):
                network.forward(edit.prompt, cache, 1)
            one = torch.cat([network.forward([token], alone, 1) for token in edit.answer])
            many = torch.cat(
                [
                    network.forward(edit.answer[at : at + 65], together, len(edit.answer[at : at + 65]))
                    for at in range(0, len(edit.answer), 65)
                ]
            )
            count += len(one)
            apart.append(float((one - many).abs().max()))
            for a, b in zip(one, many, strict=True):
                first, second = int(a.argmax()), int(b.argmax())
                if first != second:
                    gaps.append(max(float(a[first] - a[second]), float(b[second] - b[first])))
        rows.append([dtype, f"{count}", f"{len(gaps) - 1}", f"{max(gaps):.4f}", f"{max(apart):.5f}"])
    columns = ["", "tokens", "another token", "those two logits apart, at most", "any logits apart, at most"]
    show("Rows verified together, and one by one", columns, rows)


async def test_the_event_loop_while_the_model_answers(folder: Path) -> None:
    """How late a timer of 1 ms is, as a keystroke would be."""
    backend = LocalBackend(folder)
    await backend.prepare()
    edits = list(next_edits())[:10]

    async def late(until: asyncio.Event) -> list[float]:
        delays = []
        while not until.is_set():
            at = time.perf_counter()
            await asyncio.sleep(0.001)
            delays.append((time.perf_counter() - at) * 1000 - 1)
        return delays

    rows = []
    for busy in (False, True):
        over = asyncio.Event()
        ticking = asyncio.ensure_future(late(over))
        if busy:
            for edit in edits:
                query = CompletionRequest("", (), 100, ids=edit.prompt, drafts=edit.drafts, logprobs=True)
                assert [piece async for piece in backend.stream(query)]
        else:
            await asyncio.sleep(1)
        over.set()
        delays = await ticking
        name = "while it answers" if busy else "while it waits"
        rows.append([name, *(f"{percentile(delays, share):.2f}" for share in (0.5, 0.95, 0.99))])
    await backend.close()
    show("A timer of 1 ms on the event loop: so many ms late", ["", "p50", "p95", "p99"], rows)
