"""Large documents: prompts are built from the visible lines alone, and equal those built from all lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from editahead_prompts.composition import tokenizers
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.errors import PromptTooLongError
from editahead_prompts.formats import escaping, excerpts, windows
from editahead_prompts.formats.base import Format, PromptRequest
from editahead_prompts.formats.next_edit import editahead_2611, fim, mercury, sweep
from editahead_prompts.formats.registry import FORMATS
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot

ALL = pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS.keys())
LINES = [f"def function_{n}(value):\n    return value + {n}\n" for n in range(16_000)]
LONG = "long = '" + "x, " * 200_000 + "'\n"


@dataclass
class Counting:
    """A tokenizer that adds up the characters of its inputs."""

    chars: int = 0

    def count(self, text: str) -> int:
        self.chars += len(text)
        return ESTIMATE.count(text)

    def encode(self, text: str) -> tuple[int, ...] | None:
        return None

    def offsets(self, text: str) -> Sequence[int]:
        self.chars += len(text)
        return ESTIMATE.offsets(text)


def state_at(text: str, cursor: int) -> EditorState:
    document = Snapshot.from_text(text, uri="file:///a.py", language="python")
    line = document.line_at(cursor)
    edit = PastEdit(document.uri, line, ("old\n",), document.lines[line : line + 1], open=True)
    return EditorState(document, cursor, (edit,) if len(document.lines[line]) < 1000 else ())


def built(format: Format, state: EditorState, tokenizer: Counting | None = None) -> PromptRequest:
    return format.build(state, tokenizer or Counting())


@pytest.mark.slow
@ALL
@pytest.mark.parametrize("at", [0.0, 0.4, 1.0])
def test_far_lines_are_not_looked_at(format: Format, at: float, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(LINES)
    state, looked = state_at(text, round(at * len(text))), [0]

    def escape(text: str, special: tuple[str, ...]) -> str:
        looked[0] += len(text)
        return escaping.escape(text, special)

    for module in (excerpts, fim, editahead_2611, sweep, mercury, windows):
        if hasattr(module, "escape"):
            monkeypatch.setattr(module, "escape", escape)
    parsed: list[int] = []
    tree = SyntaxTrees.tree
    monkeypatch.setattr(SyntaxTrees, "tree", lambda self, of: parsed.append(of.length) or tree(self, of))
    tokenizer = Counting()
    near = built(format, state, tokenizer)
    assert tokenizer.chars + looked[0] < len(text)
    assert sum(parsed) <= 2 * windows.MAX_PARSED_CHARS
    for module in (tokenizers, windows):
        monkeypatch.setattr(module, "MAX_CHARS", len(text))
    monkeypatch.setattr(windows, "MAX_PARSED_CHARS", len(text))
    whole = built(format, state)
    assert (near.prompt.text, near.region) == (whole.prompt.text, whole.region)
    left = [sum(part.tokens for part in one.prompt.left_out) for one in (near, whole)]
    assert left[0] == pytest.approx(left[1], rel=0.02)


@ALL
def test_a_long_line_elsewhere_is_not_counted(format: Format) -> None:
    """It may be in the way of what stands beyond it, but nothing more."""
    text = "".join(LINES[:40])
    state = state_at(text + "\n" * 120 + LONG + text, text.index("function_20"))
    tokenizer = Counting()
    request = built(format, state, tokenizer)
    assert "function_20(" in request.prompt.text and "long = " not in request.prompt.text
    assert tokenizer.chars < len(LONG) // 4


@ALL
def test_a_long_line_with_the_cursor_does_not_fit(format: Format) -> None:
    text = "".join(LINES[:40])
    state = state_at(text + LONG + text, len(text) + len(LONG) // 2)
    tokenizer = Counting()
    with pytest.raises(PromptTooLongError):
        built(format, state, tokenizer)
    assert tokenizer.chars < len(LONG) // 4
