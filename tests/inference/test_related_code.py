"""Which code of closed files a prompt gets for a state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editahead_inference.codebase import Chunk
from editahead_inference.related_code import SIMILAR_LINES, RelatedCodeFinder
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot
from memory_codebase import MemoryCodebase

HERE, STORE, CART = (f"file:///w/shop/{name}.py" for name in ("here", "store", "cart"))
TEXT = "import store\n\n\ndef show(cart):\n    total = store.net_total(cart)\n    return total\n"
STORE_TEXT = "import math\n\n\ndef net_total(cart):\n    return sum(cart)\n\n\ndef other():\n    pass\n"


class CodebaseWithPieces(MemoryCodebase):
    """A codebase that answers each question for similar code with the same pieces, and keeps the questions."""

    def __init__(self, files: dict[str, str], pieces: Sequence[Chunk] = ()) -> None:
        super().__init__(files)
        self.pieces, self.questions = pieces, list[str]()

    def similar(self, text: str, limit: int) -> Sequence[Chunk]:
        self.questions.append(text)
        return self.pieces[:limit]


def state_at(text: str, line: int, **fields: object) -> EditorState:
    document = Snapshot.from_text(text, uri=HERE, language="python")
    return replace(EditorState(document, document.starts[line], index_version=1), **fields)


def piece(uri: str, text: str, score: float = 1.0, line: int = 0) -> Chunk:
    return Chunk(uri, "python", line, line + text.count("\n"), text, score)


def test_the_definition_of_a_name_near_the_cursor_is_found_without_what_follows_it() -> None:
    [found] = RelatedCodeFinder(CodebaseWithPieces({STORE: STORE_TEXT})).find(state_at(TEXT, 4))
    assert (found.uri, found.line, found.kind) == (STORE, 3, "definition")
    assert found.text == "def net_total(cart):\n    return sum(cart)\n"


def test_a_name_far_from_the_cursor_is_not_looked_up() -> None:
    assert (
        RelatedCodeFinder(CodebaseWithPieces({STORE: STORE_TEXT})).find(state_at(TEXT + "\n" * 40, 40)) == ()
    )


def test_a_name_with_many_definitions_tells_nothing() -> None:
    files = {f"file:///w/{number}.py": STORE_TEXT for number in range(3)}
    assert RelatedCodeFinder(CodebaseWithPieces(files)).find(state_at(TEXT, 4)) == ()


def test_a_file_that_changed_since_it_was_indexed_shows_no_other_line() -> None:
    codebase = CodebaseWithPieces({STORE: STORE_TEXT})
    finder = RelatedCodeFinder(codebase)
    assert finder.find(state_at(TEXT, 4))
    codebase.files[STORE] = "\n" + STORE_TEXT
    assert finder.find(state_at(TEXT, 4)) == ()
    codebase.files[STORE] = ""
    assert finder.find(state_at(TEXT, 4)) == ()


def test_without_an_index_nothing_is_asked() -> None:
    codebase = CodebaseWithPieces({STORE: STORE_TEXT}, [piece(STORE, STORE_TEXT)])
    assert RelatedCodeFinder(codebase).find(state_at(TEXT, 4, index_version=0)) == ()
    assert codebase.questions == []


def test_of_a_similar_piece_the_lines_count_that_are_like_the_code() -> None:
    text = "".join(f"filler_{number}\n" for number in range(40)) + "    total = store.net_total(cart)\n"
    [found] = RelatedCodeFinder(CodebaseWithPieces({}, [piece(CART, text, line=10)])).find(state_at(TEXT, 4))
    assert found.kind == "similar" and found.text.endswith("net_total(cart)\n")
    assert found.text.count("\n") == SIMILAR_LINES and found.line == 10 + 41 - SIMILAR_LINES


def test_what_tells_more_comes_first_and_nothing_comes_twice() -> None:
    pieces = [
        piece(CART, "one\n", 2.0),
        piece(CART, "two\n", 4.0, line=5),
        piece(STORE, STORE_TEXT, 1.0, line=3),
    ]
    found = RelatedCodeFinder(CodebaseWithPieces({STORE: STORE_TEXT}, pieces)).find(state_at(TEXT, 4))
    assert [(one.kind, one.line) for one in found] == [("definition", 3), ("similar", 5), ("similar", 0)]
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert all(0 < one.score <= 1 for one in found)


def test_open_documents_are_in_the_prompt_anyway() -> None:
    other = Snapshot.from_text(STORE_TEXT, uri=STORE, language="python")
    codebase = CodebaseWithPieces({STORE: STORE_TEXT}, [piece(STORE, STORE_TEXT)])
    assert RelatedCodeFinder(codebase).find(state_at(TEXT, 4, other_documents=(other,))) == ()


def test_it_stays_while_a_line_is_typed() -> None:
    codebase = CodebaseWithPieces({STORE: STORE_TEXT}, [piece(CART, "x\n")])
    finder = RelatedCodeFinder(codebase)
    typed = "    return net_total(cart) + rates[cart.country]\n"
    found = set()
    for end in range(5, len(typed)):
        line = typed[:end] + "\n"
        text = TEXT.replace("    return total\n", line)
        edit = PastEdit(HERE, 5, ("    return total\n",), (line,), open=True)
        found.add(finder.find(state_at(text, 5, history=(edit,))))
    assert len(found) == len(codebase.questions) == 1


def test_another_index_is_asked_again() -> None:
    codebase = CodebaseWithPieces({STORE: STORE_TEXT})
    finder = RelatedCodeFinder(codebase)
    finder.find(state_at(TEXT, 4))
    codebase.files.clear()
    assert finder.find(state_at(TEXT, 4, index_version=2)) == ()
    assert len(codebase.questions) == 2
