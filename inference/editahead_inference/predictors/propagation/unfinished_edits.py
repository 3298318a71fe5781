"""Tests whether the last edit is still being typed: what is half typed says nothing about other places yet.

A request can come after each key. While the cursor is in the lines of the last edit, the word before the cursor, or the
whole line, may be unfinished. Some cases are certain: the text has a syntax error where it is typed, or the word is new and
begins a known name. The gate weighs the others by the features.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.syntax.syntax_trees import SyntaxTrees, count_errors
from editahead_prompts.text.identifiers import WORD, split_words, word_before
from editahead_prompts.text.scripts import count_letters
from editahead_prompts.text.snapshot import line_body
from editahead_prompts.text.word_patterns import WordPattern, goes_on

from .document_index import DocumentIndex
from .named_places import MAX_WIDTH
from .token_patterns import KEYWORDS

_MAX_REST = 20
"""Characters after the cursor, at most, that are counted."""
_MIN_TYPED = 3
"""Characters from which a new name that the cursor is behind may be whole."""
_PLURALS = ("s", "es")
_COMMON_WORDS = frozenset(
    WORD.findall(
        "add all app arg area back base body box bytes call case cell char check city clear client clock close code "
        "col color column config content copy core cost count create cur current data date day db debug default "
        "delete depth desc dir doc done draw edit email end entry env error event exc exit expected factor fetch "
        "field file filter find first flag flush form format free from func get group handle hash head height host "
        "hour html id in index info init input insert is item join json key kind label last len length level limit "
        "line link list load local lock log login low make map mark max mean merge message method min mode model "
        "month move msg name new next node notes num number obj offset ok old on open option order out output owner "
        "page pair parent parse part path pick place play point pop port pos post print process push put query queue "
        "quit raw read record ref remove render replace report request reset result return root row run save score "
        "search seed select send set shape shift show sign size skip sort source span split stack start state status "
        "step stop store string sum sync tag take target task temp test text tick time timeout title to token top "
        "total trace tree type unit up update url use user value view visit wait walk week width word work write year "
        "zip zone"
    )
)
"""Words that names often end in: one of them may be whole, although another name goes on from it."""


@dataclass(frozen=True, slots=True)
class Typing:
    """The edit at the cursor.

    Attributes:
        edit: The last edit, whose lines hold the cursor.
        row: The 0-based row of the cursor in the edit's new lines.
        word: The new word that ends at the cursor, or "".
        is_known: Whether the word also occurs elsewhere in the open documents.
        begins_name: Whether the word is unknown, defines nothing, and begins another name of the document.
        shortens: Whether the word begins a name of the old line.
        rest: The number of characters after the cursor in its line, without white space.
        is_broken: Whether the edit's lines have a syntax error.
        erases: Whether the last key took a character of the word away, which left more than a plural's end to type.
        is_begun: Whether the word is too short to be whole, is glued to the word behind the cursor, or is half a version.
    """

    edit: PastEdit
    row: int
    word: str
    is_known: bool
    begins_name: bool
    shortens: bool
    rest: int
    is_broken: bool
    erases: bool
    is_begun: bool = False

    @property
    def is_unfinished(self) -> bool:
        """Whether the line at the cursor is certainly unfinished."""
        return self.is_broken or self.begins_name or self.erases or self.is_begun

    def features(self) -> dict[str, float]:
        """Return what the gate weighs for the places that repeat this edit."""
        return {
            "typing": 1.0,
            "typing-word": 0.0 if not self.word else 1.0 if self.is_known else 2.0,
            "typing-length": float(len(self.word)),
            "typing-shortens": float(self.shortens),
            "typing-rest": float(self.rest),
        }


def find_typing(state: EditorState, index: DocumentIndex, trees: SyntaxTrees) -> Typing | None:
    """Return the edit at the cursor, or None if the user has left the lines of the last edit.

    Args:
        state: The state.
        index: The index of the state's document.
        trees: The syntax trees of the document.
    """
    edit, snapshot = _open_edit(state), state.document
    if edit is None:
        return None
    line = snapshot.line_at(state.cursor)
    body, column = index.bodies[line], state.cursor - snapshot.starts[line]
    after = body[column:]
    typed = "" if goes_on(after[:1]) else word_before(body, column)
    old = [name for line in edit.old for name in WORD.findall(line)]
    word = typed if typed not in old else ""
    is_known = bool(word) and _is_known(word, edit, index, state)
    tree = trees.tree(snapshot) if len(body) <= MAX_WIDTH else None
    begins_name = bool(word) and not is_known and _begins_name(word, index)
    if begins_name and tree is not None and _may_be_new(word, edit, old):
        begins_name = not trees.occurrence(snapshot, state.cursor - len(word), state.cursor).defines
    return Typing(
        edit,
        line - edit.line,
        word,
        is_known,
        begins_name,
        bool(word) and any(name.startswith(word) for name in old),
        min(len("".join(after.split())), _MAX_REST),
        tree is not None and count_errors(tree.root_node, edit.line, edit.line + len(edit.new)) > 0,
        edit.erases and bool(word) and not any(word + plural in old for plural in _PLURALS),
        _is_short(word, edit, line - edit.line)
        or _is_glued(body, column, edit)
        or _is_version(edit, line - edit.line, body, column),
    )


def _is_version(edit: PastEdit, row: int, body: str, column: int) -> bool:
    """Return whether a version or a fraction is typed up to a point, or before the point that the old line had there."""
    before = body[:column]
    if before[-1:] == ".":
        return before[-2:-1].isdigit()
    is_rewritten = len(edit.old) == len(edit.new) and before[-1:].isdigit()
    return is_rewritten and edit.old[row].startswith(f"{before}.") and not body.startswith(".", column)


def _is_short(word: str, edit: PastEdit, row: int) -> bool:
    """Return whether a new word has too few letters for what is put for longer words of its line."""
    if (
        not word
        or count_letters(word) >= _MIN_TYPED
        or word in _COMMON_WORDS
        or len(edit.old) != len(edit.new)
    ):
        return False
    removed = Counter(WORD.findall(edit.old[row])) - Counter(WORD.findall(edit.new[row]))
    return bool(removed) and all(len(name) > len(word) for name in removed)


def _is_glued(body: str, column: int, edit: PastEdit) -> bool:
    """Return whether letters are typed directly in front of a word of the old lines: of a new word, or of this one.

    A capital or an underscore between both says that they are one name.
    """
    old = {name for line in edit.old for name in WORD.findall(line)}
    match = WORD.match(body, column)
    before = word_before(body, column)
    if match is None or not before or match[0] not in old or before + match[0] in old:
        return False
    return len(split_words(before + match[0])) < len((*split_words(before), *split_words(match[0])))


def _open_edit(state: EditorState) -> PastEdit | None:
    """Return the last edit if the cursor is still in its lines."""
    edit = state.history[-1] if state.history else None
    if edit is None or not edit.open or edit.uri != state.document.uri:
        return None
    return edit if 0 <= state.document.line_at(state.cursor) - edit.line < len(edit.new) else None


def _is_known(word: str, edit: PastEdit, index: DocumentIndex, state: EditorState) -> bool:
    """Return whether a word occurs in the open documents outside of an edit's new lines."""
    # With several cursors more than one edit has the word.
    typed = (one for one in state.history if one.open and one.uri == edit.uri)
    here = sum(WORD.findall(line).count(word) for one in typed for line in one.new)
    if index.words.get(word, 0) > here:
        return True
    pattern = WordPattern(rf"\b{word}\b")
    return any(word in other.text and pattern.search(other.text) for other in state.other_documents)


