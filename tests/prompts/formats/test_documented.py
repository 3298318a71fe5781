"""The examples in the formats' docstrings: the prompts are built so, and the answers are parsed so."""

from __future__ import annotations

import re
import sys

import pytest

from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.base import Format, ParsedEdit, PromptPaths, parse_answer
from editahead_prompts.formats.next_edit.editahead_2611 import EDITAHEAD
from editahead_prompts.formats.next_edit.fim import QWEN
from editahead_prompts.formats.next_edit.mercury import MERCURY
from editahead_prompts.formats.next_edit.sweep import SWEEP
from editahead_prompts.formats.next_edit.zeta1 import INSTRUCTION, ZETA_1
from editahead_prompts.formats.next_edit.zeta2 import ZETA_2
from editahead_prompts.formats.next_edit.zeta21 import ZETA_2_1
from editahead_prompts.formats.registry import FORMATS
from editahead_prompts.state import EditorState

ROOTS = PromptPaths(("file:///project/",))
DOCUMENTED = [ZETA_1, ZETA_2, ZETA_2_1, SWEEP, MERCURY, QWEN, EDITAHEAD]


def documented(format: Format) -> tuple[str, str]:
    """Return the prompt and the answer in the docstring of the format's module."""
    text = sys.modules[type(format).__module__].__doc__ or ""
    prompt, answer = text.split("\nAnswer:\n\n")
    lines = prompt.split("example state in the tests", 1)[1].split("\n\n", 1)[1]
    return shifted(lines), shifted(answer)


def shifted(text: str) -> str:
    """Remove the docstring's indentation of four spaces."""
    return tidy("".join(line.removeprefix("    ") for line in text.splitlines(keepends=True)))


def tidy(text: str) -> str:
    """Remove white space at the ends of lines and of the text, which docstrings lack."""
    return "".join(line.rstrip() + "\n" for line in text.rstrip("\n").split("\n"))


@pytest.mark.parametrize("format", DOCUMENTED, ids=lambda format: format.name)
def test_the_documented_prompt(format: Format, example: EditorState) -> None:
    built = format.build(example, ESTIMATE, paths=ROOTS).prompt.text
    expected, _ = documented(format)
    if format is ZETA_1:
        built = built.removeprefix(INSTRUCTION)
    if format is ZETA_2_1:
        built = built[built.index("<filename>shop") :]
    assert tidy(built) == expected


@pytest.mark.parametrize("format", DOCUMENTED, ids=lambda format: format.name)
def test_the_documented_answer(format: Format, example: EditorState) -> None:
    _, text = documented(format)
    request = format.build(example, ESTIMATE, paths=ROOTS)
    answer = parse_answer(format, request, "\n" + text if format is QWEN else text)
    assert isinstance(answer, ParsedEdit)
    after = answer.edit.apply(example.document.text)
    if format is QWEN:
        assert after == example.document.text.replace("tax):\n", "tax):\n    check(items)\n")
    else:
        assert after == example.document.text.replace("sum(items)", "sum(items) * (1 + tax)")
        (change,) = answer.edit.replacements
        assert change.text == " * (1 + tax)"
    if answer.cursor is not None:
        assert after[: answer.cursor].endswith(" * (1 + tax)" if format is not QWEN else "check(items)")


def test_every_format_has_its_name_and_the_date_of_its_source() -> None:
    for name, format in FORMATS.items():
        assert format.name == name
        text = sys.modules[type(format).__module__].__doc__ or ""
        assert re.search(r"^Sources?\b[^\0]*?\b202[5-9]-[01]\d\b", text, re.MULTILINE)
