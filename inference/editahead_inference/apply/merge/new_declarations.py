"""The places for whole declarations that a file does not have and a sketch shows alone, for a person to choose from.

A function from a chat shows no neighbour. Yet it can hardly go anywhere but to the end of the file, below its imports or, if
it is a method, to the end of a class. The same holds for one between two marks: those hide all neighbours, and the headers
above the first mark say which class it goes to.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tree_sitter import Node

from editahead_inference.apply.placement.declarations import (
    Declaration,
    declarations_in_fragment,
    only_declares,
)
from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.outline import has_substance, is_filler
from editahead_inference.apply.placement.placement import Target, make_refusal
from editahead_inference.apply.placement.splices import Splice, to_edit
from editahead_inference.apply.results import MAX_CHOICES, MergeResult, Reading
from editahead_prompts.sketches.sketch import Code, Diff, Elision, FileSketch, Snippet
from editahead_prompts.syntax.languages import find_language, nodes_of
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.indentation import indentation

from .anchored_imports import import_lines
from .file_units import in_file_units
from .readings import ordered_likelihoods
from .verify import first_failure

_MAX_LINES, _MAX_FILE_LINES = 1_000, 10_000
"""Lines of a sketch and of its file, which bound the time."""
_MAX_KNOWN = 0.5
"""The share of lines that say something and are in the file, from which a sketch may be another version of those."""
_SELF = re.compile(r"\((?:cls|self|&'?\w*self|&mutself|mutself)\b")
"""The first parameter of methods in Python and Rust, in a signature without white space."""
_OUTSIDE = re.compile(r"(?:export|async function|function|const|let|var|declare|abstract|namespace)\b")
"""How functions and values outside of classes begin in JavaScript and TypeScript."""
_CLOSES = re.compile(r"[)\]}]|end\b")
"""How the last line of a block begins."""
_WORD = re.compile(r"\w{3,}")
_STAYS_LAST = re.compile(
    r"if __name__\b|module\.exports\b|exports\.|export default\b|export \{|(?:pub )?mod tests\b|#\[cfg\(test\)\]"
)
"""Lines that usually end a file."""


def is_addition(part: FileSketch, target: Target) -> bool:
    """Return whether a sketch shows nothing but new code, which has places of its own."""
    return len(target.lines) <= _MAX_FILE_LINES and _Addition.read(part, target) is not None


def offer_additions(part: FileSketch, target: Target, refused: MergeResult) -> MergeResult:
    """Return a refusal with the places for new declarations as its readings; the given one for any other sketch.

    Args:
        part: The part.
        target: The file.
        refused: The refused result of the merge.
    """
    addition = _Addition.read(part, target) if len(target.lines) <= _MAX_FILE_LINES else None
    if addition is None or (addition.shown.has_marks and addition.shown.scope is None and refused.readings):
        return refused
    found: dict[str, tuple[str, Edit]] = {}
    for title, splices in addition.places():
        if any(not target.low <= each.start <= target.high for each in splices):
            continue
        edit = to_edit(target.original, splices, part.final_newline)
        guess = edit.apply(target.original.text)
        if first_failure(part, target, splices, edit, guess, is_choice=True) is None:
            found.setdefault(guess, (title, edit))
        if len(found) == MAX_CHOICES:
            break
    if len(found) < 2:
        return refused
    chosen = list(found.values())
    probabilities = ordered_likelihoods(len(chosen))
    readings = tuple(
        Reading(title, edit, likelihood)
        for (title, edit), likelihood in zip(chosen, probabilities, strict=True)
    )
    doubt = make_refusal(
        "ambiguous", "The file has nothing of this name, and the sketch does not show where it belongs."
    )
    guess = next(iter(found))
    return replace(refused, guess=guess, edit=readings[0].edit, refusal=doubt, readings=readings)


@dataclass(frozen=True)
class _Shown:
    """The only new code of a sketch, which shows none of its neighbours.

    Attributes:
        code: The code.
        imports: Lines of imports that the sketch shows apart from it.
        scope: The class whose header is above a mark, if the sketch names one.
        has_marks: Whether the sketch has marks.
        is_first: Whether no mark is above the code.
    """

    code: Code
    imports: tuple[str, ...] = ()
    scope: Declaration | None = None
    has_marks: bool = False
    is_first: bool = False

    @classmethod
    def read(cls, content: Snippet, target: Target) -> _Shown | None:
        """Return the new code of a sketch that is alone, or between marks; None for any other sketch."""
        pieces = [
            each for each in content.parts if isinstance(each, Elision) or any(map(str.strip, each.lines))
        ]
        if len(pieces) == 1 and isinstance(pieces[0], Code):
            return cls(pieces[0])
        if any(isinstance(each, Elision) and each.removed for each in pieces):
            return None
        imports = [each for each in pieces if isinstance(each, Code) and _only_imports(each)]
        pieces = [each for each in pieces if each not in imports]
        new = [
            at for at, each in enumerate(pieces) if isinstance(each, Code) and not _is_known([each], target)
        ]
        if len(new) != 1:
            return None
        above, code, below = pieces[: new[0]], pieces[new[0]], pieces[new[0] + 1 :]
        if not isinstance(code, Code) or not all(map(_CLOSES.match, _filled_keys(below))):
            return None
        if not all(isinstance(each, Elision) for each in (*above[-1:], *below[:1])):
            return None
        headers = _filled_keys(above)
        scope = _named_class(headers, target) if headers else None
        if headers and scope is None:
            return None
        lines = tuple(line for each in imports for line in each.lines)
        return cls(code, lines, scope, has_marks=True, is_first=not above)


@dataclass(frozen=True)
class _Addition:
    """Declarations to add.

    Attributes:
        target: The file.
        imports: New imports, each a line.
        shown: What the sketch shows.
        lines: The lines of the declarations and of the comments above them, from the left margin.
        declared: The outermost declarations.
        at: The line of the sketch at which `lines` begin.
    """

    target: Target
    shown: _Shown
    imports: tuple[str, ...]
    lines: tuple[str, ...]
    declared: tuple[Declaration, ...]
    at: int

    @classmethod
    def read(cls, part: FileSketch, target: Target) -> _Addition | None:
        """Return the addition that a part is; None if it is another change."""
        converted = next(in_file_units(part, target.lines), None)
        content = part.content if converted is None else converted.content
        shown = None if isinstance(content, Diff) else _Shown.read(content, target)
        if shown is None:
            return None
        code, language = shown.code, target.original.language
        size = import_lines(code.lines)
        rest = list(code.lines[size:])
        skipped = next((n for n, line in enumerate(rest) if line.strip()), len(rest))
        rest = rest[skipped:]
        while rest and not rest[-1].strip():
            rest.pop()
        if not 0 < len(rest) <= _MAX_LINES or not only_declares(rest, language):
            return None
        declared = [each for each in declarations_in_fragment(rest, language) if not each.scope]
        names = {each.name for each in target.declarations}
        if not declared or any(each.name in names or not each.intact for each in declared):
            return None
        heads = {identity(normalize_line(rest[each.head])) for each in declared} - {None}
        if not heads.isdisjoint(map(identity, target.lines.keys)):
            return None  # A function of the file declares it within its body.
        if not shown.has_marks and _is_mostly_known(rest, target):
            return None
        known = target.lines.places
        imports = tuple(
            line
            for line in (*shown.imports, *code.lines[:size])
            if line.strip() and normalize_line(line) not in known
        )
        return cls(target, shown, imports, _dedented(rest), tuple(declared), code.at + size + skipped)

    def places(self) -> Iterator[tuple[str, tuple[Splice, ...]]]:
        """Yield each place in words, with its splices, the likeliest first; none where new imports have no place."""
        last_import = self._last_import()
        if self.imports and last_import is None:
            return
        imports = (
            () if last_import is None or not self.imports else (self._insert(last_import, self.imports),)
        )
        if self.shown.scope is not None:
            yield from self._places_in(self.shown.scope, imports)
            return
        if all(map(self._is_member, self.declared)):
            classes = self._classes()
            for each in classes[: MAX_CHOICES - 1]:
                yield f"add at the end of `{each.name}`", (*imports, self._at_end_of(each))
            if find_language(self.target.original.language).members_only:
                for each in classes[:MAX_CHOICES]:
                    if members := self._members_of(each):
                        yield f"add at the beginning of `{each.name}`", (*imports, self._above(members[0]))
                return
        below = []
        first = next((each for each in self.target.declarations if not each.scope), None)
        if last_import is not None and not self.shown.imports:
            below = [("add below the imports", self._below_imports(last_import))]
        elif first is not None:
            below = [(f"add above `{first.name}`", (*imports, *self._above_all(first)))]
        bottom = [("add at the end of the file", (*imports, self._at_bottom()))]
        # What others use when a module is loaded goes above them.
        are_values = all(each.kind in ("value", "macro") for each in self.declared)
        yield from (*below, *bottom) if are_values or self.shown.is_first else (*bottom, *below)

    def _places_in(
        self, scope: Declaration, imports: tuple[Splice, ...]
    ) -> Iterator[tuple[str, tuple[Splice, ...]]]:
        """Yield the places in a class that the sketch names."""
        yield f"add at the end of `{scope.name}`", (*imports, self._at_end_of(scope))
        members = self._members_of(scope)
        if first := next((each for each in members if each.kind == "function"), None):
            yield f"add above `{first.name}`", (*imports, self._above(first))

    def _is_member(self, declared: Declaration) -> bool:
        """Return whether a declaration is a member of a class, by how it begins."""
        language = self.target.original.language
        if language in ("python", "rust"):
            return declared.kind == "function" and bool(_SELF.search(declared.signature))
        if find_language(language).members_only:
            return declared.kind in ("function", "value")
        if language.startswith(("javascript", "typescript")):
            head = normalize_line(self.lines[declared.head])
            return declared.kind == "function" and not _OUTSIDE.match(head)
        return False

    def _classes(self) -> list[Declaration]:
        """Return the classes of the file that may have more members, those that share most words with the sketch first."""
        words, bodies = _words(self.lines), self.target.lines.bodies
        kind = "impl" if self.target.original.language == "rust" else "type"
        found = [
            each
            for each in self.target.declarations
            if each.kind == kind and each.intact and each.end - each.head > 1
        ]
        return sorted(found, key=lambda each: -len(words & _words(bodies[each.start : each.end])))

    def _members_of(self, outer: Declaration) -> list[Declaration]:
        scope = (*outer.scope, outer.name)
        return [
            each
            for each in self.target.declarations
            if each.scope == scope and outer.start < each.start < outer.end
        ]

    def _at_end_of(self, outer: Declaration) -> Splice:
        file, members = self.target.lines, self._members_of(outer)
        end = outer.end if self.target.original.language == "python" else outer.end - 1
        space = indentation(file.bodies[outer.head]) + file.indent_unit
        if members:
            space = indentation(file.bodies[members[0].start])
        gap = ("",) * self._blank_lines(members, 1)
        return self._insert(end, (*gap, *_indented(self.lines, space)))

    def _above(self, member: Declaration) -> Splice:
        space = indentation(self.target.lines.bodies[member.start])
        return self._insert(member.start, (*_indented(self.lines, space), ""))

    def _below_imports(self, line: int) -> tuple[Splice, ...]:
        gap = ("",) * self._gap
        return (self._insert(line, (*self.imports, *gap, *self.lines)),)

    def _above_all(self, first: Declaration) -> tuple[Splice, ...]:
        """Return the addition above the first declaration of the file and the comments that belong to it."""
        keys, line = self.target.lines.keys, first.start
        while line and keys[line - 1]:
            line -= 1
        return (self._insert(line, (*self.lines, *("",) * self._gap)),)

    def _at_bottom(self) -> Splice:
        """Return the addition below all that the file has, or above what usually ends a file."""
        keys, gap = self.target.lines.keys, ("",) * self._gap
        end = len(keys)
        while end and not keys[end - 1]:
            end -= 1
        above = end
        for item in reversed(self.target.items):
            if not _STAYS_LAST.match(keys[item.start]):
                break
            above = item.start
        if above < end and keys[above]:
            return self._insert(above, (*self.lines, *gap))
        return self._insert(end, (*gap, *self.lines))

    @property
    def _gap(self) -> int:
        outer = [each for each in self.target.declarations if not each.scope]
        return self._blank_lines(outer, 2 if self.target.original.language == "python" else 1)

    def _blank_lines(self, declared: Sequence[Declaration], usual: int) -> int:
        """Return the commonest number of blank lines between declarations that follow each other."""
        keys, counts = self.target.lines.keys, Counter[int]()
        for each in declared:
            above = each.start
            while above and not keys[above - 1]:
                above -= 1
            if above and above < each.start and not keys[above - 1].endswith(("{", ":")):
                counts[each.start - above] += 1
        return min(counts.most_common(1)[0][0], 2) if counts else usual

    def _insert(self, line: int, lines: Sequence[str]) -> Splice:
        return Splice(line, line, tuple(lines), self.at, self.at + len(self.lines))

    def _last_import(self) -> int | None:
        """Return the line below the imports that the file begins with; None without any."""
        tree = self.target.syntax.tree(self.target.original)
        nodes: list[Node] = [] if tree is None else tree.root_node.named_children
        imports = nodes_of(self.target.original.language).imports
        rows = [node.end_point.row for node in nodes if node.type in imports]
        return rows[-1] + 1 if rows else None


def _is_mostly_known(lines: Sequence[str], target: Target) -> bool:
    """Return whether the file has most of the lines that say something: they may be another version of these."""
    keys = [key for key in map(normalize_line, lines) if has_substance(key) and not is_filler(key)]
    return sum(key in target.lines.places for key in keys) >= _MAX_KNOWN * len(keys)


def _filled_keys(pieces: Sequence[Code | Elision]) -> list[str]:
    """Return the normalised lines of the code of some pieces, without blank ones."""
    lines = (line for each in pieces if isinstance(each, Code) for line in each.lines)
    return [key for key in map(normalize_line, lines) if key]


def _is_known(pieces: Sequence[Code | Elision], target: Target) -> bool:
    """Return whether the file has all lines of the code of some pieces."""
    return all(key in target.lines.places for key in _filled_keys(pieces))


def _only_imports(code: Code) -> bool:
    return not any(map(str.strip, code.lines[import_lines(code.lines) :]))


def _named_class(headers: Sequence[str], target: Target) -> Declaration | None:
    """Return the only class of the file of which the sketch shows the header as the last lines above a mark."""
    keys = target.lines.keys
    if not all(header in target.lines.places for header in headers):
        return None
    classes = [each for each in target.declarations if each.kind in ("type", "impl") and each.intact]
    for at in range(len(headers)):
        shown = tuple(headers[at:])
        named = [each for each in classes if keys[each.head : each.head + len(shown)] == shown]
        if named:
            return named[0] if len(named) == 1 else None
    return None


def _words(lines: Sequence[str]) -> set[str]:
    return {word for line in lines for word in _WORD.findall(line)}


def _indented(lines: Sequence[str], space: str) -> tuple[str, ...]:
    return tuple(f"{space}{line}" if line.strip() else line for line in lines)


def _dedented(lines: Sequence[str]) -> tuple[str, ...]:
    """Return lines without the indentation that all of them have."""
    common = min((indentation(line) for line in lines if line.strip()), key=len, default="")
    return tuple(line.removeprefix(common) if line.strip() else "" for line in lines)
