"""The frozen generator of sketches, the reader of its own that says what is a fair question, and the figures."""

from __future__ import annotations

import io
import json
import os
import random
import signal
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from rich.console import Console

from editahead_evals.client.editor import Editor
from editahead_evals.client.lsp_client import LanguageClient, isolated_environment
from editahead_evals.report.output import Provenance, to_json
from editahead_lab.apply import corruptions, report
from editahead_lab.apply.ambiguity import Lines, ShownRun, is_unambiguous
from editahead_lab.apply.import_sketches import ImportSketch, import_sketch
from editahead_lab.apply.line_change import LineChange, declarations
from editahead_lab.apply.member_sketches import Others, member_sketch
from editahead_lab.apply.runner import SERVER_FAILED, CaseResult, apply_all
from editahead_lab.apply.series_elements import FORMATS, series_element
from editahead_lab.apply.sketch_generator import PLANS, VERSION, Case, CaseFile, cases
from editahead_lab.apply.snippet_sketches import scoped
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.sketches.sketch import Diff, Snippet
from synthetic_records import made_records

RECORDS = made_records(200)
FROZEN = "d4636cfe613795c5"
"""Of the cases made of these records: what would tell that the generator had changed."""


@pytest.fixture(scope="module")
def made() -> list[Case]:
    return list(cases(RECORDS, 350, 5))


def digest(some: list[Case]) -> str:
    parts = (part for case in some for part in (case.id, case.sketch, repr(case.files)))
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_cases_and_that_for_good(made: list[Case]) -> None:
    assert list(cases(RECORDS, 350, 5)) == made
    assert list(cases(RECORDS, 350, 6)) != made
    assert (VERSION, digest(made)) == (5, FROZEN), "other cases: raise VERSION, and measure anew"


def test_every_style_and_every_damage_is_there(made: list[Case]) -> None:
    assert len(made) == 350
    of_classes = {"left-out-bodies", "partial-class"}  # The records hold functions only.
    assert {case.style.removesuffix(" x files") for case in made} == {
        plan.style for plan in PLANS
    } - of_classes
    assert {case.damage for case in made} == {plan.damage for plan in PLANS}
    assert any(len(case.files) == 2 for case in made)
    assert all(count == 1 for count in Counter(case.id for case in made).values())


def test_only_an_ambiguous_place_asks_for_a_refusal(made: list[Case]) -> None:
    for case in made:
        assert case.damage == "similar-places" or not case.only_refusal
        for file in case.files:
            assert file.before not in file.accepted
    assert any(case.only_refusal for case in made)


@pytest.mark.slow
def test_the_parser_takes_them_for_what_they_are(made: list[Case]) -> None:
    for case in made:
        style = case.style.removesuffix(" x files")
        marked = style.endswith("markers") or style in (
            *("added-element", "added-import", "series-element", "named-scope"),
        )
        kinds = {"markers"} if marked else {style}
        if style in ("left-out-bodies", "partial-class"):
            kinds = {"markers", "declaration"}
        path, language = (
            (case.files[0].path, case.files[0].language) if len(case.files) == 1 else (None, None)
        )
        sketch = parse_sketch(case.sketch, language=language, path=path)
        assert {file.kind for file in sketch.files} <= kinds, case.id
        if path is None:
            assert [file.path for file in sketch.files] == [file.path for file in case.files], case.id
        assert all(isinstance(file.content, Diff | Snippet) for file in sketch.files)


def test_series_repeat_all_but_the_name_in_every_format() -> None:
    source = LineChange.from_texts("a/a.py", "python", "\n", RECORDS[0].after)
    assert source is not None
    found = [series_element(source, lambda sign: sign.format("..."), random.Random(n)) for n in range(400)]
    kinds = {made.kind for made in found if made is not None}
    assert {kind.rpartition("-")[0] for kind in kinds} == {each.path for each in FORMATS}
    assert {kind.rpartition("-")[2] for kind in kinds} == {"first", "middle", "last", "changed"}
    for made in filter(None, found):
        assert made.change.new in made.accepted and made.change.old not in made.accepted
        assert len(made.lines) < len(made.change.new) + 4
        if made.kind.startswith("items.json"):
            json.loads(made.change.before), json.loads(made.change.after)


