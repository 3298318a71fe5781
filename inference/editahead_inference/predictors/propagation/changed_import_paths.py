"""Follow-ups of a changed import path: the imports of the same names, or of the same module, from the old path.

An import whose path changed while its names stayed says that these names come from elsewhere now. Two such imports of one
module say that for the module, and two modules that changed alike say it for the path that they begin with.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.languages import family_of
from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.snapshot import line_body
from editahead_prompts.text.word_patterns import WordPattern

from .follow_up import FollowUp, Situation
from .named_places import MAX_WIDTH
from .other_modules import path_of
from .rule import shorten
from .token_patterns import KEYWORDS

_ONCE, _TWICE, _BEGINNING = 0.5, 0.8, 0.6
"""Confidence that an import follows: of the same names after one example, of the same module after two, and of another
module whose path begins with what two others have changed. They are chosen."""
_MAX_OTHER = 2
"""Other edits by hand, after which a person has gone on with something else."""
_MAX_LINES = 200
"""Lines with the last part of a path. On more lines it is a common word."""
_MAX_STATEMENT = 30
"""Lines of one import."""
_WEB = WordPattern(
    r"(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\(\s*|\bmock\(\s*)(?:\"(?P<double>[^\"]+)\"|'(?P<path>[^']+)')"
)
_PATTERNS = {
    "javascript": _WEB,
    "python": WordPattern(
        r"^\s*from\s+(?P<path>\.*[\w.]+)\s+import\b|^\s*import\s+(?P<whole>[\w.]+)(?=\s+as\b)"
    ),
    "go": WordPattern(r"^\s*(?:import\s+)?(?:[\w.]+\s+)?\"(?P<path>[\w.~/-]+)\"\s*(?://.*)?$"),
    "java": WordPattern(r"^\s*import\s+(?:static\s+)?(?P<path>[\w.]+)(?=\.(?:\w+|\*)\s*;)"),
    "rust": WordPattern(r"^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+(?P<path>\w+(?:::\w+)*)(?=::[\w{*])"),
    "c": WordPattern(r"^\s*#\s*include\s*[<\"](?P<path>[^>\"]+)[>\"]"),
    "csharp": WordPattern(r"^\s*using\s+(?:static\s+)?(?P<path>[\w.]+)\s*;"),
}
_PARTS = re.compile(r"(::|[./])")
_OPENS = re.compile(r"^\s*(?:import|export)\b|\brequire\b|\bmock\b")


@dataclass(frozen=True, slots=True)
class _Import:
    """The path of an import.

    Attributes:
        span: Where the path is in its line.
        path: The path as written.
        names: The names that the statement imports.
    """

    span: tuple[int, int]
    path: str
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Change:
    """An import whose path an edit changed."""

    folder: str
    old: str
    new: str
    names: frozenset[str]


def changes_import_path(edit: PastEdit, language: str, lines: Sequence[str]) -> bool:
    """Return whether all that an edit changed are the paths of imports.

    Args:
        edit: The edit.
        language: The language of its document.
        lines: The lines of the document now.
    """
    changed = [row for row, (a, b) in enumerate(zip(edit.old, edit.new, strict=False)) if a != b]
    is_same_size = len(edit.old) == len(edit.new) and bool(changed)
    return is_same_size and len(changed) == len(list(_changes(edit, language, lines)))


def changed_paths(edit: PastEdit, language: str) -> Iterator[str]:
    """Yield the paths of imports that an edit replaced, each as far as other documents write it, too.

    Args:
        edit: The edit.
        language: The language of its document.
    """
    return (change.old.lstrip("./") for change in _changes(edit, language, ()))


def follow_changed_import_paths(situation: Situation) -> Iterator[FollowUp]:
    """Yield the imports of the searched document that still have a path which past edits changed elsewhere."""
    index = situation.index
    language = index.snapshot.language
    changes = _last_changes(situation)
    pattern = _pattern(language)
    if not changes or pattern is None:
        return
    folder, beginnings = _folder(index.snapshot.uri), _beginnings(changes)
    paths = (*(change.old for change in changes), *beginnings)
    words = dict.fromkeys(WORD.findall(path)[-1] for path in paths if WORD.search(path))
    lines = dict.fromkeys(line for word in words for line in index.lines_with(word)[:_MAX_LINES])
    for line in lines:
        body = index.bodies[line]
        found = _import_in(body, line, index.snapshot.lines, pattern)
        made = _followed(found, folder, changes, beginnings) if found is not None else None
        if found is None or made is None or made[0] == found.path:
            continue
        path, confidence = made
        new = body[: found.span[0]] + path + body[found.span[1] :]
        proposal = index.rewrite(line, new)
        label = f"import from {shorten(path, 40)}"
        yield FollowUp(proposal, "import-path", f"import-path:{found.path}:{path}", label, confidence)


def _last_changes(situation: Situation) -> list[_Change]:
    """Return the imports whose path the person changed by hand, the newest first; none if they went on with other edits."""
    found: list[_Change] = []
    others = 0
    for edit in situation.edits:
        if edit is None or edit.origin != "typed":
            continue
        home = situation.home(edit.uri)
        language = situation.index.snapshot.language if home is None else home.snapshot.language
        lines = () if home is None else home.snapshot.lines
        changes = list(_changes(edit, language, lines)) if _is_kin(language, situation) else []
        found += changes
        others += not changes
        if others > _MAX_OTHER:
            break
    return found


def _is_kin(language: str, situation: Situation) -> bool:
    return _family(language) == _family(situation.index.snapshot.language)


def _family(language: str) -> str:
    return "javascript" if language in ("vue", "svelte") else family_of(language)


def _pattern(language: str) -> WordPattern | None:
    return _PATTERNS.get(_family(language))


def _changes(edit: PastEdit, language: str, lines: Sequence[str]) -> Iterator[_Change]:
    """Yield the imports whose path an edit changed, and nothing else."""
    pattern = _pattern(language)
    if pattern is None or len(edit.old) != len(edit.new):
        return
    for row, (before, after) in enumerate(zip(edit.old, edit.new, strict=True)):
        line = edit.line + row
        there = lines if line < len(lines) and lines[line] == after else edit.new
        was = _import_in(line_body(before), row, edit.old, pattern)
        now = _import_in(line_body(after), line if there is lines else row, there, pattern)
        if before == after or was is None or now is None or was.path == now.path:
            continue
        if before[: was.span[0]] == after[: now.span[0]] and before[was.span[1] :] == after[now.span[1] :]:
            yield _Change(_folder(edit.uri), was.path, now.path, now.names)


def _import_in(body: str, line: int, lines: Sequence[str], pattern: WordPattern) -> _Import | None:
    """Return the import whose path is in a line; None without one."""
    match = pattern.search(body) if len(body) <= MAX_WIDTH else None
    if match is None:
        return None
    group = match.lastgroup or "path"
    statement = body[: match.start(group)] + body[match.end(group) :]
    if pattern is _WEB and not _OPENS.search(body):
        above = lines[max(line - _MAX_STATEMENT, 0) : line]
        start = next((n for n in range(len(above) - 1, -1, -1) if _OPENS.search(above[n])), len(above))
        statement = "".join(above[start:]) + statement
    elif body.rstrip().endswith(("(", "{")):
        below = lines[line + 1 : line + _MAX_STATEMENT]
        end = next((n for n, text in enumerate(below) if text.lstrip().startswith((")", "}"))), len(below))
        statement += "".join(below[:end])
    names = frozenset(word for word in WORD.findall(statement) if word not in KEYWORDS)
    return _Import(
        match.span(group), match[group], names - {"from", "import", "use", "require", "static", "type"}
    )


def _followed(
    found: _Import, folder: str, changes: Sequence[_Change], beginnings: Mapping[str, str]
) -> tuple[str, float] | None:
    """Return the new path of an import and the confidence that it follows; None where nothing speaks for it."""
    here = _resolved(found.path, folder)
    same = [change for change in changes if _resolved(change.old, change.folder) == here]
    if same:
        names = frozenset[str]().union(*(change.names for change in same))
        is_meant = len(same) > 1 or (bool(found.names) and found.names <= names)
        new = _written(same[0], folder)
        targets = {_resolved(change.new, change.folder) for change in same}
        return (new, _TWICE if len(same) > 1 else _ONCE) if is_meant and len(targets) == 1 else None
    for old, new in beginnings.items():
        if re.match(rf"{re.escape(old)}(?:::|[./]|\Z)", found.path):
            return new + found.path[len(old) :], _BEGINNING
    return None


def _beginnings(changes: Sequence[_Change]) -> dict[str, str]:
    """Return what several changed paths begin with, before and after, as far as they are alike."""
    alike: dict[tuple[str, str], list[list[str]]] = {}
    for change in changes:
        a, b = _PARTS.split(change.old), _PARTS.split(change.new)
        same = 0
        while same < min(len(a), len(b)) - 1 and a[-1 - same] == b[-1 - same]:
            same += 1
        same -= same % 2  # the rest begins with a separator
        modules = alike.setdefault(("".join(a[: len(a) - same]), "".join(b[: len(b) - same])), [])
        if same and not change.old.startswith(".") and a not in modules:
            modules.append(a)
    found = {}
    for (old, new), modules in alike.items():
        if len(modules) > 1:
            both = posixpath.commonprefix(modules)
            beginning = "".join(both[: len(both) - 1 + len(both) % 2])  # without a separator at its end
            found[beginning] = new + beginning[len(old) :]
    return found


def _resolved(path: str, folder: str) -> str:
    """Return where a path leads, whatever folder it is relative to."""
    if path.startswith(("./", "../")) or path in (".", ".."):
        return posixpath.normpath(posixpath.join(folder, path))
    return f"{folder}:{path}" if path.startswith(("super", ".")) else path


def _written(change: _Change, folder: str) -> str:
    """Return the new path of a change as a document in a folder writes it."""
    if folder == change.folder or not change.new.startswith(("./", "../")):
        return change.new
    found = posixpath.relpath(_resolved(change.new, change.folder), folder)
    return found if found.startswith(".") else f"./{found}"


def _folder(uri: str) -> str:
    return posixpath.dirname(path_of(uri))
