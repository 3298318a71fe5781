"""Uses of what a change took away: sure ones are edits, the others are told, and none is lost."""

from __future__ import annotations

import pytest

from editahead_inference.finish.finisher import Finisher
from editahead_inference.finish.report import ChangedFile, FinishReport
from finish_samples import changed, codebase, snapshot

SIGNER = """\
class Signer:
    def sign(self, value):
        return value

    def validate(self, value):
        return bool(value)
"""
RENAMED = SIGNER.replace("def validate", "def is_valid")


def find(before: str, after: str, files: dict[str, str], path: str = "lib/signer.py") -> FinishReport:
    return Finisher(codebase({**files, path: after})).find([changed(path, before, after)])


def reported(report: FinishReport) -> dict[str, set[int]]:
    """Return the 1-based lines that a report names, by file: as places, and as uses to look at."""
    found: dict[str, set[int]] = {}
    for one in (*report.likely, *report.uses):
        found.setdefault(one.uri.rpartition("/")[2], set()).add(one.line + 1)
    return found


def test_all_calls_of_one_shape_are_listed() -> None:
    test = (
        "import pytest\nfrom lib.signer import Signer\n\n\n"
        "def test_it(signer):\n    assert signer.validate(1)\n\n\n"
        "def test_again(signer):\n    assert signer.validate(1)\n    assert signer.validate(1)\n\n\n"
        "def test_made():\n    signer = Signer()\n    assert signer.validate(1)\n"
    )
    report = find(SIGNER, RENAMED, {"tests/test_signer.py": test})
    assert reported(report) == {"test_signer.py": {6, 10, 11, 16}}
    assert not report.uses and not report.is_complete
    assert report.likely[0].reason == "`validate` was renamed to `is_valid` in signer.py:5."


def test_an_override_in_another_file_is_renamed_too() -> None:
    timed = (
        "from lib.signer import Signer\n\n\nclass Timed(Signer):\n"
        "    def validate(self, value):\n        return super().validate(value)\n"
    )
    report = find(SIGNER, RENAMED, {"lib/timed.py": timed})
    assert {place.line for place in report.likely} == {4, 5}


def test_a_receiver_of_an_unknown_type_is_to_look_at() -> None:
    report = find(SIGNER, RENAMED, {"run.py": "def run(thing):\n    return thing.validate(1)\n"})
    assert not report.likely
    (use,) = report.uses
    assert (use.line, use.column, use.text, use.name, use.new) == (
        1,
        17,
        "    return thing.validate(1)",
        "validate",
        "is_valid",
    )
    assert not report.is_complete


def test_another_type_with_the_name_keeps_it() -> None:
    form = (
        "class Form:\n    def validate(self):\n        return self.validate()\n\n\n"
        "def check():\n    form = Form()\n    form.validate()\n"
    )
    report = find(SIGNER, RENAMED, {"form.py": form})
    assert report.is_complete


@pytest.mark.parametrize(
    "line",
    [
        "getattr(signer, 'validate')",
        "mock.patch('lib.signer.Signer.validate')",
        "patch.object(Signer, 'validate')",
    ],
)
def test_a_name_in_a_string_that_finds_a_member_is_to_look_at(line: str) -> None:
    report = find(SIGNER, RENAMED, {"use.py": f"from lib.signer import Signer\n{line}\n"})
    assert reported(report) == {"use.py": {2}} and not report.likely


def test_all_names_of_a_line_are_one_place() -> None:
    after = RENAMED.replace("def sign", "def make")
    use = "from lib.signer import Signer\n\nsigner = Signer()\nassert signer.validate(signer.sign(1))\n"
    report = find(SIGNER, after, {"use.py": use})
    assert ["".join(place.new) for place in report.likely] == ["assert signer.is_valid(signer.make(1))\n"]
    assert "validate" in report.likely[0].reason and "`sign`" in report.likely[0].reason


def test_a_rewritten_definition_leaves_uses_to_look_at() -> None:
    before = "def load(path):\n    return path\n"
    after = "def read(path, strict):\n    if strict:\n        return path\n    return None\n"
    report = find(before, after, {"use.py": "from lib.signer import load\n\nload('a')\n"})
    assert reported(report) == {"use.py": {1, 3}} and not report.is_complete


def test_a_deleted_definition_leaves_unresolved_names() -> None:
    before = "import json\n\n\ndef load(path):\n    return path\n\n\ndef other():\n    return load(json.x)\n"
    after = "\n\ndef other():\n    return load(json.x)\n"
    report = find(before, after, {"use.py": "from lib.signer import load\n"})
    assert reported(report) == {"signer.py": {4}, "use.py": {1}}
    assert {use.name for use in report.uses} == {"load", "json"}
    assert all(use.new == "" for use in report.uses)


