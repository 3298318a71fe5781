"""The uses of a deleted or renamed definition: those that surely mean it, and those that could."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

from editahead_inference.codebase import Codebase
from editahead_inference.predictors.propagation.document_index import DocumentIndex
from editahead_inference.predictors.propagation.import_statements import has_wildcard, parse_imports
from editahead_inference.predictors.propagation.named_places import (
    MAX_WIDTH,
    MODULE,
    may_be_called,
    occurrences_of,
    other_owners,
    whole_word,
)
from editahead_inference.predictors.propagation.renamed_definition import C_FAMILY, RenamedDefinition
from editahead_prompts.syntax.languages import (
    PARSED_LANGUAGES,
    family_of,
    find_language,
    is_nested,
    package_of,
)
from editahead_prompts.syntax.member_owners import HINT, enclosing_type
from editahead_prompts.syntax.name_occurrences import Occurrence
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.identifiers import case_style, split_words
from editahead_prompts.text.snapshot import Snapshot
from editahead_prompts.text.word_patterns import WordPattern

from .deleted_names import MAX_LINES, DeletedName
from .standard_members import is_standard_member
from .witness import Place

Certainty = Literal["sure", "maybe", "no"]
_ANY_TYPE = frozenset({"any", "Any", "unknown", "object", "Object", "interface", "T"})
"""Types that say nothing of a receiver's members."""
_PATH = r"(?:[\w$-]+[.:/#])*"
_REFLECTS = re.compile(
    r"(?:getattr|setattr|hasattr|delattr|attrgetter|methodcaller|patch|patch\.object|spyOn|MethodByName|FieldByName)\("
)
"""What finds a member by a string."""
_MODULE_PATH = WordPattern(r"\s*from\s+[\w.]*\Z|\s*import\s+(?:[\w.]+\.)?\Z")
"""What is before the name of a module in an import of Python."""


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a deleted name, at a 0-based line and column; whether it surely means that name."""

    line: int
    column: int
    is_sure: bool


class LeftUses:
    """The uses of one deleted or renamed definition.

    Args:
        deleted: The definition.
        index_of: Returns the index of a document.
        trees: The syntax trees of all documents.
        documents: The files of the change, and those that are searched.
        kin: The types that extend or implement each other, in pairs.
        codebase: The index of the files that are not open.

    Attributes:
        has_more: Whether a document has the name in more lines than are looked at.
        witnessed: The uses in code that a language server knows; None without one that knows the name.
    """

    def __init__(
        self,
        deleted: DeletedName,
        index_of: Callable[[Snapshot], DocumentIndex],
        trees: SyntaxTrees,
        documents: Sequence[Snapshot],
        kin: frozenset[tuple[str, str]],
        codebase: Codebase | None,
    ) -> None:
        self._deleted, self._old, self._name = deleted, deleted.old, deleted.name
        self._index_of, self._trees = index_of, trees
        self._documents, self._kin, self._codebase = documents, kin, codebase
        self._origin = index_of(deleted.origin)
        self.has_more = False
        self.witnessed: frozenset[Place] | None = None
        self._renamed = cache(self._make_renamed)
        self._is_linked = cache(self._find_link)
        self._definitions = cache(self._find_definitions)
        self._imports = cache(lambda index: parse_imports(index.snapshot, trees))
        self._imports_origin = cache(self._find_import)
        self._module_names = cache(self._find_module_names)

    @property
    def is_global(self) -> bool:
        """Whether the definition was at the top level of its file."""
        return self._old.role == "plain" and not self._old.is_local

    def in_document(self, document: Snapshot) -> list[Use]:
        """Return the uses in a document, in its order."""
        if self._name not in document.text or document.language not in PARSED_LANGUAGES:
            return []
        if family(document.language) != family(self._deleted.origin.language):
            return []
        index = self._index_of(document)
        self.has_more |= len(index.lines_with(self._name)) > MAX_LINES
        return [
            Use(line, match.start(), certainty == "sure")
            for line in index.lines_with(self._name)[:MAX_LINES]
            for match in whole_word(self._name).finditer(index.bodies[line][:MAX_WIDTH])
            if (certainty := self._certainty(index, line, match)) != "no"
        ]

    def rewritten(self, document: Snapshot, line: int, columns: Sequence[int]) -> str:
        """Return the body of a line with the new name at some columns, and wherever its comment surely means it."""
        index, new = self._index_of(document), self._deleted.new
        body = index.bodies[line]
        renamed = self._renamed(index)
        parts, at = [], 0
        for column in columns:
            word = new
            if renamed is not None and self._occurrence(index, line, column).shorthand:
                is_member = self._old.role == "member"
                word = f"{new}: {self._name}" if is_member else f"{self._name}: {new}"
            parts += [body[at:column], word]
            at = column + len(self._name)
        return "".join((*parts, body[at:]))

    def _make_renamed(self, index: DocumentIndex) -> RenamedDefinition | None:
        deleted = self._deleted
        if not deleted.new:
            return None
        renamed = RenamedDefinition(
            deleted.name,
            deleted.new,
            index,
            self._origin,
            deleted.edit,
            self._trees,
            deleted.place,
            self._others,
        )
        renamed.max_lines = MAX_LINES
        return renamed

    def _others(self) -> Iterator[DocumentIndex]:
        return (self._index_of(one) for one in self._documents)

    def _occurrence(self, index: DocumentIndex, line: int, column: int) -> Occurrence:
        at = index.snapshot.starts[line] + column
        return self._trees.occurrence(index.snapshot, at, at + len(self._name))

    def _certainty(self, index: DocumentIndex, line: int, match: re.Match[str]) -> Certainty:
        column = match.start()
        site = self._occurrence(index, line, column)
        if site.role == "unknown" or _MODULE_PATH.match(index.bodies[line][:column]):
            return "no"
        if self.witnessed is not None and site.role != "text":
            if (index.snapshot.uri, line, column) not in self.witnessed:
                return "no"
            return "sure" if self._deleted.is_sure else "maybe"
        if self._is_renamed(index, site, line, match):
            return "sure"
        if site.role == "text":
            return _maybe(self._is_named_in_string(index, line, match))
        if self._old.is_local:
            return _maybe(self._may_be_local(index, site))
        if self._old.role == "member":
            return self._member(index, site, line, column)
        return _maybe(self._may_be_global(index, site))

    def _is_renamed(self, index: DocumentIndex, site: Occurrence, line: int, match: re.Match[str]) -> bool:
        """Return whether a use surely follows the rename of the definition."""
        renamed = self._renamed(index)
        if renamed is None or not self._is_followed or not renamed.is_visible:
            return False
        is_text = site.role == "text" and self.is_global
        return renamed.is_meant(site, line, match.start()) or (is_text and renamed.is_annotation(line, match))

    @cached_property
    def _is_followed(self) -> bool:
        """Whether the name alone was changed, and nothing else in its file is called by the old or the new one."""
        renamed = self._renamed(self._origin) if self._deleted.is_sure else None
        return renamed is not None and renamed.is_only_definition

    def _may_be_local(self, index: DocumentIndex, site: Occurrence) -> bool:
        if site.role == "argument":
            return bool(self._old.owner) and site.owner.rpartition(".")[2] == self._old.owner
        if index is not self._origin or site.role != "plain" or site.imports or site.defines:
            return False
        renamed = self._renamed(index)
        return renamed is not None and renamed.refers_same(site)

    def _member(self, index: DocumentIndex, site: Occurrence, line: int, column: int) -> Certainty:
        owner = self._old.owner
        if site.role == "argument":
            return _maybe(bool(owner) and site.owner.rpartition(".")[2] == owner)
        if not self._deleted.new and self._is_inherited:
            return "no"
        if site.role == "plain" and not site.shorthand:
            return _maybe(not site.defines and self._is_in_type(index, site, line, column))
        shown = "" if site.owner.startswith(HINT) or site.owner in _ANY_TYPE else site.owner
        if self._has_type and shown:
            return _maybe(shown == owner or (owner, shown) in self._kin)
        return "no" if site.defines else self._unknown_receiver(index, site.owner.removeprefix(HINT))

    def _is_in_type(self, index: DocumentIndex, site: Occurrence, line: int, column: int) -> bool:
        """Return whether a plain name that no function binds is inside the type of the deleted member."""
        if not self._old.owner or index is not self._origin or self._binding(index, site) != MODULE:
            return False
        at = index.snapshot.starts[line] + column
        node = self._trees.node_at(index.snapshot, at, at + len(self._name))
        return (
            node is not None
            and enclosing_type(node, find_language(index.snapshot.language)) == self._old.owner
        )

    @cached_property
    def _is_inherited(self) -> bool:
        """Whether a type that the definition's type extends, or that extends it, has a member of the name."""
        return any(
            one.defines and (self._old.owner, one.owner) in self._kin
            for index in self._others()
            if index.words.get(self._name)
            for one in occurrences_of(self._name, index, self._trees, MAX_LINES)
        )

    @property
    def _has_type(self) -> bool:
        """Whether the text shows of which type the member was."""
        return bool(self._old.owner) and not self._old.owner.startswith(HINT)

    def _unknown_receiver(self, index: DocumentIndex, receiver: str) -> Certainty:
        """Return whether a member of a receiver, whose type the text does not show, could be the deleted one."""
        if not self._has_type:  # any object may have one
            return _maybe(index is self._origin and bool(self._deleted.new))
        is_linked = self._is_linked(index)
        if not self._deleted.new:
            return _maybe(is_linked and not self._is_shared)
        if self._is_shared:
            return _maybe(is_linked or not self._is_standard)
        is_like = bool(receiver) and may_be_called(receiver, self._old.owner)
        is_distinctive = is_like or len(split_words(self._name)) > 1
        return "sure" if self._deleted.is_sure and is_linked and is_distinctive else "maybe"

    def _may_be_global(self, index: DocumentIndex, site: Occurrence) -> bool:
        is_origin = index is self._origin
        if site.role == "argument" or (self._old.imports and not self._is_reexport and not is_origin):
            return False
        if site.role == "member":
            return not site.defines and self._is_behind_module(index, site)
        if self._binding(index, site) != MODULE or (site.defines and not site.imports):
            return False
        bound = [one for one in self._definitions(index) if one.binder == MODULE]
        if any(not one.imports for one in bound):
            return False
        if is_origin:
            return True
        if bound:
            return self._imports_origin(index)
        return self._shares_scope(index) or has_wildcard(self._imports(index))

    def _is_behind_module(self, index: DocumentIndex, site: Occurrence) -> bool:
        """Return whether the receiver of a member is the module of the deleted name, or may be."""
        receiver = site.owner.removeprefix(HINT).rpartition(".")[2]
        return receiver in self._module_names(index) if receiver else self._imports_origin(index)

    def _find_definitions(self, index: DocumentIndex) -> list[Occurrence]:
        found = occurrences_of(self._name, index, self._trees, MAX_LINES)
        return [one for one in found if one.defines and one.role == "plain"]

    def _binding(self, index: DocumentIndex, site: Occurrence) -> int:
        binders = {one.binder for one in self._definitions(index)}
        return next((scope for scope in site.scopes if scope in binders), MODULE)

    @cached_property
    def _is_standard(self) -> bool:
        return is_standard_member(self._name, self._deleted.origin.language)

    @cached_property
    def _is_shared(self) -> bool:
        """Whether another type has a member of the name, too, so that a receiver of an unknown type may be of that."""
        if self._is_standard:
            return True
        owner = self._old.owner
        if other_owners(self._name, owner, self._kin, self._others(), self._trees):
            return True
        symbols = () if self._codebase is None else self._codebase.definitions(self._name)
        owners = {
            symbol.container.rpartition(".")[2]
            for symbol in symbols
            if symbol.container and family(symbol.language) == family(self._deleted.origin.language)
        }
        return any(other != owner and (owner, other) not in self._kin for other in owners)

    @property
    def _is_reexport(self) -> bool:
        """Whether what was imported there can be imported from there, as from a package."""
        return posixpath.basename(self._deleted.origin.uri).partition(".")[0] in ("__init__", "index", "mod")

    @cached_property
    def _modules(self) -> frozenset[str]:
        """The names by which the file of the definition, or a folder around it, is imported."""
        stem, _ = posixpath.splitext(self._deleted.origin.uri)
        parts = stem.split("/")[-4:]
        return frozenset(part for part in parts if part not in ("", "src", "lib", "index", "__init__"))

    def _find_import(self, index: DocumentIndex) -> bool:
        """Return whether a document imports the definition's module, or a folder that holds it."""
        return any(
            one.module.startswith(".") or self._modules & set(re.split(r"[./:]+", one.module))
            for one in self._imports(index)
        ) or self._requires(index)

    def _requires(self, index: DocumentIndex) -> bool:
        called = re.findall(r"\b(?:require|import)\(\s*[\"']([^\"']+)", index.snapshot.text)
        return any(path.startswith(".") or self._modules & set(re.split(r"[./]+", path)) for path in called)

    def _find_module_names(self, index: DocumentIndex) -> set[str]:
        """Return the names by which a document may call the definition's module."""
        names = set(self._modules)
        for statement in self._imports(index):
            names |= {
                item.name
                for item in statement.items
                if self._modules & {*re.split(r"[./:]+", item.module), item.item.partition(" as ")[0]}
            }
        return names

    def _shares_scope(self, index: DocumentIndex) -> bool:
        """Return whether a document sees the top level of the definition's file without an import."""
        ours, theirs = index.snapshot, self._deleted.origin
        if ours.language in C_FAMILY:
            return True
        language = find_language(ours.language)
        if language.imports_packages or language.modules_by_folder:
            package, own = package_of(theirs), package_of(ours)
            return package != "" and (package == own or is_nested(own, package, ours.language))
        return language.package != "" and posixpath.dirname(ours.uri) == posixpath.dirname(theirs.uri)

    def _find_link(self, index: DocumentIndex) -> bool:
        if index is self._origin or self._shares_scope(index):
            return True
        owner = self._old.owner.removeprefix(HINT)
        return bool(owner and index.words.get(owner)) or self._imports_origin(index)

    def _is_named_in_string(self, index: DocumentIndex, line: int, match: re.Match[str]) -> bool:
        """Return whether a string is the name, or a path that ends with it, by which code finds what the name means."""
        before, after = index.bodies[line][: match.start()], index.bodies[line][match.end() :]
        quoted = WordPattern(rf"[\"'`](?P<path>{_PATH})\Z").search(before)
        is_whole = WordPattern(r"[\"'`]|\.\w+[\"'`]").match(after) is not None
        if self._old.is_local or quoted is None or not is_whole:
            return False
        path = [part for part in re.split(r"[.:/#]", quoted["path"]) if part]
        if path:
            return path[-1] == self._old.owner or (self.is_global and path[-1] in self._modules)
        if index.bodies[index.top(line)].startswith("__all__"):
            return self.is_global and (index is self._origin or self._imports_origin(index))
        if _REFLECTS.search(before):
            return not self._is_shared or self._is_linked(index)
        return case_style(self._name) != "flat" and self.is_global and self._is_linked(index)


def _maybe(could: bool) -> Certainty:
    return "maybe" if could else "no"


def family(language: str) -> str:
    """Return the family of a language: its files share names."""
    return family_of(language)