CLASS = """class Store:
    def load(self, path):
        text = read(path)
        return text

    # The path is made before.
    def save(self, path):
        make(path)
        write(path)

    def close(self):
        self.file.close()
        self.file = None
"""


@pytest.mark.parametrize("others", ["left-out", "hidden"])
def test_one_member_of_a_class_changes(others: Others) -> None:
    change = LineChange.from_texts("a.py", "python", CLASS, CLASS.replace("write(path)", "write(path, self)"))
    assert change is not None
    made = member_sketch(change, others, random.Random(1))
    assert made is not None
    assert made.change.after == change.after
    text = "\n".join(made.lines)
    assert text.startswith("class Store:\n    def ")
    assert "        make(path)\n        write(path, self)" in text
    assert ("def load" in text) == ("def close(self):" in text) == (others == "left-out")
    assert "read(path)" not in text
    assert (made.variant != "") == (others == "left-out")


IMPORTS = {
    "python": (
        '"""Words."""\n\nfrom __future__ import annotations\n\nimport os\n\n'
        "import re\nfrom a import (\n    b,\n)\n\n\n"
    ),
    "typescript": "import a from 'a';\nimport {\n  b,\n} from 'b';\nimport 'c';\n\n",
    "go": 'package a\n\nimport (\n\t"fmt"\n\t"os"\n\n\t"example.com/b"\n)\n\n',
    "rust": "use a::b;\nuse c::{\n    d,\n};\n\nuse e;\n\n",
    "java": "package a;\n\nimport a.B;\nimport a.C;\n\nimport static a.D.e;\n\n",
}


@pytest.mark.parametrize("language", IMPORTS)
def test_an_import_is_added_beside_a_mark_for_the_others(language: str) -> None:
    sign = "#" if language == "python" else "//"
    before = IMPORTS[language] + "".join(f"{sign} Line {number}.\n" for number in range(12))
    change = LineChange.from_texts("a", language, before, before.replace("Line 9", "Text 9"))
    assert change is not None
    found: dict[str, ImportSketch] = {}
    for seed in range(20):
        rng = random.Random(seed)
        made = import_sketch(change, lambda: "// IMPORTS", lambda: "// CODE", rng)
        if made is not None:
            found[made.kind] = made
            assert made.change.new in made.accepted and made.change.old not in made.accepted
            assert len(made.change.old) < len(made.change.new)
            assert all(line in made.change.new or "//" in line or not line for line in made.lines)
    assert found.keys() == {"above", "below", "above-change", "below-change"}
    for kind, made in found.items():
        at = next(n for n, line in enumerate(made.lines) if "// IMPORTS" in line)
        lines = made.lines[at + 1 :] if kind.startswith("below") else made.lines[:at]
        assert any(line.strip() and line not in made.change.old for line in lines)


@pytest.mark.parametrize(
    "text",
    [
        "import os\n",
        "import os\nimport re\n\nx = 1\nimport sys\n",
        "import os; import re\nimport sys\n",
        "# About it.\nimport os\nimport re\n",
    ],
    ids=["no others", "others below", "one line", "a comment above"],
)
def test_imports_that_cannot_be_taken_out(text: str) -> None:
    change = LineChange.from_texts("a.py", "python", text + "\nx = 1\n", text + "\nx = 2\n")
    assert change is not None
    made = [import_sketch(change, lambda: "# I", lambda: "# C", random.Random(seed)) for seed in range(10)]
    assert made == [None] * 10


def test_a_container_of_two_members_is_none() -> None:
    text = CLASS[: CLASS.index("    def close")].rstrip() + "\n"
    change = LineChange.from_texts("a.py", "python", text, text.replace("write(path)", "write(path, self)"))
    assert change is not None
    assert member_sketch(change, "hidden", random.Random(1)) is None


