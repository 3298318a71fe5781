"""The review of an edit: its hunks, the class of each, and flags for what deserves a careful look.

A hunk gets a class only if nothing speaks against it. In doubt it is "semantic".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.edits import Edit, Replacement, apply_to_lines, normalise
from editahead_prompts.text.identifiers import changed_spans
from editahead_prompts.text.snapshot import Snapshot

from .hunk_kinds import HunkClass, HunkOrigin
from .hunk_syntax import HunkSyntax, ParsedText, SyntaxToken
from .review_flags import Flag, find_flags

MAX_REVIEWED_BYTES = 100_000
"""Bytes of changed lines, before and after, whose syntax is looked at, which bounds the time of a review."""

_DIRECTIVE = re.compile(r"#!|//go:|//\s*\+build|#\s*-\*-|//\s*@ts-|#\s*type:")
"""Comments that tools read."""
_TRAILING_SPACE = re.compile(r"[^\S\r\n]+(?=[\r\n]|\Z)")


@dataclass(frozen=True)
class Hunk:
    """One contiguous change of a file.

    At least one unchanged line separates the hunks of a file. Each can be applied alone, and all of them in any order.

    Attributes:
        replacement: Over the original text of the file.
        confidence: From 0 to 1.
    """

    replacement: Replacement
    kind: HunkClass
    confidence: float
    flags: tuple[Flag, ...] = ()
    origin: HunkOrigin = "matched"

    @property
    def needs_reading(self) -> bool:
        return self.kind == "semantic" or bool(self.flags) or self.origin == "model"


@dataclass(frozen=True)
class FileEdit:
    """An edit of one file, over `original`, with a confidence from 0 to 1."""

    original: Snapshot
    edit: Edit
    confidence: float = 1.0

    @cached_property
    def new_snapshot(self) -> Snapshot:
        before = self.original
        return Snapshot(before.uri, before.language, before.version + 1, apply_to_lines(before, self.edit))


def review(
    changes: Sequence[FileEdit],
    others: Sequence[Snapshot] = (),
    syntax: SyntaxTrees | None = None,
    check: Callable[[], None] = lambda: None,
) -> list[tuple[Hunk, ...]]:
    """Return the hunks of each change, in the order of the text.

    Where the changed lines are more than `MAX_REVIEWED_BYTES`, hunks have the class "semantic" and no flags.

    Args:
        changes: The edits of all files.
        others: Documents in which calls of changed functions are counted.
        syntax: The syntax trees of the documents.
        check: Called often; may raise to cancel.
    """
    trees = syntax or SyntaxTrees()
    left = MAX_REVIEWED_BYTES
    files = []
    for change in changes:
        check()
        files.append(_ReviewedFile(change, trees, check, left))
        left -= files[-1].reviewed_bytes
    renames = _renames(files, trees)
    uses = _CallFinder(files, others, trees, check)
    out = []
    for file in files:
        found, moved = [], _moved_declarations(file)
        for piece in file.pieces:
            check()
            kind: HunkClass = "moved" if piece.moves in moved else piece.classify(renames)
            hunk = Hunk(piece.replacement, kind, file.change.confidence)
            if kind not in ("moved", "comment", "formatting") and piece.regions is not None:
                hunk = replace(hunk, flags=find_flags(*piece.regions, piece.differing, uses))
            found.append(hunk)
        out.append(tuple(found))
    return out


def group_hunks(edit: Edit, text: Snapshot) -> list[Replacement]:
    """Return the edit as replacements with at least one unchanged line between any two."""
    groups: list[list[Replacement]] = []
    for r in normalise(edit, text.text).replacements:
        if groups and text.line_at(r.start) <= text.line_at(groups[-1][-1].end) + 1:
            groups[-1].append(r)
        else:
            groups.append([r])
    return [_join_replacements(group, text.text) for group in groups]


def _join_replacements(group: Sequence[Replacement], text: str) -> Replacement:
    out: list[str] = []
    at = group[0].start
    for r in group:
        out += (text[at : r.start], r.text)
        at = r.end
    return Replacement(group[0].start, at, "".join(out))


class _HunkDraft:
    """A hunk before its class is known.

    Attributes:
        replacement: The change.
        regions: The syntax of its lines before and after; None without a grammar.
        kind: The class without a grammar.
        takes: The hunk deletes declarations; False = it adds them.
        moves: The tokens of the declarations that it deletes or adds, if it does nothing else.
    """

    def __init__(
        self,
        replacement: Replacement,
        regions: tuple[HunkSyntax, HunkSyntax] | None = None,
        *,
        kind: HunkClass = "semantic",
        takes: bool = False,
        moves: tuple[str, ...] | None = None,
    ) -> None:
        self.replacement, self.regions, self.kind = replacement, regions, kind
        self.takes, self.moves = takes, moves

    @cached_property
    def differing(self) -> list[tuple[list[SyntaxToken], list[SyntaxToken]]]:
        """The runs of code tokens that differ."""
        assert self.regions is not None
        old, new = (region.code for region in self.regions)
        spans = changed_spans([a.key for a in old], [a.key for a in new])
        return [(old[a1:a2], new[b1:b2]) for a1, a2, b1, b2 in spans]

    def classify(self, renames: frozenset[tuple[str, str]]) -> HunkClass:
        """Return the class of the hunk. `renames` are the pairs of names renamed everywhere."""
        if self.regions is None:
            return self.kind
        if not self.differing:
            comments = [[a for a in region.tokens if a.kind == "comment"] for region in self.regions]
            old, new = ([" ".join(a.text.split()) for a in side] for side in comments)
            if old == new:
                return "formatting"
            changed = set(old) ^ set(new)
            return "semantic" if any(_DIRECTIVE.match(text) for text in changed) else "comment"
        left = [(old, new) for old, new in self.differing if not all(atom.imports for atom in (*old, *new))]
        if not left:
            return "import"
        pairs = [pair for old, new in left for pair in _name_pairs(old, new)]
        return "rename" if pairs and all(pair in renames for pair in pairs) else "semantic"


class _ReviewedFile:
    """One file with the hunks of its edit.

    Args:
        change: The edit.
        trees: The syntax trees of the documents.
        check: Called often; may raise to cancel.
        max_bytes: The bytes of changed lines whose syntax is looked at.

    Attributes:
        reviewed_bytes: Those that it was looked at.
    """

    def __init__(
        self, change: FileEdit, trees: SyntaxTrees, check: Callable[[], None], max_bytes: int
    ) -> None:
        self.change = change
        self._max_bytes, self.reviewed_bytes = max_bytes, 0
        before, after = change.original, change.new_snapshot
        self.old, self.new = _parse(before, trees, check), _parse(after, trees, check)
        self.made: list[tuple[int, int]] = []
        """The ranges of changed lines in the text after the edit, in bytes."""
        self.pieces = []
        shift = 0
        for r in group_hunks(change.edit, before):
            check()
            self.pieces.append(self._piece(r, shift))
            shift += r.growth

    def _piece(self, r: Replacement, shift: int) -> _HunkDraft:
        """Return the draft of a hunk. `shift` is the growth in code points of the text before it."""
        before, old, new = self.change.original, self.old, self.new
        text, removed = before.text, before.text[r.start : r.end]
        start = before.starts[before.line_at(r.start)]
        end = before.starts[before.line_at(r.end) + 1]
        if old is None or new is None:
            same = _differs_in_white_space_only(
                text[start:end], text[start : r.start] + r.text + text[r.end : end]
            )
            return _HunkDraft(r, kind="formatting" if same else "semantic")
        deleted = old.to_byte(start), old.to_byte(end)
        made = new.to_byte(start + shift), new.to_byte(end + shift + r.growth)
        self.made.append(made)
        size = deleted[1] - deleted[0] + made[1] - made[0]
        if self.reviewed_bytes + size > self._max_bytes:
            return _HunkDraft(r)
        self.reviewed_bytes += size
        regions = old.hunk_syntax(*deleted), new.hunk_syntax(*made)
        moved = None
        if removed.strip() and not r.text.strip():
            moved = old.hunk_syntax(old.to_byte(r.start), old.to_byte(r.end))
        elif r.text.strip() and not removed.strip():
            moved = new.hunk_syntax(new.to_byte(r.start + shift), new.to_byte(r.end + shift + r.growth))
        moves = None
        if moved is not None and moved.is_whole_declarations:
            inside = (part for function in moved.functions for part in function.path)
            moves = (*inside, *(atom.key for atom in moved.code))
        return _HunkDraft(r, regions, takes=bool(removed.strip()), moves=moves)


def _parse(snapshot: Snapshot, trees: SyntaxTrees, check: Callable[[], None]) -> ParsedText | None:
    check()
    tree = trees.tree(snapshot)
    if tree is None:
        return None
    return ParsedText(snapshot, snapshot.text.encode("utf-8", "replace"), tree.root_node, check)


def _name_pairs(old: Sequence[SyntaxToken], new: Sequence[SyntaxToken]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of names that replace each other, and an empty pair where anything else differs."""
    if len(old) != len(new):
        yield "", ""
        return
    for a, b in zip(old, new, strict=True):
        same = a.kind == b.kind == "name" and a.place == b.place
        yield (a.text, b.text) if same else ("", "")