def _begins_name(word: str, index: DocumentIndex) -> bool:
    """Return whether another name of a document goes on from a word."""
    return any(
        name.startswith(word) and name.rstrip("_") != word.rstrip("_") and name not in KEYWORDS
        for name in index.words
    )


def _may_be_new(word: str, edit: PastEdit, old: Sequence[str]) -> bool:
    """Return whether a word that is defined in an edit may be whole: a new name may begin like any other."""
    return not edit.old or any(name.startswith(word) for name in old) or _last_word(word) in _COMMON_WORDS


def _last_word(name: str) -> str:
    return (split_words(name) or ("",))[-1]


def finished_edits(edits: Sequence[PastEdit], typing: Typing | None) -> list[PastEdit | None]:
    """Return the edits, newest first, with None for the last one if nothing of it is finished.

    Of an edit that rewrote lines one by one, the other lines are finished. What the same keys type at other cursors is one
    edit, however often it is made.
    """
    if typing is None:
        return list(edits)
    here = _without_row(typing.edit, typing.row) if typing.is_unfinished else typing.edit
    return [here if edit is typing.edit else None if edit.open else edit for edit in edits]


def _without_row(edit: PastEdit, row: int) -> PastEdit | None:
    """Return the edit without the line at the cursor, or None if too little is left."""
    if len(edit.old) != len(edit.new):
        return None
    new = (*edit.new[:row], edit.old[row], *edit.new[row + 1 :])
    if all(line_body(a) == line_body(b) for a, b in zip(edit.old, new, strict=True)):
        return None
    return replace(edit, new=new)


def may_be_whole(old: str, new: str, index: DocumentIndex) -> bool:
    """Return whether the new name of a definition that the cursor is behind may be whole.

    It is not while its last word only begins a word of another name of the document, nor while it is short and begins the
    old name. A singular begins its plural. A name that begins with a capital is none that a name in small letters becomes.

    Args:
        old: The old name.
        new: The new name, as far as it is typed.
        index: The index of a document that uses the old name.
    """
    last = _last_word(new)
    if old.startswith(new):
        return count_letters(new) > _MIN_TYPED
    if last in _COMMON_WORDS:
        return True
    if count_letters(last) < _MIN_TYPED:
        return False
    known = _known_words(index, is_small=new[:1].islower())
    return last in known or not any(
        word.startswith(last) and word.removeprefix(last) not in _PLURALS for word in known
    )


def _known_words(index: DocumentIndex, *, is_small: bool) -> set[str]:
    """Return the words of a document's names; without those of names with a capital for a name in small letters."""
    return {
        word
        for name in index.words
        if name not in KEYWORDS and not (is_small and name[:1].isupper())
        for word in split_words(name)
    }
