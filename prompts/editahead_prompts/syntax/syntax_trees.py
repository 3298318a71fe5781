"""Syntax trees of snapshots (tree-sitter), parsed incrementally and cached per document.

Grammars are per-language packages. Each is loaded when its language is first parsed.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import NamedTuple

from tree_sitter import Language, Node, Parser, Point, Tree

from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

from .languages import find_language
from .name_occurrences import UNKNOWN, Occurrence, classify_occurrence

_CHUNK_BYTES = 4_096
"""Bytes that a parser reads at a time."""
_TEXT_BYTES = 256
"""Bytes that a tree reads at a time for the text of a node: most are names."""
_MIN_READS, _MAX_READS_PER_CHUNK = 6_000, 20
"""Chunks that a parser may read, of any text and for each chunk of the text. Most files need two for each.

Python's grammar reads all comments below an indented block again for each of them: 600 long or 2,500 short ones are within
the limit, and half a second.
"""
_READS_PER_CHECK = 64
_MIN_STEPS, _MAX_STEPS_PER_CHUNK = 1_000, 320
"""Calls back of a parser, as for the chunks. Real files need 90 for each chunk at most."""

_CACHE_SIZE = 64
"""Documents whose last trees are cached, to bound memory."""
_VERSIONS = 2
"""Trees of one document that are cached: of the present text, and of the one that is predicted for ahead of an accept.

