"""A finder of what changes lack that knows only renames of one word, for tests of everything around the real one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from editahead_inference.codebase import Codebase
from editahead_inference.finish.report import ChangedFile, FinishReport, FinishRule, MissingPlace
from editahead_inference.finish.witness import Witness, no_witness
from editahead_inference.mined_rules.repository import RepositoryRules
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.snapshot import Snapshot

UNLIKELY = "unlikely"
"""A word that makes the places in its line unlikely."""
_WORD = re.compile(r"\w+")


class RenamingFinisher:
    """See `editahead_inference.finish.finisher.Finisher`."""

    def __init__(
        self,
        codebase: Codebase | None = None,
        *,
        repository: RepositoryRules | None = None,
        witness: Witness = no_witness,
    ) -> None:
        self._codebase = codebase  # what is mined, and what language servers know, adds no rename of one word

    def find(
        self,
        change: Sequence[ChangedFile],
        documents: Sequence[Snapshot] = (),
        *,
        check: Callable[[], None] = lambda: None,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> FinishReport:
        present = {file.after.uri: file.after for file in change if file.after is not None}
        shown: dict[tuple[str, str], list[tuple[str, int]]] = {}
        for file in change:
            if file.before is None or file.after is None:
                continue
            for number, (old, new) in enumerate(zip(file.before.lines, file.after.lines, strict=False)):
                words = _WORD.findall(old), _WORD.findall(new)
                pairs = {pair for pair in zip(*words, strict=False) if pair[0] != pair[1]}
                for pair in pairs if len(words[0]) == len(words[1]) else ():
                    shown.setdefault(pair, []).append((file.after.uri, number))
        places: list[MissingPlace] = []
        rules = []
        seen = dict(present)
        for done, ((old, new), where) in enumerate(sorted(shown.items())):
            check()
            on_progress(done, len(shown))
            rules.append(FinishRule(f"{old}-{new}", f"rename {old} -> {new}", "rename", tuple(where)))
            closed = [] if self._codebase is None else self._codebase.files_with([old], 100)
            for uri in closed:
                snapshot = None if self._codebase is None else self._codebase.snapshot(uri)
                if snapshot is not None:
                    seen.setdefault(uri, snapshot)
            for snapshot in list(seen.values()):
                places += _places(snapshot, old, new)
        places.sort(key=lambda place: -place.confidence)
        wanted = {place.uri for place in places}
        snapshots = tuple(snapshot for uri, snapshot in seen.items() if uri in wanted)
        return FinishReport(tuple(rules), tuple(places), snapshots, len(seen))


def _places(snapshot: Snapshot, old: str, new: str) -> list[MissingPlace]:
    places = []
    for number, line in enumerate(snapshot.lines):
        found = list(re.finditer(rf"\b{re.escape(old)}\b", line))
        if found:
            at = snapshot.starts[number]
            edit = Edit(tuple(Replacement(at + one.start(), at + one.end(), new) for one in found))
            changed = re.sub(rf"\b{re.escape(old)}\b", new, line)
            likely = UNLIKELY not in line
            places.append(
                MissingPlace(
                    snapshot.uri,
                    number,
                    number + 1,
                    (line,),
                    (changed,),
                    edit,
                    f"{old}-{new}",
                    0.97 if likely else 0.2,
                    "code",
                    likely,
                    f"The old name {old} is left here.",
                )
            )
    return places
