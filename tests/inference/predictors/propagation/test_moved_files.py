"""Imports of a moved or renamed file, in the languages whose imports name a path."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from editahead_inference.candidates import CLOSED
from editahead_inference.pipeline import Pipeline
from editahead_inference.predictors.propagation.predictor import Propagation
from editahead_prompts.state import EditorState, MovedFile
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY
from memory_codebase import MemoryCodebase
from state_builder import Person

ROOT = "file:///w"


def after_move(old: str, new: str, path: str, language: str, text: str) -> list[str]:
    """Return the document's texts that are proposed after a move."""
    document = Snapshot.from_text(text, uri=f"{ROOT}/{path}", language=language)
    state = EditorState(document, 0, moved_files=(MovedFile(f"{ROOT}/{old}", f"{ROOT}/{new}"),))
    return [candidate.edit.apply(text) for candidate in Propagation().propose(state, lambda: None)]


def test_the_moved_file_keeps_its_own_relative_imports() -> None:
    text = "import { a } from './names'\nimport { b } from '../types'\n"
    found = after_move("src/sums/tax.ts", "src/tax.ts", "src/tax.ts", "typescript", text)
    assert text.replace("'./names'", "'./sums/names'") in found
    assert text.replace("'../types'", "'./types'") in found


PATHS = [f"{folder}{name}" for folder in ("", "a/", "b/", "a/c/") for name in ("one", "two", "six")]


def now(path: str, moves: Sequence[tuple[str, str]]) -> str:
    """Return where a path without extension is after the moves, of which no two are of one file."""
    return next((new + path[len(old) :] for old, new in moves if f"{path}/".startswith(f"{old}/")), path)


def import_of(target: str, folder: str, language: str) -> str:
    path = posixpath.relpath(f"/{target}", f"/{folder}")
    if language == "typescript":
        return f'import {{ x }} from "{path if path.startswith(".") else f"./{path}"}";\n'
    ups = path.count("../")
    package, _, name = path.removeprefix("../" * ups).replace("/", ".").rpartition(".")
    return f"from {'.' * (ups + 1)}{package} import {name}\n"


@pytest.mark.parametrize("language", ["typescript", "python"])
@given(data=st.data())
@PROPERTY
def test_each_import_leads_where_its_file_went(language: str, data: st.DataObject) -> None:
    ending = {"typescript": "ts", "python": "py"}[language]
    places = st.sampled_from(PATHS)
    document = data.draw(places)
    targets = data.draw(
        st.lists(places.filter(lambda path: path != document), max_size=3, unique_by=posixpath.basename)
    )
    moves: list[tuple[str, str]] = []
    for path in data.draw(st.lists(places, max_size=3, unique=True)):
        folder = data.draw(st.sampled_from(["", "a/", "b/", "new/", "a/new/"]))
        moves.append((path, f"{folder}{path.rpartition('/')[2]}"))
    if data.draw(st.booleans()):
        moves = [("a", data.draw(st.sampled_from(["z", "b/z"])))]
    moves = [(old, new) for old, new in moves if old != new]
    after = [now(path, moves) for path in PATHS]
    assume(len(set(after)) == len(after))  # nothing is moved to where another file is
    assume(not {new for _, new in moves} & {old for old, _ in moves})  # nor to where one was
    text = "".join(import_of(target, posixpath.dirname(document), language) for target in targets)
    here = now(document, moves)
    kept = "" if moves and "/" not in moves[0][0] and moves[0][0] == "a" else f".{ending}"
    moved_files = tuple(MovedFile(f"{ROOT}/{old}{kept}", f"{ROOT}/{new}{kept}") for old, new in moves)
    person = Person(text, uri=f"{ROOT}/{here}.{ending}", language=language)
    for _ in range(9):
        state = person.state(moved_files=moved_files)
        found = [c for c in Propagation().propose(state, lambda: None) if c.label.startswith("import from")]
        if not found:
            break
        person.make(found[0].edit)
    folder = posixpath.dirname(here)
    assert person.text == "".join(import_of(now(target, moves), folder, language) for target in targets)


def test_several_modules_of_which_one_stayed_are_left_alone() -> None:
    text = "from . import tax, till\n"
    moves = [("shop/bill.py", "shop/sums/bill.py"), ("shop/tax.py", "shop/sums/tax.py")]
    snapshot = Snapshot.from_text(text, uri=f"{ROOT}/shop/sums/bill.py", language="python")
    moved = tuple(MovedFile(f"{ROOT}/{old}", f"{ROOT}/{new}") for old, new in moves)
    assert Propagation().propose(EditorState(snapshot, 0, moved_files=moved), lambda: None) == []
    assert after_move(*moves[0], "shop/sums/bill.py", "python", text) == ["from .. import tax, till\n"]


def test_closed_importers_are_looked_up_without_an_edit() -> None:
    files = {f"{ROOT}/shop/bill.py": "from shop.tax import rate\n", f"{ROOT}/shop/other.py": "tax = 1\n"}
    document = Snapshot.from_text("rate = 1\n", uri=f"{ROOT}/shop/duty.py", language="python")
    moved = MovedFile(f"{ROOT}/shop/tax.py", document.uri)
    state = EditorState(document, 0, index_version=1, moved_files=(moved,))
    prediction = Pipeline(codebase=MemoryCodebase(files)).predict(state)
    assert [closed.uri for closed in prediction.state.closed_documents] == [f"{ROOT}/shop/bill.py"]
    (shown,) = prediction.shown
    assert CLOSED in shown.candidate.features
    assert shown.candidate.edit.apply(files[shown.candidate.uri]) == "from shop.duty import rate\n"
    assert state.cache_key != EditorState(document, 0, index_version=1).cache_key