A broken text can take long to parse, and so can any text from the tree of a broken one.
"""
_CACHE_BYTES = 4_000_000
"""Bytes of the texts whose trees are cached: a tree takes some 15 times as much. The last tree is always kept."""


_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x7f-\x84\x86-\x9f]")
_BINARY_SAMPLE_CHARS = 4_000
"""Characters at the beginning of a text that tell whether it is one."""
_MIN_BINARY_SHARE = 0.05
"""The share of control characters from which a text is none: no grammar helps there, and each parse takes seconds."""


def _is_binary(text: str) -> bool:
    sample = text[:_BINARY_SAMPLE_CHARS]
    is_long = len(sample) == _BINARY_SAMPLE_CHARS
    return is_long and len(_CONTROL.findall(sample)) > _MIN_BINARY_SHARE * len(sample)


@cache
def find_parser(language: str) -> Parser | None:
    """Return the parser of a language, with its grammar; None for a language without a grammar."""
    known = find_language(language).grammar
    if known is None:
        return None
    module, function = known
    grammar: Callable[[], object] = getattr(import_module(module), function)
    return Parser(Language(grammar()))


class _Parsed(NamedTuple):
    snapshot: Snapshot
    source: bytes
    tree: Tree | None
    occurrences: dict[tuple[int, int], Occurrence]
    """What has been asked so far."""


class SyntaxTrees:
    """A cache of the last trees of each document. Not thread-safe.

    Args:
        reproducible: Whether equal texts always have equal trees. An incremental parse may recover from a syntax error in
            another way than a first parse, so texts with errors are then parsed anew, which takes longer.
    """

    def __init__(self, *, reproducible: bool = False) -> None:
        self._last: OrderedDict[str, tuple[_Parsed, ...]] = OrderedDict()
        """The trees of each document, the last one that was asked for first."""
        self._after: tuple[tuple[str, bytes], Tree | None] | None = None
        """The last text after an edit, with its language and its tree."""
        self._reproducible = reproducible
        self._check: Callable[[], None] | None = None

    @contextmanager
    def checked(self, check: Callable[[], None]) -> Iterator[None]:
        """Call `check` during each parse, and before each look at a name, within the context. It may raise to cancel."""
        before, self._check = self._check, check
        try:
            yield
        finally:
            self._check = before

    def tree(self, snapshot: Snapshot) -> Tree | None:
        """Return the snapshot's tree; None for a language without a grammar, or a text that its grammar is too slow for."""
        known = self._last.get(snapshot.uri, ())
        if known and known[0].snapshot is snapshot:
            return known[0].tree
        parser = find_parser(snapshot.language)
        if parser is None or _is_binary(snapshot.text):
            return None
        source = snapshot.text.encode("utf-8", "replace")
        known = tuple(each for each in known if each.snapshot.language == snapshot.language)
        # Another parse may recover from an error in another way, so equal texts keep their tree.
        parsed = next((each._replace(snapshot=snapshot) for each in known if each.source == source), None)
        if parsed is None and self._reproducible and self._after is not None:
            key, tree = self._after
            parsed = _Parsed(snapshot, source, tree, {}) if key == (snapshot.language, source) else None
        if parsed is None and known:
            nearest = min(known, key=lambda each: _changed_bytes(each.source, source))
            parsed = _Parsed(snapshot, source, self._reparse(parser, nearest, source), {})
        elif parsed is None:
            parsed = _Parsed(snapshot, source, parse(parser, source, check=self._check), {})
        others = [each for each in known if each.tree is not parsed.tree]
        self._last[snapshot.uri] = (parsed, *others[: _VERSIONS - 1])
        self._last.move_to_end(snapshot.uri)
        self._evict()
        return parsed.tree

    def forget(self, uri: str) -> None:
        """Drop the trees of a closed document."""
        self._last.pop(uri, None)

    def _evict(self) -> None:
        size = sum(len(parsed.source) for versions in self._last.values() for parsed in versions)
        while len(self._last) > 1 and (len(self._last) > _CACHE_SIZE or size > _CACHE_BYTES):
            _, dropped = self._last.popitem(last=False)
            size -= sum(len(parsed.source) for parsed in dropped)

    def error_counts(self, snapshot: Snapshot, edit: Edit) -> tuple[int, int] | None:
        """Return the numbers of syntax errors before and after the edit; None for a language without a grammar."""
        tree, after = self.tree(snapshot), self.tree_after(snapshot, edit)
        return (
            None
            if tree is None or after is None
            else (count_errors(tree.root_node), count_errors(after.root_node))
        )

    def tree_after(self, snapshot: Snapshot, edit: Edit) -> Tree | None:
        """Parse the text after an edit; None for a language without a grammar. Only the last such tree is kept."""
        tree, parser = self.tree(snapshot), find_parser(snapshot.language)
        if tree is None or parser is None:
            return None
        source = edit.apply(snapshot.text).encode("utf-8", "replace")
        key = snapshot.language, source
        if self._after is None or self._after[0] != key:
            self._after = key, self._reparse(parser, self._last[snapshot.uri][0], source)
        return self._after[1]

    def _reparse(self, parser: Parser, known: _Parsed, source: bytes) -> Tree | None:
        if known.tree is None or (self._reproducible and known.tree.root_node.has_error):
            return parse(parser, source, check=self._check)
        tree = _reparse(parser, known.tree, known.source, source, self._check)
        if self._reproducible and (tree is None or tree.root_node.has_error):
            return parse(parser, source, check=self._check)
        return tree

    def node_at(self, snapshot: Snapshot, start: int, end: int) -> Node | None:
        """Return the smallest named node that covers the offsets; None for a language without a grammar."""
        tree = self.tree(snapshot)
        if tree is None:
            return None
        text = snapshot.text
        if not text.isascii():
            start, end = (len(text[:at].encode("utf-8", "replace")) for at in (start, end))
        return tree.root_node.named_descendant_for_byte_range(start, end)

    def occurrence(self, snapshot: Snapshot, start: int, end: int) -> Occurrence:
        """Classify the name at these offsets."""
        tree = self.tree(snapshot)
        if tree is None:
            return UNKNOWN
        known = self._last[snapshot.uri][0].occurrences
        found = known.get((start, end))
        if found is None:
            if self._check is not None:
                self._check()
            node = self.node_at(snapshot, start, end)
            found = known[start, end] = (
                UNKNOWN
                if node is None
                else classify_occurrence(node, tree.root_node, find_language(snapshot.language))
            )
        return found


