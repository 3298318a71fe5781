"""All languages that are known, and the language of a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from editahead_prompts.text.snapshot import Snapshot
from editahead_prompts.text.word_patterns import WordPattern

from .c import CPP, C
from .csharp import CSHARP
from .go import GO
from .java import JAVA
from .javascript import JAVASCRIPT, JAVASCRIPT_REACT, TYPESCRIPT, TYPESCRIPT_REACT
from .language import Language, NodeTypes
from .other import KOTLIN, MARKDOWN, OVERLOADING, PROSE
from .php import PHP
from .python import PYTHON
from .ruby import RUBY
from .rust import RUST
from .swift import SWIFT
from .symbols import Symbol, SymbolList

if TYPE_CHECKING:
    from tree_sitter import Node


LANGUAGES: Mapping[str, Language] = {
    language.name: language
    for language in (
        *(PYTHON, JAVASCRIPT, JAVASCRIPT_REACT, TYPESCRIPT, TYPESCRIPT_REACT),
        *(GO, RUST, JAVA, C, CPP, CSHARP, PHP, RUBY, SWIFT),
        *(KOTLIN, MARKDOWN, *OVERLOADING, *PROSE),
    )
}
"""The languages by LSP language id."""
PLAIN_TEXT = "plaintext"
"""The LSP language id of a file of which nothing else is known."""
_UNKNOWN = Language("")
PARSED_LANGUAGES = tuple(name for name, language in LANGUAGES.items() if language.grammar is not None)
"""The LSP language ids of those with a grammar."""
_MAX_HEAD = 4_000
"""Characters of a file in which it says its package."""
_MODULE_FOLDER = re.compile(r"/(?:Sources|Tests)/([^/]+)/")
_ONLY_MODULE = "."
"""The module of all files that are in no folder of one."""
_BY_EXTENSION = {extension: one.name for one in LANGUAGES.values() for extension in one.extensions}
_BY_WORD = _BY_EXTENSION | {
    word: one.name for one in LANGUAGES.values() if one.extensions for word in (one.name, *one.aliases)
}


def find_language(name: str | None) -> Language:
    """Return a language by its LSP language id; one without properties if it is not known."""
    return LANGUAGES.get(name or "", _UNKNOWN)


def nodes_of(name: str | None) -> NodeTypes:
    """Return the types of nodes of a language by its LSP language id; empty ones if it is not known."""
    return find_language(name).nodes


def language_of(path: str) -> str:
    """Return the LSP language id of a file by the end of its name; `plaintext` for an unknown one."""
    return known_language_of(path) or PLAIN_TEXT


def known_language_of(path: str | None) -> str | None:
    """Return the LSP language id of a file by the end of its name; None for an unknown one."""
    return _BY_EXTENSION.get(path.rsplit(".", 1)[-1].lower()) if path and "." in path else None


def language_of_word(word: str | None) -> str | None:
    """Return the LSP language id of an extension, or of the word of a fence of code; None if it is not known."""
    return _BY_WORD.get(word.lower()) if word else None


def package_of(snapshot: Snapshot) -> str:
    """Return the name of the package or module that a file is of; "" if nothing says it."""
    language = find_language(snapshot.language)
    if language.modules_by_folder:
        folder = _MODULE_FOLDER.search(snapshot.uri)
        return folder[1] if folder is not None else _ONLY_MODULE
    keyword = language.package
    found = (
        WordPattern(rf"^\s*{keyword}\s+([\w.\\]+)", re.MULTILINE).search(snapshot.text[:_MAX_HEAD])
        if keyword
        else None
    )
    return found[1] if found is not None else ""


def is_nested(package: str, outer: str, language: str) -> bool:
    """Return whether a package is inside of another one, whose names it knows."""
    return find_language(language).imports_packages and package.startswith(f"{outer}.")


def family_of(name: str) -> str:
    """Return the name of the languages whose files share names with those of a language."""
    return find_language(name).family or name


def find_symbols(root: Node, language: str, file_name: str) -> Sequence[Symbol]:
    """Return the symbols of a file, in the order of the text.

    Args:
        root: The root of its syntax tree.
        language: The LSP language id.
        file_name: The last part of its path.
    """
    symbols = SymbolList(is_package=file_name in ("__init__.py", "__init__.pyi"))
    collect = find_language(language).collect_symbols
    if collect is not None:
        collect(root, symbols)
    return symbols.found
