"""An edit from before a document was opened takes its place before all later ones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from editahead_lsp.session.replayable_history import MAX_CALLS, ReplayableHistory
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.text.diff import diff
from editahead_prompts.text.snapshot import Snapshot

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c = a\n", "\n"]), max_size=6).map("".join)


def snapshot(uri: str, text: str) -> Snapshot:
    return Snapshot.from_text(text, uri=uri)


def record(history: EditHistory, uri: str, before: str, after: str, at: float) -> None:
    old, new = snapshot(uri, before), snapshot(uri, after)
    history.record_change(old, new, diff(before, after), at=at)


@given(st.dictionaries(st.sampled_from("xyz"), TEXTS, min_size=1), TEXTS, st.data())
def test_the_history_is_as_if_the_edit_had_been_seen(
    texts: dict[str, str], earlier: str, data: st.DataObject
) -> None:
    late, seen = ReplayableHistory(), EditHistory()
    first = data.draw(st.sampled_from(sorted(texts)))
    for uri, text in texts.items():
        late.wait_for(uri)
        late.on_open(snapshot(uri, text))
        if uri == first:
            seen.on_open(snapshot(uri, earlier))
            record(seen, uri, earlier, text, 1.0)
        else:
            seen.on_open(snapshot(uri, text))
    for at in range(data.draw(st.integers(0, 6))):
        uri, new = data.draw(st.sampled_from(sorted(texts))), data.draw(TEXTS)
        for history in (late, seen):
            record(history, uri, texts[uri], new, 2.0 + at)
        texts[uri] = new
    for uri in data.draw(st.permutations(sorted(texts))):
        assert late.settle(uri, snapshot(uri, earlier) if uri == first else None, at=1.0) == (uri == first)
    assert late.edits == seen.edits
    assert late.undone == seen.undone


def test_without_an_edit_nothing_changes() -> None:
    history = ReplayableHistory()
    history.wait_for("x")
    history.on_open(snapshot("x", "a\n"))
    record(history, "x", "a\n", "b\n", 1.0)
    before = history.edits
    assert not history.settle("x")
    assert not history.settle("x", snapshot("x", "c\n")), "it is settled once"
    assert history.edits == before


def test_what_takes_too_long_is_given_up() -> None:
    history = ReplayableHistory()
    history.wait_for("x")
    history.on_open(snapshot("x", "0\n"))
    for number in range(MAX_CALLS + 1):
        record(history, "x", f"{number}\n", f"{number + 1}\n", float(number))
    assert not history.is_waiting("x")
    assert not history.settle("x", snapshot("x", "c\n"))


def test_a_closed_document_is_not_awaited() -> None:
    history = ReplayableHistory()
    history.wait_for("x")
    history.on_open(snapshot("x", "a\n"))
    history.on_close("x")
    assert not history.is_waiting("x")