def test_a_scope_is_shown_where_only_its_header_tells_the_place() -> None:
    twin = "def {}(x):\n    y = 1\n    z = 2\n    w = 3\n    return y\n"
    before = twin.format("one") + "\n\n" + twin.format("two")
    change = LineChange.from_texts("a.py", "python", before, "z = 4".join(before.rsplit("z = 2", 1)))
    assert change is not None
    view = scoped(change)
    assert view is not None
    assert "def two(x):" in [change.new[line] for line in view.lines]
    assert max(view.lines) < len(change.new)
    assert view.has_one_reading()
    alone = before.replace("    w = 3\n", "", 1).replace("    y = 1\n", "", 1)
    change = LineChange.from_texts("a.py", "python", alone, "z = 4".join(alone.rsplit("z = 2", 1)))
    assert change is not None
    assert scoped(change) is None


def test_hunks_of_undamaged_patches_stand_in_the_file_once_each(made: list[Case]) -> None:
    patches = [
        c for c in made if c.style in ("unified-diff", "begin-patch", "search-replace") and not c.damage
    ]
    assert len(patches) > 50
    for case in patches:
        (file,) = case.files
        (part,) = parse_sketch(case.sketch).files
        assert isinstance(part.content, Diff)
        text = file.before
        for hunk in part.content.hunks:
            old, new = ("".join(f"{line}\n" for line in lines) for lines in (hunk.old, hunk.new))
            assert old in text, case.id
            if case.style == "search-replace":
                assert ("\n" + text).count("\n" + old) == 1, case.id
                text = text.replace(old, new)
        if case.style == "search-replace":
            assert text in file.accepted


def test_readings() -> None:
    old = Lines(["a", "x", "b", "c", "a", "y", "b", "d"])

    def run(*stretches: tuple[int, str], changes: bool = True) -> ShownRun:
        return ShownRun(tuple((at, tuple(text)) for at, text in stretches), (0, 8), changes=changes)

    assert is_unambiguous(old, [run((2, "bc"))])
    assert not is_unambiguous(old, [run((0, "a"), (2, "b"))])
    assert is_unambiguous(old, [run((0, "a"), (2, "bc"))])
    assert is_unambiguous(old, [run((3, "c"), changes=False), run((4, "a"), (6, "b"))])
    assert not is_unambiguous(
        old, [run((0, "a"), changes=False), run((4, "a"), (6, "b"), changes=True), run((2, "b"))]
    )
    assert is_unambiguous(old, [ShownRun(((4, ("a",)), (6, ("b",))), (4, 8))])


@pytest.mark.parametrize(
    ("kind", "lines", "moved"),
    [
        ("dedented", ["    a", "", "      b"], ["a", "", "  b"]),
        ("indented", ["a", "", "  b"], ["    a", "", "      b"]),
        ("tabs", ["a", "    b", "        c"], ["a", "\tb", "\t\tc"]),
        ("spaces", ["a", "\tb"], ["a", "    b"]),
        ("unit", ["a", "  b", "    c"], ["a", "    b", "        c"]),
        ("unit", ["a", "    b"], ["a", "  b"]),
        ("dedented", ["a", "  b"], None),
        ("tabs", ["a", "    b", "      c"], None),
        ("spaces", ["a", "  b"], None),
    ],
)
def test_indentation_that_can_be_restored(kind: str, lines: list[str], moved: list[str] | None) -> None:
    assert corruptions.reindented(lines, kind, lines) == moved
    assert corruptions.reindented(lines, kind, ["something else"]) is None


def test_a_comment_in_other_words() -> None:
    assert corruptions.paraphrase_comment("# the rooms that we count") == "# rooms that we count"
    assert corruptions.paraphrase_comment("# nothing known here") is None


