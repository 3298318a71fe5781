"""What a change still lacks, in all files of a codebase."""

from __future__ import annotations

import itertools

import pytest

from editahead_inference.errors import Cancelled
from editahead_inference.finish.finisher import Finisher
from editahead_inference.finish.report import ChangedFile, FinishReport
from editahead_prompts.text.edits import Edit
from finish_samples import ALL_LIKELY, changed, codebase, snapshot

STORE = "def load_settings(path):\n    return path\n\n\ndef other():\n    return load_settings('a')\n"
RENAMED = STORE.replace("def load_settings", "def read_settings")
USE = "from store import load_settings\n\n\nprint(load_settings('b'))\n"


def places(report: FinishReport) -> list[tuple[str, int, str]]:
    return sorted((place.uri.rpartition("/")[2], place.line, "".join(place.new)) for place in report.likely)


def test_a_renamed_function_is_looked_for_everywhere() -> None:
    files = {
        "store.py": RENAMED,
        "use.py": USE,
        "README.md": "Call `load_settings` first.\n",
        "x.py": "x = 1\n",
    }
    report = Finisher(codebase(files), ALL_LIKELY).find([changed("store.py", STORE, RENAMED)])
    assert {
        ("store.py", 5, "    return read_settings('a')\n"),
        ("use.py", 0, "from store import read_settings\n"),
        ("use.py", 3, "print(read_settings('b'))\n"),
        ("README.md", 0, "Call `read_settings` first.\n"),
    } <= set(places(report))
    assert {place.kind for place in report.places} == {"code", "documentation"}
    assert not report.is_complete
    assert [rule.label for rule in report.rules].count("rename load_settings -> read_settings") == 1
    (uri, line), *_ = report.rules[0].shown_at
    assert uri.endswith("store.py") and line == 0


def test_what_the_code_asks_for_stays_beside_many_like_edits() -> None:
    """The definition and six uses are renamed: more edits than are looked at together."""
    uses = "".join(f"load_settings({number})\nx = {number}\n" for number in range(8))
    before = STORE + uses
    after = RENAMED + uses.replace("load_settings", "read_settings", 7)
    report = Finisher(codebase({"use.py": USE})).find([changed("store.py", before, after)])
    assert [place for place in places(report) if place[0] == "use.py"] == [
        ("use.py", 0, "from store import read_settings\n"),
        ("use.py", 3, "print(read_settings('b'))\n"),
    ]


def test_what_follows_and_what_is_alike_is_one_rule_where_it_is_one_rename() -> None:
    store = "class Queue:\n    def add_item(self):\n        pass\n\n    def fill(self):\n        self.add_item()\n"
    use = "def run(low, high):\n    if low.add_item(high) == 0:\n        return None\n"
    renamed = store.replace("def add_item", "def put_item")
    report = Finisher(codebase({"use.py": use}), ALL_LIKELY).find([changed("store.py", store, renamed)])
    assert {place.uri.rpartition("/")[2] for place in report.likely} == {"store.py", "use.py"}
    labels = [rule.label for rule in report.rules]
    assert len(labels) == len(set(labels))
    assert {place.rule for place in report.places} <= {rule.id for rule in report.rules}


def test_a_label_keeps_its_code() -> None:
    before = "".join(f"def f{number}():\n    start()\n    stop()\n\n" for number in range(4))
    after = before.replace("    start()\n", "    start()\n    log (1)\n", 2)
    report = Finisher(weights=ALL_LIKELY).find([changed("a.py", before, after)])
    assert report.rules[0].label == "insert log (1)"


def test_the_edits_of_a_file_make_all_its_places() -> None:
    files = {"store.py": RENAMED, "use.py": USE}
    report = Finisher(codebase(files), ALL_LIKELY).find([changed("store.py", STORE, RENAMED)])
    texts = {snapshot.uri: snapshot.text for snapshot in report.snapshots}
    made = {uri.rpartition("/")[2]: edit.apply(texts[uri]) for uri, edit in report.edits().items()}
    assert made == {
        "store.py": RENAMED.replace("load_settings", "read_settings"),
        "use.py": USE.replace("load_settings", "read_settings"),
    }


def test_a_whole_change_is_complete() -> None:
    after = STORE.replace("load_settings", "read_settings")
    files = {"store.py": after, "use.py": USE.replace("load_settings", "read_settings")}
    change = [changed("store.py", STORE, after), changed("use.py", USE, files["use.py"])]
    assert Finisher(codebase(files), ALL_LIKELY).find(change).is_complete


def test_open_documents_are_searched_without_an_index() -> None:
    report = Finisher(weights=ALL_LIKELY).find(
        [changed("store.py", STORE, RENAMED)], [snapshot("use.py", USE)]
    )
    assert ("use.py", 3, "print(read_settings('b'))\n") in places(report)
    assert report.files == 2


