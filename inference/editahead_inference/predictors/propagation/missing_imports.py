"""Imports that the last edits left missing: the names that they use and that the document does not bind.

What to import is known from three witnesses: another open document that imports the name, another open document that
defines it, and the standard library.
"""

from __future__ import annotations

import builtins
import posixpath
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.languages import family_of
from editahead_prompts.syntax.syntax_trees import SyntaxTrees, count_errors
from editahead_prompts.text.scripts import count_letters
from editahead_prompts.text.snapshot import Snapshot
from editahead_prompts.text.word_patterns import WordPattern

from . import token_patterns
from .defined_imports import defined_import, relative_path
from .document_index import DocumentIndex
from .first_import import first_import
from .follow_up import brought_words
from .import_rules import IMPORT
from .import_statements import (
    add_imports,
    has_wildcard,
    join_proposals,
    parse_imports,
    takes_list,
)
from .import_styles import Statement, Wanted, import_style
from .named_places import places_in
from .other_modules import packages_for_all, path_of
from .proposal import Proposal
from .standard_library import STANDARD_MODULES, STANDARD_NAMES

_MAX_NAMES = 12
"""Names of one edit that are looked up."""
_MAX_OCCURRENCES = 40
"""Occurrences of a name that are looked at."""
_BUILT_IN = frozenset(dir(builtins))


class MissingImport(NamedTuple):
    """The edit that imports some names.

    Attributes:
        names: The names, in the order in which the edits brought them.
        witness: How the imports are known: "imported", "defined" or "standard".
        proposal: The edit.
    """

    names: tuple[str, ...]
    witness: str
    proposal: Proposal


def missing_imports(
    edits: Sequence[PastEdit],
    index: DocumentIndex,
    others: Sequence[Snapshot],
    trees: SyntaxTrees,
    typed: str = "",
) -> list[MissingImport]:
    """Return the edit that imports all names that the edits brought and that nothing binds, then one for each module.

    Args:
        edits: Finished edits of the index's document.
        index: The index of the document that needs the imports.
        others: The other open documents.
        trees: The syntax trees of all documents.
        typed: The word at the cursor, which may be longer in the end.
    """
    is_python = index.snapshot.language == "python"
    brought = (name for name in _brought(edits) if name != typed and not (is_python and name in _BUILT_IN))
    return imports_of(brought, index, others, trees, lambda name: _is_unbound(name, index, trees))


def imports_of(
    names: Iterable[str],
    index: DocumentIndex,
    others: Sequence[Snapshot],
    trees: SyntaxTrees,
    is_unbound: Callable[[str], bool] = lambda name: True,
    *,
    anywhere: bool = False,
) -> list[MissingImport]:
    """Return the edit that imports all names of which a witness tells how, then one for each module.

    Args:
        names: The names.
        index: The index of the document that needs the imports.
        others: The other open documents.
        trees: The syntax trees of all documents.
        is_unbound: Returns whether the document uses a name that nothing in it binds.
        anywhere: Whether a module that is like none of the imported ones goes behind them, and the first one of a document
            below its head.
    """
    snapshot = index.snapshot
    statements = cache(lambda: parse_imports(snapshot, trees))
    wanted: dict[tuple[str, ...], list[tuple[str, Wanted]]] = {}
    for name in names:
        known = list(_witnesses(name, snapshot, others, trees))
        agreed = _agreed(name, known, statements(), index) if known and is_unbound(name) else None
        if agreed is not None:
            one = agreed[1]
            alone = () if takes_list(one, snapshot.language) else (one.item,)
            wanted.setdefault((one.module, one.form, *alone), []).append(agreed)
    found = []
    for group in wanted.values():
        listed = [one for _, one in group]
        if statements() or not anywhere:
            proposal = add_imports(snapshot, statements(), listed, anywhere=anywhere)
        else:
            proposal = first_import(snapshot, listed, trees)
        if proposal is not None:
            found.append(MissingImport(tuple(one.name for one in listed), group[0][0], proposal))
    together = join_proposals(snapshot, [one.proposal for one in found]) if len(found) > 1 else None
    if together is None:
        return found
    joined = tuple(name for one in found for name in one.names)
    return [MissingImport(joined, found[0].witness, together), *found]


def _agreed(
    name: str, known: Sequence[tuple[str, Wanted]], statements: Sequence[Statement], index: DocumentIndex
) -> tuple[str, Wanted] | None:
    """Return what the surest witnesses say of a name; None if it is bound already, or if they contradict each other."""
    bound = {item.name for statement in statements for item in statement.items}
    brought = {statement.module for statement in statements if statement.form in ("all", "global")}
    needs_none = any(not one.module or (one.form == "all" and one.module in brought) for _, one in known)
    if name in bound or has_wildcard(statements) or needs_none:
        return None
    usable = [
        (witness, one)
        for witness, one in known
        if one.module not in bound and not _is_own(one, index.snapshot) and _is_used_as(one, index)
    ]
    surest = {one for witness, one in usable if witness == usable[0][0]}
    return usable[0] if len(surest) == 1 else None