def count_errors(node: Node, first: int = 0, end: int | None = None) -> int:
    """Count the ERROR and MISSING nodes at and below a node.

    Args:
        first: The first 0-based line to count errors in.
        end: The line after the last one, or None for all lines.
    """
    return sum(1 for _ in _errors(node, first, end))


def error_lines(node: Node) -> list[int]:
    """Return the first 0-based line of each ERROR and MISSING node at and below a node, in order."""
    return sorted(error.start_point.row for error in _errors(node, 0, None))


def _errors(node: Node, first: int, end: int | None) -> Iterator[Node]:
    """Yield the ERROR and MISSING nodes. No recursion: the depth of a broken text's tree can equal its length."""
    waiting = [node]
    while waiting:
        at = waiting.pop()
        if end is not None and (at.start_point.row >= end or at.end_point.row < first):
            continue
        if at.has_error:
            if at.is_error or at.is_missing:
                yield at
            waiting += at.children


def _changed_bytes(old: bytes, new: bytes) -> int:
    """Return the length of what a change deletes and inserts."""
    head, tail = common_affixes(old, new)
    return len(old) + len(new) - 2 * (head + tail)


def parse(
    parser: Parser, source: bytes, old: Tree | None = None, check: Callable[[], None] | None = None
) -> Tree | None:
    """Parse a text; None where the grammar is too slow for it, as some are for a thousand comments below an error.

    Steps are counted, and no time is measured, so that equal texts have equal trees.

    Args:
        parser: The parser of the language.
        source: The text in UTF-8.
        old: The edited tree of the text before.
        check: Called often; may raise to cancel.
    """
    chunks = len(source) // _CHUNK_BYTES + 1
    reads, steps = _MIN_READS + _MAX_READS_PER_CHUNK * chunks, _MIN_STEPS + _MAX_STEPS_PER_CHUNK * chunks
    raised: list[BaseException] = []
    is_parsed = False

    def read(position: int, point: Point) -> bytes:
        nonlocal reads
        if is_parsed:  # the text of a node is asked for
            return source[position : position + _TEXT_BYTES]
        reads -= 1
        if reads % _READS_PER_CHECK == 0 and is_ended(position, False):
            reads = 0
        return source[position : position + _CHUNK_BYTES] if reads > 0 else b""

    def is_ended(_position: int, _has_error: bool) -> bool:
        nonlocal steps
        steps -= 1
        try:
            if check is not None:
                check()
        except BaseException as error:  # The parser would replace it by an error of its own.
            raised.append(error)
        return bool(raised) or reads <= 0 or steps <= 0

    # A parser of its own, as other threads may run, and parse, during the calls.
    own = Parser(parser.language)
    try:
        tree = (
            own.parse(read, progress_callback=is_ended)
            if old is None
            else own.parse(read, old, progress_callback=is_ended)
        )
    except ValueError:
        if raised:
            raise raised[0] from None
        if reads > 0 and steps > 0:
            raise
        return None
    if raised:
        raise raised[0]
    is_parsed = True
    check = None  # The tree keeps `read`, and with it all that a check would hold, such as a document's text.
    return tree if reads > 0 else None


def _reparse(
    parser: Parser, tree: Tree, old: bytes, new: bytes, check: Callable[[], None] | None
) -> Tree | None:
    """Parse `new` incrementally from the tree of `old`, without changing that tree."""
    head, tail = common_affixes(old, new)
    edited = tree.copy()
    edited.edit(
        start_byte=head,
        old_end_byte=len(old) - tail,
        new_end_byte=len(new) - tail,
        start_point=_point(old, head),
        old_end_point=_point(old, len(old) - tail),
        new_end_point=_point(new, len(new) - tail),
    )
    return parse(parser, new, edited, check)


def _point(source: bytes, at: int) -> tuple[int, int]:
    return source.count(b"\n", 0, at), at - (source.rfind(b"\n", 0, at) + 1)
