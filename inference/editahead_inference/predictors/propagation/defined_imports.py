"""The import of a name that another open document defines."""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import PurePosixPath

from editahead_prompts.syntax.language import words
from editahead_prompts.syntax.languages import family_of, find_language, find_symbols, is_nested, package_of
from editahead_prompts.syntax.symbols import Role, Symbol
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot
from editahead_prompts.text.word_patterns import WordPattern

from .import_statements import parse_imports
from .import_styles import Wanted, import_style
from .other_modules import packages_for_all, path_of, used_packages
from .standard_library import STANDARD_NAMES

_DEFINED = {
    "python": r"^(?:async\s+)?(?:def|class)\s+{0}\b|^{0}\s*(?::[^=\n]+)?=(?!=)",
    "javascript": (
        r"^export\s+(?:default\s+)?(?:(?:async|abstract)\s+)?(?:function\*?|class|const|let|interface|type|enum)"
        r"\s+{0}\b"
    ),
}
_NAMESPACE = re.compile(r"^[ \t]*namespace\s", re.MULTILINE)
_OPENED = WordPattern(r"\b(?:class|module)\s+(?:\w+::)*(\w+)")
_BASES = WordPattern(r"\b(?:class|interface|record|struct)\s+\w[^{};]*?:([^{};]*)")
_WORD = WordPattern(r"\w+")
_NO_IMPORT = ""
"""The module of a name that needs no import."""
_RUBY_CORE = words(
    "Array BasicObject Binding Class Comparable Complex Data Dir ENV Encoding Enumerable Enumerator Exception FalseClass "
    "Fiber File FileTest Float GC Hash IO Integer Kernel Marshal MatchData Math Method Module Mutex NilClass Numeric "
    "Object ObjectSpace Proc Process Queue Ractor Random Range Rational Regexp Set Signal String Struct Symbol Thread "
    "Time TracePoint TrueClass UnboundMethod"
)
"""The classes of Ruby's core that projects add to. Those of errors are known by the ends of their names."""


def defined_import(
    name: str, other: Snapshot, snapshot: Snapshot, others: Sequence[Snapshot], trees: SyntaxTrees
) -> Wanted | None:
    """Return the import of what another document defines.

    Args:
        name: The name.
        other: The document that may define it.
        snapshot: The document that needs it.
        others: All other open documents.
        trees: The syntax trees of all documents.

    Returns:
        None if it does not define the name, or if nothing shows how to import it; an import of no module if the name needs
        none, or has another meaning.
    """
    language = family_of(snapshot.language)
    if language in _DEFINED:
        return _exported_import(name, other, snapshot, trees)
    find_module = _MODULES.get(language)
    symbols = _symbols_of(name, other, trees) if find_module is not None else []
    if any(_has_other_meaning(symbol, snapshot) for symbol in symbols):
        return Wanted(name, _NO_IMPORT, "", "")
    if find_module is None or not any(_is_usable(symbol, snapshot) for symbol in symbols):
        return None
    module = find_module(name, other, snapshot, others, trees)
    return None if module is None else import_style(language).wanted(name, module)


def _exported_import(name: str, other: Snapshot, snapshot: Snapshot, trees: SyntaxTrees) -> Wanted | None:
    """Return the import of a name from the module that another document is; None where nothing shows its name."""
    pattern = _DEFINED[family_of(snapshot.language)].format(re.escape(name))
    defined = WordPattern(pattern, re.MULTILINE).search(other.text)
    module = _module_of(other, snapshot, trees) if defined else ""
    form = "default" if defined and "default" in defined[0].split() else "from"
    return Wanted(name, module, name, form) if module else None


def _symbols_of(name: str, document: Snapshot, trees: SyntaxTrees) -> list[Symbol]:
    """Return what a document defines by a name."""
    tree = trees.tree(document)
    if tree is None:
        return []
    symbols = find_symbols(tree.root_node, document.language, posixpath.basename(document.uri))
    return [symbol for symbol in symbols if symbol.name == name and symbol.roles & Role.DEFINITION]


