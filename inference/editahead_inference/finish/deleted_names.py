"""The definitions that a change took away: a new name replaced them, or nothing did."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tree_sitter import Node

from editahead_inference.predictors.propagation.follow_up import changed_tokens, without_alignment
from editahead_inference.predictors.propagation.named_places import MAX_WIDTH, whole_word
from editahead_inference.predictors.propagation.token_patterns import KEYWORDS
from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.constructors import is_assigned_member
from editahead_prompts.syntax.language import NodeTypes
from editahead_prompts.syntax.languages import PARSED_LANGUAGES, find_language
from editahead_prompts.syntax.name_occurrences import NameRole
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.identifiers import WORD, replaced_word, split_words
from editahead_prompts.text.snapshot import Snapshot

from .report import ChangedFile

MAX_DELETED_NAMES = 60
"""Definitions of one change that are followed; a change that takes more away is a rewrite of its files."""
MAX_LINES = 2000
"""Lines of a file with one name whose occurrences are classified."""
_MAX_DEPTH = 400
_SCOPES = re.compile(r"function|method|class|interface|struct|enum|trait|impl|type_spec|record")
"""Types of the nodes around a definition whose names tell one scope from another."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition of a name.

    Attributes:
        name: The name.
        role: "member", or "plain" for what a scope binds.
        owner: The type of a member, or the function of a parameter.
        path: The names of the functions and types around it, the innermost first; () at the top level.
        is_local: Whether a function binds it.
        imports: Whether it is an import.
        line: The 0-based line.
        column: The column.
    """

    name: str
    role: NameRole
    owner: str
    path: tuple[str, ...]
    is_local: bool
    imports: bool
    line: int
    column: int

    @property
    def scope(self) -> tuple[str, ...]:
        """What tells it from another definition of its name: the type of a member, or the functions around."""
        return (self.owner, *self.path) if self.role == "member" else self.path


@dataclass(frozen=True, slots=True)
class DeletedName:
    """A definition that a change deleted or renamed.

    Attributes:
        old: The definition as it was.
        origin: The file as it is now.
        edit: The edit that took it away.
        new: The name that replaced it; "" for none.
        place: The 0-based line and column of the new name, or where the definition was.
        is_sure: Whether the new name is in the place of the old one, in a line that is otherwise the same but for names.
    """

    old: Definition
    origin: Snapshot
    edit: PastEdit
    new: str
    place: tuple[int, int]
    is_sure: bool

    @property
    def name(self) -> str:
        """The old name."""
        return self.old.name


class _File:
    """A changed file of which both texts can be parsed."""

    def __init__(
        self, before: Snapshot, after: Snapshot, trees: SyntaxTrees, check: Callable[[], None]
    ) -> None:
        # The texts before and after have one URI, and each has trees of its own.
        self.before = Snapshot(f"{before.uri}#before", before.language, 0, before.lines)
        self.after = after
        self._trees, self._check = trees, check
        self._known: dict[tuple[bool, str], list[Definition]] = {}

    def definitions(self, name: str, *, before: bool = False) -> list[Definition]:
        """Return the definitions of a name in one of both texts."""
        key = before, name
        if key not in self._known:
            snapshot = self.before if before else self.after
            self._known[key] = self._find(snapshot, name, _lines_with(snapshot, name))
        return self._known[key]

    def defined_in(self, name: str, lines: range, *, before: bool = False) -> list[Definition]:
        """Return the definitions of a name in some lines of one of both texts."""
        snapshot = self.before if before else self.after
        return self._find(snapshot, name, [n for n in lines if name in snapshot.lines[n]])

    def _find(self, snapshot: Snapshot, name: str, lines: Sequence[int]) -> list[Definition]:
        found: list[Definition] = []
        for line in lines:
            self._check()
            found += _definitions(snapshot, name, line, self._trees)
        return found


def find_deleted_names(
    change: Sequence[ChangedFile], trees: SyntaxTrees, check: Callable[[], None] = lambda: None
) -> list[DeletedName]:
    """Return the definitions that a change took away, in its order. A deleted file takes all of its own along.

    Args:
        change: The files of the change.
        trees: The syntax trees of all documents.
        check: Called often; may raise to cancel.
    """
    texts = [(file.before or _empty(file.after), file.after or _empty(file.before)) for file in change]
    files = [
        _File(before, after, trees, check) for before, after in texts if after.language in PARSED_LANGUAGES
    ]
    found: list[DeletedName] = []
    for file in files:
        deleted = list(_deleted_from(file, trees))
        renamed = {one.name: one.new for one in deleted if one.new}
        found += (one for one in deleted if not _is_kept(one.old, file, renamed, files))
    return found[:MAX_DELETED_NAMES]


def _empty(file: Snapshot | None) -> Snapshot:
    """Return a file as it is where there is none."""
    assert file is not None, "a change has at least one text of each file"
    return replace(file, lines=("",))


def _deleted_from(file: _File, trees: SyntaxTrees) -> Iterator[DeletedName]:
    """Yield the definitions in the lines that a change replaced, which its file no longer has in the same scope."""
    old_lines, new_lines = file.before.lines, file.after.lines
    for i1, i2, j1, j2 in diff_lines(old_lines, new_lines):
        edit = PastEdit(file.after.uri, j1, old_lines[i1:i2], new_lines[j1:j2])
        here = [
            one
            for word in _names_of(edit.old)
            for one in file.defined_in(word, range(i1, i2), before=True)
            if not any(_is_same(one, other) for other in file.definitions(word))
        ]
        aligned = _aligned(edit) if here else {}
        inserted = _inserted_definitions(edit, file) if here else []
        for one in here:
            row = one.line - i1
            name, column, is_sure = aligned.get((row, one.column), ("", 0, False))
            if any((two.name, two.column) == (name, column) for two in inserted):
                yield DeletedName(one, file.after, edit, name, (j1 + row, column), is_sure)
                continue
            new = _successor(one, here, inserted)
            place = (min(j1, max(len(new_lines) - 1, 0)), 0) if new is None else (new.line, new.column)
            yield DeletedName(one, file.after, edit, "" if new is None else new.name, place, False)


def _successor(
    old: Definition, deleted: Sequence[Definition], inserted: Sequence[Definition]
) -> Definition | None:
    """Return the definition that surely replaces a deleted one: both are the only ones of their kind, and alike."""
    likes = [one for one in inserted if (one.role, one.is_local) == (old.role, old.is_local)]
    alike = [one for one in deleted if (one.role, one.is_local) == (old.role, old.is_local)]
    is_clear = len(likes) == len(alike) == 1 and not old.imports
    return likes[0] if is_clear and _share_word(old.name, likes[0].name) else None


def _share_word(old: str, new: str) -> bool:
    return bool(set(split_words(old)) & set(split_words(new)))


def _names_of(lines: Sequence[str]) -> list[str]:
    """Return the names of some lines, each once. Underscores alone are no name."""
    found = dict.fromkeys(word for line in lines for word in WORD.findall(line[:MAX_WIDTH]))
    return [word for word in found if word.strip("_") and word not in KEYWORDS]


def _inserted_definitions(edit: PastEdit, file: _File) -> list[Definition]:
    """Return the definitions of names in an edit's new lines that the text before did not define in the same scope."""
    return [
        one
        for word in _names_of(edit.new)
        for one in file.defined_in(word, range(edit.line, edit.line + len(edit.new)))
        if not any(_is_same(one, other) for other in file.definitions(word, before=True))
    ]


