"""A commit message of what a change did throughout: its renames, repeated rewrites, and moved, added and deleted files.

It says only what the texts show, in the words in which `finish` names rewrites. Why it was done, only a person knows.
"""

from __future__ import annotations

import posixpath
import textwrap
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.syntax_trees import SyntaxTrees

from .deleted_names import DeletedName, find_deleted_names
from .names import replaced_names
from .report import ChangedFile
from .taught_rules import TaughtRule, past_edits, taught_rules

WIDTH = 72
"""Characters of a line, as git's own tools expect."""
MAX_ITEMS = 10
"""Things that the body lists."""
MAX_PATHS = 8
"""Paths that one line names; more are counted."""
MIN_REPEATS = 2
"""Edits from which on a rewrite is one, and not a part of a single edit."""
_PHRASED = frozenset({"argument-add", "argument-drop", "import-replaced"})
"""Kinds of rules whose label is a phrase in the imperative."""
_CUT = "…"
"""Ends a text that was cut."""


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """A commit message.

    Attributes:
        subject: Its first line.
        body: The lines below the blank line; none where the subject says it all.
    """

    subject: str
    body: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The whole message."""
        return "\n".join((self.subject, *(("", *self.body) if self.body else ())))


@dataclass(frozen=True, slots=True)
class _Item:
    """One thing that a change did: a phrase in the imperative, its weight, and the edits that did it."""

    phrase: str
    weight: int
    edits: tuple[PastEdit, ...] = ()


def compose_commit_message(
    change: Sequence[ChangedFile],
    path_of: Callable[[str], str],
    check: Callable[[], None] = lambda: None,
) -> CommitMessage | None:
    """Return a message for a change; None where nothing in it has a name.

    Args:
        change: The files of the change.
        path_of: Returns the path of a file's URI, for a person.
        check: Raises to cancel.
    """
    edits = past_edits(change)
    items = sorted(_items(change, edits, path_of, check), key=lambda item: -item.weight)
    if not items:
        return None
    subject = _subject(items[0], path_of)
    listed = [_scoped(item, path_of) for item in items[:MAX_ITEMS]]
    if listed == [subject]:
        listed = []
    if len(items) > MAX_ITEMS:
        listed.append(f"{len(items) - MAX_ITEMS} more of this kind")
    named = {edit for item in items for edit in item.edits}
    others = tuple(dict.fromkeys(path_of(edit.uri) for edit in edits if edit not in named))
    if others:
        listed.append(f"Other changes in {_where(others)}")
    return CommitMessage(subject, tuple(line for text in listed for line in _wrap(text)))


def _items(
    change: Sequence[ChangedFile],
    edits: Sequence[PastEdit],
    path_of: Callable[[str], str],
    check: Callable[[], None],
) -> Iterator[_Item]:
    """Yield what the change did. What follows from something else is left out."""
    lines = {file.after.uri: file.after.lines for file in change if file.after is not None}
    rules = list(taught_rules(edits, lines, check).values())
    deleted = find_deleted_names(change, SyntaxTrees(), check)
    named = [*_renames(rules, deleted), *_phrased(rules)]
    yield from named
    explained = {edit for item in named for edit in item.edits}
    for item in _replacements(change, rules, edits):
        if not explained.issuperset(item.edits):
            explained.update(item.edits)
            yield item
    yield from _removals(deleted, lines)
    yield from _files(change, path_of)


def _renames(rules: Sequence[TaughtRule], deleted: Sequence[DeletedName]) -> Iterator[_Item]:
    """Yield the renames: a definition's, or that of a name that the change replaced again and again."""
    defined = {(one.name, one.new): one for one in deleted if one.new and not one.old.imports}
    for rule in rules:
        pair = rule.renames
        if pair is None or rule.kind != "rename":
            continue
        definition = defined.pop(pair, None)
        if len(rule.edits) >= MIN_REPEATS or (definition is not None and not definition.old.is_local):
            phrase = "Replace {} with {}" if definition is None else "Rename {} to {}"
            yield _taught(phrase, pair, rule.edits)
    for pair, one in defined.items():
        if not one.old.is_local:
            yield _taught("Rename {} to {}", pair, (one.edit,))


