"""The model predictor, from a state to a response: streaming, rejected answers, and failures without exceptions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editahead_inference.backends.base import Capabilities, CompletionRequest, Health
from editahead_inference.errors import BackendError
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_inference.predictors.model.response import ModelResponse, ResponseProgress
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.base import PromptPaths
from editahead_prompts.formats.escaping import JOINER
from editahead_prompts.formats.registry import FORMATS
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY
from scripted_backend import ScriptedBackend, ScriptedReply, in_order

TEXT = "import money\n\ndef total(items, tax):\n    price = sum(items)\n    return money.euro(price)\n"
NEW = TEXT.replace("sum(items)", "sum(items) * (1 + tax)")
URI = "file:///project/shop/cart.py"
ALL = pytest.mark.parametrize("format", sorted(FORMATS))


def state_of(text: str = TEXT, at: str = "tax") -> EditorState:
    document = Snapshot.from_text(text, uri=URI, language="python")
    edit = PastEdit(URI, 2, ("def total(items):\n",), ("def total(items, tax):\n",), open=True)
    return EditorState(document, text.index(at) + len(at) if at in text else 0, (edit,))


def backend(*replies: ScriptedReply | str, **more: object) -> ScriptedBackend:
    return ScriptedBackend(in_order(replies), **more)


async def said(*replies: ScriptedReply | str, format: str = "zeta-2", text: str = TEXT) -> ModelResponse:
    return await ModelPredictor(backend(*replies), format).predict(state_of(text))


def texts(answered: ModelResponse) -> list[str]:
    return [rewrite.edit.apply(answered.document.text) for rewrite in answered.rewrites]


async def test_a_rewrite_becomes_the_smallest_edit() -> None:
    answered = await said(NEW)
    assert texts(answered) == [NEW]
    (replacement,) = answered.rewrites[0].edit.replacements
    assert (replacement.start, replacement.end, replacement.text) == (
        TEXT.index("sum(items)") + len("sum(items)"),
        TEXT.index("sum(items)") + len("sum(items)"),
        " * (1 + tax)",
    )
    assert answered.problem is None and answered.refusal is None and answered.answers == 1


async def test_the_request_is_the_formats() -> None:
    one = backend(NEW)
    predictor = ModelPredictor(one, "zeta-2", paths=PromptPaths(("file:///project",)), key="me")
    await predictor.predict(state_of(), background=True)
    (query,) = one.queries
    assert "shop/cart.py" in query.prompt and "/project" not in query.prompt
    assert query.stop == (">>>>>>> UPDATED",) and query.temperature == 0 and query.samples == 1
    assert query.background and query.logprobs and query.session == f"me:{URI}"


async def test_half_a_surrogate_pair_does_not_keep_a_document_from_being_asked_about() -> None:
    one = backend(NEW)
    answered = await ModelPredictor(one, "zeta-2").predict(state_of(TEXT + "# \ud83d\n"))
    assert answered.problem is None
    one.queries[0].prompt.encode("utf-8")


async def test_a_refusal_ends_the_request() -> None:
    """The rest of an answer that cannot count is neither waited for nor computed."""
    one = backend(ScriptedReply(("NO_", "EDITS\n", *("more\n",) * 50)))
    answered = await ModelPredictor(one, "zeta-2").predict(state_of())
    assert answered.refusal is not None and answered.refusal.reason == "no-edits"
    assert (one.given, one.stopped) == (2, 1)


async def test_an_end_marker_ends_the_request() -> None:
    """Some servers send the stop string along, and go on."""
    one = backend(ScriptedReply((NEW, ">>>>>>> UPDATED\n", *("more\n",) * 50)))
    answered = await ModelPredictor(one, "zeta-2").predict(state_of())
    assert texts(answered) == [NEW]
    assert (one.given, one.stopped) == (2, 1)


async def test_cancelling_ends_the_request() -> None:
    asked = asyncio.Event()

    async def hold() -> None:
        asked.set()
        await asyncio.Event().wait()

    one = backend(NEW, pause=hold)
    predictor = ModelPredictor(one, "zeta-2")
    task = asyncio.ensure_future(predictor.predict(state_of()))
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert one.stopped == 1
    assert predictor.totals.requests == 1 and predictor.totals.computed > 0, "what is wasted counts"


async def test_errors_are_reported_not_raised() -> None:
    answered = await said(ScriptedReply(("impo",), error=BackendError("timeout", "Nothing came for 1 s.")))
    assert answered.problem == "Nothing came for 1 s." and not answered.rewrites
    one = backend(NEW)
    one.health = Health("gone", "It is away.")
    assert (await ModelPredictor(one, "zeta-2").predict(state_of())).problem == "It is away."


async def test_a_model_without_a_format_is_a_problem_with_a_name() -> None:
    predictor = ModelPredictor(backend(NEW))
    answered = await predictor.predict(state_of())
    assert (
        answered.problem is not None
        and "scripted" in answered.problem
        and predictor.problem == answered.problem
    )


async def test_a_line_that_is_longer_than_the_context_is_not_asked_about() -> None:
    one = backend("x")
    answered = await ModelPredictor(one, "zeta-2").predict(state_of("x" * 60_000, at=""))
    assert answered.problem is not None and one.queries == []


async def test_a_small_context_gets_a_small_prompt() -> None:
    small = Capabilities(context=1500)
    one = backend("x", capabilities=small)
    await ModelPredictor(one, "editahead").predict(state_of("line of text\n" * 2000, at=""))
    (query,) = one.queries
    assert len(query.prompt) / 3 + query.max_tokens <= 1500


class Letters:
    """A token is a character, as `ScriptedBackend` has it. more: tokens that are counted besides."""

    def __init__(self, more: int = 0) -> None:
        self.more = more

    def count(self, text: str) -> int:
        return len(text)

    def encode(self, text: str) -> tuple[int, ...]:
        return (*map(ord, text), *[0] * self.more)

    def offsets(self, text: str) -> range:
        return range(len(text))


async def test_ids_are_sent_when_the_server_has_counted_as_many_tokens() -> None:
    one = backend(NEW, NEW, NEW)
    predictor = ModelPredictor(one, "zeta-2", tokenizer=Letters())
    for health in ("ready", "ready", "degraded"):  # after a failure it may be another model
        one.health = Health(health)
        assert texts(await predictor.predict(state_of())) == [NEW]
    first, second, third = one.queries
    assert (first.ids, second.ids, third.ids) == (None, tuple(map(ord, second.prompt)), None)


async def test_a_token_that_ends_an_answer_is_sent_with_ids() -> None:
    class Ends(Letters):
        def encode(self, text: str) -> tuple[int, ...]:
            return (7,) if text.startswith("<|") and text.endswith("|>") else super().encode(text)

    for tokenizer, ends in ((Ends(), (7,)), (Letters(), ())):
        one = backend(NEW, NEW)
        predictor = ModelPredictor(one, "editahead", tokenizer=tokenizer)
        for _ in range(2):
            await predictor.predict(state_of())
        first, second = one.queries
        assert (first.stop_ids, set(second.stop_ids)) == ((), set(ends))


async def test_text_is_sent_where_ids_would_not_say_the_same() -> None:
    """The server puts a token before what is sent as text, or has another tokenizer; or it takes no ids."""
    able = Capabilities(token_ids=True), Capabilities()
    for tokenizer, can in zip((Letters(more=1), Letters()), able, strict=True):
        one = backend(NEW, NEW, capabilities=can)
        predictor = ModelPredictor(one, "zeta-2", tokenizer=tokenizer)
        for _ in range(2):
            await predictor.predict(state_of())
        assert [query.ids for query in one.queries] == [None, None]


async def test_the_models_own_tokenizer_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A folder in the working directory that is called as the model is none of the model's."""
    pytest.importorskip("tokenizers", reason="real tokenizers need an extra that brings models")
    folder = tmp_path / "tiny"
    folder.mkdir()
    bundled_tokenizer().encoder.save(str(folder / "tokenizer.json"))
    monkeypatch.chdir(tmp_path)
    prompt = ModelPredictor(backend(), tokenizer=ESTIMATE)._build(FORMATS["editahead"], state_of()).prompt
    exact, estimated = bundled_tokenizer().count(prompt.text), prompt.tokens
    assert exact != estimated
    cases = {
        str(folder): exact,
        "tiny": estimated,
        "editahead-1": exact,
        "zeta-2": estimated,
        "\0": estimated,
    }
    for model, tokens in cases.items():
        one = backend(NEW)
        one.model = model
        prompt = ModelPredictor(one)._build(FORMATS["editahead"], state_of()).prompt
        assert (prompt.tokens, prompt.ids is None) == (tokens, model != str(folder)), model


