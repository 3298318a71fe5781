"""Follow-ups of a name of the standard library of C or C++ whose header is not included."""

from __future__ import annotations

import re
from collections.abc import Iterator

from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.snapshot import line_end

from .bindings import MAX_WIDTH
from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation
from .renamed_definition import C_FAMILY
from .rule import Proposal
from .standard_library import C_HEADERS, CPP_HEADERS

_CONFIDENCE = 0.6
"""It is chosen: a header that the document includes may include the wanted one."""
_MAX_EDITS = 3
_MAX_USES = 20
_INCLUDE = re.compile(r"\s*#\s*include\s*(?P<path><[^<>]+>|\"[^\"]+\")")
_STANDARD = re.compile(r"(?<![\w.>])std::(\w+)")
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
    for path in sorted(headers - _included_by_others(includes, situation)):
        system = [(line, other) for line, other in includes if other.startswith("<")] or includes
        line = next((at for at, other in system if other > path), system[-1][0] + 1)
        end = line_end(index.snapshot.lines[system[0][0]]) or "\n"
        proposal = Proposal(line, line, (f"#include {path}{end}",))
        yield FollowUp(proposal, "missing-import-include", f"include:{path}", f"include {path}", _CONFIDENCE)


def _headers(situation: Situation) -> Iterator[str]:
    """Yield the headers of the names that the last edits brought and that no other line uses."""
    index = situation.index
    is_cpp = index.snapshot.language == "cpp"
    typing = situation.typing
    for edit in list(situation.here())[:_MAX_EDITS]:
        before = {word for line in edit.old for word in WORD.findall(line)}
        lines = range(edit.line, edit.line + len(edit.new))
        for line in edit.new:
            code = _COMMENT.sub(" ", line[:MAX_WIDTH])
            table = CPP_HEADERS if is_cpp else C_HEADERS
            for name in _STANDARD.findall(code) if is_cpp else WORD.findall(code):
                header = table.get(name)
                if header is None or name in before or (typing is not None and typing.word == name):
                    continue
                if not _is_used_elsewhere(name, index, lines):
                    yield header


def _is_used_elsewhere(name: str, index: DocumentIndex, lines: range) -> bool:
    """Return whether another line has the name: then the document sees its header, or has a name of its own."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
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