def _has_other_meaning(symbol: Symbol, snapshot: Snapshot) -> bool:
    """Return whether a name may be a member, which a type of a document inherits."""
    owner = symbol.container.rpartition(".")[2]
    return snapshot.language == "csharp" and any(
        owner in _WORD.findall(bases) for bases in _BASES.findall(snapshot.text)
    )


def _is_usable(symbol: Symbol, snapshot: Snapshot) -> bool:
    """Return whether a document can use a type by its name alone."""
    nodes = find_language(snapshot.language).nodes
    if symbol.kind not in nodes.declared_types and symbol.kind not in nodes.assignments:
        return False
    if snapshot.language != "ruby":
        return bool(symbol.roles & Role.EXPORT)
    opened = set(_OPENED.findall(snapshot.text))
    return not symbol.container or all(part in opened for part in re.split(r"\.|::", symbol.container))


def _find_package(
    name: str, other: Snapshot, snapshot: Snapshot, others: Sequence[Snapshot], trees: SyntaxTrees
) -> str | None:
    """Return the package of another document; the empty one if its names are known without an import."""
    package, own = package_of(other), package_of(snapshot)
    imports_packages = find_language(snapshot.language).imports_packages
    if package == own or is_nested(own, package, snapshot.language) or (imports_packages and not package):
        return _NO_IMPORT
    if not package or len(_NAMESPACE.findall(other.text)) != 1:
        return None
    if not imports_packages:
        return package
    for_all = packages_for_all(others)
    if package in for_all or package in used_packages(snapshot):
        return _NO_IMPORT
    # A project whose files import none of its packages does it in one place, which may be a file that is not open.
    used = set(chain.from_iterable(map(used_packages, (snapshot, *others)))) - for_all
    return package if any(one.partition(".")[0] == package.partition(".")[0] for one in used) else None


def _find_required(
    name: str, other: Snapshot, snapshot: Snapshot, others: Sequence[Snapshot], trees: SyntaxTrees
) -> str | None:
    """Return what Ruby's `require` has for another document; the empty name if it is loaded already, or may be."""
    if name in _RUBY_CORE or name in STANDARD_NAMES["ruby"] or _may_be_loaded(other, snapshot, others, trees):
        return _NO_IMPORT
    theirs, ours = _stem(other), _stem(snapshot)
    if not theirs or not ours:  # not written yet
        return None
    known = [statement.module for statement in parse_imports(snapshot, trees)]
    if any(module.startswith("./") for module in known):
        return f"./{posixpath.relpath(theirs, posixpath.dirname(ours))}"
    path = theirs.rpartition("/lib/")[2]
    roots = {module.partition("/")[0] for module in known if "/" in module}
    return path if path != theirs and path.partition("/")[0] in roots else None


def _may_be_loaded(
    other: Snapshot, snapshot: Snapshot, others: Sequence[Snapshot], trees: SyntaxTrees
) -> bool:
    """Return whether a Ruby document has another one without a `require` of its own, as far as known, or is needed by it."""
    theirs, ours = _stem(other), _stem(snapshot)
    documents = [one for one in (snapshot, *others) if one.language == snapshot.language]
    required = {_stem(one): _required(one, documents, trees) for one in documents}
    reached = {stem: _reached(stem, required) for stem in required}
    # What is not open may load all that is in the folder of its name, or, as a helper of tests, everything. That of a
    # library is there whether the document loads it or not.
    libraries = {
        str(path)
        for path in PurePosixPath(theirs).parents
        if "/lib/" in str(path) and ours.startswith(f"{path}/")
    }
    unknown = (reached[ours] | libraries) - required.keys()
    return (
        theirs in reached[ours]
        or ours in reached[theirs]
        or any({theirs, ours} <= found for found in reached.values())
        or any(theirs.startswith(f"{stem}/") or stem.endswith("_helper") for stem in unknown)
    )


def _stem(document: Snapshot) -> str:
    return posixpath.splitext(path_of(document.uri))[0]