def test_a_local_stays_in_its_function() -> None:
    before = (
        "def f(user):\n    total = user.x\n    return total + user.y\n\n\ndef g(total):\n    return total\n"
    )
    after = before.replace("    total = user", "    amount = user")
    report = find(before, after, {"use.py": "from lib.signer import f\n\ntotal = f(1)\nprint(total)\n"})
    assert reported(report) == {"signer.py": {3}}


def test_a_parameter_is_renamed_in_keyword_arguments() -> None:
    before = "def make(user):\n    return user\n"
    after = "def make(account):\n    return account\n"
    use = "from lib.signer import make\n\nmake(user=1)\nuser = 2\nmake(user)\nother(user=3)\n"
    assert reported(find(before, after, {"use.py": use})) == {"use.py": {3}}


def test_what_is_renamed_everywhere_is_complete() -> None:
    use = "from lib.signer import Signer\n\nsigner = Signer()\nsigner.is_valid(1)\n"
    assert find(SIGNER, RENAMED, {"use.py": use}).is_complete


def test_names_of_too_many_files_are_said_not_to_be_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editahead_inference.finish.use_search.MAX_USE_FILES", 2)
    files = {f"m{number}.py": "def run(thing):\n    thing.validate(1)\n" for number in range(4)}
    report = find(SIGNER, RENAMED, files)
    assert report.unsearched == ("validate",) and not report.is_complete


TYPESCRIPT = "export class Store {\n  loadAll(): void {}\n}\nexport function open(): Store {\n  return new Store();\n}\n"
GO = "package shop\n\ntype Cart struct {\n\tItems int\n}\n\nfunc (c *Cart) Total() int {\n\treturn c.Items\n}\n"


@pytest.mark.parametrize(
    ("path", "before", "old", "new", "files", "lines"),
    [
        (
            "src/store.ts",
            TYPESCRIPT,
            "loadAll",
            "fetchAll",
            {
                "src/use.ts": "import { open } from './store';\n\nopen().loadAll();\nconst s = open();\ns.loadAll();\n"
            },
            {"use.ts": {3, 5}},
        ),
        (
            "src/store.ts",
            TYPESCRIPT,
            "open",
            "create",
            {"src/use.ts": "import { open } from './store';\n\nopen();\nwindow.open();\n"},
            {"use.ts": {1, 3}},
        ),
        (
            "shop/cart.go",
            GO,
            "Total",
            "Sum",
            {
                "main.go": 'package main\n\nimport "x/shop"\n\nfunc main() {\n\tc := shop.Cart{}\n\tc.Total()\n}\n'
            },
            {"main.go": {7}},
        ),
    ],
)
def test_languages(
    path: str, before: str, old: str, new: str, files: dict[str, str], lines: dict[str, set[int]]
) -> None:
    report = find(before, before.replace(old, new), files, path)
    assert {name: found for name, found in reported(report).items() if name in lines} == lines


USER = "from lib.signer import Signer\n\n\ndef run():\n    return Signer().sign(1)\n"


def find_moved(**files: str) -> FinishReport:
    """Return the report of a change that deletes lib/signer.py, and adds files by their names."""
    added = {f"lib/{name}.py": text for name, text in files.items()}
    change = [ChangedFile(snapshot("lib/signer.py", SIGNER), None)]
    change += [ChangedFile(None, snapshot(path, text)) for path, text in added.items()]
    return Finisher(codebase({"run.py": USER, **added})).find(change)


def test_uses_of_what_a_deleted_file_defined_are_to_look_at() -> None:
    report = find_moved()
    assert {(use.name, use.line) for use in report.uses} == {("Signer", 0), ("Signer", 4)}
    assert not report.is_complete


def test_a_definition_in_a_new_file_is_not_deleted() -> None:
    assert not [use for use in find_moved(signing=SIGNER).uses if use.name == "Signer"]


def test_a_namespace_of_csharp_is_shared_by_folders() -> None:
    before = "namespace Shop.Billing;\n\npublic class Invoice\n{\n    public int Sum;\n}\n\npublic class Other\n{\n}\n"
    user = "namespace Shop.Billing.Web;\n\npublic class Cart\n{\n    public Invoice Last;\n}\n"
    files = {"src/Web/Cart.cs": user, "src/Other/Box.cs": user.replace("Shop.Billing.Web", "Other.Web")}
    after = before.replace("public class Invoice\n{\n    public int Sum;\n}\n\n", "")
    report = find(before, after, files, "src/Billing/Invoice.cs")
    assert reported(report) == {"Cart.cs": {5}}