def _renames(files: Sequence[_ReviewedFile], trees: SyntaxTrees) -> frozenset[tuple[str, str]]:
    """Return the pairs of names that are renamed everywhere.

    The old name is left in none of the files, the new one was in none, and a definition is among the changes.
    """
    pairs: set[tuple[str, str]] = set()
    for file in files:
        for piece in file.pieces:
            if piece.regions is not None:
                pairs |= {pair for old, new in piece.differing for pair in _name_pairs(old, new)}
    pairs.discard(("", ""))
    deleted, inserted = Counter(old for old, _ in pairs), Counter(new for _, new in pairs)
    return frozenset(
        (old, new)
        for old, new in pairs
        if deleted[old] == inserted[new] == 1 and _is_rename(old, new, files, trees)
    )


def _is_rename(old: str, new: str, files: Sequence[_ReviewedFile], trees: SyntaxTrees) -> bool:
    defined = False
    for file in files:
        if file.old is None or file.new is None:
            continue
        if any(True for _ in file.new.find_names(old)) or any(True for _ in file.old.find_names(new)):
            return False
        for node in file.new.find_names(new):
            start = file.new.to_offset(node.start_byte)
            found = trees.occurrence(file.new.snapshot, start, start + len(new))
            defined = defined or (found.defines and not found.imports)
    return defined


