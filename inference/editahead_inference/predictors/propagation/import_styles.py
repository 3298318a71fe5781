"""How languages write the imports of names: one entry a language."""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from editahead_prompts.syntax.languages import family_of
from editahead_prompts.text.indentation import indentation
from editahead_prompts.text.snapshot import Snapshot
from editahead_prompts.text.word_patterns import WordPattern

from .standard_library import STANDARD_NAMES

_ECMASCRIPT = WordPattern(
    r"import\s+(?P<type>type\s+)?(?:(?P<default>[\w$]+)\s*(?:,\s*)?)?(?:\{(?P<names>[^}]*)\})?\s*"
    r"from\s*(?P<quote>[\"'])(?P<module>[^\"']+)[\"']"
)
_PYTHON = re.compile(r"from\s+(?P<module>\S+)\s+import\s+\(?(?P<names>[^()]*)\)?\s*\Z")
_RUST = WordPattern(
    r"(?P<head>(?:pub(?:\([^)]*\))?\s+)?use\s+)(?P<module>[\w:]+)::(?:\{(?P<names>[\w\s,]*)\}|(?P<one>\w+(?: as \w+)?));"
)
_JAVA = WordPattern(r"import\s+(?P<static>static\s+)?(?P<path>[\w.]+\*?)\s*;")
_PHP = WordPattern(
    r"use\s+(?:(?P<form>function|const)\s+)?\\?(?:(?P<module>[\w\\]+)\\)?"
    r"(?:\{\s*(?P<names>[^}]*)\}|(?P<one>\w+(?: as \w+)?))\s*;"
)
_CSHARP = WordPattern(
    r"(?P<global>global\s+)?using\s+(?:(?P<static>static)\s+|(?P<alias>\w+)\s*=\s*)?(?P<path>[\w.]+)\s*;"
)
_RUBY = re.compile(
    r"require(?P<relative>_relative)?[\s(]\s*(?P<quote>[\"'])(?P<path>[^\"'#]+)(?P=quote)\s*\)?"
)
_SWIFT = WordPattern(
    r"(?:@\w+ |public |package |internal )*import "
    r"(?:(?P<module>[\w.]+)|(?P<item>(?:class|enum|func|let|protocol|struct|typealias|var) (?P<of>[\w.]+)\.(?P<name>\w+)))"
)
_GO = WordPattern(r"(?:import\s+)?(?:(?P<alias>[\w.]+)\s+)?\"(?P<path>[^\"]+)\"")


@dataclass(frozen=True, slots=True)
class Wanted:
    """One name that a statement imports.

    Attributes:
        name: The name that is bound.
        module: The module, path or package.
        item: What is imported from the module, as written ("path as p"); "" if the module itself is imported.
        form: How it is imported, for the languages with several ways: "from", "module", "default", "type", "static"; "all"
            if all names of the module are.
    """

    name: str
    module: str
    item: str
    form: str


@dataclass(frozen=True, slots=True)
class Statement:
    """An import statement in the lines [start, end)."""

    start: int
    end: int
    module: str
    form: str
    items: tuple[Wanted, ...]
    text: str


Parsed = tuple[str, str, tuple[Wanted, ...]]
"""The module of a statement, its form, and what it imports."""


@dataclass(frozen=True)
class ImportStyle:
    """How a language writes imports.

    Attributes:
        parse: Returns what a statement on one line imports; None if it is of another kind.
        write: Returns the line of a new statement in the style of another one of the document; None where it has no place.
        is_standard: Returns whether a module is in the standard library, in languages that keep its imports apart.
        begins_with_standard: Whether the standard library comes in the first group.
        has_lists: Whether one statement can import several names from a module.
        is_path: Whether the name is the last part of the module's path.
        has_ranks: Whether lists may be in the order of constants, classes, and the rest.
        has_one_block: Whether the imports are in one block, those of the standard library first.
        brings_all: Whether an import brings all names of a module, so that statements list none.
    """

    parse: Callable[[str], Parsed | None]
    write: Callable[[Snapshot, Statement, Wanted, Sequence[str]], str | None]
    is_standard: Callable[[str], bool] = lambda module: False
    begins_with_standard: bool = False
    has_lists: bool = True
    is_path: bool = False
    has_ranks: bool = False
    has_one_block: bool = False
    brings_all: bool = False

    def wanted(self, name: str, module: str) -> Wanted:
        """Return the usual import of a name."""
        return Wanted(name, module, "", "all") if self.brings_all else Wanted(name, module, name, "from")