def test_declarations_with_what_belongs_to_them() -> None:
    source = "@cached\ndef f(\n    a,\n):\n    return a\n\n\nclass B:\n    def g(self):\n        return 1\n"
    found = declarations(source, "python")
    assert [(d.name, d.start, d.body, d.end, d.footer) for d in found] == [
        ("f", 0, 4, 5, 0),
        ("B", 7, 8, 10, 0),
    ]
    found = declarations("export class A {\n  f() {\n    g();\n  }\n}\n", "typescript")
    assert [(d.name, d.start, d.body, d.end, d.footer) for d in found] == [
        ("A", 0, 1, 5, 1),
        ("f", 1, 2, 4, 1),
    ]
    assert declarations("whatever", "plaintext") == []


def test_part_of_a_change() -> None:
    before = "def f():\n    return 1\n\n\ndef g():\n    a()\n    return 2\n"
    change = LineChange.from_texts(
        "a.py", "python", before, before.replace("return 1", "return 10").replace("a()", "b()")
    )
    assert change is not None
    assert [old.name for old, _ in change.pairs] == ["g"]
    assert change.restrict_to(*change.pairs[0]).after == before.replace("a()", "b()")


@pytest.mark.parametrize(
    ("old", "new", "leaves_none"),
    [
        ("ab", "b", True),
        ("ab", "a", True),
        ("abc", "ac", False),
        ("x}_y}", "x}", True),
        ("a{b{c", "b{c", True),
        ("abb", "ab", True),
    ],
)
def test_what_goes_from_the_edges_leaves_no_trace(old: str, new: str, leaves_none: bool) -> None:
    change = LineChange("a", "", tuple(old), tuple(new))
    assert [change.leaves_no_trace(hunk) for hunk in change.hunks] == [leaves_none]


def case(sketch: str, before: str, *accepted: str, kind: str = "unified-diff") -> Case:
    file = CaseFile("src/a.py", "python", before, accepted)
    return Case(f"{sketch}#{kind}#", kind, "right", "" if accepted else "similar-places", sketch, (file,))


@pytest.mark.slow
def test_the_server_is_asked_and_judged() -> None:
    before = "a = 1\nb = 2\n\nc = 1\nb = 2\n"
    known = case("@@ -1,2 +1,2 @@\n a = 1\n-b = 2\n+b = 3\n", before, "a = 1\nb = 3\n\nc = 1\nb = 2\n")
    unsure = case("@@ @@\n-b = 2\n+b = 3\n", before)
    mistaken = case(known.sketch, before, "something else\n")
    choosing = case(
        "# ... existing code ...\nshow(a)\nshow(c)\n# ... existing code ...\n",
        "a = 1\nshow(a)\nshow(b)\ndone()\n",
        "a = 1\nshow(a)\nshow(c)\ndone()\n",
    )
    outcomes = list(apply_all([known, unsure, mistaken, choosing], Editor))
    assert [outcome.status for outcome in outcomes] == ["exact", "refused", "wrong", "refused"]
    assert outcomes[1].reason == "ambiguous"
    assert outcomes[1].ms is None
    assert outcomes[2].got == known.files[0].accepted
    assert 1 <= outcomes[3].right_choice <= outcomes[3].choices


@pytest.mark.slow
def test_a_server_that_ends_costs_one_case(tmp_path: Path) -> None:
    before = "a = 1\nb = 2\n"
    sketch = "@@ -1,2 +1,2 @@\n a = 1\n-b = 2\n+b = 3\n"
    started: list[Editor] = []

    def start() -> Editor:
        client = LanguageClient(env=isolated_environment(tmp_path))
        started.append(Editor(client=client))
        if len(started) == 1:
            os.kill(client.pid, signal.SIGKILL)
        return started[-1]

    known = case(sketch, before, "a = 1\nb = 3\n")
    outcomes = list(apply_all([known, known, known], start))
    assert [(each.status, each.reason) for each in outcomes] == [
        ("refused", SERVER_FAILED),
        ("exact", ""),
        ("exact", ""),
    ]
    assert len(started) == 2


