"""Rules for the imports that an edit made unused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editahead_prompts.text.identifiers import changed_spans, replaced_word, tokenize
from editahead_prompts.text.scripts import count_letters
from editahead_prompts.text.word_patterns import WordPattern

from . import token_patterns
from .document_index import DocumentIndex
from .named_places import whole_word
from .proposal import Proposal
from .rule import Rule

_LIST = WordPattern(
    r"(?P<head>\s*(?:from\s+\S+\s+import\s+\(?|import\s+(?:type\s+)?\{|use\s+[\w:]+::\{"
    r"|(?:const|let|var)\s+\{(?=[^{}]*\}\s*=\s*require\()))(?P<names>[^(){}]*)(?P<tail>.*)"
)
"""An import of several names on one line: Python, TypeScript and JavaScript, Rust."""
_WHOLE = WordPattern(
    r"\s*(?:import\b(?!\s+(?:type\s+)?[\w$]+\s*,)|from\s+\S+\s+import\b|use\s|#\s*include\b|(?:\w+\s+)?\"[\w./-]+\"\s*$"
    r"|(?:const|let|var)\s+(?:\w+|\{[^{},]*\})\s*=\s*require\([^()]*\)\s*;?\s*$)"
)
"""A line that goes with its last name. That of a default import and others does not."""
_MODULE = re.compile(r"(?:\bfrom\s*|\brequire\(\s*)[\"']")
"""What comes before the name of a module, which is no use of the name."""
IMPORT = re.compile(
    r"\s*(?:import\b|from\s+\S+\s+import\b|use\s|#\s*include\b|export\s.*\bfrom\b|(?:const|let|var)\s.*\brequire\("
    r"|(?:global\s+)?using\s+(?:static\s+)?[^\s(:=]+\s*;)"
)
"""A line that imports names, in the supported languages."""
_ITEM = WordPattern(r"\s*\w+,?\s*\Z")
"""A name on a line of its own, in an import that spans lines."""
_DEFINES = (
    r"\b(?:class|interface|struct|enum|trait|type|const|let|var|def|func|fn|function|namespace)\s+{0}\b"
    r"|^\s*{0}\s*(?::[^=]*)?=(?!=)|#\s*define\s+{0}\b"
)
_PLAIN = WordPattern(r"(?<![\w.])[^\W\d]\w*")
"""A name that is no member."""
_MAX_LINES = 60
"""Lines with a name that are looked at."""
_MAX_WIDTH = 400
"""Characters of a line that is compared or searched."""
_MAX_NAMES = 30
"""Removed names of one edit that teach a rule."""


@dataclass(frozen=True)
class UnusedImport(Rule):
    """A rule that removes the import of `source` when no other use of that name is left.

    Attributes:
        successor: The name that the edit put for it; "" if there is none.
    """

    successor: str = ""

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        line = _last_line_with(self.source, index)
        if line is None or (self.successor and _is_unbound(self.successor, index)):
            return
        body = index.bodies[line]
        if _is_renamed(self.source, body):
            return
        listed = _LIST.match(body)
        names = [name.strip() for name in listed["names"].split(",") if name.strip()] if listed else []
        if listed and self.source in names and len(names) > 1:
            new = self._without_name(listed, names)
            yield index.rewrite(line, new)
        elif (_WHOLE.match(body) and len(names) <= 1) or (_ITEM.match(body) and _inside_import(index, line)):
            yield Proposal(line, _end_of_gap(index, line), ())

    def _without_name(self, listed: re.Match[str], names: Sequence[str]) -> str:
        space = " " if "{" in listed["head"] and listed["names"].startswith(" ") else ""
        rest = ", ".join(name for name in names if name != self.source)
        return f"{listed['head']}{space}{rest}{space}{listed['tail']}"


@dataclass(frozen=True)
class ReplacedImport(Rule):
    """A rule that imports `successor` instead of `source`, for which an edit put it, when nothing else binds it."""

    successor: str = ""

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        line = _last_line_with(self.source, index)
        if line is None or not imports_at(index, line) or not _is_unbound(self.successor, index):
            return
        body = whole_word(self.source).sub(self.successor, index.bodies[line])
        yield index.rewrite(line, body)


def _is_renamed(name: str, body: str) -> bool:
    """Return whether a line imports the name under another one, so that uses of the name say nothing about the import."""
    return WordPattern(rf"(?<![\w.]){re.escape(name)}\s+as\s+\w").search(body[:_MAX_WIDTH]) is not None


def _end_of_gap(index: DocumentIndex, line: int) -> int:
    """Return the end of what goes with a line: of the blank lines around it one stays, and none at the document's start."""
    end = line + 1
    if line == 0 or not index.bodies[line - 1].strip():
        while end < len(index.bodies) and not index.bodies[end].strip() and (line == 0 or end == line + 1):
            end += 1
    return end