def _required(document: Snapshot, documents: Sequence[Snapshot], trees: SyntaxTrees) -> set[str]:
    """Return the paths, without their extensions, of the files that a Ruby document may load itself."""
    folder, found = posixpath.dirname(_stem(document)), set()
    for statement in parse_imports(document, trees):
        if statement.module.startswith("./"):
            found.add(posixpath.normpath(posixpath.join(folder, statement.module)))
        else:
            ending = f"/lib/{statement.module}"
            found |= {stem for stem in map(_stem, documents) if stem.endswith(ending)}
            found.add(_stem(document).partition("/lib/")[0] + ending)
    return found


def _reached(start: str, required: Mapping[str, set[str]]) -> set[str]:
    """Return the files that one loads, and those that these load."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = required.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def _find_folder(
    name: str, other: Snapshot, snapshot: Snapshot, others: Sequence[Snapshot], trees: SyntaxTrees
) -> str | None:
    """Return the Swift module of another document, which is called like its folder; the empty one if it is imported."""
    module, paths = package_of(other), (path_of(other.uri), path_of(snapshot.uri))
    imported = WordPattern(rf"\bimport\s+(?:\w+\s+)?{re.escape(module)}\b")
    if module == package_of(snapshot) or imported.search(snapshot.text):
        return _NO_IMPORT
    public = WordPattern(rf"\b(?:public|open)\s+(?:final\s+|indirect\s+)?\w+\s+{re.escape(name)}\b")
    is_public = public.search(other.text) is not None
    return module if is_public and all("/Sources/" in path for path in paths) else None


_FindModule = Callable[[str, Snapshot, Snapshot, Sequence[Snapshot], SyntaxTrees], str | None]
_MODULES: Mapping[str, _FindModule] = {
    "csharp": _find_package,
    "php": _find_package,
    "ruby": _find_required,
    "swift": _find_folder,
}


def _module_of(other: Snapshot, snapshot: Snapshot, trees: SyntaxTrees) -> str:
    """Return the name by which this document imports from another, or "" where nothing shows it."""
    theirs, ours = path_of(other.uri), path_of(snapshot.uri)
    if not theirs or not ours:  # not written yet
        return ""
    known = [statement.module for statement in parse_imports(snapshot, trees)]
    if family_of(snapshot.language) == "javascript":
        return _relative_module(theirs, ours, [module for module in known if module.startswith(".")])
    return _dotted_module(theirs, ours, frozenset(known))


def _relative_module(theirs: str, ours: str, known: Sequence[str]) -> str:
    """Return the path of a module as the relative imports of a document write it."""
    if not known:
        return ""
    ending = ".js" if any(module.endswith(".js") for module in known) else ""
    whole = relative_path(posixpath.splitext(theirs)[0], posixpath.dirname(ours))
    folder = whole.removesuffix("/index")
    return folder if folder in known or (folder != whole and not ending) else whole + ending


def _dotted_module(theirs: str, ours: str, known: frozenset[str]) -> str:
    """Return the dotted name of a module: one that is imported already, one beside the document, or one of the same root."""
    stem = posixpath.splitext(theirs)[0]
    parts = stem.removesuffix("/__init__").split("/")
    names = [".".join(parts[start:]) for start in range(len(parts))]
    imported = next((name for name in names if name in known), None)
    if imported is not None:
        return imported
    is_beside = posixpath.dirname(theirs) == posixpath.dirname(ours)
    if is_beside and any(module.startswith(".") for module in known):
        return f".{parts[-1]}" if not stem.endswith("/__init__") else ""
    roots = {module.split(".")[0] for module in known if not module.startswith(".")} - sys.stdlib_module_names
    for start, part in enumerate(parts):
        if part in roots and parts[:start] == ours.split("/")[:start]:
            return names[start]
    return ""


def relative_path(path: str, folder: str) -> str:
    """Return a path as seen from a folder, with a dot at its beginning."""
    found = posixpath.relpath(path, folder)
    return found if found.startswith(".") else f"./{found}"
