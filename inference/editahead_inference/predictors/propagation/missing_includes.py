"""Follow-ups of a name of C or C++ whose header is not included: one of the standard library, or one of the workspace.

A header of the workspace is known from the index, if it is the only one that declares the name.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.snapshot import line_end
from editahead_prompts.text.word_patterns import WordPattern

from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation
from .named_places import MAX_WIDTH
from .other_modules import path_of
from .proposal import Proposal
from .renamed_definition import C_FAMILY
from .standard_library import C_HEADERS, CPP_HEADERS

_CONFIDENCE = 0.6
"""It is chosen: a header that the document includes may include the wanted one."""
_MAX_EDITS = 3
_MAX_USES = 20
_INCLUDE = re.compile(r"\s*#\s*include\s*(?P<path><[^<>]+>|\"[^\"]+\")")
_STANDARD = WordPattern(r"(?<![\w.>])std::(\w+)")
_DECLARES = (
    r"^(?:[^\n#/\"]*[\s*&])?{0}\s*(?:\(|[;=\[{{]|$)|^\s*#\s*define\s+{0}\b"
    r"|\b(?:struct|class|union|enum)\s+{0}\b|\}}\s*{0}\s*;"
)
"""What declares a name in a header."""
_HEADERS = frozenset({".h", ".hh", ".hpp", ".hxx"})
_COMMENT = re.compile(r"//.*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"")


def follow_missing_includes(situation: Situation) -> Iterator[FollowUp]:
    """Yield the `#include` of each header that the last edits' names need."""
    index = situation.index
    if index.snapshot.language not in C_FAMILY:
        return
    includes = [
        (line, match["path"])
        for line in index.lines_with("include")
        if (match := _INCLUDE.match(index.bodies[line][:MAX_WIDTH])) is not None
    ]
    if not includes:
        return
    headers = set(_headers(situation)) - {path for _, path in includes}
    headers -= _included_by_others(includes, situation)
    for path in sorted(headers) + _workspace_headers(includes, situation):
        kin = [(line, other) for line, other in includes if other[0] == path[0]] or includes
        line = next((at for at, other in kin if other > path), kin[-1][0] + 1)
        end = line_end(index.snapshot.lines[kin[0][0]]) or "\n"
        proposal = Proposal(line, line, (f"#include {path}{end}",))
        yield FollowUp(proposal, "missing-import-include", f"include:{path}", f"include {path}", _CONFIDENCE)


def _headers(situation: Situation) -> Iterator[str]:
    """Yield the standard headers of the names that the last edits brought."""
    is_cpp = situation.index.snapshot.language == "cpp"
    table = CPP_HEADERS if is_cpp else C_HEADERS
    yield from (table[name] for name in _brought(situation, _STANDARD if is_cpp else WORD) if name in table)


def _brought(situation: Situation, pattern: WordPattern) -> Iterator[str]:
    """Yield the names that the last edits brought and that no other line uses.

    Args:
        situation: The situation.
        pattern: What finds the names in code.
    """
    index, typing = situation.index, situation.typing
    for edit in situation.here(_MAX_EDITS):
        before = {word for line in edit.old for word in WORD.findall(line)}
        lines = range(edit.line, edit.line + len(edit.new))
        for line in edit.new:
            for name in pattern.findall(_COMMENT.sub(" ", line[:MAX_WIDTH])):
                if name in before or (typing is not None and typing.word == name):
                    continue
                if not _is_used_elsewhere(name, index, lines):
                    yield name


def _workspace_headers(includes: Sequence[tuple[int, str]], situation: Situation) -> list[str]:
    """Return the headers of the workspace that declare the names that the last edits brought, in quotes."""
    index, state = situation.index, situation.state
    headers = [source for source in state.import_sources if is_header(source.uri)]
    if index.snapshot is not state.document or not headers:
        return []
    included = {posixpath.basename(path[1:-1]) for _, path in includes}
    found: dict[str, None] = {}
    for name in _brought(situation, WORD):
        declared = WordPattern(_DECLARES.format(re.escape(name)), re.MULTILINE)
        declaring = [source for source in headers if declared.search(source.text)]
        if len(declaring) != 1 or posixpath.basename(path_of(declaring[0].uri)) in included:
            continue
        path = _as_included(path_of(declaring[0].uri), path_of(index.snapshot.uri), includes)
        if path is not None:
            found[f'"{path}"'] = None
    return list(found)


def _as_included(header: str, document: str, includes: Sequence[tuple[int, str]]) -> str | None:
    """Return the path by which a document includes a header; None where its other includes do not tell."""
    folder, name = posixpath.split(header)
    if folder == posixpath.dirname(document):
        return name
    _, found, rest = header.rpartition("/include/")
    if found:
        return rest
    parts = header.split("/")
    for _, path in includes:
        first = path[1:-1].split("/")[0]
        if path.startswith('"') and "/" in path and first in parts[:-1] and first != "..":
            return "/".join(parts[parts.index(first) :])
    return None


def is_header(uri: str) -> bool:
    """Return whether a file is a header of C or C++ by its name."""
    return posixpath.splitext(uri)[1].lower() in _HEADERS


def _is_used_elsewhere(name: str, index: DocumentIndex, lines: range) -> bool:
    """Return whether another line has the name: then the document sees its header, or has a name of its own."""
    word = WordPattern(rf"(?<!\w){re.escape(name)}(?!\w)")
    found = index.lines_with(name)
    return len(found) > _MAX_USES or any(
        word.search(_COMMENT.sub(" ", index.bodies[line][:MAX_WIDTH]))
        and not _INCLUDE.match(index.bodies[line])
        for line in found
        if line not in lines
    )


def _included_by_others(includes: list[tuple[int, str]], situation: Situation) -> set[str]:
    """Return the headers that the open headers of the document include."""
    names = {path.strip('"').rpartition("/")[2] for _, path in includes if path.startswith('"')}
    return {
        match["path"]
        for other in situation.state.other_documents
        if other.uri.rpartition("/")[2] in names
        for line in other.lines
        if (match := _INCLUDE.match(line[:MAX_WIDTH])) is not None
    }
