"""Imports that an edit left missing."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.propagation.document_index import DocumentIndex
from editahead_inference.predictors.propagation.missing_imports import missing_imports
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot
from state_builder import Person, applied

HERE = "file:///app/shop/orders.py"


def imported(
    text: str, marker: str, added: str, *others: tuple[str, str], language: str = "python", uri: str = HERE
) -> list[str]:
    """The texts after each import that inserting `added` before the marker left missing."""
    person = Person(text, uri=uri, language=language).insert(added, before=marker)
    index = DocumentIndex(person.snapshot)
    snapshots = [Snapshot.from_text(other, uri=at, language=language) for at, other in others]
    found = missing_imports(person.history.edits, index, snapshots, SyntaxTrees())
    return [applied(person.snapshot, one.proposal) for one in found]


ORDERS = "import math\nimport re\n\n\ndef total():\n    return 1\n"


def test_of_the_standard_library() -> None:
    (text, *_) = imported(ORDERS, "    return 1", "    json.dumps(1)\n")
    assert text.startswith("import json\nimport math\nimport re\n")


def test_a_block_with_one_import_out_of_order_keeps_its_order() -> None:
    here = "import abc\nimport math\nimport csv\nimport re\nimport sys\nimport time\n\n\ndef total():\n    return 1\n"
    (text, *_) = imported(here, "    return 1", "    json.dumps(1)\n")
    assert text.startswith("import abc\nimport math\nimport csv\nimport json\nimport re\n")


def test_a_block_without_an_order_gets_it_last() -> None:
    here = "import time\nimport math\nimport csv\nimport abc\n\n\ndef total():\n    return 1\n"
    (text, *_) = imported(here, "    return 1", "    json.dumps(1)\n")
    assert text.startswith("import time\nimport math\nimport csv\nimport abc\nimport json\n")


def test_that_another_document_imports() -> None:
    there = ("file:///app/shop/carts.py", "from app.money import Cents\n")
    here = "from app.money import Tax\n\n\ndef total():\n    return 1\n"
    (text,) = imported(here, "    return 1", "    x = Cents(1)\n", there)
    assert text.startswith("from app.money import Cents, Tax\n")


def test_that_another_document_defines() -> None:
    there = ("file:///app/shop/money.py", "class Cents:\n    pass\n")
    here = "from .carts import Cart\n\n\ndef total():\n    return 1\n"
    (text,) = imported(here, "    return 1", "    x = Cents(1)\n", there)
    assert text.startswith("from .carts import Cart\nfrom .money import Cents\n")


def test_the_whole_name_of_the_module_counts() -> None:
    there = ("file:///app/shop/money.py", "class Cents:\n    pass\n")
    here = "from other.shop.money import Tax\n\n\ndef total():\n    return 1\n"
    assert imported(here, "    return 1", "    x = Cents(1)\n", there) == []


def test_relative_to_the_other_document_in_typescript() -> None:
    there = ("file:///app/util/money.ts", "import { x } from './x';\nexport function cents() {}\n")
    here = "import { Cart } from './cart';\n\nexport const a = 1;\n"
    (text,) = imported(
        here, "export", "const c = cents();\n", there, language="typescript", uri="file:///app/shop/orders.ts"
    )
    assert "import { cents } from '../util/money';\n" in text


def test_several_modules_at_once_are_first() -> None:
    texts = imported(ORDERS, "    return 1", "    json.dumps(os.sep)\n")
    assert texts[0].startswith("import json\nimport math\nimport os\nimport re\n")
    assert len(texts) == 3


@pytest.mark.parametrize(
    "added",
    [
        "    json = load()\n    json.x\n",  # bound here
        "    import json\n    json.dumps(1)\n",
        "    # json.dumps(1)\n",  # prose
        '    x = "json.dumps"\n',
        "    re.compile('x')\n",  # imported
        "    self.json.dumps()\n",
        "    f(json)\n",  # a module is seldom passed on
    ],
)
def test_not_what_is_bound_or_not_code(added: str) -> None:
    assert imported(ORDERS, "    return 1", added) == []


def test_not_a_name_that_is_imported_for_type_checkers() -> None:
    text = "import math\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import json\n\n\na = 1\n"
    assert imported(text, "a = 1", "b = json.x\n") == []


def test_not_from_a_docstring_of_another_document() -> None:
    there = ("file:///app/shop/carts.py", '"""\nfrom app.money import Cents\n"""\n')
    here = "from app.money import Tax\n\n\ndef total():\n    return 1\n"
    assert imported(here, "    return 1", "    x = Cents(1)\n", there) == []


def test_not_from_the_document_itself() -> None:
    there = ("file:///app/shop/carts.py", "from app.shop.orders import Order\n")
    here = "from app.shop.money import Tax\n\n\ndef total():\n    return 1\n"
    assert imported(here, "    return 1", "    x = Order(1)\n", there) == []


def test_not_where_two_documents_contradict_each_other() -> None:
    here = "from app.money import Tax\n\n\ndef total():\n    return 1\n"
    one = ("file:///app/shop/a.py", "from app.money import Cents\n")
    other = ("file:///app/shop/b.py", "from app.coins import Cents\n")
    assert imported(here, "    return 1", "    x = Cents(1)\n", one, other) == []
    assert imported(here, "    return 1", "    x = Cents(1)\n", one, one) != []


def test_not_the_word_at_the_cursor() -> None:
    person = Person(ORDERS).insert("    json.dumps(1)\n", before="    return 1")
    index = DocumentIndex(person.snapshot)
    assert missing_imports(person.history.edits, index, [], SyntaxTrees())
    assert missing_imports(person.history.edits, index, [], SyntaxTrees(), "json") == []


def test_not_a_name_that_the_language_has_itself() -> None:
    there = ("file:///app/shop/money.py", "def max(values):\n    return values[0]\n")
    here = "from .money import Cents\n\n\ndef total():\n    return 1\n"
    assert imported(here, "    return 1", "    x = max([1])\n", there) == []


def test_not_a_word_of_a_docstring_that_is_not_closed_yet() -> None:
    assert (
        imported(
            "import re\n\n\ndef total():\n    return 1\n", "    return 1", '    """Add up.\n\n    json.\n'
        )
        == []
    )


@pytest.mark.parametrize("use", ["\\App\\Mail\\Mailer", "Mailer\\Box"])
def test_not_of_a_part_of_a_path(use: str) -> None:
    here = "<?php\nnamespace App\\Shop;\n\nuse App\\Cart;\n\n$cart = new Cart();\n"
    there = ("file:///app/src/Mailer.php", "<?php\nnamespace App\\Mail;\n\nclass Mailer {}\n")
    assert imported(here, "$cart", f"$a = new {use}();\n", there, language="php") == []
    assert imported(here, "$cart", "$a = new Mailer();\n", there, language="php") != []