def import_style(language: str) -> ImportStyle:
    """Return how a language writes imports; one that finds none for other languages."""
    return _STYLES.get(family_of(language), _NONE)


def _items(names: str, module: str, form: str) -> tuple[Wanted, ...]:
    texts = [" ".join(part.split()) for part in names.split(",")]
    return tuple(
        Wanted(re.split(r"\s", text.removeprefix("type "))[-1], module, text, form) for text in texts if text
    )


def _parse_python(flat: str) -> Parsed:
    match = _PYTHON.match(flat)
    if match is not None:
        return match["module"], "from", _items(match["names"], match["module"], "from")
    items = []
    for part in flat.removeprefix("import").split(","):
        path, _, alias = part.strip().partition(" as ")
        items.append(Wanted(alias or path.split(".")[0], path, part.strip(), "module"))
    return items[0].module, "module", tuple(items)


def _write_python(snapshot: Snapshot, model: Statement, wanted: Wanted, items: Sequence[str]) -> str:
    is_from = wanted.form == "from"
    return f"from {wanted.module} import {', '.join(items)}" if is_from else f"import {wanted.item}"


def _parse_go(flat: str) -> Parsed | None:
    match = _GO.match(flat)
    if match is None:
        return None
    path = match["path"]
    name = match["alias"] or re.sub(r"\A(?:go-)|\.v\d+\Z", "", _last_part(path))
    return path, "module", (Wanted(name, path, match["alias"] or "", "module"),)


def _last_part(path: str) -> str:
    """Return the last part of a Go path that is no version."""
    parts = path.split("/")
    return parts[-2] if len(parts) > 1 and re.fullmatch(r"v\d+", parts[-1]) else parts[-1]


def _write_go(snapshot: Snapshot, model: Statement, wanted: Wanted, items: Sequence[str]) -> str | None:
    line = snapshot.lines[model.start]
    if line.lstrip().startswith("import"):
        return None
    indent = indentation(line)
    return f'{indent}{wanted.item} "{wanted.module}"' if wanted.item else f'{indent}"{wanted.module}"'


def _parse_java(flat: str) -> Parsed | None:
    match = _JAVA.match(flat)
    if match is None:
        return None
    module, _, item = match["path"].rpartition(".")
    form = "static" if match["static"] else "from"
    return module, form, (Wanted(item, module, item, form),)


def _write_java(snapshot: Snapshot, model: Statement, wanted: Wanted, items: Sequence[str]) -> str:
    return f"import {'static ' if wanted.form == 'static' else ''}{wanted.module}.{wanted.item};"


def _parse_rust(flat: str) -> Parsed | None:
    match = _RUST.fullmatch(flat)
    if match is None:
        return None
    module, form = match["module"], "from" if match["head"] == "use " else "public"
    return module, form, _items(match["names"] if match["one"] is None else match["one"], module, form)


def _write_rust(snapshot: Snapshot, model: Statement, wanted: Wanted, items: Sequence[str]) -> str:
    listed = ", ".join(items)
    return f"use {wanted.module}::{{{listed}}};" if len(items) > 1 else f"use {wanted.module}::{listed};"


def _parse_ecmascript(flat: str) -> Parsed | None:
    match = _ECMASCRIPT.match(flat)
    if match is None:
        return None
    module, form = match["module"], "type" if match["type"] else "from"
    items = _items(match["names"] or "", module, form)
    if match["default"]:
        items = (Wanted(match["default"], module, match["default"], "default"), *items)
    return module, form, items


