"""Which occurrences of a name surely refer to a definition that an edit renamed, in its own document and in others."""

from __future__ import annotations

import posixpath
import re
from functools import cached_property
from typing import TYPE_CHECKING

from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.constructors import is_set_by_constructor
from editahead_prompts.syntax.languages import find_language, is_nested, nodes_of, package_of
from editahead_prompts.syntax.member_owners import HINT, IMPLICIT, enclosing_type
from editahead_prompts.syntax.name_occurrences import Occurrence
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.identifiers import split_words
from editahead_prompts.text.word_patterns import WordPattern

from .bindings import RenamedName, python_definition
from .document_index import DocumentIndex
from .named_places import (
    MODULE,
    OtherIndexes,
    has_parameter,
    matches_in,
    may_be_called,
    occurrence_at,
    places_in,
    whole_word,
)
from .names_in_text import is_listed, is_quoted

if TYPE_CHECKING:
    from tree_sitter import Node

C_FAMILY = frozenset({"c", "cpp"})
_IMPORT = re.compile(
    r"\s*(?:(?:@testable\s+)?import\b|from\s|use\s|(?:global\s+)?using\s|pub\s+use\s|mod\s|#\s*include\b|export\s.*\bfrom\b|.*\brequire\()"
)
_FOLDERS = frozenset({"__init__", "index", "mod", "lib", "main"})
"""Names of files whose module is called like their folder."""
_ATTRIBUTES = ("@", "#[", "*", "///", "//", "/*", "#!")
"""What lines between a comment and its definition begin with."""
_MAX_IMPORT_LINES = 200
_MAX_COMMENT_LINES = 60
_MAX_CLIMB = 6
_SUPER = WordPattern(r"(?<![\w.])super(?:\([^()]*\))?\s*\.\s*\Z")