def _last_line_with(name: str, index: DocumentIndex) -> int | None:
    """Return the line of a name that the document has once, besides members of this name; None if there is no such line."""
    lines = index.lines_with(name)
    if index.words.get(name, 0) > _MAX_LINES or len(lines) > _MAX_LINES:
        return None
    found = [
        line
        for line in lines
        for match in whole_word(name).finditer(index.bodies[line])
        if index.bodies[line][: match.start()][-1:] != "." or _WHOLE.match(index.bodies[line])
        if not _MODULE.search(index.bodies[line][: match.start()])
    ]
    return found[0] if len(found) == 1 else None


def _is_unbound(name: str, index: DocumentIndex) -> bool:
    """Return whether a document uses a name and neither imports nor defines it, as far as its lines show."""
    lines = [n for n in index.lines_with(name) if whole_word(name).search(index.bodies[n])]
    if not lines or len(lines) > _MAX_LINES:
        return False
    defines = WordPattern(_DEFINES.format(re.escape(name)))
    return not any(imports_at(index, n) or defines.search(index.bodies[n][:_MAX_WIDTH]) for n in lines)


def imports_at(index: DocumentIndex, line: int) -> bool:
    """Return whether the line is an import, or a part of an import that spans lines."""
    return bool(IMPORT.match(index.bodies[line])) or _inside_import(index, line)


def _inside_import(index: DocumentIndex, line: int) -> bool:
    opener = index.block(line)
    return opener >= 0 and bool(re.match(r"\s*(?:from\s|import\b|use\s)", index.bodies[opener]))


def learn_unused(old: tuple[str, ...], new: tuple[str, ...]) -> list[Rule]:
    """Learn the rules for each name that an edit removed from code."""
    kept = {name for line in new for name in _PLAIN.findall(line)}
    deleted = dict.fromkeys(name for line in old if not _WHOLE.match(line) for name in _PLAIN.findall(line))
    names = [
        name
        for name in deleted
        if name not in kept and name not in token_patterns.KEYWORDS and count_letters(name) > 1
    ]
    rules: list[Rule] = []
    successors = _successors(old, new)
    for name in names[:_MAX_NAMES]:
        successor = successors.get(name, "")
        key, label = f"unused:{name}:{successor}", f"drop import of {name}"
        rules.append(UnusedImport("import-unused", key, label, name, name, successor=successor))
        if successor:
            key, label = f"replaced:{name}:{successor}", f"import {successor} instead of {name}"
            rules.append(ReplacedImport("import-replaced", key, label, name, name, successor=successor))
    return rules


def _successors(old: tuple[str, ...], new: tuple[str, ...]) -> dict[str, str]:
    """Return the names of types and constants that an edit put for others, in lines that it rewrote one by one."""
    found: dict[str, str] = {}
    for before, after in zip(old, new, strict=True) if len(old) == len(new) else ():
        if before == after or max(len(before), len(after)) > _MAX_WIDTH:
            continue
        a, b = tokenize(before), tokenize(after)
        pairs = filter(None, (replaced_word(a, b, span) for span in changed_spans(a, b)))
        for name, successor in pairs:
            is_both = name[0].isupper() and successor[0].isupper()
            if is_both and found.setdefault(name, successor) != successor:
                found[name] = ""
    return found