async def test_without_a_tokenizer_the_estimate_of_tokens_is_reported_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    one = backend(NEW, NEW)
    one.model = str(tmp_path)
    predictor = ModelPredictor(one, "zeta-2")
    with caplog.at_level("INFO", logger="editahead_prompts"):
        for _ in range(2):
            assert texts(await predictor.predict(state_of())) == [NEW]
    assert len([record for record in caplog.records if "estimated" in record.getMessage()]) == 1


async def test_what_a_prompt_shares_with_the_one_before_is_counted() -> None:
    predictor = ModelPredictor(backend(NEW, NEW, NEW), "zeta-2")
    for at in ("tax", "sum", "sum"):
        await predictor.predict(state_of(at=at))
    report = predictor.cache_misses.report
    assert report.prompts == 2 and list(report.parts) == ["region"]
    assert 0 < report.fresh < report.tokens


async def test_tokens_are_counted() -> None:
    predictor = ModelPredictor(backend(NEW, NEW, ScriptedReply(("NO_EDITS\n", "x\n"))), "zeta-2")
    for _ in range(3):
        await predictor.predict(state_of())
    totals = predictor.totals
    assert totals.requests == 3
    assert 0 < totals.cached < totals.prompt
    assert totals.completion == 2 * len(NEW)


async def test_of_a_request_that_is_ended_early_what_the_prompt_shares_counts_as_cached() -> None:
    """The server tells at an answer's end only."""
    for keeps in (True, False):
        one = backend(
            NEW, ScriptedReply(("NO_EDITS\n", "x\n")), capabilities=Capabilities(keeps_prompts=keeps)
        )
        predictor = ModelPredictor(one, "zeta-2")
        for at in ("tax", "sum"):
            before = predictor.totals.cached
            await predictor.predict(state_of(at=at))
        report = predictor.cache_misses.report
        assert one.stopped == 1 and report.prompts == 1
        assert predictor.totals.cached - before == (report.tokens - report.fresh if keeps else 0)


