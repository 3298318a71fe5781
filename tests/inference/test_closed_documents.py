"""Which closed files are looked up for a state, and what the predictors make of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from editahead_inference.candidates import CLOSED, Candidate
from editahead_inference.closed_documents import MAX_DOCUMENTS, MAX_NEW_CHARS, ClosedDocuments
from editahead_inference.codebase import SymbolAt
from editahead_inference.errors import Cancelled
from editahead_inference.gate.closed_files import closed_probability, closed_threshold
from editahead_inference.gate.thresholds import threshold
from editahead_inference.pipeline import Pipeline
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.state_json import state_from_json, state_to_json
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from memory_codebase import MemoryCodebase

HERE, THERE, OTHER = (f"file:///w/shop/{name}.py" for name in ("prices", "orders", "labels"))
PRICES = "def compute_total(lines, rate):\n    return sum(lines) * rate\n"
ORDERS = (
    "from shop.prices import net_total\n\n\n"
    "def show(order):\n    total = net_total(order.lines, order.rate)\n    return str(total)\n"
)


def renamed(uri: str = HERE, text: str = PRICES, **fields: object) -> EditorState:
    """Return the state after `net_total` was renamed at its definition and the cursor has left the line."""
    document = Snapshot.from_text(text, uri=uri, language="python")
    edit = PastEdit(
        uri, 0, ("def net_total(lines, rate):\n",), ("def compute_total(lines, rate):\n",), at=1.0
    )
    return replace(EditorState(document, document.length, (edit,), index_version=1), **fields)


def never() -> None:
    pass


LONG = f"# {'x' * 97}\n"


def test_a_renamed_definition_is_looked_up_by_its_old_name() -> None:
    codebase = MemoryCodebase({THERE: ORDERS, OTHER: "print(1)\n"})
    found = ClosedDocuments(codebase).extend(renamed(), never)
    assert [snapshot.uri for snapshot in found.closed_documents] == [THERE]
    assert codebase.asked[0] == ("net_total",)


def test_without_an_index_nothing_is_looked_up() -> None:
    codebase = MemoryCodebase({THERE: ORDERS})
    state = renamed(index_version=0)
    assert ClosedDocuments(codebase).extend(state, never) is state
    assert codebase.asked == []


def test_look_ups_are_cached_until_the_index_changes() -> None:
    codebase = MemoryCodebase({THERE: ORDERS})
    closed = ClosedDocuments(codebase)
    closed.extend(renamed(), never)
    asked = len(codebase.asked)
    closed.extend(renamed(), never)
    assert len(codebase.asked) == asked
    closed.extend(renamed(index_version=2), never)
    assert len(codebase.asked) == 2 * asked


def test_open_documents_are_not_read_again() -> None:
    other = Snapshot.from_text(ORDERS, uri=THERE, language="python")
    found = ClosedDocuments(MemoryCodebase({THERE: ORDERS})).extend(renamed(other_documents=(other,)), never)
    assert found.closed_documents == ()


def test_a_name_of_too_many_files_leads_nowhere() -> None:
    files = {f"file:///w/{number}.py": ORDERS for number in range(30)}
    assert ClosedDocuments(MemoryCodebase(files)).extend(renamed(), never).closed_documents == ()


def test_the_number_of_files_is_limited() -> None:
    files = {f"file:///w/{number}.py": ORDERS for number in range(10)}
    found = ClosedDocuments(MemoryCodebase(files)).extend(renamed(), never)
    assert len(found.closed_documents) == MAX_DOCUMENTS


def test_what_is_new_in_one_answer_is_limited() -> None:
    """Files that were searched before are not new, until they change."""
    files = {f"{THERE}{n}": ORDERS + LONG * (MAX_NEW_CHARS // 250) for n in range(4)}
    codebase = MemoryCodebase(files)
    closed = ClosedDocuments(codebase)
    seen = []
    for _ in range(3):
        seen.append((len(closed.extend(renamed(), never).closed_documents), closed.has_left_out))
    assert seen == [(2, True), (4, False), (4, False)]
    again = closed.extend(renamed(), never).closed_documents
    assert all(a is b for a, b in zip(again, closed.extend(renamed(), never).closed_documents, strict=True))
    codebase.files = {uri: f"{text}# changed\n" for uri, text in codebase.files.items()}
    assert len(closed.extend(renamed(), never).closed_documents) == 2


@pytest.mark.slow
def test_a_file_that_is_too_large_for_one_answer_is_searched_in_a_pause() -> None:
    large = ORDERS + LONG * (MAX_NEW_CHARS // 45)
    pipeline = Pipeline(codebase=MemoryCodebase({THERE: large}))
    first = pipeline.predict(renamed())
    assert first.is_partial and not first.state.closed_documents
    pipeline.search_on(renamed())
    then = pipeline.predict(renamed())
    assert not then.is_partial
    assert [closed.uri for closed in then.state.closed_documents] == [THERE]


def test_a_search_that_has_not_ended_begins_anew() -> None:
    codebase = MemoryCodebase({THERE: ORDERS, OTHER: ORDERS + LONG * (MAX_NEW_CHARS // 45)})
    pipeline, asked = Pipeline(codebase=codebase), 0

    def cancel_late() -> None:
        nonlocal asked
        asked += 1
        if asked > 8:
            raise Cancelled

    with pytest.raises(Cancelled):
        pipeline.search_on(renamed(), cancel_late)
    found = pipeline.predict(renamed())
    assert found.is_partial
    assert [closed.uri for closed in found.state.closed_documents] == [THERE]


def test_files_of_a_rest_of_a_rule_that_took_too_long_are_new_again() -> None:
    codebase = MemoryCodebase({OTHER: ORDERS + LONG * (MAX_NEW_CHARS // 45)})
    pipeline = Pipeline(codebase=codebase)
    shown = Candidate(HERE, Edit(), 0, 0, "propagation", "", "")
    asked = 0

    def cancel_late() -> None:
        nonlocal asked
        asked += 1
        if asked > 8:
            raise Cancelled

    with pytest.raises(Cancelled):
        pipeline.rest_of_rule(renamed(), shown, cancel_late)
    found = pipeline.predict(renamed())
    assert found.is_partial and not found.state.closed_documents


def test_a_deleted_file_is_left_out() -> None:
    codebase = MemoryCodebase({THERE: ORDERS})
    closed = ClosedDocuments(codebase)
    closed.extend(renamed(), never)
    codebase.files.clear()
    assert closed.extend(renamed(), never).closed_documents == ()


def test_the_renamed_uses_in_a_closed_file_are_proposed() -> None:
    prediction = Pipeline(codebase=MemoryCodebase({THERE: ORDERS})).predict(renamed(), eagerness=1.0)
    snapshot = prediction.state.snapshot(THERE)
    assert snapshot is not None
    proposed = [v.candidate for v in prediction.decisions if v.candidate.uri == THERE]
    assert all(CLOSED in candidate.features for candidate in proposed)
    texts = {candidate.edit.apply(snapshot.text) for candidate in proposed}
    assert ORDERS.replace("import net_total", "import compute_total") in texts


def test_a_name_that_one_file_exports_is_imported() -> None:
    text = "from shop.orders import show\n\n\ndef run(order):\n    print(show(order), compute_total(order.lines, 1))\n"
    line = "    print(show(order), compute_total(order.lines, 1))\n"
    uri = "file:///w/shop/main.py"
    document = Snapshot.from_text(text, uri=uri, language="python")
    state = EditorState(
        document,
        document.length,
        (PastEdit(uri, 4, ("    print(show(order))\n",), (line,), at=1.0),),
        index_version=1,
    )
    files = {HERE: PRICES, THERE: "from shop.prices import compute_total\n", uri: text}
    prediction = Pipeline(codebase=MemoryCodebase(files)).predict(state)
    assert prediction.shown
    made = prediction.shown[0].candidate.edit.apply(text)
    assert made.startswith("from shop.orders import show\nfrom shop.prices import compute_total\n")


def test_a_name_that_two_files_export_is_not_imported() -> None:
    uri = "file:///w/shop/main.py"
    text = "from shop.orders import show\n\nprint(compute_total([], 1))\n"
    document = Snapshot.from_text(text, uri=uri, language="python")
    edit = PastEdit(uri, 2, (), ("print(compute_total([], 1))\n",), at=1.0)
    state = EditorState(document, document.length, (edit,), index_version=1)
    files = {HERE: PRICES, OTHER: PRICES, THERE: "from shop.prices import compute_total\n"}
    prediction = Pipeline(codebase=MemoryCodebase(files)).predict(state, eagerness=1.0)
    assert prediction.state.import_sources == ()
    assert not any("import" in decision.candidate.label for decision in prediction.decisions)


def test_a_state_with_closed_files_survives_json() -> None:
    state = ClosedDocuments(MemoryCodebase({THERE: ORDERS})).extend(renamed(), never)
    assert state_from_json(state_to_json(state)) == state


def test_the_version_of_the_index_is_part_of_the_key() -> None:
    assert renamed().cache_key != renamed(index_version=2).cache_key


def best(files: dict[str, str]) -> tuple[EditorState, Candidate]:
    """Return the first candidate in a closed file after the rename."""
    prediction = Pipeline(codebase=MemoryCodebase(files)).predict(renamed(), eagerness=1.0)
    candidates = (decision.candidate for decision in prediction.decisions)
    return prediction.state, next(one for one in candidates if CLOSED in one.features)


def test_a_closed_file_takes_more_than_an_open_one() -> None:
    text = "def show(order):\n    return net_total(order.lines, order.rate)\n"
    state, candidate = best({"file:///w/labels/orders.py": text})
    assert closed_probability(state, candidate, 0.6) < 0.6
    near, beside = best({THERE: text})
    assert closed_probability(near, beside, 0.6) > closed_probability(state, candidate, 0.6)


def test_what_is_left_in_the_edited_file_is_less_likely_to_go_on_elsewhere() -> None:
    state, candidate = best({THERE: "def show(order):\n    return net_total(order.lines, order.rate)\n"})
    document = Snapshot.from_text(f"{PRICES}# net_total\n", uri=HERE, language="python")
    left = replace(state, document=document)
    assert closed_probability(left, candidate, 0.6) < closed_probability(state, candidate, 0.6)
    assert all(closed_threshold(eagerness) > threshold(eagerness) for eagerness in (0.0, 0.5, 1.0))


def test_an_import_that_a_rename_broke_is_as_likely_as_in_an_open_file() -> None:
    state, candidate = best({THERE: ORDERS})
    assert closed_probability(state, candidate, 0.8) == 0.8
    state, candidate = best({THERE: ORDERS.replace("shop.prices", "shop.sums")})
    assert closed_probability(state, candidate, 0.8) < 0.8


def test_a_file_that_has_the_name_from_another_module_is_left_alone() -> None:
    codebase = MemoryCodebase({THERE: ORDERS.replace("shop.prices", "elsewhere.sums")})
    prediction = Pipeline(codebase=codebase).predict(renamed(), eagerness=1.0)
    assert not any(CLOSED in decision.candidate.features for decision in prediction.decisions)


class Headers(MemoryCodebase):
    """C files that all export `net_total`."""

    def exports(self, name: str, language: str) -> Sequence[SymbolAt]:
        return [SymbolAt(uri, 0, name, "export", "declaration", language) for uri in self.files]


@pytest.mark.parametrize(
    ("names", "wanted"), [(("tax.h", "tax.c"), ["tax.h"]), (("tax.h", "duty.h"), []), (("tax.c",), [])]
)
def test_the_only_header_that_declares_a_name_is_a_source(names: tuple[str, ...], wanted: list[str]) -> None:
    uri = "file:///w/main.c"
    document = Snapshot.from_text("double b = net_total(1);\n", uri=uri, language="c")
    state = EditorState(document, 0, (PastEdit(uri, 0, (), document.lines),), index_version=1)
    codebase = Headers({f"file:///w/{name}": "double net_total(double gross);\n" for name in names})
    found = ClosedDocuments(codebase).extend(state, never).import_sources
    assert [source.uri for source in found] == [f"file:///w/{name}" for name in wanted]


SERVER = (
    "class Server:\n    def __init__(self, lifespan):\n        self.lifespan = lifespan\n        self.stop_now = False\n\n"
    "    def run(self, server):\n        if self.stop_now:\n            return\n"
    "        if self.lifespan.should_exit:\n            return\n"
    "        if server.should_exit:\n            return\n"
)
LIFESPAN = "class Lifespan:\n    def __init__(self):\n        self.should_exit = False\n"


@pytest.mark.parametrize("related", [False, True])
def test_a_member_that_another_type_has_too_is_not_renamed_on_receivers_of_no_known_type(
    related: bool,
) -> None:
    uri, other = "file:///w/server.py", "file:///w/lifespan.py"
    document = Snapshot.from_text(SERVER, uri=uri, language="python")
    edit = PastEdit(
        uri, 3, ("        self.should_exit = False\n",), ("        self.stop_now = False\n",), at=1.0
    )
    state = EditorState(document, document.starts[4], (edit,), index_version=1)
    text = LIFESPAN.replace("Lifespan", "Lifespan(Server)") if related else LIFESPAN
    found = Pipeline(codebase=MemoryCodebase({other: text})).predict(state)
    places = {
        document.line_at(decision.candidate.edit.changed_span[0])
        for decision in found.decisions
        if decision.candidate.uri == uri and decision.candidate.edit
    }
    assert places == ({8, 10} if related else {10})