def _write_ecmascript(snapshot: Snapshot, model: Statement, wanted: Wanted, items: Sequence[str]) -> str:
    listed = ", ".join(items)
    quote = '"' if '"' in model.text else "'"
    end = ";" if model.text.endswith(";") else ""
    kind = "type " if wanted.form == "type" else ""
    names = listed if wanted.form == "default" else f"{{ {listed} }}"
    return f"import {kind}{names} from {quote}{wanted.module}{quote}{end}"


def _parse_php(flat: str) -> Parsed | None:
    match = _PHP.fullmatch(flat)
    if match is None:
        return None
    module, form = match["module"] or "", match["form"] or "from"
    if match["one"] is None:
        return module, "group", _items(match["names"], module, form)
    return module, form, _items(match["one"], module, form)


def _write_php(snapshot: Snapshot, model: Statement, wanted: Wanted, items: Sequence[str]) -> str | None:
    if model.form not in ("", wanted.form):  # a group, or a block of functions
        return None
    kind = "" if wanted.form == "from" else f"{wanted.form} "
    return f"use {kind}{wanted.module}\\{wanted.item};"


def _parse_csharp(flat: str) -> Parsed | None:
    match = _CSHARP.fullmatch(flat)
    if match is None:
        return None
    path, alias = match["path"], match["alias"]
    if alias:
        return path, "alias", (Wanted(alias, path, f"{alias} = {path}", "alias"),)
    return path, "global" if match["global"] else match["static"] or "all", ()


def _write_csharp(snapshot: Snapshot, model: Statement, wanted: Wanted, items: Sequence[str]) -> str | None:
    return None if model.form == "global" else f"using {wanted.item or wanted.module};"


def _parse_ruby(flat: str) -> Parsed | None:
    match = _RUBY.fullmatch(flat)
    if match is None:
        return None
    path = posixpath.normpath(match["path"].removesuffix(".rb"))
    return f"./{path}" if match["relative"] else path, "all", ()


def _write_ruby(snapshot: Snapshot, model: Statement, wanted: Wanted, items: Sequence[str]) -> str:
    quote = "'" if "'" in model.text else '"'
    is_relative = wanted.module.startswith("./")
    return f"require{'_relative' * is_relative} {quote}{wanted.module.removeprefix('./')}{quote}"


def _parse_swift(flat: str) -> Parsed | None:
    match = _SWIFT.fullmatch(flat)
    if match is None:
        return None
    if match["item"]:
        return match["of"], "one", (Wanted(match["name"], match["of"], match["item"], "one"),)
    return match["module"], "all", ()


def _write_swift(snapshot: Snapshot, model: Statement, wanted: Wanted, items: Sequence[str]) -> str | None:
    return f"import {wanted.item or wanted.module}" if model.text.startswith("import") else None


_STYLES: Mapping[str, ImportStyle] = {
    "python": ImportStyle(
        _parse_python,
        _write_python,
        is_standard=lambda module: module.split(".")[0] in sys.stdlib_module_names,
        has_ranks=True,
    ),
    "go": ImportStyle(
        _parse_go,
        _write_go,
        is_standard=lambda module: "." not in module.split("/")[0],
        begins_with_standard=True,
    ),
    "java": ImportStyle(_parse_java, _write_java, has_lists=False),
    "rust": ImportStyle(_parse_rust, _write_rust, is_path=True),
    "javascript": ImportStyle(_parse_ecmascript, _write_ecmascript),
    "php": ImportStyle(_parse_php, _write_php, has_lists=False, has_one_block=True),
    "csharp": ImportStyle(
        _parse_csharp,
        _write_csharp,
        is_standard=lambda module: module.split(".")[0] == "System",
        has_lists=False,
        has_one_block=True,
        brings_all=True,
    ),
    "swift": ImportStyle(_parse_swift, _write_swift, has_lists=False, has_one_block=True, brings_all=True),
    "ruby": ImportStyle(
        _parse_ruby,
        _write_ruby,
        is_standard=lambda module: module in STANDARD_NAMES["ruby"].values(),
        has_lists=False,
        brings_all=True,
    ),
}
_NONE = ImportStyle(lambda flat: None, lambda snapshot, model, wanted, items: None)