def _moved_declarations(file: _ReviewedFile) -> set[tuple[str, ...]]:
    """Return the declarations that one hunk of the file deletes and another adds."""
    pieces = [piece for piece in file.pieces if piece.moves is not None]
    taken = {piece.moves for piece in pieces if piece.takes and piece.moves}
    return taken & {piece.moves for piece in pieces if not piece.takes and piece.moves}


def _differs_in_white_space_only(old: str, new: str) -> bool:
    """Return whether two texts without a grammar differ only in white space at line ends, or in line ends."""
    a, b = (_TRAILING_SPACE.sub("", text).splitlines() for text in (old, new))
    return a == b


class _CallFinder:
    """The calls in the texts after the edit."""

    def __init__(
        self,
        files: Sequence[_ReviewedFile],
        others: Sequence[Snapshot],
        trees: SyntaxTrees,
        check: Callable[[], None],
    ) -> None:
        self._files = [(file, file.new) for file in files if file.new is not None]
        changed = {file.change.original.uri for file in files}
        self._others = [other for other in others if other.uri not in changed]
        self._trees, self._check = trees, check

    def count_unchanged_calls(self, name: str) -> int:
        count = 0
        for file, new in self._files:
            for call in new.find_calls(name):
                count += not any(low < call.end_byte and call.start_byte < high for low, high in file.made)
        for other in self._others:
            source = _parse(other, self._trees, self._check) if name in other.text else None
            count += sum(1 for _ in source.find_calls(name)) if source is not None else 0
        return count

    def declares(self, name: str) -> bool:
        return any(new.declares(name) for _, new in self._files)
