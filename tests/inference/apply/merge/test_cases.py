"""Sketches with the result that a person expects, as text files in `cases/`.

Each case names a file, its text, a sketch and the text after it. `wanted` says what the merge may do:

- after (the default): exactly the text after.
- keeps: exactly the text after, or a refusal. Nothing else, since code would be lost or be at the wrong place.
- refused: only a refusal.
- unchanged: the file as it is, or a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.planner import plan_changes
from editahead_inference.apply.results import Refusal
from editahead_inference.errors import ApplyRefusedError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.syntax.languages import language_of
from editahead_prompts.text.snapshot import Snapshot

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Case:
    name: str
    path: str
    wanted: str
    before: str
    sketch: str
    after: str


def read_cases() -> Iterator[Case]:
    for path in sorted(CASES.glob("*.txt")):
        for block in re.split(r"^=== ", path.read_text(), flags=re.MULTILINE)[1:]:
            head, *sections = re.split(r"^----- (before|sketch|after)\n", block, flags=re.MULTILINE)
            name, *fields = head.splitlines()
            texts = dict(zip(sections[::2], sections[1::2], strict=True))
            values = dict(field.split(": ", 1) for field in fields)
            if values.get("final-newline") == "no":
                texts["before"] = texts["before"].removesuffix("\n")
            yield Case(
                f"{path.stem}: {name}",
                values["file"],
                values.get("wanted", "after"),
                texts["before"],
                texts["sketch"],
                texts.get("after", ""),
            )


class OneFile:
    def __init__(self, case: Case) -> None:
        language = language_of(case.path)
        self.snapshot = Snapshot.from_text(case.before, uri=f"file:///{case.path}", language=language)

    def resolve(self, path: str | None) -> Snapshot:
        return self.snapshot

    def create(self, path: str) -> Snapshot:
        raise ApplyRefusedError(Refusal("outside-workspace", "There is one file."))


@pytest.mark.parametrize("case", list(read_cases()), ids=lambda case: case.name)
def test_a_sketch_gives_what_a_person_expects(case: Case) -> None:
    files = OneFile(case)
    sketch = parse_sketch(case.sketch, language=files.snapshot.language, path=case.path)
    try:
        changes = plan_changes(sketch, files, merge)
    except ApplyRefusedError as error:
        assert case.wanted != "after", error.refusal
        return
    got = changes[0].new_text if changes else case.before
    assert case.wanted != "refused", got
    assert got == (case.before if case.wanted == "unchanged" else case.after)


def test_readings_that_nothing_decides_between_are_choices() -> None:
    (case,) = (
        case
        for case in read_cases()
        if case.name == "partial_types: a class in TypeScript with some of its members"
    )
    files = OneFile(case)
    with pytest.raises(ApplyRefusedError) as caught:
        plan_changes(
            parse_sketch(case.sketch, language=files.snapshot.language, path=case.path), files, merge
        )
    first, *others = caught.value.refusal.choices
    assert first.changes[0].new_text == case.after
    assert any("set(" not in choice.changes[0].new_text for choice in others)
    assert len({first.title, *(choice.title for choice in others)}) == 1 + len(others) > 1
    assert sum(choice.likelihood for choice in caught.value.refusal.choices) <= 1


def test_readings_of_two_equal_functions_name_their_classes() -> None:
    text = "".join(
        f"class {name}:\n    def get(self):\n        x = 1\n        return x\n\n\n" for name in "AB"
    )
    case = Case(
        "two classes", "a.py", "refused", text, "    def get(self):\n        x = 2\n        return x\n", text
    )
    with pytest.raises(ApplyRefusedError) as caught:
        plan_changes(parse_sketch(case.sketch, language="python", path=case.path), OneFile(case), merge)
    assert {choice.title for choice in caught.value.refusal.choices} == {
        "replace `x = 1` in `A.get`",
        "replace `x = 1` in `B.get`",
    }


def choices_of(path: str, before: str, sketch: str) -> tuple[str, dict[str, str]]:
    """Return why a sketch is refused, and the text of each choice by its title."""
    files = OneFile(Case("", path, "refused", before, sketch, ""))
    with pytest.raises(ApplyRefusedError) as caught:
        plan_changes(parse_sketch(sketch, language=files.snapshot.language, path=path), files, merge)
    refusal = caught.value.refusal
    return refusal.detail, {choice.title: choice.changes[0].new_text for choice in refusal.choices}


def test_lines_that_may_replace_others_are_two_choices() -> None:
    before = "def load():\n    size = read_size(path)\n    return size\n\n\ndef save():\n    pass\n"
    sketch = "# ...\ndef load():\n    size = read_size(path, 2)\n    log(size)\n# ...\n"
    _, choices = choices_of("a.py", before, sketch)
    kept = before.replace("read_size(path)", "read_size(path, 2)\n    log(size)")
    replaced = kept.replace("    return size\n", "")
    assert {kept, replaced} <= set(choices.values())


def test_code_that_would_go_is_kept_by_another_choice() -> None:
    before = "interface A {\n  one: string;\n  two: string;\n}\n\nexport const x = 1;\nexport const y = 2;\n"
    sketch = "// ...\ninterface A {\n  three: string;\n}\n\nexport const x = 3;\n// ...\n"
    _, choices = choices_of("a.ts", before, sketch)
    changed = before.replace("x = 1", "x = 3")
    assert changed.replace("  one: string;\n  two: string;\n", "  three: string;\n") in choices.values()
    assert changed.replace("  two: string;\n", "  two: string;\n  three: string;\n") in choices.values()


def test_a_comment_in_other_words_may_be_left_as_it_is() -> None:
    comment = "    # Count all of the open files of the process.\n"
    before = "def f():\n    # Count all the open files of the process.\n    a = 1\n    b = 2\n    c = 3\n    return a\n"
    sketch = f"# ...\n    a = 1\n{comment}    d = 4\n    c = 3\n    return a\n"
    _, choices = choices_of("a.py", before, sketch)
    assert before.replace("    b = 2\n", f"{comment}    d = 4\n") in choices.values()
    assert before.replace("    b = 2\n", "    d = 4\n") in choices.values()


def test_a_new_function_without_a_neighbour_has_the_end_of_the_file_as_a_choice() -> None:
    before = "import os\n\nLIMIT = 3\n\n\n# Read it.\ndef load(path):\n    return open(path).read()\n"
    mark, new = "# ... existing code ...\n", "def remove(path):\n    os.unlink(path)\n"
    _, choices = choices_of("a.py", before, f"{mark}\n\n{new}\n\n{mark}")
    assert choices == {
        "add after `LIMIT = 3`": before.replace("# Read it.", f"{new}\n\n# Read it."),
        "add at the end of the file": f"{before}\n\n{new}",
    }
    known = new.replace("remove", "load")
    case = Case("known", "a.py", "after", before, f"{mark}\n\n{known}\n\n{mark}", "")
    files = OneFile(case)
    sketch = parse_sketch(case.sketch, language=files.snapshot.language, path=case.path)
    (change,) = plan_changes(sketch, files, merge)
    assert change.new_text == before.replace("return open(path).read()", "os.unlink(path)"), "it is not new"
