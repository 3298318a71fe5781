"""What follows from a name given to an expression, from `async`, from a deleted declaration, from a moved import."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.propagation.document_index import DocumentIndex
from editahead_inference.predictors.propagation.rule_induction import induce_rules
from editahead_prompts.text.snapshot import Snapshot
from state_builder import HERE, Person, predict, shown_texts


def made(kind: str, old: str, new: str, text: str, language: str = "python") -> list[str]:
    """Each line (or "" for none) that rules of the kind propose in the text, in its order."""
    lines = [tuple(side.splitlines(keepends=True)) for side in (old, new)]
    index = DocumentIndex(Snapshot.from_text(text, uri=HERE, language=language))
    rules = [rule for rule in induce_rules(lines[0], lines[1], "", "") if rule.kind == kind]
    found = {p for rule in rules for p in rule.proposals(index)}
    return ["".join(p.lines).strip() for p in sorted(found, key=lambda p: p.start)]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("height = view.height()\n", "height"),
        ("const height = view.height();\n", "height"),
        ("let height: number = view.height();\n", "height"),
        ("\theight := view.height()\n", "height"),
        ("    self.height = view.height()\n", "self.height"),
    ],
)
def test_an_expression_that_got_a_name(line: str, name: str) -> None:
    text = f"{line}a = view.height() + 1\nb(view.height(), overview.height())\nmyview.height()\n"
    assert made("extract", "", line, text) == [f"a = {name} + 1", f"b({name}, overview.height())"]


@pytest.mark.parametrize(
    "line", ["x = y\n", "x == view.height()\n", "x = [\n", "if x:\n", "f(x=view.height())\n"]
)
def test_what_is_no_name_for_an_expression(line: str) -> None:
    assert made("extract", "", line, "a = view.height() + y\n") == []


CALLS = """\
async def open():
    user = load(1)
    other = await load(2)
    later = lambda: load(3)
    # load(4) is slow
    if user:
        self.store.load(5)


def close():
    load(6)
"""


def test_calls_in_asynchronous_functions_are_awaited() -> None:
    found = made("await-calls", "def load(n):\n", "async def load(n):\n", CALLS)
    assert found == ["user = await load(1)", "await self.store.load(5)"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("function load(n) {\n", "async function load(n) {\n"),
        ("  load(n: number): User {\n", "  async load(n: number): Promise<User> {\n"),
        ("const load = (n) => {\n", "const load = async (n) => {\n"),
    ],
)
def test_in_javascript_too(old: str, new: str) -> None:
    text = "async function open() {\n  const user = load(1);\n}\n\nfunction close() {\n  load(6);\n}\n"
    assert made("await-calls", old, new, text, "javascript") == ["const user = await load(1);"]


@pytest.mark.parametrize(
    ("old", "new"),
    [("async def load(n):\n", "async def load(n, m):\n"), ("def save(n):\n", "async def load(n):\n")],
)
def test_a_function_that_was_asynchronous_or_another(old: str, new: str) -> None:
    assert made("await-calls", old, new, CALLS) == []


def test_the_uses_of_a_deleted_class_go() -> None:
    old = "class Fake:\n    def close(self):\n        pass\n"
    assert made("delete-uses", old, "", "def test():\n    fake = Fake()\n    run()\n") == [""]


def test_an_import_that_was_moved_with_others() -> None:
    new = "import os\n\nfrom app.clock import Clock\n"
    person = Person("import sys\nfrom app.clock import Clock\n\nClock()\n").insert(new, before="import sys")
    assert "import os\n\nfrom app.clock import Clock\nimport sys\n\nClock()\n" in shown_texts(
        predict(person.state())
    )


def test_a_name_is_renamed_though_the_columns_were_aligned_anew() -> None:
    old = "\twtimeout  time.Duration\n\trtimeout time.Duration\n"
    new = "\twriteTimeout time.Duration\n\treadTimeout  time.Duration\n"
    assert made("rename", old, new, "set(c.rtimeout)\n", "go") == ["set(c.readTimeout)"]
