"""Recorded answers of ten real models to eight scenarios, as they are and behind the gate of the endpoint.

The recordings (cursortab.nvim's evaluation, MIT, 2026-04) lie outside of the repository. The prompts are those that were
really sent; docs/measurements/serve.md has the figures, and `pytest -s` prints them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import pytest

from editahead_cli.endpoint.completer import Completer
from editahead_evals.data.commit_replay import Hunk, diff
from editahead_evals.metrics.similarity import delta_chrf
from editahead_inference.backends.openai.backend import OpenAIBackend
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_prompts.formats.base import Format, ParsedEdit, parse_answer
from editahead_prompts.formats.reading.base import ReadPrompt
from editahead_prompts.formats.reading.reader import read_prompt
from editahead_prompts.text.snapshot import split_lines
from editahead_workspace.settings import Settings
from fake_openai_server import FakeOpenAIServer
from recorded_models import Recording, load

RECORDED = Path(__file__).parents[4] / "shared" / "data" / "recorded-models"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (RECORDED / "exchanges.jsonl").is_file(), reason=f"no recorded exchanges in {RECORDED}"
    ),
]
MODELS = (
    *("zeta", "zeta-2", "sweep-next-edit-0.5B", "sweep-next-edit-1.5B", "sweep-next-edit-7B", "mercuryapi"),
    *("qwen3.5-0.8B", "qwen3.5-2B", "qwen3.5-4B", "qwen3.5-27B"),
)


@dataclass(frozen=True)
class Figures:
    """The share of scenarios that want an edit and got one, of silent ones that stayed so, and the similarity of edits."""

    show: float
    quiet: float
    similarity: float

    @property
    def score(self) -> float:
        """The similarity times the harmonic mean of both shares, as cursortab.nvim counts it."""
        both = self.show + self.quiet
        return self.similarity * (2 * self.show * self.quiet / both if both else 0.0)


def sent(one: Recording) -> str:
    return str(one.sent["prompt"] if "prompt" in one.sent else one.sent["messages"][0]["content"])


def after(one: Recording, prompt: ReadPrompt, text: str) -> str:
    """Return the document after an answer, as a client reads it."""
    format: Format = one.format
    request = one.scene.request(format, growing=False)
    for stop in one.sent.get("stop", ()):
        text = text.partition(stop)[0]
    found = parse_answer(format, request, text, one.said.finish)
    return found.edit.apply(request.document.text) if isinstance(found, ParsedEdit) else request.document.text


def hunks(old: str, new: str) -> Sequence[Hunk]:
    return diff(split_lines(old), split_lines(new))


def figures_of(texts: Sequence[tuple[Recording, str]]) -> Figures:
    """Return the figures of the documents after the answers of one model."""
    show, quiet, alike = [], [], []
    for one, text in texts:
        old, wanted = one.scene.text, one.scene.expected
        shown = text != old
        if wanted is None:
            quiet.append(not shown)
        else:
            show.append(shown)
            if shown:
                alike.append(delta_chrf(hunks(old, wanted), hunks(old, text)))
    return Figures(fmean(show), fmean(quiet), fmean(alike) if alike else 0.0)


async def behind_the_gate(one: Recording) -> str:
    """Return the document after the endpoint's answer, with the recorded model behind it."""
    prompt = read_prompt(sent(one))
    with FakeOpenAIServer(one.model, lambda _: [one.said]) as server:
        model = ModelPredictor(OpenAIBackend(server.url, model=one.model), one.format.name)
        completer = Completer(Settings(), model)
        try:
            return after(one, prompt, await completer.answer(prompt))
        finally:
            await completer.close()


@pytest.mark.parametrize("name", MODELS)
async def test_the_gate_is_no_louder(name: str) -> None:
    recorded = [one for one in load(RECORDED) if one.model == name]
    raw = figures_of([(one, after(one, read_prompt(sent(one)), one.said.text)) for one in recorded])
    gated = figures_of([(one, await behind_the_gate(one)) for one in recorded])
    for what, figures in (("raw", raw), ("behind the gate", gated)):
        print(
            f"{name:22} {what:16} show {figures.show:.2f} quiet {figures.quiet:.2f} "
            f"similarity {figures.similarity:.2f} score {figures.score:.2f}"
        )
    assert gated.quiet >= raw.quiet
