"""The search for what is left of deleted definitions: edits where the use is sure, else places to look at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

from editahead_inference.codebase import Codebase
from editahead_inference.predictors.propagation.document_index import DocumentIndex
from editahead_inference.predictors.propagation.predictor import to_edit
from editahead_inference.predictors.propagation.proposal import Proposal
from editahead_inference.predictors.propagation.rule import rule_id
from editahead_prompts.syntax.languages import PARSED_LANGUAGES
from editahead_prompts.syntax.member_owners import related_types
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot, line_end

from .deleted_names import DeletedName, find_deleted_names
from .file_kinds import file_kind
from .found_places import FinishCandidate, FinishSearch
from .left_uses import LeftUses, Use, family
from .lookup import MAX_CHARS
from .report import ChangedFile, LeftUse, MissingPlace
from .witness import Witness, key_of, no_witness

KIND = "rename-defined"
"""The kind of the rule of these places."""
SURE = 0.85
"""Confidence that a use of a renamed definition follows. It is chosen: the name is no longer there."""
MAX_USE_FILES = 300
"""Files with one name that are read and parsed. A name of more files is said not to be searched for."""


class UseSearch:
    """The uses of all definitions that a change took away.

    Args:
        change: The files of the change.
        search: What else is looked for, and where.
        trees: The syntax trees of all documents.
        codebase: The index of the files that are not open.
        check: Raises `Cancelled` if the result is no longer wanted.
        witness: Tells the uses that a language server knows.
    """

    def __init__(
        self,
        change: Sequence[ChangedFile],
        search: FinishSearch,
        trees: SyntaxTrees,
        codebase: Codebase | None,
        check: Callable[[], None],
        witness: Witness = no_witness,
    ) -> None:
        self._search, self._trees, self._codebase, self._check = search, trees, codebase, check
        self._indexes: dict[str, DocumentIndex] = {}
        self._known = {**search.present, **{one.uri: one for one in search.documents}}
        self.deleted = find_deleted_names(change, trees, check)
        self.unsearched: list[str] = []
        with_name = {
            document.uri: document for one in self.deleted for document in self._documents(one) if one.new
        }
        self._witnessed = witness(self.deleted, tuple(with_name.values())) if with_name else {}
        self._found = [list(self._uses(one)) for one in self.deleted]
        self._homes = {(one.name, one.new): one.origin.uri for one in self.deleted if one.new}
        self._lines = {
            (deleted.name, deleted.new, document.uri, use.line)
            for deleted, found in zip(self.deleted, self._found, strict=True)
            for _, document, use in found
        }
        self.locals = {one.name for one in self.deleted if one.old.is_local} - {
            one.name for one in self.deleted if not one.old.is_local
        }
        """Deleted names that only functions bound."""

    @cached_property
    def _kin(self) -> frozenset[tuple[str, str]]:
        families = {family(one.origin.language) for one in self.deleted}
        return related_types(
            "\n".join(one.text for one in self._known.values() if family(one.language) in families)
        )

    def _index_of(self, document: Snapshot) -> DocumentIndex:
        if document.uri not in self._indexes:
            self._indexes[document.uri] = DocumentIndex(document)
        return self._indexes[document.uri]

    def _uses(self, deleted: DeletedName) -> Iterator[tuple[LeftUses, Snapshot, Use]]:
        documents = self._documents(deleted)
        uses = LeftUses(deleted, self._index_of, self._trees, tuple(documents), self._kin, self._codebase)
        uses.witnessed = self._witnessed.get(key_of(deleted))
        for document in documents:
            self._check()
            for use in uses.in_document(document):
                yield uses, document, use
        if uses.has_more:
            self.unsearched.append(deleted.name)

    def _documents(self, deleted: DeletedName) -> list[Snapshot]:
        """Return the files with a deleted name, those of the change first."""
        if deleted.old.is_local and not deleted.old.owner:
            return [deleted.origin]
        known = [one for one in self._known.values() if deleted.name in one.text]
        if self._codebase is None:
            return known
        found = self._codebase.files_with([deleted.name], MAX_USE_FILES + 1, deleted.origin.uri)
        if len(found) > MAX_USE_FILES:
            self.unsearched.append(deleted.name)
        others = [uri for uri in found[:MAX_USE_FILES] if uri not in self._known]
        for uri in others:
            self._check()
            snapshot = self._codebase.snapshot(uri)
            if snapshot is not None and snapshot.length <= MAX_CHARS:
                self._known[uri] = snapshot
        return [*known, *(self._known[uri] for uri in others if uri in self._known)]

    def document(self, uri: str) -> Snapshot:
        """Return a file in which a use was found."""
        return self._known[uri]

    def candidates(self) -> list[FinishCandidate]:
        """Return the edits of all sure uses, one for each line."""
        lines: defaultdict[tuple[str, int], list[FinishCandidate]] = defaultdict(list)
        for deleted, found in zip(self.deleted, self._found, strict=True):
            columns: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
            by_uri = {document.uri: (uses, document) for uses, document, _ in found}
            for _, document, use in found:
                if use.is_sure:
                    columns[document.uri, use.line].append(use.column)
            for (uri, line), at in columns.items():
                uses, document = by_uri[uri]
                body = uses.rewritten(document, line, at)
                edit = to_edit(document, Proposal(line, line + 1, (body + line_end(document.lines[line]),)))
                lines[uri, line].append(_candidate(deleted, document, edit))
        return list(chain.from_iterable(map(_joined, lines.values())))

    def contradict(self, candidate: FinishCandidate) -> bool:
        """Return whether a candidate carries the rename of a definition to a line of another file that has no use of it."""
        rule = self._search.rules.get(candidate.rule)
        renames = rule.renames if rule is not None else None
        uri = candidate.snapshot.uri
        if renames is None or self._homes.get(renames, uri) == uri:
            return False
        line = candidate.snapshot.line_at(candidate.edit.replacements[0].start)
        return (*renames, uri, line) not in self._lines

    def left(self, made: Sequence[MissingPlace]) -> tuple[LeftUse, ...]:
        """Return the uses that no place of some rewrites, by file and line.

        Args:
            made: The places.
        """
        edited: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for place in made:
            edited[place.uri] += ((one.start, one.end) for one in place.edit.replacements)
        left: dict[tuple[str, int, int], LeftUse] = {}
        for deleted, found in zip(self.deleted, self._found, strict=True):
            for _, document, use in found:
                start = document.starts[use.line] + use.column
                end = start + len(deleted.name)
                if not any(first <= end and start <= last for first, last in edited[document.uri]):
                    left.setdefault((document.uri, use.line, use.column), _left_use(deleted, document, use))
        return tuple(left[key] for key in sorted(left))


def _candidate(deleted: DeletedName, document: Snapshot, edit: Edit) -> FinishCandidate:
    label = f"rename {deleted.name} -> {deleted.new}"
    return FinishCandidate(
        document,
        edit,
        rule_id(f"defined:{deleted.name}:{deleted.new}"),
        label,
        KIND,
        (deleted.edit,),
        file_kind(document.uri, is_code=document.language in PARSED_LANGUAGES),
        {"stated": SURE},
        _describe_deletion(deleted),
    )


def _joined(found: Sequence[FinishCandidate]) -> Iterator[FinishCandidate]:
    """Yield the candidates of one line as one: several names of it were renamed."""
    first = found[0]
    replacements = sorted(
        {one for candidate in found for one in candidate.edit.replacements},
        key=lambda one: (one.start, one.end),
    )
    reasons = dict.fromkeys(candidate.reason for candidate in found)
    yield replace(first, edit=Edit(tuple(replacements)), reason=" ".join(reasons))


def _left_use(deleted: DeletedName, document: Snapshot, use: Use) -> LeftUse:
    return LeftUse(
        document.uri,
        use.line,
        use.column,
        document.lines[use.line].rstrip("\r\n"),
        deleted.name,
        deleted.new,
        (deleted.origin.uri, deleted.place[0]),
        file_kind(document.uri, is_code=document.language in PARSED_LANGUAGES),
        _describe_deletion(deleted),
    )


def _describe_deletion(deleted: DeletedName) -> str:
    """Return what happened to a definition, and where, as one sentence."""
    where = f"{deleted.origin.uri.rpartition('/')[2]}:{deleted.place[0] + 1}"
    if deleted.new:
        return f"`{deleted.name}` was renamed to `{deleted.new}` in {where}."
    what = "import" if deleted.old.imports else "definition"
    return f"The {what} of `{deleted.name}` was taken out of {where}."
