"""Imports that an edit left unused, or that need another name."""

from __future__ import annotations

import pytest

from follow_ups import follow_up_texts
from state_builder import Person


def test_one_of_two_blank_lines_goes_with_an_import() -> None:
    text = "import os\n\nfrom app import start\n\nstart()\nos.abort()\n"
    found = follow_up_texts(Person(text).replace("os.abort()", "stop()"))
    assert "from app import start\n\nstart()\nstop()\n" in found


def test_a_type_is_imported_instead_of_the_one_that_it_replaced() -> None:
    text = "from queues import Queue\n\n\ndef run(queue: Queue):\n    return queue\n"
    found = follow_up_texts(Person(text).replace("queue: Queue", "queue: Stack"))
    assert text.replace("Queue", "Stack") in found


def test_a_type_of_the_document_needs_no_import() -> None:
    text = (
        "from queues import Queue\n\n\nclass Stack:\n    pass\n\n\ndef run(queue: Queue):\n    return queue\n"
    )
    found = follow_up_texts(Person(text).replace("queue: Queue", "queue: Stack"))
    assert text.replace("queue: Queue", "queue: Stack").partition("\n\n")[2].lstrip() in found


@pytest.mark.parametrize(
    ("uri", "line"),
    [
        ("a.py", "from parts import Test as Tester"),
        ("a.py", "from parts import Other, Test as Tester"),
        ("a.ts", 'import { Test as Tester } from "./parts";'),
        ("a.ts", 'import { Other, Test as Tester } from "./parts";'),
        ("a.rs", "use parts::Test as Tester;"),
        ("a.rs", "use parts::{Other, Test as Tester};"),
    ],
)
def test_an_import_under_another_name_does_not_go_with_the_first_name(uri: str, line: str) -> None:
    text = f"{line}\nuse(Test)\nt = Tester(Other)\n"
    found = follow_up_texts(Person(text, uri=f"file:///{uri}").replace("use(Test)", "use(Probe)"))
    assert all("Tester }" in each or "Test as Tester" in each or "Probe as Tester" in each for each in found)
