"""Tests whether two occurrences of a name mean the same thing.

They compare the occurrences' roles (plain, member, text ...) and the functions that bind the name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache

from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.languages import find_language
from editahead_prompts.syntax.member_owners import HINT, IMPLICIT, enclosing_type, related_types
from editahead_prompts.syntax.name_occurrences import Occurrence
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.identifiers import case_style, changed_spans, split_words, tokenize
from editahead_prompts.text.snapshot import line_body
from editahead_prompts.text.word_patterns import WordPattern

from .document_index import DocumentIndex
from .import_statements import parse_imports
from .line_transforms import COMMENT
from .named_places import (
    MAX_WIDTH,
    MODULE,
    OtherIndexes,
    has_parameter,
    may_be_called,
    occurrence_at,
    occurrences_of,
    other_owners,
    whole_word,
)
from .names_in_text import is_local, is_prose, is_quoted, is_whole_literal, names_parameter
from .other_modules import is_of_other_module

_ANYWHERE = frozenset({"text", "unknown"})
"""Roles in which an occurrence may mean any name, whatever its binding."""
_RELATED = frozenset({("text", "argument"), ("text", "member")})
"""Pairs of roles (of the renamed occurrence, of another) that may mean the same name: a value is read by its key."""
_BY_OWNER = frozenset({("plain", "argument"), ("argument", "plain"), ("member", "argument")})
"""Pairs of roles that mean the same name if both have the same owner.