# Several answers


async def test_equal_answers_are_joined_and_the_frequent_one_is_first() -> None:
    other = TEXT.replace("sum(items)", "sum(items) + tax")
    replies = [other, NEW, "NO_EDITS\n", NEW]
    one = ScriptedBackend(lambda query, sample: ScriptedReply((replies[sample],)))
    answered = await ModelPredictor(one, "zeta-2", samples=4).predict(state_of())
    assert texts(answered) == [NEW, other]
    assert [rewrite.agree for rewrite in answered.rewrites] == [2, 1]
    assert answered.answers == 4
    assert one.queries[0].samples == 4 and one.queries[0].temperature > 0


async def test_a_backend_that_gives_one_answer_is_asked_again() -> None:
    one = backend(NEW, NEW, NEW, capabilities=Capabilities())
    answered = await ModelPredictor(one, "zeta-2", samples=3).predict(state_of())
    assert answered.answers == 3 and len(one.queries) == 3


# Log-probabilities


def pieces(text: str, sure: float, unsure: str, less: float) -> ScriptedReply:
    """Return the text in chunks of three characters, with low log-probabilities where a chunk holds part of `unsure`."""
    at = text.index(unsure)
    chunks = [text[n : n + 3] for n in range(0, len(text), 3)]
    touched = [n < at + len(unsure) and at < n + 3 for n in range(0, len(text), 3)]
    return ScriptedReply(tuple(chunks), logprobs=tuple((less if hit else sure,) for hit in touched))


@pytest.mark.parametrize("format", ["zeta-1", "zeta-2", "sweep", "mercury", "editahead"])
async def test_log_probabilities_are_those_of_the_changed_tokens(format: str) -> None:
    _, price, rest = NEW.partition("    price")
    answer = {
        "zeta-1": f"<|editable_region_start|>\n{NEW}<|editable_region_end|>",
        "sweep": price + rest,
        "mercury": f"```\n{NEW}```",
    }.get(format, NEW)
    one = backend(pieces(answer, -0.01, " * (1 + tax)", -2.0))
    answered = await ModelPredictor(one, format).predict(state_of(at="    price"))
    assert texts(answered) == [NEW]
    (rewrite,) = answered.rewrites
    low = NEW.index(" * (1 + tax)")
    inside = [t for t in rewrite.tokens if t.start < low + 12 and low < t.end]
    outside = [t for t in rewrite.tokens if t.end <= low - 3 or low + 12 + 3 <= t.start]
    assert inside and outside
    assert {t.logprob for t in inside} == {-2.0} and {t.logprob for t in outside} == {-0.01}


