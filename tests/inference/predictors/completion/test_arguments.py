"""Arguments by the names of parameters: what an unfinished call of a known function goes on with."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.completion.open_texts import OpenTexts
from editahead_inference.predictors.completion.parameters import Parameter, find_parameters
from editahead_inference.predictors.completion.place import place_at
from editahead_inference.predictors.completion.steps import find_steps
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import Snapshot


def completed(text: str, *, language: str = "python", other: str | None = None) -> str:
    """Return what follows the bar in the likeliest completion, up to the end of the line, by the open texts alone."""
    cursor = text.index("|")
    others = (Snapshot.from_text(other, uri="file:///other", language=language),) if other else ()
    snapshot = Snapshot.from_text(text.replace("|", "", 1), uri="file:///here", language=language)
    state = EditorState(snapshot, cursor, other_documents=others)
    model = OpenTexts(lambda _: None).model_at(state, lambda: None)
    return "".join(step.text for step in find_steps(model, place_at(state))).partition("\n")[0]


PYTHON = "def draw(shape, colour, width=1):\n    pass\n\n\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def show(colour, shape):\n    draw(|", "shape, colour"),
        ("def show(colour, shape):\n    draw(sh|", "ape, colour"),
        ("def show(colour, shape):\n    draw(shape, |", "colour"),
        ("def show(colour, shape):\n    draw(other(shape), |", "colour"),
        ("def show(main_colour, shape):\n    draw(shape,|", " main_colour"),
        ("def show(width, shape):\n    draw(shape, red, |", "width)"),
        ("def show(width, shape):\n    draw(shape, red, width=|", "width)"),
        ("def show(colour, shape):\n    draw(shape=shape, |", "colour=colour"),
        ("def show(colour, shape):\n    draw(\n        shape,\n        |", "colour"),
    ],
)
def test_python(text: str, expected: str) -> None:
    assert completed(text, other=PYTHON).startswith(expected)


def test_a_member_of_that_name() -> None:
    text = "class Pen:\n    def use(self, shape):\n        self.colour = red\n        draw(shape, |"
    assert completed(text, other=PYTHON).startswith("self.colour")


@pytest.mark.parametrize(
    ("language", "definition", "text", "expected"),
    [
        (
            "typescript",
            "export function draw(shape: Shape, colour = 'red') {\n}\n",
            "function show(colour: string, shape: Shape) {\n  draw(|\n}\n",
            "shape",
        ),
        (
            "javascript",
            "class Pen {\n  draw(shape, colour) {\n  }\n}\n",
            "function show(colour, shape) {\n  pen.draw(|\n}\n",
            "shape, colour)",
        ),
        (
            "go",
            "func (p *Pen) Draw(shape Shape, colour string) error {\n}\n",
            "func show(colour string, shape Shape) {\n\tpen.Draw(|\n}\n",
            "shape, colour)",
        ),
        (
            "rust",
            "impl Pen {\n    fn draw(&self, shape: Shape, colour: &str) {\n    }\n}\n",
            "fn show(colour: &str, shape: Shape) {\n    pen.draw(|\n}\n",
            "shape, colour)",
        ),
        (
            "java",
            "class Pen {\n    public void draw(Shape shape, final String colour) {\n    }\n}\n",
            "class Show {\n    void show(String colour, Shape shape) {\n        pen.draw(|\n    }\n}\n",
            "shape, colour)",
        ),
        (
            "c",
            "int draw(struct shape *shape, const char *colour);\n",
            "void show(char *colour, struct shape *shape)\n{\n    draw(|\n}\n",
            "shape, colour)",
        ),
        (
            "cpp",
            "void Pen::draw(const Shape& shape, std::string colour)\n{\n}\n",
            "void show(std::string colour, Shape shape) {\n    pen.draw(|\n}\n",
            "shape, colour)",
        ),
    ],
)
def test_other_languages(language: str, definition: str, text: str, expected: str) -> None:
    assert completed(text, language=language, other=definition).startswith(expected)


def test_a_call_without_parameters_is_closed() -> None:
    assert completed("def main():\n    stop(|", other="def stop():\n    pass\n")[0] == ")"


def test_a_class_is_called_with_what_it_is_made_from() -> None:
    pen = "class Pen:\n    def __init__(self, colour):\n        pass\n"
    assert completed("def make(width, colour):\n    return Pen(|", other=pen).startswith("colour)")


@pytest.mark.parametrize(
    ("language", "other"),
    [
        ("typescript", "draw(a)" + ": b" * 2000),
        ("typescript", "x" * 100_000 + "draw(a) " * 200),
        ("java", "draw(a)" + " throws A" * 2000),
        ("c", "* " * 2000 + "&*" * 2000 + "draw(a)"),
        ("cpp", "a* b& " * 30 + "draw(a)\n"),
    ],
)
def test_a_text_that_defines_nothing_is_searched_in_little_time(language: str, other: str) -> None:
    snapshot = Snapshot.from_text(other * 5, language=language)
    assert find_parameters("draw", (snapshot,)) in (None, (Parameter("a"),))


def test_nothing_is_expected_in_a_definition() -> None:
    assert completed(PYTHON + "def draw(|") != "shape, colour"


def test_a_parameter_is_not_completed_to_another_one() -> None:
    text = (
        "function pay(total: number, customer: string) {}\nfunction send(total: number, customer: string, |"
    )
    assert not completed(text + ") {}\n", language="typescript").strip().startswith(("customer", "total"))
    assert not completed(text.replace("|", "cu|") + ") {}\n", language="typescript").startswith("stomer")
