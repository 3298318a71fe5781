"""All languages that are known, and the language of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tree_sitter import Node

from .c import CPP, C
from .go import GO
from .java import JAVA
from .javascript import JAVASCRIPT, JAVASCRIPT_REACT, TYPESCRIPT, TYPESCRIPT_REACT
from .language import ChildFields, Language, merge_tables
from .python import PYTHON
from .rust import RUST
from .symbols import Symbol, SymbolList

_KOTLIN = Language("kotlin", extensions=("kt", "kts"), line_comment="//", block_comment=True)
_MARKDOWN = Language("markdown", extensions=("md", "markdown"))
PLAIN_TEXT = Language("plaintext")
"""The language of a file of which nothing else is known."""
LANGUAGES: Mapping[str, Language] = {
    language.name: language
    for language in (
        *(PYTHON, JAVASCRIPT, JAVASCRIPT_REACT, TYPESCRIPT, TYPESCRIPT_REACT, GO, RUST, JAVA, C, CPP),
        *(_KOTLIN, _MARKDOWN),
    )
}
"""The languages by LSP language id."""
PARSED_LANGUAGES = tuple(name for name, language in LANGUAGES.items() if language.grammar is not None)
"""The LSP language ids of those with a grammar."""
NODES = merge_tables([language.nodes for language in LANGUAGES.values()])
"""The types of nodes of all languages."""
TYPES = NODES.of_kind("type", "impl")
"""The types of nodes that define a type or its members."""
NAMED_FUNCTIONS = NODES.of_kind("function")
"""The types of functions with a name, with or without a body."""
FUNCTIONS = (NAMED_FUNCTIONS - NODES.signatures) | NODES.lambdas
"""The types of functions with a body, with or without a name."""
CONSTRUCTORS = frozenset(name for one in LANGUAGES.values() for name in one.constructors)
"""The names of functions that set up an object."""
OWN_OBJECT = frozenset(name for one in LANGUAGES.values() for name in one.own_object)
"""The names by which methods know their object or class."""
_BY_EXTENSION = {extension: one.name for one in LANGUAGES.values() for extension in one.extensions}
_BY_WORD = _BY_EXTENSION | {word: one.name for one in LANGUAGES.values() for word in (one.name, *one.aliases)}


def child_in(node: Node, table: ChildFields) -> Node | None:
    """Return the child of a node in the first field, of those that the table has for its type, that is not empty."""
    return next(
        (found for name in table.get(node.type, ()) if (found := node.child_by_field_name(name))), None
    )


def find_language(name: str | None) -> Language:
    """Return a language by its LSP language id; `PLAIN_TEXT` for one that is not known."""
    return LANGUAGES.get(name or "", PLAIN_TEXT)


def language_of(path: str) -> str:
    """Return the LSP language id of a file by the end of its name; `plaintext` for an unknown one."""
    return known_language_of(path) or PLAIN_TEXT.name


def known_language_of(path: str | None) -> str | None:
    """Return the LSP language id of a file by the end of its name; None for an unknown one."""
    return _BY_EXTENSION.get(path.rsplit(".", 1)[-1].lower()) if path and "." in path else None


def language_of_word(word: str | None) -> str | None:
    """Return the LSP language id of an extension, or of the word of a fence of code; None if it is not known."""
    return _BY_WORD.get(word.lower()) if word else None


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