# Whatever a model says


@ALL
@given(data=st.data())
@settings(PROPERTY, max_examples=25)
def test_nothing_that_a_model_says_is_an_error(format: str, data: st.DataObject) -> None:
    marks = [
        *FORMATS[format].special_tokens,
        "```",
        "NO_EDITS",
        "None",
        "\n",
        "\r\n",
        "    price",
        JOINER,
        "<|",
        TEXT,
    ]
    part = st.one_of(st.sampled_from(marks), st.text(max_size=8))
    chunks = st.lists(part, max_size=12)
    made = [data.draw(chunks) for _ in range(2)]

    def script(query: CompletionRequest, sample: int) -> ScriptedReply:
        probs: Sequence[tuple[float, ...]] = [(-0.5,) * (len(chunk) % 3) for chunk in made[sample]]
        return ScriptedReply(
            tuple(made[sample]), data.draw(st.sampled_from(("stop", "length"))), tuple(probs)
        )

    answered = asyncio.run(ModelPredictor(ScriptedBackend(script), format, samples=2).predict(state_of()))
    for rewrite in answered.rewrites:
        rewrite.edit.check(len(TEXT))
        after = rewrite.edit.apply(TEXT)
        assert after != TEXT
        assert all(0 <= t.start <= t.end <= len(after) for t in rewrite.tokens)


@ALL
async def test_special_tokens_in_files_never_reach_a_prompt_unescaped(format: str) -> None:
    special = FORMATS[format].special_tokens

    def state(tokens: Sequence[str]) -> EditorState:
        text = TEXT + "".join(f"    x = '{token}'\n" for token in tokens)
        document = Snapshot.from_text(text, uri=URI, language="python")
        edit = PastEdit(URI, 2, (f"def total({tokens[0]}):\n",), document.lines[2:3], open=True)
        other = Snapshot.from_text(text, uri="file:///project/other.py")
        return EditorState(document, TEXT.index("tax"), (edit,), (other,))

    one = backend("x", "x")
    for tokens in (["x" * len(token) for token in special], special):
        await ModelPredictor(one, format).predict(state(tokens))
    was, now = (query.prompt for query in one.queries)
    for token in special:
        assert now.count(token) == was.count(token)


# While it comes


async def test_progress_reports_what_was_downloaded() -> None:
    held: asyncio.Queue[None] = asyncio.Queue()
    lines = NEW.splitlines(keepends=True)
    one = backend(ScriptedReply(tuple(lines)), pause=held.get)
    state = state_of()
    progress = ResponseProgress(state.document)
    task = asyncio.ensure_future(ModelPredictor(one, "zeta-2").predict(state, progress=progress))

    def typed(text: str) -> Snapshot:
        return Snapshot.from_text(text, uri=URI, language="python")

    while one.given < 4:
        held.put_nowait(None)
        await asyncio.sleep(0)
    at = TEXT.index("sum(items)") + len("sum(items)")
    assert progress.is_consistent_with(typed(TEXT[:at] + " * (1" + TEXT[at:]))
    assert not progress.is_consistent_with(typed(TEXT[:at] + " + 1" + TEXT[at:]))
    assert progress.is_consistent_with(typed(TEXT.replace("return m", "return xm"))), "not that far yet"
    assert not progress.is_consistent_with(typed(TEXT + "x")), "behind what the model was asked to rewrite"
    for _ in range(20):
        held.put_nowait(None)
    answered = await task
    rest = answered.rebase(typed(TEXT[:at] + " * (1" + TEXT[at:]))
    assert rest is not None and texts(rest) == [NEW]
    assert answered.rebase(typed(TEXT[:at] + " + 1" + TEXT[at:])) is None
    assert answered.rebase(typed(NEW)) is None
