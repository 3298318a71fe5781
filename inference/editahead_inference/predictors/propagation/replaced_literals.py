"""Follow-ups of a replaced literal: the same string or version number in files that are not open, and the same message.

A literal that another file repeats, such as a version, an address or an option's name, has no binding that tells what it
means there. So only whole literals follow, and the gate weighs them by what it has learned of closed files.

A message of several words is the same wherever an open document repeats it, and a phrase of several words in it is the same
in the other messages of its document. A message that got the name of its function is that function's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.languages import nodes_of
from editahead_prompts.syntax.symbols import text_of
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.identifiers import WORD, split_words
from editahead_prompts.text.snapshot import line_body
from editahead_prompts.text.word_patterns import WordPattern

from .copied_blocks import find_copies
from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation
from .named_places import MAX_WIDTH
from .rule import shorten

_CONFIDENCE = 0.5
"""It is chosen: the gate's terms for closed files correct it."""
_MESSAGE, _MESSAGE_ELSEWHERE, _PHRASE = 0.6, 0.5, 0.4
"""Confidence that the same message follows in its document and in another open one, and the same phrase. They are chosen."""
_MAX_EDITS = 3
_MAX_LINES = 20
"""Lines with the literal. One on more lines is no single fact."""
MIN_LITERAL = 3
"""Characters of a literal, without quotes, that is looked for."""
_MAX_LITERAL = 120
_MIN_PHRASE = 8
"""Characters of several words that other messages repeat."""
_MIN_STEM = 3
"""Characters with which both spellings of a word begin."""
_OPENS = ("{", "(", ":", "=>")
"""What a line ends in that opens a block."""
_VERSION = r"(?<![\w.])v?\d+(?:\.\d+)+(?:[-+.]?\w+)*"
_LITERAL = WordPattern(
    rf"\"(?P<double>(?:[^\"\\]|\\.)*)\"|'(?P<single>(?:[^'\\]|\\.)*)'|`(?P<back>[^`\\]*)`|(?P<version>{_VERSION})"
)


def replaced_literals(edit: PastEdit) -> Iterator[tuple[str, str]]:
    """Yield the literals that an edit replaced, each as the old and the new text without quotes.

    The rest of a line stays as it is.
    """
    if len(edit.old) != len(edit.new):
        return
    for before, after in zip(edit.old, edit.new, strict=True):
        if before == after or max(len(before), len(after)) > MAX_WIDTH:
            continue
        old, new = list(_LITERAL.finditer(before)), list(_LITERAL.finditer(after))
        changed = [(a, b) for a, b in zip(old, new, strict=False) if a[0] != b[0]]
        if len(old) != len(new) or len(changed) != 1:
            continue
        a, b = changed[0]
        if before[: a.start()] != after[: b.start()] or before[a.end() :] != after[b.end() :]:
            continue
        was, now = _content(a), _content(b)
        if MIN_LITERAL <= len(was) <= _MAX_LITERAL and now and any(map(str.isalnum, was)):
            yield was, now


def follow_replaced_literals(situation: Situation) -> Iterator[FollowUp]:
    """Yield the lines of a closed file with a literal that a past edit replaced, if its own file has it no more."""
    index = situation.index
    if situation.state.is_open(index.snapshot.uri):
        return
    seen: set[str] = set()
    for edit in _typed(situation.edits[:_MAX_EDITS]):
        origin = situation.home(edit.uri)
        for old, new in replaced_literals(edit):
            lines = index.lines_with(old)
            is_left = origin is None or bool(origin.lines_with(old))
            if old in seen or is_left or len(lines) > _MAX_LINES:
                continue
            seen.add(old)
            for line in lines:
                body = line_body(index.snapshot.lines[line])
                made = _rewritten(body, old, new)
                if made != body:
                    proposal = index.rewrite(line, made)
                    label = f"{shorten(old, 24)} -> {shorten(new, 24)}"
                    yield FollowUp(proposal, "literal", f"literal:{old}:{new}", label, _CONFIDENCE)


def follow_replaced_messages(situation: Situation) -> Iterator[FollowUp]:
    """Yield the lines of an open document with a message, or a phrase of messages, that a past edit replaced."""
    index = situation.index
    uri = index.snapshot.uri
    if not situation.state.is_open(uri):
        return
    replaced = [
        (edit, pair) for edit in _typed(situation.edits[:_MAX_EDITS]) for pair in replaced_literals(edit)
    ]
    if not replaced or situation.trees.tree(index.snapshot) is None:
        return
    copies = [copy.edit for copy in find_copies(situation.edits, index, situation.trees)]
    for edit, (old, new) in replaced:
        if any(line.rstrip().endswith(_OPENS) for line in edit.new):
            continue  # the text is the title of a block, or decides on one
        if any(edit is copy for copy in copies):
            continue  # whose original keeps its text
        found = list(_same_message(old, new, edit, situation))
        if not found and edit.uri == uri:
            found = list(_same_phrase(old, new, edit, situation))
        yield from found


