"""The likeliest continuation of what is being typed, whatever its probability."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.predictors.completion.open_texts import OpenTexts
from editahead_inference.predictors.completion.place import place_at
from editahead_inference.predictors.completion.steps import MAX_CHARS, MAX_NEW_LINES, MAX_STEPS, find_steps
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import Snapshot


def state_at(text: str, *others: str, language: str = "python") -> EditorState:
    """The cursor is at the bar."""
    cursor = text.index("|")
    open_texts = tuple(Snapshot.from_text(other, uri=f"file:///{n}.py") for n, other in enumerate(others))
    snapshot = Snapshot.from_text(text.replace("|", "", 1), uri="file:///here.py", language=language)
    return EditorState(snapshot, cursor, other_documents=open_texts)


def pieces(texts: OpenTexts, state: EditorState) -> list[str]:
    return [step.text for step in find_steps(texts.model_at(state, lambda: None), place_at(state))]


def continuation(text: str, language: str = "python") -> str:
    """Return what the open texts alone say."""
    return "".join(pieces(OpenTexts(lambda language: None), state_at(text, language=language)))


def next_piece(text: str, *others: str) -> str:
    return pieces(OpenTexts(lambda language: None), state_at(text, *others))[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("shelf.add(book)\nshelf.remove(book)\nshelf.rem|", "ove(book)"),
        ("shelf.add(book)\nshelf.add(pen)\n\nshelf.|", "add(pen)"),  # what follows the receiver elsewhere
        ("self.a = a\nself.b = b\nself.size =|\n", " size"),  # as the lines beside it
        ("if a:\n    return None\n\nif b:\n    ret|", "urn None"),
        ("paint(colour)\nprint(co|)\n", "lour"),  # what is behind the cursor is not said again
        ("paint(colour)\nprint(colour|)\n", ""),
        ("total = price\ntot| += price\n", "al"),  # the line goes on already
        ("total = price\ntotal| + price\n", ""),
        ("# one of these words\n# one of th|", "ese words"),
        ("zebra = 1\n\nq|", ""),
        ("|", ""),
    ],
)
def test_continuation(text: str, expected: str) -> None:
    assert continuation(text) == expected


GO = """\
func one() error {
\tx, err := load()
\tif err != nil {
\t\treturn err
\t}
\ty, err := save()
\tif err != nil {
\t\treturn err
\t}
\tuse(x, y)
}

func two() error {
"""
JAVA = """\
class Shop {
  void open() {
    if (closed) {
      throw new IllegalStateException();
    }
    serve();
  }

  void sell() {
"""
RUST = """\
fn one() -> Answer {
    match ask() {
        Some(text) => text,
        None => {
            return Answer::Missing;
        }
    }
}

fn two() -> Answer {
    match ask() {
"""
TABLE = """\
const cases = [
  {
    name: 'empty',
    open: true,
  },
  {
    name: 'empty',
    open: true,
  },
"""


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("go", GO + "\tz, err := load()\n\tif err|\n}\n", " != nil {\n\t\treturn err\n\t}\n\t"),
        ("go", (GO + "\tif err|\n}\n").replace("\n", "\r\n"), " != nil {\r\n\t\treturn err\r\n\t}\r\n\t"),
        ("java", JAVA + "    if (clo|\n  }\n}\n", "sed) {\n      throw new IllegalStateException();\n    }"),
        ("rust", RUST + "        No|\n    }\n}\n", "ne => {\n            return Answer::Missing;\n        }"),
        ("typescript", TABLE + "  {|\n];\n", "\n    name: 'empty',\n    open: true,\n  },\n  {"),
    ],
)
def test_to_the_end_of_the_block(language: str, text: str, expected: str) -> None:
    assert continuation(text, language).startswith(expected)


def test_the_bracket_that_ends_the_block_is_the_last_piece() -> None:
    text = "func one() {\n\tstart()\n\tstop()\n}\n\nfunc two() {\n\tstart()\n\tsto|"
    assert continuation(text, "go") == "p()\n}"
    assert continuation(text + "\n}\n", "go") == "p()"  # it is there already


def test_no_line_has_less_indentation_than_the_first_one() -> None:
    text = "def one():\n    start()\n    stop()\nend()\n\ndef two():\n    start()\n    st|"
    assert "\nend" not in continuation(text)


def test_no_line_is_begun_outside_of_blocks() -> None:
    assert continuation("open()\nclose()\n\nopen()\nclose()\n\nop|") == "en()"


def test_words_of_other_documents_are_known() -> None:
    assert next_piece("x = comp|", "y = compute_total\n") == "ute_total"


def test_the_document_counts_more_than_others() -> None:
    assert next_piece("config = 1\n\nx = con|", "y = connection\n") == "fig"


def test_the_line_that_is_being_typed_teaches_nothing() -> None:
    assert next_piece("verbose = 1\nx = ver|") == "bose"


def test_a_changed_text_is_known_at_once_and_a_removed_one_is_forgotten() -> None:
    texts = OpenTexts(lambda language: None)
    for text, expected in [
        ("alpha = 1\n\nx = al|", "pha"),
        ("alpine = 1\n\nx = al|", "pine"),
        ("alpha = 1\n\nx = al|", "pha"),
    ]:
        assert pieces(texts, state_at(text))[0] == expected


@given(
    st.lists(
        st.sampled_from(["a.b(c, d)\n", "    x = y[0]\n", "\n", "é = 'ü'\n", "((([[\n", ")\n"]), max_size=8
    ),
    st.integers(0, 80),
)
def test_steps_are_bounded_and_begin_lines_in_blocks_only(lines: list[str], cursor: int) -> None:
    text = "".join(lines)
    cursor = min(cursor, len(text))
    state = EditorState(Snapshot.from_text(text, uri="file:///a.py", language="python"), cursor)
    steps = list(find_steps(OpenTexts(lambda language: None).model_at(state, lambda: None), place_at(state)))
    assert len(steps) <= MAX_STEPS
    assert all(step.text for step in steps)
    _, *others = "".join(step.text for step in steps).split("\n")
    assert all(line[:1] in (" ", ")", "]", "}") for line in others)
    assert len(others) <= MAX_NEW_LINES
    assert sum(len(step.text) for step in steps[:-1]) <= MAX_CHARS