def _phrased(rules: Sequence[TaughtRule]) -> Iterator[_Item]:
    for rule in rules:
        if rule.kind in _PHRASED and len(rule.edits) >= MIN_REPEATS and _CUT not in rule.label:
            yield _taught("{}{}", (rule.label[:1].upper(), rule.label[1:]), rule.edits)


def _replacements(
    change: Sequence[ChangedFile], rules: Sequence[TaughtRule], edits: Sequence[PastEdit]
) -> Iterator[_Item]:
    """Yield the versions, dotted names and whole lines that became others."""
    for name in replaced_names(change, edits):
        if name.source == "version" or (name.source == "compound" and len(name.edits) >= MIN_REPEATS):
            yield _taught("Replace {} with {}", (name.old, name.new), name.edits)
    for rule in rules:
        if rule.kind == "line" and len(rule.edits) >= MIN_REPEATS and _CUT not in rule.label:
            old, arrow, new = rule.label.partition(" -> ")
            if arrow and " -> " not in new:
                yield _taught("Replace `{}` with `{}`", (old, new), rule.edits)


def _removals(deleted: Sequence[DeletedName], present: Collection[str]) -> Iterator[_Item]:
    """Yield the definitions that are gone from files that are still there, but for those within a function, and imports."""
    for one in deleted:
        if one.new or one.old.is_local or one.old.imports or one.origin.uri not in present:
            continue
        owner = f"{one.old.owner}." if one.old.role == "member" and one.old.owner else ""
        yield _taught("Remove {}{}", (owner, one.name), (one.edit,))


def _files(change: Sequence[ChangedFile], path_of: Callable[[str], str]) -> Iterator[_Item]:
    """Yield the moved, added and deleted files, all of a kind together."""
    moved = [
        f"{path_of(file.before.uri)} to {path_of(file.after.uri)}"
        for file in change
        if file.before is not None and file.after is not None and file.before.uri != file.after.uri
    ]
    added = [path_of(file.after.uri) for file in change if file.before is None and file.after is not None]
    deleted = [path_of(file.before.uri) for file in change if file.after is None and file.before is not None]
    # A new file says less than a rewrite, however many there are.
    for verb, paths, weight in (("Move", moved, len(moved)), ("Add", added, 0), ("Delete", deleted, 0)):
        if paths:
            what = paths[0] if len(paths) == 1 else f"{len(paths)} files: {_where(paths)}"
            yield _Item(f"{verb} {what}", weight)


def _taught(phrase: str, words: tuple[str, str], edits: tuple[PastEdit, ...]) -> _Item:
    return _Item(phrase.format(*words), len(edits), edits)


def _scoped(item: _Item, path_of: Callable[[str], str]) -> str:
    """Return the phrase with the files in which it happened."""
    paths = tuple(posixpath.basename(path_of(uri)) for uri in dict.fromkeys(edit.uri for edit in item.edits))
    if not paths:
        return item.phrase
    return f"{item.phrase} in {paths[0] if len(paths) == 1 else f'{len(paths)} files'}"


def _where(paths: Sequence[str]) -> str:
    if len(paths) <= MAX_PATHS:
        return ", ".join(paths)
    return f"{', '.join(paths[:MAX_PATHS])} and {len(paths) - MAX_PATHS} more"


def _subject(item: _Item, path_of: Callable[[str], str]) -> str:
    """Return one line. Where it is too long, the files are left out first."""
    for text in (_scoped(item, path_of), item.phrase, item.phrase.partition(":")[0]):
        if len(text) <= WIDTH:
            return text
    return item.phrase[: WIDTH - 1].rstrip() + _CUT


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent="- ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
