"""Tests of drafts for each kind of network in this process: fewer steps, unchanged answers."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from editahead_inference.backends.base import CompletionRequest, StreamEnd, TextChunk, Usage
from editahead_inference.backends.local.model import LocalModel
from editahead_inference.errors import Cancelled
from editahead_inference.speculation.drafter import Drafter
from editahead_prompts.formats.next_edit.editahead_2611 import NEXT, REGION, REGION_END

SEEDS = 6
LONG = 100
LOGPROB_TOLERANCE = 1e-3
"""Sums in another order may round an 8-bit activation to the next step."""


def never() -> None:
    """Never cancel."""


def said(
    model: LocalModel, query: CompletionRequest, drafts: Sequence[Sequence[int]] = ()
) -> tuple[str, list[float], StreamEnd, Usage]:
    """Return the ids of an answer with drafts as ids: the text of a random model does not tokenize to the same ids.

    Without drafts, each token is a step of its own.
    """

    def drafter(*_: object) -> Drafter | None:
        return Drafter(drafts, model._network.draft_lengths) if drafts else None

    model._drafter = drafter
    *pieces, end = model.generate(query, never)
    assert isinstance(end, StreamEnd) and end.usage is not None
    text = "".join(piece.text for piece in pieces if isinstance(piece, TextChunk))
    return (
        text,
        [x for piece in pieces if isinstance(piece, TextChunk) for x in piece.logprobs],
        end,
        end.usage,
    )


def answered(model: LocalModel, query: CompletionRequest) -> list[int]:
    """Return the ids of the greedy answer by the network alone."""
    assert query.ids is not None
    network, ids = model._network, list(query.ids)
    cache, answer = network.new_cache(), []
    logits = network.forward(ids, cache, 1)
    while len(answer) < query.max_tokens and len(ids) + len(answer) < network.context:
        answer.append(int(logits[0].argmax()))
        if answer[-1] in network.eos_ids:
            break
        logits = network.forward(answer[-1:], cache, 1)
    return answer


def sources(answer: list[int], dice: random.Random, vocabulary: int) -> Iterator[tuple[str, list[list[int]]]]:
    def noise(size: int) -> list[int]:
        return [dice.randrange(vocabulary) for _ in range(size)]

    at = dice.randrange(len(answer))
    changed = [*answer[:at], *noise(dice.randrange(4)), *answer[at + dice.randrange(4) :]]
    yield "right", [answer]
    yield "right and longer", [[*answer, *noise(80)]]
    yield "wrong in a place", [changed]
    yield "wrong in a place, right", [changed, answer]
    yield "garbage", [noise(50), noise(3)]
    yield "garbage, right", [noise(50), answer]
    yield "a part", [answer[at:]]
    yield "empty", [[], answer[:1]]


class DraftTests:
    """Tests of a `LocalModel`, which the fixture `model` gives."""

    def test_answers_are_the_same_whatever_is_drafted(self, model: LocalModel) -> None:
        accepted: dict[str, int] = {}
        for seed in range(SEEDS):
            dice = random.Random(seed)
            prompt = tuple(dice.randrange(17, 8000) for _ in range(dice.randrange(3, 60)))
            query = CompletionRequest(
                "", (), dice.randrange(1, LONG), ids=prompt, logprobs=True, session=str(seed)
            )
            text, logprobs, end, usage = said(model, query)
            assert (usage.drafted, usage.accepted) == (0, 0)
            answer = answered(model, query)
            assert usage.completion == len(answer) == len(logprobs) + (end.reason == "stop")
            for name, drafts in sources(answer, dice, 8000):
                drafted = said(model, query, drafts)
                assert (drafted[0], drafted[2].reason) == (text, end.reason), name
                assert drafted[1] == pytest.approx(logprobs, abs=LOGPROB_TOLERANCE), name
                assert drafted[3].completion == usage.completion
                assert drafted[3].accepted <= min(drafted[3].drafted, usage.completion)
                accepted[name] = accepted.get(name, 0) + drafted[3].accepted
        assert accepted["right"] > 0.5 * SEEDS * LONG / 2
        assert accepted["right and longer"] == accepted["right"]

    def test_a_right_draft_is_nearly_all_of_the_answer(self, model: LocalModel) -> None:
        query = CompletionRequest("", (), 100, ids=tuple(range(100, 140)))
        answer = answered(model, query)
        usage = said(model, query, [answer])[3]
        assert usage.accepted >= len(answer) - 1 - -(-len(answer) // (model._network.draft_lengths.max + 1))
        assert usage.drafted < 100

    def test_an_answer_never_runs_past_the_context(self, model: LocalModel) -> None:
        for left in (1, 2, 3, 40):
            ids = tuple(n % 7000 + 20 for n in range(model.context - left))
            query = CompletionRequest("", (), 500, ids=ids)
            answer = answered(model, query)
            assert len(answer) <= left
            for drafts in ([answer * 3], [[5] * 600]):
                drafted, plain = said(model, query, drafts), said(model, query)
                assert drafted[3].completion == plain[3].completion == len(answer)
                assert (drafted[0], drafted[2].reason) == (plain[0], plain[2].reason)

    def test_a_stop_within_an_accepted_draft_ends_the_answer_there(self, model: LocalModel) -> None:
        query = CompletionRequest("", (), 60, ids=tuple(range(300, 330)), logprobs=True)
        answer = answered(model, query)
        whole, logprobs, _, _ = said(model, query)
        for start in range(0, len(whole) - 2, max(len(whole) // 6, 1)):
            stopped = replace(query, stop=(whole[start : start + 2],))
            plain, drafted = said(model, stopped), said(model, stopped, [answer])
            assert drafted[0] == plain[0] == whole[: whole.index(stopped.stop[0])]
            assert drafted[2].reason == plain[2].reason == "stop"
            assert len(drafted[1]) == len(plain[1]) < len(logprobs)
            assert drafted[3].completion == plain[3].completion
            # What is kept of such a prompt is right for the next.
            assert said(model, replace(query, session="other"))[0] == said(model, query)[0] == whole

    def test_it_is_given_up_between_two_steps(self, model: LocalModel) -> None:
        query = CompletionRequest("", (), 100, ids=tuple(range(300, 330)), session="one")
        answer = answered(model, query)
        whole = said(model, query)[0]
        wrong = [*answer[:30], 5, *answer[30:60], 5, *answer[60:]]
        said(model, query, [wrong])
        for steps in range(3):
            left = iter(range(steps))

            def check(left: Iterator[int] = left) -> None:
                if next(left, None) is None:
                    raise Cancelled

            with pytest.raises(Cancelled):
                list(model.generate(query, check))
            assert said(model, query, [wrong])[0] == whole

    def test_texts_are_drafts_and_what_the_model_has_not_is_none(self, model: LocalModel) -> None:
        region = "def total(items):\n    price = sum(items)\n    return price\n"
        prompt = f"{REGION}\n{region}<|/region|>\n{NEXT}\n"
        for temperature in (0.0, 1e-9):
            query = CompletionRequest(
                prompt, (REGION_END,), 40, drafts=(region, "", "été\x00\ud7ff"), temperature=temperature
            )
            *_, end = model.generate(query, never)
            assert isinstance(end, StreamEnd) and end.usage is not None
            assert (end.usage.drafted > 0) == (temperature == 0)
            *_, plain = model.generate(replace(query, drafts=()), never)
            assert isinstance(plain, StreamEnd)
            assert plain == replace(end, usage=plain.usage)
        model._network.vocabulary = 300
        assert all(id < 300 for draft in model._drafts(replace(query, temperature=0)) for id in draft)

    def test_scores_are_those_of_the_answer(self, model: LocalModel) -> None:
        query = CompletionRequest("", (), 30, ids=tuple(range(300, 340)), logprobs=True, session="s")
        answer = answered(model, query)
        _, logprobs, _, _ = said(model, query)
        dice = random.Random(5)
        other = [*answer[:7], *(dice.randrange(8000) for _ in range(9))]
        wanted: list[list[int]] = [answer, other, [], answer[:7], answer[:1], [other[-1]], answer]
        together = model.score(query, wanted, never)
        assert list(map(len, together)) == list(map(len, wanted))
        told = len(logprobs)
        assert together[0][:told] == pytest.approx(logprobs, abs=LOGPROB_TOLERANCE)
        for ids, scores in zip(wanted, together, strict=True):
            (alone,) = model.score(replace(query, session=""), [ids], never)
            assert scores == pytest.approx(alone, abs=LOGPROB_TOLERANCE)
        assert said(model, query)[0] == said(model, replace(query, session=""))[0]
        assert model.score(query, ["a = b\n"], never) == [
            pytest.approx(model.score(query, [model._plain("a = b\n")], never)[0])
        ]
