"""Whether a document has a name from another module than that of a definition with the same name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, takewhile
from pathlib import PurePosixPath
from urllib.parse import unquote

from editahead_prompts.syntax.languages import family_of, find_language, is_nested, package_of
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot
from editahead_prompts.text.word_patterns import WordPattern

from .import_statements import parse_imports

_USING = WordPattern(r"^\s*(?:global\s+)?using\s+(?:static\s+)?(?:\w+\s*=\s*)?([\w.]+)\s*;", re.MULTILINE)
_MAX_HEAD = 20_000
"""Characters at the beginning of a document in which its imports are."""
_RELATIVE = re.compile(r"[./~#]|@/|(?:crate|self|super)\b")
"""How a module begins that may be any file of the same project, such as one that exports names of others."""
_SCRIPT = re.compile(r"\.(?:d\.)?[cm]?[jt]sx?$")
"""The extension that an import of a script may have."""
_WORD = WordPattern(r"\w+")


def path_of(uri: str) -> str:
    """Return the path of a file, with slashes."""
    return unquote(uri.partition("://")[2])


def is_of_other_module(
    name: str, document: Snapshot, origin: Snapshot, trees: SyntaxTrees, others: Iterable[Snapshot] = ()
) -> bool:
    """Return whether a name surely does not mean what another document defines at its top level.

    Args:
        name: The name.
        document: The document that has the name.
        origin: The document that defines it.
        trees: The syntax trees of both documents.
        others: The other documents that are known; one of them may be another module of the same name.
    """
    package, own = package_of(origin), package_of(document)
    if package and own and document.language != "go":
        return not (
            package == own
            or is_nested(own, package, document.language)
            or any(_imports_of(name, package, document, trees))
        )
    modules = _modules_of(name, document, trees) or _modules_of("*", document, trees)
    return bool(modules) and not any(
        _may_lead_to(module, origin.uri) and not _leads_elsewhere(module, document, origin, others)
        for module in modules
    )


def _modules_of(name: str, document: Snapshot, trees: SyntaxTrees) -> list[str]:
    """Return the modules from which a document imports a name."""
    return [
        statement.module
        for statement in parse_imports(document, trees)
        if any(item.name == name for item in statement.items)
    ]


def _imports_of(name: str, package: str, document: Snapshot, trees: SyntaxTrees) -> Iterator[bool]:
    """Yield, for each import of a document, whether it brings a name of a package."""
    if find_language(document.language).imports_packages:
        for found in used_packages(document):
            yield found in (package, f"{package}.{name}")
        return
    for statement in parse_imports(document, trees):
        for item in statement.items:
            yield statement.module == package and item.name in (name, "*")
    path = "\\".join(
        (package.rpartition("\\")[2], name)
    )  # in PHP, all of it or from an imported namespace on
    yield WordPattern(rf"{re.escape(path)}\b").search(document.text) is not None


def used_packages(document: Snapshot) -> list[str]:
    """Return the packages and types of which a document imports all names, anywhere in it."""
    return _USING.findall(document.text[:_MAX_HEAD])


def packages_for_all(documents: Sequence[Snapshot]) -> set[str]:
    """Return the packages that some documents import for all files of their project."""
    for_all = (document for document in documents if "global using" in document.text)
    return set(chain.from_iterable(map(used_packages, for_all)))


def _may_lead_to(module: str, uri: str) -> bool:
    """Return whether an import may be of a file, or of a module around it: they have a word of their paths in common."""
    if _RELATIVE.match(module):
        return True
    path = PurePosixPath(uri)
    return not _words(module).isdisjoint(_words(str(path.with_suffix(""))))


def _leads_elsewhere(module: str, document: Snapshot, origin: Snapshot, others: Iterable[Snapshot]) -> bool:
    """Return whether an import is of a file with the origin's name in another folder, as in another workspace folder."""
    ours, theirs = path_of(document.uri), _stem_of(origin)
    family = family_of(document.language)
    if not ours or family not in ("python", "javascript"):
        return False
    if module.startswith("."):
        meant = _path_of_relative(module, posixpath.dirname(ours), family)
        return posixpath.basename(meant) == posixpath.basename(theirs) and meant != theirs
    ending = f"/{module.replace('.', '/')}"
    if family != "python" or not theirs.endswith(ending):
        return False
    near = _common_folders(ours, theirs)
    stems = (_stem_of(other) for other in others)
    return any(stem.endswith(ending) and _common_folders(ours, stem) > near for stem in stems)


def _stem_of(document: Snapshot) -> str:
    """Return the path of a module without its extension; of a package, that of its folder."""
    stem = posixpath.splitext(path_of(document.uri))[0]
    return stem.removesuffix("/__init__").removesuffix("/index")


def _path_of_relative(module: str, folder: str, family: str) -> str:
    """Return the path, without an extension, to which a relative import of a file in a folder leads."""
    if family == "python":
        names = module.lstrip(".")
        up = "../" * (len(module) - len(names) - 1)
        return posixpath.normpath(posixpath.join(folder, up, names.replace(".", "/")))
    path = posixpath.normpath(posixpath.join(folder, module))
    return _SCRIPT.sub("", path).removesuffix("/index")


def _common_folders(one: str, other: str) -> int:
    """Return how many folders two paths have in common, from the root on."""
    pairs = zip(PurePosixPath(one).parts, PurePosixPath(other).parts, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _words(path: str) -> set[str]:
    return set(_WORD.findall(path.replace("-", "_").lower()))