class RenamedDefinition(RenamedName):
    """A definition that an edit renamed, with the occurrences of its old name in one document.

    Args:
        old: The old name.
        new: The new name.
        index: The index of the document whose occurrences are looked at.
        origin: The index of the document in which the edit renamed the definition.
        edit: The edit.
        trees: The syntax trees of both documents.
        place: The 0-based line and column of the new name.
        others: Returns the indexes of the other documents that are searched.

    Attributes:
        is_rewritten: Whether the edit also changed the line of the definition in another way than by names.
    """

    max_lines = 200

    def __init__(
        self,
        old: str,
        new: str,
        index: DocumentIndex,
        origin: DocumentIndex,
        edit: PastEdit,
        trees: SyntaxTrees,
        place: tuple[int, int],
        others: OtherIndexes = tuple,
    ) -> None:
        super().__init__(old, new, index, origin, edit, trees, others)
        self.edit, self.place = edit, place
        self._language = find_language(index.snapshot.language)
        self._new_place = place
        self.is_here = index is origin
        self.is_rewritten = False

    @cached_property
    def is_only_definition(self) -> bool:
        """Whether the edit renamed a definition, and its document defines neither the old nor the new name once more."""
        made = self.new_occurrence
        if made is None or made.imports:
            return False
        if made.role not in ("plain", "member") and not (made.role == "argument" and made.defines):
            return False
        if made.role == "member" and not made.owner:
            return False
        is_rivalled = any(self._is_rival(other) for other in self._old_definitions)
        if is_rivalled and (made.defines or not self._is_declared_as_field):
            return False
        others = [o for o in self._occurrences(self.new) if o.defines and self._is_rival(o)]
        if made.defines:
            return len(others) <= 1  # one is the renamed definition itself
        is_set = is_set_by_constructor(self._node(*self.place, self.new), self._language)
        return is_set and not self._is_set_again and not others

    @cached_property
    def _is_set_again(self) -> bool:
        """Whether a constructor still sets an attribute of the old name, or another one of the new name."""
        made = self.new_occurrence
        return made is not None and any(
            is_set_by_constructor(self._node(line, match.start(), name), self._language)
            for name in (self.old, self.new)
            for line, match in matches_in(self.index.lines_with(name)[: self.max_lines], name, self.index)
            if (line, match.start()) != self.place
            and occurrence_at(line, match.start(), name, self.index, self.trees).owner == made.owner
        )

    @cached_property
    def _is_declared_as_field(self) -> bool:
        """Whether the type of the member declares the old name, which a constructor sets, as a field and not as a method."""
        made, functions = self.new_occurrence, self._language.nodes.functions
        for line, match in matches_in(
            self.index.lines_with(self.old)[: self.max_lines], self.old, self.index
        ):
            found = occurrence_at(line, match.start(), self.old, self.index, self.trees)
            if made is None or not found.defines or found.role != "member" or found.owner != made.owner:
                continue
            node = self._node(line, match.start(), self.old)
            if node is None or node.parent is None or node.parent.type in functions:
                return False
        return True

    def _node(self, line: int, column: int, name: str) -> Node | None:
        at = self.index.snapshot.starts[line] + column
        return self.trees.node_at(self.index.snapshot, at, at + len(name))

    def _is_rival(self, other: Occurrence) -> bool:
        """Return whether another definition may be what the references mean."""
        made = self.new_occurrence
        assert made is not None
        if other.role != made.role or other.imports:
            return False
        if made.role == "member":
            return other.owner == made.owner
        language = self.index.snapshot.language
        if language in C_FAMILY and made.binder == MODULE:
            return False  # a declaration and its definition
        if language == "go" and made.binder != MODULE and other.at > made.at:
            return False  # `a, err :=` after `err :=` assigns the same variable
        return other.binder == made.binder and not self._is_assigned_again(other)

    def _is_assigned_again(self, other: Occurrence) -> bool:
        if self.index.snapshot.language != "python" or other.binder == MODULE or other.owner:
            return False
        defines = python_definition(self.old)
        return not any(defines.match(self.index.bodies[line]) for line in self.index.lines_with(self.old))

    @cached_property
    def is_visible(self) -> bool:
        """Whether the definition can be referred to in the document."""
        made = self.new_occurrence
        if self.is_here:
            return True
        if made is not None and self._is_label:
            return bool(self.index.words.get(made.owner))
        if made is None or made.binder != MODULE or self._is_private or self.is_of_other_module:
            return False
        if made.role == "member":
            return bool(self.index.words.get(made.owner.removeprefix(HINT)))
        return made.owner == "" and (self._is_of_same_package or self._is_imported)

    @cached_property
    def _is_label(self) -> bool:
        """Whether all calls of the function write the name before an argument."""
        made = self.new_occurrence
        if made is None or not made.defines or not made.owner or not self._language.has_labels:
            return False
        return made.role == "argument" or (made.role == "plain" and made.binder != MODULE)

    @cached_property
    def _is_private(self) -> bool:
        """Whether C's `static` hides the definition from other documents."""
        body = self._origin.bodies[self.place[0]]
        return self._origin.snapshot.language in C_FAMILY and body.lstrip().startswith("static ")

    @cached_property
    def _is_of_same_package(self) -> bool:
        """Whether both documents share their names: by package, C and C++ by the header of one name."""
        ours, theirs = self.index.snapshot, self._origin.snapshot
        if ours.language in C_FAMILY:
            return share_header(self.index, theirs.uri)
        package, other = package_of(ours), package_of(theirs)
        if not package or not other or not (package == other or is_nested(package, other, ours.language)):
            return False
        return ours.language != "go" or posixpath.dirname(ours.uri) == posixpath.dirname(theirs.uri)

    @cached_property
    def _modules(self) -> frozenset[str]:
        """The names by which others may import the origin."""
        uri = self._origin.snapshot.uri
        stem = _stem(uri)
        names = {stem}
        if stem in _FOLDERS or self._origin.snapshot.language == "go":
            names.add(posixpath.basename(posixpath.dirname(uri)))
        package = package_of(self._origin.snapshot)
        if find_language(self._origin.snapshot.language).modules_by_folder:
            names = {package or stem}
        elif find_language(self._origin.snapshot.language).imports_packages:
            names.add(package or stem)
        elif self._origin.snapshot.language == "java":
            names.add(f"{package.rpartition('.')[2]}.{self.old}" if package else stem)
        return frozenset(names)

    @cached_property
    def _is_imported(self) -> bool:
        """Whether an import of the document names the old name and the origin's module."""
        bodies, is_go = self.index.bodies, self.index.snapshot.language == "go"
        lines = self.index.lines_with(self.old)[: self.max_lines]
        places = places_in(lines, self.old, self.index, self.trees)
        return any(place.occurrence.imports and self._names_module(place.line) for place in places) or any(
            _IMPORT.match(bodies[line]) or (is_go and bodies[line].strip().startswith('"'))
            for name in self._modules
            for line in self.index.lines_with(name)[:_MAX_IMPORT_LINES]
            if whole_word(name).search(bodies[line][:400])
        )

    def _names_module(self, line: int) -> bool:
        """Return whether an import that has a line names the origin's module."""
        top = self.index.block(line)
        near = self.index.bodies[top if top >= 0 else line : line + 12]
        text = " ".join(body[:400] for body in near)
        return any(whole_word(name).search(text) for name in self._modules)

    def rename_references(self, body: str, line: int) -> str:
        """Replace the old name in a line's body where it surely refers to the renamed definition."""

        def replaced(match: re.Match[str], site: Occurrence) -> str:
            if site.role == "text":
                return self.new if self._is_documented(body, line, match, site) else match[0]
            if not self._refers(site, line, match.start()):
                return match[0]
            if not site.shorthand:
                return self.new
            is_member = self.new_occurrence is not None and self.new_occurrence.role == "member"
            return f"{self.new}: {self.old}" if is_member else f"{self.old}: {self.new}"

        return self.replaced_in(body, line, replaced)

    def is_text(self, line: int) -> bool:
        """Return whether the first old name of a line is in a string or a comment."""
        match = whole_word(self.old).search(self.index.bodies[line])
        return match is not None and self.occurrence(line, match.start()).role == "text"

    @property
    def definitions(self) -> list[Occurrence]:
        """The definitions of the old name in the document."""
        return self._old_definitions

    def is_meant(self, site: Occurrence, line: int, column: int) -> bool:
        """Return whether an occurrence of the old name in code, at a line and a column, refers to the definition."""
        return site.role != "text" and self._refers(site, line, column)

    def _refers(self, site: Occurrence, line: int, column: int) -> bool:
        made = self.new_occurrence
        if made is None or site.role == "unknown":
            return False
        if made.role == "member":
            return self._refers_to_member(site, made, line, column)
        if site.role == "argument":
            return bool(made.owner and site.owner) and self._has_owner(site)
        if made.role == "argument" or (self._is_label and not self.is_here):
            return False
        if site.role == "member":
            return self._is_qualified(site)
        if self.is_here:
            return self.binding(site) == self.binding(made)
        if site.defines and not site.imports and self.index.snapshot.language not in C_FAMILY:
            return False
        return self.binding(site) == MODULE

    def _is_qualified(self, site: Occurrence) -> bool:
        """Return whether a member is the definition behind its module or, in C++, a constructor or the destructor."""
        owner = site.owner.removeprefix(HINT)
        if self.index.snapshot.language == "cpp" and owner in (self.old, self.new):
            return True
        return not self.is_here and owner in self._modules

    def _refers_to_member(self, site: Occurrence, made: Occurrence, line: int, column: int) -> bool:
        if site.role == "argument" and self._has_constructor_parameter:
            return False
        if site.shorthand or site.role == "argument":
            return bool(site.owner) and site.owner.rpartition(".")[2] == made.owner
        if site.role == "member":
            return self._has_its_receiver(site, made, line, column)
        if site.role != "plain" or self.binding(site) != MODULE:
            return False
        return self._is_enumerator or (self.is_here and self._is_without_receiver(made, line, column))

    def _has_its_receiver(self, site: Occurrence, made: Occurrence, line: int, column: int) -> bool:
        """Return whether a member is that of the definition, by what is known of its receiver."""
        if not self.is_here and self.index.bodies[line][:column].endswith(('"', "'")):
            return False  # in `getattr` of another file
        if site.owner == made.owner:
            return not self._is_of_base(made, line, column)
        if (made.owner, site.owner) in self._kin:
            return True
        if not site.owner.startswith(HINT) or self._is_of_another_type(site):
            return False
        receiver = site.owner.removeprefix(HINT)
        is_named_after = split_words(receiver) == split_words(made.owner)
        is_distinctive = len(split_words(self.old)) > 1 and (
            site.owner == IMPLICIT or may_be_called(receiver, made.owner)
        )
        return self.is_here or is_named_after or is_distinctive

    @cached_property
    def _has_constructor_parameter(self) -> bool:
        """Whether the constructor of the member's type has a parameter of the old name, which keeps it."""
        made = self.new_occurrence
        return made is not None and has_parameter(
            made.owner, self.old, self._origin, self.trees, self.max_lines
        )

    def _is_without_receiver(self, made: Occurrence, line: int, column: int) -> bool:
        """Return whether a name is the member inside of its type, in a language that needs no `this`."""
        node = self._node(line, column, self.old)
        if node is None or not self._language.implicit_this:
            return False
        if node.parent is not None and node.parent.type in self._language.nodes.case_labels:
            return not any(d.role == "member" for d in self._old_definitions)
        return enclosing_type(node, self._language) == made.owner

    def _is_of_base(self, made: Occurrence, line: int, column: int) -> bool:
        """Return whether a member of the definition's type is that of a base class, which the document does not show."""
        if _SUPER.search(self.index.bodies[line][:column]) is None:
            return False
        return not any(
            other.owner != made.owner and (made.owner, other.owner) in self._kin
            for other in self._old_definitions
        )

    @cached_property
    def _is_enumerator(self) -> bool:
        """Whether C or C++ names the definition without its type."""
        snapshot = self._origin.snapshot
        if snapshot.language not in C_FAMILY:
            return False
        at = snapshot.starts[self.place[0]] + self.place[1]
        node = self.trees.node_at(snapshot, at, at + len(self.new))
        parent = node.parent if node is not None else None
        return parent is not None and parent.type in nodes_of(snapshot.language).variants

    def _is_documented(self, body: str, line: int, match: re.Match[str], site: Occurrence) -> bool:
        """Return whether a name in a text is the renamed one: in the comment or docstring of the definition."""
        made = self.new_occurrence
        if made is None:
            return False
        if made.role == "plain" and made.binder == MODULE and self.is_annotation(line, match):
            return True
        if not self.is_here:
            return False
        binding = self.binding(made)
        if binding != MODULE and binding in site.scopes:
            return not self.is_key(line, match) and self._is_local(body, match)
        if not self._is_attached(line):
            return False
        begins = not body[: match.start()].strip(" \t/*")
        is_named = is_listed(body, match) if binding != MODULE else begins
        return is_named or is_quoted(body, match)

    def is_annotation(self, line: int, match: re.Match[str]) -> bool:
        """Return whether the name is in the string with which Python writes a type that is defined later."""
        nodes, node = self._language.nodes, self._node(line, match.start(), match[0])
        for _ in range(_MAX_CLIMB if nodes.quoted_types else 0):
            if node is None or node.type in nodes.expression_statements:
                return False
            if node.type in nodes.quoted_types:
                return True
            node = node.parent
        return False

    def _is_attached(self, line: int) -> bool:
        """Return whether the line is in the comment directly above the definition, or above the function of a parameter."""
        bodies, end = self.index.bodies, self.place[0]
        if not line < end <= line + _MAX_COMMENT_LINES:
            return False
        rest = [body.strip() for body in bodies[line:end]]
        code = next((n for n, text in enumerate(rest) if not text.startswith(_ATTRIBUTES)), len(rest))
        made = self.new_occurrence
        if (
            made is not None and made.owner and made.role == "plain"
        ):  # its function may begin some lines above it
            return all(text and not text.endswith(("}", ";")) for text in rest[code:])
        return code == len(rest)


def share_header(index: DocumentIndex, uri: str) -> bool:
    """Return whether a document of C or C++ is of the same name as the one with this uri, or includes its header."""
    stem = _stem(uri)
    if stem == _stem(index.snapshot.uri):
        return True
    includes = [body for body in index.bodies if body.lstrip().startswith("#include")]
    return any(whole_word(stem).search(body[:400]) for body in includes[:_MAX_IMPORT_LINES])


def _stem(uri: str) -> str:
    return posixpath.splitext(posixpath.basename(uri))[0].removesuffix(".test").removesuffix(".spec")