def _same_message(old: str, new: str, edit: PastEdit, situation: Situation) -> Iterator[FollowUp]:
    index = situation.index
    sure = _MESSAGE if edit.uri == index.snapshot.uri else _MESSAGE_ELSEWHERE
    for line in index.few_lines_with(old, _MAX_LINES) if len(old.split()) > 1 else ():
        made = _rewritten(index.bodies[line], old, new)
        yield from _message(line, made, (old, new), edit, situation, sure)


def _same_phrase(old: str, new: str, edit: PastEdit, situation: Situation) -> Iterator[FollowUp]:
    for before, after in _phrases(old, new):
        is_distinctive = len(before.split()) > 1 and len(before) >= _MIN_PHRASE and after.strip()
        if not is_distinctive or re.search(r"[{}%$\\]", before + after):
            continue
        for line in situation.index.few_lines_with(before, _MAX_LINES):
            made = _with_phrase(situation.index.bodies[line][:MAX_WIDTH], before, after)
            yield from _message(line, made, (before, after), edit, situation, _PHRASE)


def _with_phrase(body: str, before: str, after: str) -> str:
    """Return a line with other words in its literals."""
    words = WordPattern(rf"(?<!\w){re.escape(before)}(?!\w)")
    return _LITERAL.sub(lambda match: words.sub(lambda _: after, match[0]), body)


def _phrases(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield the words in which two texts differ.

    A word alone that is spelt in another way comes with the one before it, and with the one behind it.
    """
    a, b = (WordPattern(r"\w+|\s+|.").findall(text) for text in (old, new))
    head, tail = common_affixes(a, b)
    before, after = ("".join(part[head : len(part) - tail]).strip() for part in (a, b))
    if len(before.split()) != 1:
        yield before, after
        return
    if common_affixes(before, after)[0] < _MIN_STEM:
        return
    words = WordPattern(r"\w+ $"), WordPattern(r"^ \w+")
    ahead, behind = words[0].search("".join(a[:head])), words[1].search("".join(a[len(a) - tail :]))
    if ahead is not None:
        yield ahead[0] + before, ahead[0] + after
    if behind is not None:
        yield before + behind[0], after + behind[0]


def _message(
    line: int, made: str, texts: tuple[str, str], edit: PastEdit, situation: Situation, sure: float
) -> Iterator[FollowUp]:
    """Yield the line of a message as it becomes, unless the new text is about the function that was edited."""
    index = situation.index
    if made == index.bodies[line] or _is_own(texts, edit, line, situation):
        return
    proposal = index.rewrite(line, made)
    label = f"{shorten(texts[0], 24)} -> {shorten(texts[1], 24)}"
    yield FollowUp(proposal, "message", f"message:{texts[0]}:{texts[1]}", label, sure)


def names_own_function(edit: PastEdit, index: DocumentIndex, trees: SyntaxTrees) -> bool:
    """Return whether a replaced literal got a word of the name of its function.

    Args:
        edit: The edit.
        index: The index of its document.
        trees: The syntax trees.
    """
    return any(_own_words(texts, edit, index, trees) for texts in replaced_literals(edit))


def _is_own(texts: tuple[str, str], edit: PastEdit, line: int, situation: Situation) -> bool:
    """Return whether a new text got a word of the edited function's name that the function around a line lacks."""
    origin, trees = situation.home(edit.uri), situation.trees
    own = _own_words(texts, edit, origin, trees) if origin is not None else set()
    return bool(own - _name_of_function(situation.index, line, trees))


def _own_words(texts: tuple[str, str], edit: PastEdit, index: DocumentIndex, trees: SyntaxTrees) -> set[str]:
    """Return the words of the edited function's name that a new text has, and the old text has not."""
    if edit.line >= len(index.bodies):
        return set()
    old, new = ({word.lower() for word in WORD.findall(text)} for text in texts)
    return (new - old) & _name_of_function(index, edit.line, trees)


def _name_of_function(index: DocumentIndex, line: int, trees: SyntaxTrees) -> set[str]:
    """Return the words of the names of the functions around a line."""
    at = index.snapshot.starts[line] + len(index.indent(line))
    node, functions = trees.node_at(index.snapshot, at, at + 1), nodes_of(index.snapshot.language).functions
    words: set[str] = set()
    while node is not None:
        name = node.child_by_field_name("name") if node.type in functions else None
        words.update(word.lower() for word in split_words(text_of(name)))
        node = node.parent
    return words


def _typed(edits: Sequence[PastEdit | None]) -> Iterator[PastEdit]:
    return (edit for edit in edits if edit is not None and edit.origin == "typed")


def _content(match: re.Match[str]) -> str:
    return next(part for part in match.groups() if part is not None)


def _rewritten(body: str, old: str, new: str) -> str:
    if len(body) > MAX_WIDTH:
        return body

    def replaced(match: re.Match[str]) -> str:
        if _content(match) != old:
            return match[0]
        quote = "" if match["version"] is not None else match[0][0]
        return match[0] if quote and quote in new else f"{quote}{new}{quote}"

    return _LITERAL.sub(replaced, body)