@pytest.mark.parametrize(
    "change",
    [
        [],
        [ChangedFile(None, snapshot("new.py", "x = 1\n"))],
        [ChangedFile(snapshot("old.py", "x = 1\n"), None)],
        [changed("a.py", "", "x = 1\n")],
        [changed("a.py", "x = 1\n", "")],
        [changed("a.bin", "\ufffd\n" * 9, "\u2028\n")],
        [changed("a.py", "def f(:\n", "def g(:\n")],
    ],
)
def test_odd_changes_miss_nothing(change: list[ChangedFile]) -> None:
    report = Finisher(codebase({"use.py": USE}), ALL_LIKELY).find(change)
    assert report.places == () and report.edits() == {}


def test_the_importers_of_a_moved_file_are_reported() -> None:
    moved = ChangedFile(snapshot("app/store.py", STORE), snapshot("app/shelf.py", STORE))
    files = {"app/shelf.py": STORE, "app/use.py": "from app.store import other\n\nother()\n"}
    report = Finisher(codebase(files), ALL_LIKELY).find([moved])
    assert places(report) == [("use.py", 0, "from app.shelf import other\n")]
    assert report.places[0].reason == "A file was moved, and this is its old path."


INNER = 'import {{ b }} from "{b}";\nimport {{ c }} from "{c}";\n\nexport const a = () => b() + c();\n'


@pytest.mark.parametrize(
    ("after", "is_b_moved", "left"),
    [
        (INNER.format(b="./b", c="./lib/c"), False, [(0, "../b"), (1, "./c")]),
        (INNER.format(b="./b", c="./lib/c"), True, [(1, "./c")]),
        (INNER.format(b="../b", c="./lib/c"), False, [(1, "./c")]),
        (INNER.format(b="../b", c="./c"), False, []),
    ],
)
def test_the_imports_in_a_moved_file_are_reported(
    after: str, is_b_moved: bool, left: list[tuple[int, str]]
) -> None:
    before, part = INNER.format(b="./b", c="./lib/c"), "export const b = 1;\n"
    change = [ChangedFile(snapshot("src/a.ts", before), snapshot("src/lib/a.ts", after))]
    if is_b_moved:
        change.append(ChangedFile(snapshot("src/b.ts", part), snapshot("src/lib/b.ts", part)))
    report = Finisher(codebase({"src/lib/a.ts": after, "src/lib/c.ts": part}), ALL_LIKELY).find(change)
    assert sorted((place.line, "".join(place.new).split('"')[1]) for place in report.places) == left
    reasons = {place.reason for place in report.places}
    assert reasons <= {"The file was moved, and this path starts at its old place."}


def test_progress_and_cancellation() -> None:
    change = [changed("store.py", STORE, RENAMED)]
    steps: list[tuple[int, int]] = []
    Finisher(codebase({"use.py": USE}), ALL_LIKELY).find(change, on_progress=lambda *step: steps.append(step))
    assert steps == [(1, 1)]

    def cancel() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        Finisher(codebase({"use.py": USE}), ALL_LIKELY).find(change, check=cancel)


def test_edits_of_one_file_never_overlap() -> None:
    before = "".join(f"call(one_{n}, two)\n" for n in range(30))
    after = before.replace("call(one_3, two)", "call(one_3, three)").replace("call(one_7,", "invoke(one_7,")
    report = Finisher(weights=ALL_LIKELY).find([changed("a.py", before, after)])
    assert all(isinstance(edit, Edit) for edit in report.edits(report.places).values())
    taken = sorted((place.line, place.end_line) for place in report.places)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(taken))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("größe_der_liste", "länge_der_liste"),
        ("संख्या_योग", "मात्रा_योग"),
        ("数量合计", "总计数量"),
        ("จำนวนทั้งหมด", "ยอดรวมทั้งหมด"),
        ("КоличествоЗаказов", "СуммаЗаказов"),
        ("عَدَد_الكل", "مَجموع_الكل"),
    ],
)
def test_a_renamed_name_of_any_script_is_named_whole(old: str, new: str) -> None:
    before, use = STORE.replace("load_settings", old), USE.replace("load_settings", old)
    after = before.replace(f"def {old}", f"def {new}")
    report = Finisher(codebase({"store.py": after, "use.py": use})).find([changed("store.py", before, after)])
    assert {
        ("store.py", 5, f"    return {new}('a')\n"),
        ("use.py", 0, f"from store import {new}\n"),
        ("use.py", 3, f"print({new}('b'))\n"),
    } <= set(places(report))
    assert f"rename {old} -> {new}" in [rule.label for rule in report.rules]
    assert not report.uses
