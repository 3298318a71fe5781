"""The predictor: sites as candidate edits, in this document and in the other open ones."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b

from editahead_inference.candidates import Candidate, Source
from editahead_prompts.diff import diff
from editahead_prompts.edits import Edit, Replacement
from editahead_prompts.snapshot import Snapshot
from editahead_prompts.state import State

from .evidence import Site
from .index import Index
from .rules import Proposal
from .sites import find_sites

_REMEMBERED = 32
"""Documents whose index is kept."""
_OTHERS = 8
"""Other open documents that are searched, most recently used first."""
_CARRIES_OVER = frozenset(
    {
        "rename",
        "case",
        "span0",
        "span1",
        "span2",
        "span-both",
        "line",
        "block",
        "argument-add",
        "argument-drop",
    }
)
"""Kinds of rules specific enough for another document."""
_BY_CANDOUR = ("rename", "argument-add", "argument-drop", "case", "words", "span0", "part0", "line")
"""Kinds whose label tells a person most, best first."""


class Propagation:
    """Proposes to do the last edits again where they apply. For one thread at a time."""

    source: Source = "propagation"

    def __init__(self) -> None:
        self._indexes: OrderedDict[str, Index] = OrderedDict()

    def propose(self, state: State, check: Callable[[], None]) -> list[Candidate]:
        """See `Predictor.propose`."""
        if not state.history:
            return []
        snapshots = {snapshot.uri: snapshot for snapshot in (*state.others[:_OTHERS], state.document)}

        def home(uri: str) -> Index | None:
            return self._index(snapshots[uri]) if uri in snapshots else None

        found = find_sites(state, self._index(state.document), home, check)
        candidates = [_candidate(state.document, site, features, self.source) for site, features in found]
        for other in state.others[:_OTHERS]:
            for site, features in find_sites(state, self._index(other), home, check):
                if any(rule.kind in _CARRIES_OVER for rule, _ in site.rules):
                    candidates.append(_candidate(other, site, features, self.source))
        return candidates

    def _index(self, snapshot: Snapshot) -> Index:
        known = self._indexes.get(snapshot.uri)
        if known is None or known.snapshot is not snapshot:
            known = self._indexes[snapshot.uri] = Index(snapshot, known)
            if len(self._indexes) > _REMEMBERED:
                self._indexes.popitem(last=False)
        self._indexes.move_to_end(snapshot.uri)
        return known


def _candidate(snapshot: Snapshot, site: Site, features: dict[str, float], source: Source) -> Candidate:
    edit = as_edit(snapshot, site.proposal)
    last = edit.replacements[-1]
    rule = min((rule for rule, _ in site.rules), key=lambda rule: _candour(rule.kind))
    more = site.below + site.above - 1
    return Candidate(
        snapshot.uri,
        edit,
        place=edit.replacements[0].start,
        cursor_after=last.end + sum(len(r.text) - (r.end - r.start) for r in edit.replacements),
        source=source,
        label=f"{rule.label} ({more} more)" if more > 0 else rule.label,
        rule=blake2b(rule.key.encode("utf-8", "replace"), digest_size=8).hexdigest(),
        features=features,
    )


def _candour(kind: str) -> int:
    return _BY_CANDOUR.index(kind) if kind in _BY_CANDOUR else len(_BY_CANDOUR)


def as_edit(snapshot: Snapshot, proposal: Proposal) -> Edit:
    """The proposal as the smallest edit of the snapshot's text that makes it."""
    base = snapshot.starts[proposal.start]
    old = "".join(snapshot.lines[proposal.start : proposal.end])
    inner = diff(old, "".join(proposal.lines))
    return Edit(tuple(Replacement(r.start + base, r.end + base, r.text) for r in inner.replacements))