A parameter is passed by its keyword to its own function, and so is a field to its class.
"""

_RECEIVERS = 2
"""Receivers of unknown types from which a member that was put for another goes on to all others."""
_MEMBER = WordPattern(r"\.\w+\b")
_IMPORTS_MODULE = WordPattern(r"import\s+[\w., ]+\Z")
_MAX_PATTERNS = 1024
"""Patterns of names that are cached, of each kind."""


@lru_cache(_MAX_PATTERNS)
def python_definition(name: str) -> WordPattern:
    """Compile a pattern that matches the line in which Python defines a function or a class of this name."""
    return WordPattern(rf"\s*(?:async\s+)?(?:def|class)\s+{re.escape(name)}\b")


class RenamedName:
    """A name that an edit replaced by another, compared with the other occurrences of the old name.

    Args:
        old: The old name.
        new: The new name.
        index: The index of the document whose occurrences are compared.
        origin: The index of the document in which the edit made the rename.
        edit: The edit.
        trees: The syntax trees of both documents.
        others: Returns the indexes of the other documents that are searched.
    """

    max_lines = 40
    """Lines with a name whose occurrences are classified. Each one costs a look at the syntax tree."""

    def __init__(
        self,
        old: str,
        new: str,
        index: DocumentIndex,
        origin: DocumentIndex,
        edit: PastEdit,
        trees: SyntaxTrees,
        others: OtherIndexes = tuple,
    ) -> None:
        self.old, self.new, self._others = old, new, others
        self.index, self._origin, self.trees = index, origin, trees
        self._edit = edit
        self._anothers: dict[int, bool] = {}

    @cached_property
    def _new_place(self) -> tuple[int, int] | None:
        """The line and the column at which the edit put the new name; None if it is not found there."""
        edit, bodies = self._edit, self._origin.bodies
        for row in range(min(max(len(edit.new), 1), len(bodies) - edit.line)):
            old = edit.old[row] if len(edit.old) == len(edit.new) else ""
            column = _put_for(self.old, self.new, old, bodies[edit.line + row])
            if column >= 0:
                return edit.line + row, column
        return None

    @cached_property
    def new_occurrence(self) -> Occurrence | None:
        """The new name where the edit put it; None if it is not found there."""
        if self._new_place is None:
            return None
        return occurrence_at(*self._new_place, self.new, self._origin, self.trees)

    @cached_property
    def _binders(self) -> Mapping[int, int]:
        """The scopes that define the old or the new name, with the byte from which each does it."""
        found: dict[int, int] = {}
        for occurrence in (*self._occurrences(self.old), *self._occurrences(self.new)):
            if occurrence.defines and occurrence.role == "plain":
                found[occurrence.binder] = min(occurrence.at, found.get(occurrence.binder, occurrence.at))
        return found

    @cached_property
    def _old_definitions(self) -> list[Occurrence]:
        return [occurrence for occurrence in self._occurrences(self.old) if occurrence.defines]

    def _occurrences(self, name: str) -> list[Occurrence]:
        return occurrences_of(name, self.index, self.trees, self.max_lines)

    @cached_property
    def _is_replacement(self) -> bool:
        """Whether the edit chose another defined name, rather than rename something.

        Then another place defines the new name, and no function defines the old name.
        """
        made = self.new_occurrence
        return (
            made is not None
            and not made.defines
            and not any(d.functions and d.role == "plain" for d in self._old_definitions)
            and any(o.defines and o.role == "plain" for o in self._occurrences(self.new))
        )

    @cached_property
    def chooses_other_local(self) -> bool:
        """Whether the edit put one local or parameter of a function for another, as who corrects a mistake does."""
        made = self.new_occurrence
        if made is None or made.role != "plain" or made.defines:
            return False
        return all(
            any(o.defines and o.binder in made.scopes for o in self._occurrences(name))
            for name in (self.old, self.new)
        )

    def binding(self, occurrence: Occurrence) -> int:
        """Return the scope that binds the old or the new name for an occurrence; `MODULE` if none does."""
        if occurrence.defines and occurrence.role == "plain":
            return occurrence.binder
        binders = self._binders
        return next(
            (scope for scope in occurrence.scopes if binders.get(scope, occurrence.at + 1) <= occurrence.at),
            MODULE,
        )

    def occurrence(self, line: int, column: int) -> Occurrence:
        """Return the occurrence of the old name at a 0-based line and column of the index's document."""
        found = None if self.old.isascii() else whole_word(self.old).match(self.index.bodies[line], column)
        return occurrence_at(line, column, found[0] if found else self.old, self.index, self.trees)

    def refers_elsewhere(self, site: Occurrence) -> bool:
        """Return whether the occurrence surely means another thing than the renamed name.

        Its role does not fit, another function binds it, or its own document defines it.
        """
        made = self.new_occurrence
        if made is None or site.role in _ANYWHERE or made.role == "unknown":
            return False
        if site.role != made.role:
            return self._has_other_role(site, made)
        if made.role == "member":
            return self._is_of_another_type(site)
        if made.role == "argument":
            return not self._has_owner(site)
        if made.role != "plain" or self._is_replacement:
            return False
        if self.index is not self._origin:
            return any(d.role == "plain" and not d.imports for d in self._old_definitions)
        return self.binding(site) != self.binding(made)

    def _has_other_role(self, site: Occurrence, made: Occurrence) -> bool:
        """Return whether an occurrence with another role than the renamed one means another thing."""
        if made.role == "text" and case_style(self.old) != "flat":  # no common word, so it is the name
            return False
        roles = (made.role, site.role)
        if roles in _BY_OWNER:
            return not self._has_owner(site)
        if roles == ("text", "member"):
            return not find_language(self.index.snapshot.language).reads_members_by_string
        return roles not in _RELATED and not self._is_implicit_member(site)

    @cached_property
    def is_unfinished(self) -> bool:
        """Whether the new name is a word that cannot be one, such as `in` on the way to `index`."""
        made = self.new_occurrence
        reserved = find_language(self._origin.snapshot.language).reserved
        return made is not None and made.role == "plain" and self.new in reserved

    @cached_property
    def is_of_other_module(self) -> bool:
        """Whether the document has the old name from another module than the one whose definition was renamed."""
        made = self.new_occurrence
        if self.index is self._origin or made is None or not made.defines or made.binder != MODULE:
            return False
        origin = self._origin.snapshot
        others = (other.snapshot for other in self._others() if other.snapshot is not origin)
        return is_of_other_module(self.old, self.index.snapshot, origin, self.trees, others)

    def _has_owner(self, site: Occurrence) -> bool:
        """Return whether the site's function, or class, is that of the renamed parameter or field."""
        made = self.new_occurrence
        owners = {made.owner} if made is not None and made.owner else {d.owner for d in self._old_definitions}
        callee = site.owner.rpartition(".")
        if callee[0] and self.index is self._origin and self._imports_module(callee[0]):
            return False
        return not owners or not site.owner or callee[2] in owners

    def _imports_module(self, name: str) -> bool:
        lines = (self.index.bodies[line] for line in self.index.lines_with(name))
        return any(_IMPORTS_MODULE.match(body) for body in lines)

    @cached_property
    def _kin(self) -> frozenset[tuple[str, str]]:
        text = self.index.snapshot.text
        return related_types(text) | related_types(whole_word(self.new).sub(self.old, text))

    def is_of_kin(self, owner: str) -> bool:
        """Return whether a type is that of the renamed member, or extends, implements or has it as a base."""
        made = self.new_occurrence
        return made is not None and (made.owner == owner or (made.owner, owner) in self._kin)

    def _is_of_another_type(self, site: Occurrence) -> bool:
        """Return whether a member surely, or perhaps, belongs to another type than the renamed one.

        Where the text does not show the type, a member of one word, which other types often have, needs a receiver that is
        called like the type. Other members are taken as the renamed one while no other type of the document defines the old
        name, and while no type has it that the receiver may as well be of.
        """
        made = self.new_occurrence
        if made is None or not made.owner or site.owner == made.owner:
            return False
        is_shown = not made.owner.startswith(HINT)
        if site.owner.startswith(HINT):
            if not made.defines and not is_shown:
                return self._is_of_one_receiver
        elif site.owner and is_shown:
            return not self.is_of_kin(site.owner)
        return self._may_be_of_another_type(site, made, is_known=made.defines or is_shown)

    def _may_be_of_another_type(self, site: Occurrence, made: Occurrence, *, is_known: bool) -> bool:
        """Return whether a member of a receiver whose type the text does not show is perhaps that of another type."""
        has_receiver = site.owner.startswith(HINT) and site.owner != IMPLICIT
        is_called_like = has_receiver and may_be_called(site.owner.removeprefix(HINT), made.owner)
        if is_known and has_receiver and len(split_words(self.old)) == 1:
            return not is_called_like
        members = (d for d in self._old_definitions if d.role == "member" and d.owner)
        if any(not self.is_of_kin(d.owner) for d in members):
            return True
        return is_known and has_receiver and not is_called_like and bool(self._other_owners)

    @cached_property
    def _other_owners(self) -> frozenset[str]:
        """The types of all documents that have a member of the old name, and are not related to that of the new one."""
        made = self.new_occurrence
        owner = "" if made is None else made.owner
        return other_owners(self.old, owner, self._kin, (self.index, *self._others()), self.trees)

    @cached_property
    def _is_of_one_receiver(self) -> bool:
        """Whether the document has the new member on one receiver only, so that others may have none of this name."""
        made = [o for o in self._occurrences(self.new) if o.role == "member"]
        return len({occurrence.owner for occurrence in made}) < _RECEIVERS

    def _is_implicit_member(self, site: Occurrence) -> bool:
        """Return whether the site and the renamed name are a member, once with and once without `this`.

        Only some languages allow a member without `this`. A name that a function defines is no member.
        """
        made = self.new_occurrence
        if made is None or not find_language(self.index.snapshot.language).implicit_this:
            return False
        plain = [o for o in (site, made) if o.role == "plain"]
        if {site.role, made.role} != {"plain", "member"} or self.binding(plain[0]) != MODULE:
            return False
        return site.role == "member" or not self._is_of_own_type(site, made)

    def _is_of_own_type(self, site: Occurrence, made: Occurrence) -> bool:
        """Return whether the type around a site has a member of the old name itself, and is not the renamed one's."""
        owners = {d.owner for d in self._old_definitions if d.role == "member" and d.owner != made.owner}
        tree = self.trees.tree(self.index.snapshot) if owners else None
        if tree is None:
            return False
        node = tree.root_node.named_descendant_for_byte_range(site.at, site.at)
        return (
            node is not None and enclosing_type(node, find_language(self.index.snapshot.language)) in owners
        )

    def refers_same(self, site: Occurrence) -> bool:
        """Return whether the occurrence has the role and the binding of the renamed name."""
        made = self.new_occurrence
        if made is None or made.role == "unknown" or self.refers_elsewhere(site):
            return False
        return site.role == made.role or self._is_implicit_member(site)

    def has_foreign_occurrence(self, line: int) -> bool:
        """Return whether the line has an occurrence of the old name that means another thing."""
        known = self._anothers.get(line)
        if known is None:
            body = self.index.bodies[line]
            matches = whole_word(self.old).finditer(body[:MAX_WIDTH])
            known = self._anothers[line] = len(body) > MAX_WIDTH or any(
                self._is_not_meant(body, line, match) for match in matches
            )
        return known

    def _is_not_meant(self, body: str, line: int, match: re.Match[str]) -> bool:
        """Return whether an occurrence means another thing, or is a plain word of a sentence in a string."""
        site = self.occurrence(line, match.start())
        if self._member is not None and not body.startswith(self._member, match.end()):
            return True
        made = self.new_occurrence
        if site.role == "text" and made is not None and made.role != "text":
            return self._is_other_text(body, line, match, (site, made))
        return self._is_defined_twice(body) or self.refers_elsewhere(site)

    def _is_other_text(
        self, body: str, line: int, match: re.Match[str], occurrences: tuple[Occurrence, Occurrence]
    ) -> bool:
        """Return whether a word in a string or a comment does not mean what the edit renamed in code."""
        site, made = occurrences
        if self.index is not self._origin or self.is_key(line, match):
            return True  # another file's text is about its own names
        if made.role == "member" and names_parameter(body, match):
            return has_parameter(made.owner, self.old, self._origin, self.trees, self.max_lines)
        binding = self.binding(made)
        if binding in site.scopes:
            return not self._is_local(body, match)
        if binding != MODULE and not self._heads_binder(line):
            return True
        return case_style(self.old) == "flat" and not is_quoted(body, match)

    def _is_local(self, body: str, match: re.Match[str]) -> bool:
        """Return whether a word in a text within the scope of the renamed local means it."""
        made = self.new_occurrence
        is_parameter = made is not None and bool(made.owner)
        return is_local(body, match, self.index.snapshot.language, is_parameter=is_parameter)

    def is_key(self, line: int, match: re.Match[str]) -> bool:
        """Return whether a word in a text is a string of its own that no language takes as the renamed name."""
        made = self.new_occurrence
        if made is None or (
            made.role == "member" and find_language(self.index.snapshot.language).reads_members_by_string
        ):
            return False
        if made.binder == MODULE and case_style(self.old) == "pascal":  # a type, which strings may name
            return False
        snapshot = self.index.snapshot
        at = snapshot.starts[line]
        node = self.trees.node_at(snapshot, at + match.start(), at + match.end())
        return is_whole_literal(node, find_language(snapshot.language).nodes)

    @cached_property
    def _member(self) -> str | None:
        """What an edit put one import for another before, such as `.Printf`: another member may not be in both."""
        made = self.new_occurrence
        if made is None or made.role != "plain" or made.defines or self._new_place is None:
            return None
        line, column = self._new_place
        after = _MEMBER.match(self._origin.bodies[line], column + len(self.new))
        if after is None:
            return None
        imported = {
            item.name
            for statement in parse_imports(self._origin.snapshot, self.trees)
            for item in statement.items
        }
        return after[0] if {self.old, self.new} <= imported else None

    def _is_defined_twice(self, body: str) -> bool:
        """Return whether the line and the renamed one define two functions that had one name."""
        made = self.new_occurrence
        if made is None or not made.defines or made.role != "plain" or self._new_place is None:
            return False
        if self.index.snapshot.language != "python" or self.index is not self._origin:
            return False
        renamed = self._origin.bodies[self._new_place[0]]
        return bool(python_definition(self.old).match(body) and python_definition(self.new).match(renamed))

    def _heads_binder(self, line: int) -> bool:
        """Return whether the line is in the comment above the function that binds the name, or in its first line."""
        bodies = self.index.bodies
        while line < len(bodies) - 1 and COMMENT.match(bodies[line]):
            line += 1
        column = self._new_place[1] if self._new_place else -1
        return self._new_place is not None and self._new_place[0] == line and column >= 0

    @cached_property
    def _is_repeated(self) -> bool:
        """Whether at least two functions bind the new name, so that the user goes from one function to the next."""
        made = [o for o in self._occurrences(self.new) if o.defines and o.role == "plain" and o.functions]
        return len({o.functions[0] for o in made}) > 1

    def replaced_in(self, body: str, line: int, replaced: Callable[[re.Match[str], Occurrence], str]) -> str:
        """Replace the old name in a line by what a function returns for each occurrence."""
        if len(body) > MAX_WIDTH:
            return body
        return whole_word(self.old).sub(
            lambda match: replaced(match, self.occurrence(line, match.start())), body
        )

    def rename_foreign(self, body: str, line: int) -> str:
        """Replace the old name in a line where a function other than the renamed one binds it.

        An example is the same parameter of the next function. The body stays until two functions bind the new name.
        """
        made = self.new_occurrence
        if made is None or made.role != "plain" or self.binding(made) == MODULE or not self._is_repeated:
            return body

        def replaced(match: re.Match[str], site: Occurrence) -> str:
            is_others = site.role == "plain" and self.binding(site) not in (MODULE, self.binding(made))
            return self.new if is_others else match[0]

        return self.replaced_in(body, line, replaced)

    def rename_same(self, body: str, line: int, *, strictly: bool) -> str:
        """Replace the old name in a line where it means the renamed thing.

        Args:
            body: The line's body.
            line: The 0-based line number.
            strictly: Whether role and binding must be the same. If not, only occurrences that surely mean another thing,
                and plain words of a text, stay.
        """

        def replaced(match: re.Match[str], site: Occurrence) -> str:
            keeps = self._is_not_meant(body, line, match) or (strictly and not self.refers_same(site))
            if keeps:
                return match[0]
            return f"{self.old}: {self.new}" if site.shorthand else self.new

        return self.replaced_in(body, line, replaced)

    def features(self, line: int) -> dict[str, float]:
        """Return how the line's first occurrence that may mean the renamed name relates to the rename.

        The result is empty where there is no grammar or no occurrence.
        """
        made = self.new_occurrence
        body = self.index.bodies[line] if line < len(self.index.bodies) else ""
        matches = list(whole_word(self.old).finditer(body[:MAX_WIDTH]))
        if made is None or not matches or made.role == "unknown":
            return {}
        found = [(match, self.occurrence(line, match.start())) for match in matches]
        match, site = next((pair for pair in found if not self.refers_elsewhere(pair[1])), found[0])
        both_plain = site.role == made.role == "plain"
        still_defined = any(
            d.role == made.role and (d.role != "plain" or not self.refers_elsewhere(d))
            for d in self._old_definitions
        )
        return {
            "parsed": 1.0,
            "text": float(site.role == "text"),
            "prose": float(site.role == "text" and is_prose(body, match)),
            "member": float(site.role == "member"),
            "same-role": float(site.role == made.role),
            "same-owner": float(bool(made.owner) and made.owner == site.owner),
            "same-binding": float(both_plain and not self.refers_elsewhere(site)),
            "local": float(both_plain and self.index is self._origin and self.binding(made) != MODULE),
            "site-defines": float(site.defines),
            "edit-defined": float(made.defines),
            "edit-imported": float(made.imports),
            "still-defined": float(still_defined),
        }


def _put_for(old_name: str, new_name: str, old: str, new: str) -> int:
    """Return the column in the body `new` at which `new_name` replaced `old_name` of the line `old`.

    If the lines do not show it, the column is that of the first occurrence of `new_name`, or -1 if there is none.
    """
    a, b = tokenize(line_body(old)), tokenize(new)
    for a1, a2, b1, b2 in changed_spans(a, b):
        if a[a1:a2] == [old_name] and b[b1:b2] == [new_name]:
            return sum(map(len, b[:b1]))
    match = whole_word(new_name).search(new)
    return -1 if match is None else match.start()