def _brought(edits: Sequence[PastEdit]) -> list[str]:
    """Return the names that the edits brought, in order."""
    brought = dict.fromkeys(name for edit in edits for name in brought_words(edit))
    names = [name for name in brought if name not in token_patterns.KEYWORDS and count_letters(name) > 1]
    return names[: _MAX_NAMES * max(len(edits), 1)]


def _is_unbound(name: str, index: DocumentIndex, trees: SyntaxTrees) -> bool:
    """Return whether code of the document uses the name as a plain one, and nothing in the document binds it."""
    if index.snapshot.language == "rust":  # blocks and functions have their own
        own = WordPattern(rf"\buse\s[^;]{{0,1000}}?(?:\b{re.escape(name)}\b|\*)[^;]{{0,1000}};")
        if own.search(index.snapshot.text):
            return False
    used = False
    for seen, (line, column, found) in enumerate(places_in(index.lines_with(name), name, index, trees)):
        if seen == _MAX_OCCURRENCES or (found.defines and found.role in ("plain", "argument")):
            return False
        # In an import it is a part of a module's name, and in a statement that does not parse it may be prose.
        is_code = found.role == "plain" and not IMPORT.match(index.bodies[line])
        used = used or (
            is_code and not _is_qualified(name, line, column, index) and not _is_broken(index, line, trees)
        )
    return used


def _is_qualified(name: str, line: int, column: int, index: DocumentIndex) -> bool:
    """Return whether a name is a part of the path of another one, between backslashes."""
    around = index.bodies[line][max(column - 1, 0) : column + len(name) + 1]
    return index.snapshot.language == "php" and "\\" in around


def _is_broken(index: DocumentIndex, line: int, trees: SyntaxTrees) -> bool:
    tree = trees.tree(index.snapshot)
    return tree is not None and count_errors(tree.root_node, line, line + 1) > 0


def _is_own(wanted: Wanted, snapshot: Snapshot) -> bool:
    """Return whether the module is, or holds, the document itself."""
    stem = posixpath.splitext(path_of(snapshot.uri))[0].removesuffix("/__init__").removesuffix("/mod")
    parts = [part for part in re.split(r"[./:]+", wanted.module) if part not in ("", "crate", "self")]
    if snapshot.language == "java":
        return (
            re.search(rf"^package\s+{re.escape(wanted.module)}\s*;", snapshot.text, re.MULTILINE) is not None
        )
    if snapshot.language == "go":
        package = WordPattern(r"^package\s+(\w+)", re.MULTILINE).search(snapshot.text)
        return package is not None and package[1].removesuffix("_test") == wanted.name
    return bool(parts) and f"{stem}/".endswith(f"/{'/'.join(parts)}/")


def _is_used_as(wanted: Wanted, index: DocumentIndex) -> bool:
    """Return whether a module is used with a dot after it, as modules are."""
    if wanted.form != "module":
        return True
    use = WordPattern(rf"(?<![\w.]){re.escape(wanted.name)}\.[^\W\d]")
    bodies = (index.bodies[line] for line in index.lines_with(wanted.name))
    return any(use.search(body) and not IMPORT.match(body) for body in bodies)


def _witnesses(
    name: str, snapshot: Snapshot, others: Sequence[Snapshot], trees: SyntaxTrees
) -> Iterator[tuple[str, Wanted]]:
    """Yield what to import for a name, the surest first, each with how it is known."""
    related = [
        one for one in others if family_of(snapshot.language) == family_of(one.language) and name in one.text
    ]
    for other in related:
        for statement in parse_imports(other, trees):
            for item in statement.items:
                if item.name == name and item.form != "public":
                    yield from _imported(item, other, snapshot)
    for other in related:
        defined = defined_import(name, other, snapshot, others, trees)
        if defined is not None:
            yield "defined", defined
    for_all = packages_for_all(others)
    yield from (one for one in _standard(name, snapshot.language) if one[1].module not in for_all)


def _imported(item: Wanted, other: Snapshot, snapshot: Snapshot) -> Iterator[tuple[str, Wanted]]:
    """Yield what another document imports, as this document writes it."""
    module = _seen_from(item.module, other.uri, snapshot.uri, snapshot.language)
    if module:
        exported = f"{item.name} as {item.name}"  # only marks that others may import it from there
        yield "imported", replace(item, module=module, item=item.name if item.item == exported else item.item)


def _standard(name: str, language: str) -> Iterator[tuple[str, Wanted]]:
    """Yield the import of a module of the standard library, and that of a name in one."""
    module = STANDARD_MODULES[language].get(name) if language in STANDARD_MODULES else None
    if language == "python" and module is not None and name in sys.stdlib_module_names:
        yield "standard", Wanted(name, name, name, "module")
    elif language == "go" and module is not None:
        yield "standard", Wanted(name, module, "", "module")
    if name in STANDARD_NAMES.get(language, {}):
        yield "standard", import_style(language).wanted(name, STANDARD_NAMES[language][name])


def _seen_from(module: str, theirs: str, ours: str, language: str) -> str:
    """Return another document's name of a module as this document writes it, or "" where that is not known."""
    if not module.startswith("."):
        return module
    here, there = posixpath.dirname(path_of(ours)), posixpath.dirname(path_of(theirs))
    if here == there:
        return module
    if family_of(language) != "javascript":
        return ""
    return relative_path(posixpath.normpath(posixpath.join(there, module)), here)
