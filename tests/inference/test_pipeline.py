"""The pipeline from a state to a prediction: deterministic, cancellable at any time, for any text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editahead_inference.candidates import Candidate, Prediction
from editahead_inference.errors import Cancelled
from editahead_inference.pipeline import Pipeline
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from state_builder import HERE, Person, certain, predict, shown_texts


class Counter:
    """A `check` that counts its calls, and cancels at one of them."""

    def __init__(self, patience: int = 10**9) -> None:
        self.calls = 0
        self._patience = patience

    def __call__(self) -> None:
        self.calls += 1
        if self.calls > self._patience:
            raise Cancelled


def renamed() -> Person:
    """Return a state after the rename of an attribute in the first of three methods."""
    methods = "".join(
        f"    def {name}(self):\n        return self.user.{name}\n\n" for name in ("id", "size", "key")
    )
    return Person(f"class Report:\n{methods}").replace("self.user", "self.account")


def brief(prediction: Prediction) -> list[tuple[str, Edit, float, str | None]]:
    return [(v.candidate.uri, v.candidate.edit, v.confidence, v.reason) for v in prediction.decisions]


def test_the_last_edit_goes_on() -> None:
    texts = shown_texts(predict(renamed().state()))
    assert any("return self.account.size\n" in text for text in texts)


def test_the_same_state_gives_the_same_answer() -> None:
    """Whatever the pipeline was asked before."""
    state, other = renamed().state(), Person("f(a)\ng(a)\n").replace("f(a)", "f(a, b)").state()
    pipeline = Pipeline(gate=certain())
    first = brief(pipeline.predict(state))
    pipeline.predict(other)
    assert brief(pipeline.predict(state)) == first
    assert brief(Pipeline(gate=certain()).predict(renamed().state())) == first


def test_cancelled_at_any_check_it_ends_at_once() -> None:
    everything = Counter()
    Pipeline(gate=certain()).predict(renamed().state(), check=everything)
    assert everything.calls > 3
    for patience in range(everything.calls):
        counter = Counter(patience)
        with pytest.raises(Cancelled):
            Pipeline(gate=certain()).predict(renamed().state(), check=counter)
        assert counter.calls == patience + 1


def test_a_cancelled_prediction_leaves_nothing_behind() -> None:
    state = renamed().state()
    pipeline = Pipeline(gate=certain())
    with pytest.raises(Cancelled):
        pipeline.predict(state, check=Counter(2))
    assert brief(pipeline.predict(state)) == brief(Pipeline(gate=certain()).predict(state))


def test_timings_are_the_clocks() -> None:
    ticks = iter([1.0, 1.25, 1.75])
    timings = Pipeline(clock=lambda: next(ticks)).predict(renamed().state()).timings
    assert (timings.predict, timings.gate) == (250.0, 500.0)


def test_other_open_documents_follow_this_one() -> None:
    other = "file:///b.py"
    person = renamed().open("def use(self):\n    return self.user.id\n", uri=other).look(HERE)
    uris = [decision.candidate.uri for decision in predict(person.state()).shown]
    assert uris == sorted(uris, key=lambda uri: uri != HERE)
    assert HERE in uris


def test_a_rejected_edit_is_not_shown_again() -> None:
    state = renamed().state()
    rejected = predict(state).shown[0].candidate.edit
    again = predict(renamed().state(rejected={HERE: (rejected,)}))
    assert rejected not in [decision.candidate.edit for decision in again.shown]
    assert "refused-before" in [decision.reason for decision in again.decisions]


class Fixed:
    """A predictor that always says the same."""

    source = "local"

    def __init__(self, *candidates: Candidate) -> None:
        self._candidates = list(candidates)

    def propose(self, state: EditorState, check: object) -> list[Candidate]:
        return self._candidates


def test_other_predictors_can_be_put_in() -> None:
    candidate = Candidate(HERE, Edit.replace(0, 0, "import x\n"), 0, 3, "local", "x", "r", confidence=0.9)
    pipeline = Pipeline([Fixed(candidate), Fixed()])
    assert [v.candidate for v in pipeline.predict(renamed().state()).shown] == [candidate]


MONSTERS = {
    "empty": "",
    "one line end": "\n",
    "surrogates": "user = '\ud83e'\nf(user, '\udc00')\n" * 3,
    "NULs": "user\x00 = 1\nf(user, '\x00')\n\x00\n" * 3,
    "two megabytes": "f(user, 12345678901234567890)\n" * 70_000,
    "ten thousand lines": "".join(f"f{n}(user, other{n % 7})\n" for n in range(10_000)),
    "a very long line": "f(user)\n" + "g(user, [1, 2], '3'), " * 5_000 + "\nh(user)\n",
    "a long line without words": "f(user)\n" + "((((" * 25_000 + "\n",
    "a long word": "f(user)\n" + "user" * 25_000 + "\n",
    "form feeds and separators": "user = 1\x0c\u2028f(user)\x85\x1c\ng(user)\n",
    "old line ends": "user = 1\rf(user)\rg(user)\r",
    "blank lines": "\n" * 10_000 + "user\n",
    "one line over and over": "user = user\n" * 3_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MONSTERS)
def test_any_text_in_bounded_work(name: str) -> None:
    """Work is counted by the checks between its units: so many at most, however large the document."""
    text = MONSTERS[name]
    snapshot = Snapshot.from_text(text, uri=HERE, language="python")
    first = snapshot.lines[0]
    histories = [
        (),
        (PastEdit(HERE, 0, (first.replace("user", "member"),), (first,), open=True),),
        (PastEdit(HERE, 0, (), (first,), open=True),),
        (PastEdit(HERE, 0, (first,), ()), PastEdit(HERE, 0, ("f(user, a)\n",), (first,), open=True)),
    ]
    pipeline = Pipeline(gate=certain())
    for history in histories:
        for cursor in (0, len(text)):
            counter = Counter()
            pipeline.predict(EditorState(snapshot, cursor, history), check=counter)
            assert counter.calls < 600


@pytest.mark.slow
def test_a_whole_document_retyped_is_survived() -> None:
    lines = tuple(f"f{n}(user)\n" for n in range(4_000))
    past = PastEdit(HERE, 0, tuple(line.upper() for line in lines), lines, open=True)
    counter = Counter()
    Pipeline(gate=certain()).predict(
        EditorState(Snapshot(HERE, "python", 1, (*lines, "")), 0, (past,)), check=counter
    )
    assert counter.calls < 3_000


ANY = st.text(
    alphabet=st.one_of(st.sampled_from("ab_ ()=,.'\"\n\r\t:\x00\x0c\u2028\ud800é🧳"), st.characters()),
    max_size=80,
)


@pytest.mark.slow
@settings(max_examples=80, deadline=None, derandomize=True, database=None)
@given(ANY, ANY, ANY, st.integers(0, 90), st.sampled_from(["python", "typescript", "plaintext", "cpp"]))
def test_any_characters(before: str, old: str, new: str, cursor: int, language: str) -> None:
    """Nothing is raised, and what is shown can be applied to the text that it was made for."""
    past = tuple(
        PastEdit(
            HERE, line, tuple(Snapshot.from_text(a).lines), tuple(Snapshot.from_text(b).lines), open=True
        )
        for line, a, b in ((0, old, new), (1, new, before))
    )
    snapshot = Snapshot.from_text(before + new + old, uri=HERE, language=language)
    other = Snapshot.from_text(old + before, uri="file:///b", language=language)
    prediction = predict(EditorState(snapshot, min(cursor, snapshot.length), past, (other,)))
    for decision in prediction.decisions:
        document = prediction.state.snapshot(decision.candidate.uri)
        assert document is not None
        decision.candidate.edit.check(document.length)
        assert 0 <= decision.candidate.target_offset <= document.length
        after = decision.candidate.edit.apply(document.text)
        assert 0 <= decision.candidate.cursor_after <= len(after)


@pytest.mark.slow
@pytest.mark.parametrize("typed", ["self.account", "self.acc"])
def test_states_with_equal_keys_have_equal_predictions(typed: str) -> None:
    """What a server that keeps answers relies on: no predictor looks at more of the cursor than its standpoint."""
    methods = "".join(f"    def {name}(self):\n        return self.user.{name}\n\n" for name in ("id", "key"))
    state = Person(f"class Report:\n{methods}").replace("self.user", typed).state()
    pipeline = Pipeline()
    seen: dict[object, list[tuple[str, Edit, float, str | None]]] = {}
    for cursor in range(state.document.length + 1):
        there = replace(state, cursor=cursor, document=replace(state.document, version=cursor))
        made = brief(pipeline.predict(there))
        assert seen.setdefault(there.cache_key, made) == made
    assert len(seen) < state.document.length / 2