def outcome(
    number: int, status: str, style: str = "declaration", damage: str = "", refusal: bool = False
) -> CaseResult:
    file = CaseFile("a.py", "python", "x\n" * 1000, () if refusal else ("y\n",))
    made = Case(f"record-{number}#{style}", style, "", damage, "sketch\n", (file,))
    if status == "refused":
        return CaseResult(
            made,
            "refused",
            "ambiguous",
            choices=2 * (number % 2),
            right_choice=number % 2,
            right_by_rules=number % 2,
        )
    return CaseResult(made, "exact" if status == "exact" else "wrong", ms=10.0 + number, got=("z\n",))


def test_figures() -> None:
    outcomes = [
        *(outcome(number, "exact") for number in range(8)),
        outcome(8, "refused"),
        outcome(9, "wrong"),
        outcome(11, "refused"),
        outcome(1, "exact", damage="indentation"),
        outcome(2, "refused", "begin-patch", "similar-places", refusal=True),
    ]
    found = report.summarize(outcomes, Provenance("abc", "data", 3))
    row = found.styles["declaration"]
    assert (row.cases, row.exact.value, row.refused, row.wrong) == (11, 8 / 11, 2, 1)
    assert (row.among_three, row.without_choices) == (9, 1)
    assert row.exact.low is not None and row.exact.low < 0.72 < (row.exact.high or 0)
    assert {name: row.cases for name, row in found.damages.items()} == {"indentation": 1}
    assert found.ambiguous["begin-patch"].exact.value is None
    assert (found.offered, found.wrong, found.refusals) == (10, 1, {"ambiguous": 2})
    assert found.latency_ms["p50"] == found.latency_ms["p50 of 800 to 1200 lines"] == 13.0
    written = to_json(found)
    assert written["styles"]["declaration"]["amongThree"] == 9
    assert written["generator"] == VERSION
    output = io.StringIO()
    report.print_tables(found, Console(file=output))
    assert "10 edits offered, 1 of them wrong" in output.getvalue()
    assert "commit abc" in output.getvalue()
    text = "".join(report.failure_listing(outcomes))
    assert text.count("=" * 100) == 3
    assert "+z" in text


def test_what_a_model_wrote_counts_by_itself() -> None:
    outcomes = [
        outcome(0, "exact"),
        outcome(1, "refused"),
        replace(outcome(2, "exact"), by_model=True, tokens=60, drafted=40, first_ms=10, ms=90),
        replace(outcome(3, "wrong"), by_model=True, tokens=40, drafted=35, first_ms=20, ms=40),
        replace(outcome(4, "wrong", refusal=True), by_model=True, first_ms=30, ms=80),
        outcome(5, "refused", refusal=True),
        replace(outcome(6, "refused"), choices=3, right_choice=1, right_by_rules=2),
        replace(outcome(7, "refused"), choices=2, right_choice=2, right_by_rules=2),
    ]
    found = report.summarize(outcomes, Provenance("abc", "data", 3), with_model=True)
    assert found.by_model == report.ByModel(5, 1, 2, 4.0, 20, 80, 3, 1, 2)
    assert (found.offered, found.wrong) == (1, 0)
    assert to_json(found)["byModel"]["tokensPerStep"] == 4
    output = io.StringIO()
    report.print_tables(found, Console(file=output))
    said = " ".join(output.getvalue().split())
    assert (
        "1 of 5 refused sketches solved (20.0%), 2 wrong; 4.0 tokens a step; the first hunk after 20 ms,"
        in said
    )
    assert "the edit after 80 ms" in said
    assert "Of 3 with the right choice among several, it came first in 2; by the rules alone in 1" in said
    assert report.summarize(outcomes[:2], Provenance("abc", "data", 3)).by_model is None


def test_an_upper_bound_for_what_never_happened() -> None:
    assert report.wilson_upper(0, 0) == 1
    assert report.wilson_upper(0, 1000) == pytest.approx(0.00383, abs=1e-4)
    assert report.wilson_upper(5, 10) == pytest.approx(0.763, abs=1e-3)