def _aligned(edit: PastEdit) -> Mapping[tuple[int, int], tuple[str, int, bool]]:
    """Return the new name of each one that an edit replaced in its place, by row and column of the old one.

    With it are its column, and whether the line changed by names only.
    """
    found: dict[tuple[int, int], tuple[str, int, bool]] = {}
    for row, a, b, spans in changed_tokens(edit):
        pairs = [(span, replaced_word(a, b, span)) for span in without_alignment(a, b, spans)]
        is_plain = all(pair is not None for _, pair in pairs)
        for (a1, _, b1, _), pair in pairs:
            if pair is not None:
                found[row, sum(map(len, a[:a1]))] = pair[1], sum(map(len, b[:b1])), is_plain
    return found


def _is_same(one: Definition, other: Definition) -> bool:
    return (one.role, one.scope) == (other.role, other.scope)


def _is_kept(one: Definition, file: _File, renamed: Mapping[str, str], files: Sequence[_File]) -> bool:
    """Return whether a definition still exists: in a scope that was renamed, in one that was deleted, or elsewhere."""
    scope = tuple(renamed.get(name, name) for name in one.scope)
    if any((one.role, scope) == (other.role, other.scope) for other in file.definitions(one.name)):
        return True
    around = [name for name in (*one.path, one.owner) if file.definitions(name, before=True)]
    if any(not file.definitions(renamed.get(name, name)) for name in around):
        return True  # it went with what held it
    if one.is_local and "" in one.path:
        return True  # functions without names are not told apart
    return any(
        _is_same(one, other)
        for elsewhere in files
        if elsewhere is not file and not one.is_local and not one.imports
        for other in elsewhere.definitions(one.name)
        if not any(_is_same(other, before) for before in elsewhere.definitions(one.name, before=True))
    )


def _definitions(snapshot: Snapshot, name: str, line: int, trees: SyntaxTrees) -> Iterator[Definition]:
    language = find_language(snapshot.language)
    for match in whole_word(name).finditer(snapshot.lines[line][:MAX_WIDTH]):
        at = snapshot.starts[line] + match.start()
        occurrence = trees.occurrence(snapshot, at, at + len(name))
        if occurrence.role not in ("plain", "member"):
            continue
        node = trees.node_at(snapshot, at, at + len(name))
        if node is None or not (occurrence.defines or is_assigned_member(node, language)):
            continue
        yield Definition(
            name,
            occurrence.role,
            occurrence.owner,
            _path(node, language.nodes),
            occurrence.role == "plain" and occurrence.binder != 0,
            occurrence.imports,
            line,
            match.start(),
        )


def _lines_with(snapshot: Snapshot, name: str) -> list[int]:
    if not name or name not in snapshot.text:
        return []
    return [number for number, line in enumerate(snapshot.lines) if name in line][:MAX_LINES]


def _path(node: Node, nodes: NodeTypes) -> tuple[str, ...]:
    """Return the names of the functions and types around a definition, the innermost first."""
    found: list[str] = []
    above = node.parent
    for _ in range(_MAX_DEPTH):
        if above is None:
            break
        name = above.child_by_field_name("name") or above.child_by_field_name("declarator")
        if name is not None and name != node and _SCOPES.search(above.type) and not _holds(name, node):
            found.append((name.text or b"").decode("utf-8", "replace"))
        elif above.type in nodes.lambdas:
            found.append("")
        above = above.parent
    return tuple(found)


def _holds(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte
