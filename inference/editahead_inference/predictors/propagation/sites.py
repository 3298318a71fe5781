"""The places of one document where the rules behind the last edits apply."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache

from editahead_prompts.state import EditorState, PastEdit

from .argument_rules import ArgumentChange, CallSite
from .bindings import RenamedName
from .changed_arguments import ChangedArguments
from .changed_parameters import changes_parameters, parameter_changes
from .deletion_rules import Deletion, NameDeletion
from .document_index import DocumentIndex
from .doubts import Applied, Doubts
from .follow_up import Situation
from .insertion_rules import Insertion, SimilarInsertion
from .introduced_names import IntroducedNames
from .literal_places import means_other
from .named_places import occurrence_at, whole_word
from .other_spellings import changes_another_name
from .proposal import Proposal, join_neighbours
from .rename_cache import RenameCache
from .rule import Rule
from .rule_induction import induce_rules_from_edit
from .single_examples import renames_local_only
from .site_features import FeatureExtractor, Site
from .substitution_rules import Rename, Substitution, WordRename
from .unfinished_edits import may_be_whole

_MAX_EDITS = 6
"""Past edits from which rules are learned."""
NEAR_SITES = 3
"""Sites of one rule that are proposed on each side of the last edit, besides those at the cursor."""
_MAX_PROPOSALS = 60
"""Sites of one rule. A rule with more is too general to be trusted at any of them."""
_SIBLINGS = "rename-siblings"
"""The kind of the rule that renames the same name of several functions, one after the other."""
_EXACT_RENAMES = frozenset({"rename", "rename-bound", _SIBLINGS})
_RESPELLED = frozenset({"rename-cases", "rename-words"})
"""Kinds of rules that rename other spellings of a name."""
_OF_ONE_SIGNATURE = (Substitution, Deletion, NameDeletion, Insertion, SimilarInsertion)
"""Rules that, of one example in the parameters of a function, say nothing of other lines that look alike."""
_COMBINED = frozenset({"rename", "rename-bound", "rename-cases", "rename-words", "part", "span0", "span1"})
"""Kinds of rules that may each change their own part of one line."""


class Lessons:
    """The rules that the past edits of a state teach.

    Args:
        teaching: The past edits, newest first; None for one that teaches nothing.
        state: The state.

    Attributes:
        taught: Each rule, with the age of the newest edit that teaches it.
        instances: By the key of a rule, the ages of all edits that teach it.
        rewrites: How many rules of one kind rewrite the same old text.
    """

    def __init__(self, teaching: Sequence[PastEdit | None], state: EditorState) -> None:
        self.taught, self.instances = _taught(teaching[:_MAX_EDITS], state)
        self.rewrites = Counter((rule.kind, rule.source_pattern) for rule, _ in self.taught)


class SiteSearch:
    """The search of one document for the places where recent edits may be repeated.

    Args:
        situation: What is searched.
        lessons: The rules that may apply.
        check: Raises `Cancelled` if the result is no longer wanted.
    """

    def __init__(self, situation: Situation, lessons: Lessons, check: Callable[[], None]) -> None:
        self._situation, self._lessons, self._check = situation, lessons, check
        self._index, self._home, self._trees = situation.index, situation.home, situation.trees
        self._edits = edits = list(reversed(situation.state.history[-_MAX_EDITS:]))
        self._names = RenameCache(situation)
        self._arguments = ChangedArguments(edits, situation)
        # One edit may teach thousands of rules.
        home, trees = situation.home, situation.trees
        self._renames_local = cache(lambda age: renames_local_only(edits[age], home(edits[age].uri), trees))
        self._changes_signature = cache(
            lambda age: changes_parameters(edits[age], home(edits[age].uri), trees)
        )
        self._introduced = cache(lambda age: IntroducedNames(edits[age], home(edits[age].uri), trees))

    def find(
        self, kinds: Collection[str] | None = None, near: int | None = NEAR_SITES
    ) -> list[tuple[Site, dict[str, float]]]:
        """Return the places, with their features.

        Args:
            kinds: Kinds of rules one of which each wanted site has; None if all sites are wanted.
            near: Sites of one rule that are wanted on each side of the last edit, besides those at the cursor; None for all.
        """
        if not self._lessons.taught or (kinds is not None and not self._may_apply(kinds)):
            return []
        doubts = Doubts(self._situation, self._edits, self._lessons.instances, self._introduced)
        applied = self._applied(doubts, is_kept=kinds is not None)
        found: dict[Proposal, Site] = {}
        binders: dict[str, frozenset[int]] = {}
        for rule, age, places in doubts.within_functions(applied, self._renames_definition):
            self._check()
            if 0 < len(places) <= _MAX_PROPOSALS:
                introduced = self._introduced(age)
                bound = [place for place in places if introduced.are_bound(place, self._index, binders)]
                for site in self._sites(rule, age, bound, near):
                    found.setdefault(site.proposal, Site(site.proposal)).add(site)
        _combine(found, self._index)
        features = FeatureExtractor(self._situation, self._names, self._edits, self._edited_line)
        return features.extract(list(found.values()))

    @property
    def _edited_line(self) -> int:
        """The 0-based last line of the newest edit, or 0 if the edit is in another document."""
        newest = self._edits[0]
        return newest.line + max(len(newest.new) - 1, 0) if newest.uri == self._index.snapshot.uri else 0

    def _may_apply(self, kinds: Collection[str]) -> bool:
        """Return whether a rule of these kinds has a place in the document, whatever the names there mean."""
        for rule, _ in self._lessons.taught:
            self._check()
            if rule.kind in kinds and rule.kept_proposals(self._index):
                return True
        return False

    def _applied(self, doubts: Doubts, *, is_kept: bool) -> Applied:
        """Return the rules that have places.

        Args:
            doubts: What forbids places.
            is_kept: Whether the places are kept with the index, as for a document that is searched again and again.
        """
        blocked = self._blocked_renames()
        applied: Applied = []
        for rule, age in self._lessons.taught:
            self._check()
            places = rule.kept_proposals(self._index) if is_kept else rule.proposals(self._index)
            if places == () or self._teaches_nothing(rule, age):
                continue
            proposals = _without_renames(self._outside(rule, age, places), blocked, self._index)
            if proposals and self._has_one_example(rule):
                proposals = doubts.without_doubtful(rule, age, proposals)
            if proposals:
                applied.append((rule, age, proposals))
        return applied

    def _blocked_renames(self) -> frozenset[tuple[str, str]]:
        """Return the renames, old and new, that are not repeated: to a keyword, or of another module's name."""
        blocked = set()
        for rule, _ in self._lessons.taught:
            if rule.renames is None or not self._index.lines_with(rule.renames[0]):
                continue
            self._check()
            ages = self._lessons.instances[rule.key]
            found = (self._names.get(*rule.renames, self._edits[age]) for age in ages)
            if any(one is not None and (one.is_of_other_module or one.is_unfinished) for one in found):
                blocked.add(rule.renames)
        return frozenset(blocked)

    def _has_one_example(self, rule: Rule) -> bool:
        return len(self._lessons.instances[rule.key]) < 2

    def _teaches_nothing(self, rule: Rule, age: int) -> bool:
        """Return whether the examples of a rule say nothing of other places."""
        return (
            (self._has_one_example(rule) and self._is_meant_once(rule, age))
            or (isinstance(rule, ArgumentChange) and self._declares_callee(rule))
            or (isinstance(rule, CallSite) and self._keeps_calls(rule, age))
            or self._is_half_typed(rule, age)
        )

    def _is_meant_once(self, rule: Rule, age: int) -> bool:
        """Return whether the only example of a rule chooses another local, or changes what only its function has."""
        if rule.renames:
            renamed = self._names.get(*rule.renames, self._teacher(rule))
            return renamed is not None and renamed.chooses_other_local
        return self._renames_local(age) or (
            isinstance(rule, _OF_ONE_SIGNATURE) and self._changes_signature(age)
        )

    def _declares_callee(self, rule: ArgumentChange) -> bool:
        """Return whether what looks like a call declares the function: its parameters are no arguments."""
        edit = self._teacher(rule)
        index = self._home(edit.uri)
        if index is None:
            return False
        for line in index.lines_of(edit):
            column = index.bodies[line].find(f"{rule.callee}(")
            if column >= 0 and occurrence_at(line, column, rule.callee, index, self._trees).defines:
                return True
        return False

    def _keeps_calls(self, rule: CallSite, age: int) -> bool:
        """Return whether the calls of a function stay right after a change of its parameters, or may: it is being typed."""
        typing, edit = self._situation.typing, self._edits[age]
        index = self._home(edit.uri)
        if index is None:
            return False
        changes = [c for c in parameter_changes(edit, index, self._trees) if c.name == rule.source]
        is_typed = typing is not None and typing.edit is edit
        return is_typed or (bool(changes) and all(change.keeps_calls for change in changes))

    def _is_half_typed(self, rule: Rule, age: int) -> bool:
        """Return whether a rule renames a definition to a name that the user is still typing."""
        typing = self._situation.typing
        if typing is None or age != 0 or not rule.renames or rule.renames[1] != typing.word:
            return False
        return not may_be_whole(*rule.renames, self._index) and self._renames_definition(rule, age)

    def _renames_definition(self, rule: Rule, _age: int) -> bool:
        """Return whether a rule renames what an example defines: bindings tell its places, not examples."""
        return _is_rename_of_definition(rule, self._names, self._teacher(rule))

    def _teacher(self, rule: Rule) -> PastEdit:
        """Return the example that defines the new name, which shows what is renamed; else the newest example."""
        examples = [self._edits[age] for age in dict.fromkeys(self._lessons.instances[rule.key])]
        return next(
            (edit for edit in examples if _is_rename_of_definition(rule, self._names, edit)), examples[0]
        )

    def _outside(self, rule: Rule, age: int, places: Iterable[Proposal]) -> list[Proposal]:
        """Return the fitting places of a rule that do not touch the lines of the edit that taught it."""
        edit = self._edits[age]
        proposals = tuple(_proposals(rule, places, self._index, self._names, self._teacher(rule)))
        fitting = self._arguments.fitting(rule, self._lessons.instances[rule.key], proposals)
        if edit.uri != self._index.snapshot.uri:
            outside = iter(fitting)
        else:
            first, last = edit.line, edit.line + max(len(edit.new), 1)
            outside = (p for p in fitting if p.start >= last or max(p.end, p.start + 1) <= first)
        return list(itertools.islice(outside, _MAX_PROPOSALS + 1))

    def _sites(self, rule: Rule, age: int, places: Sequence[Proposal], near: int | None) -> Iterator[Site]:
        """Yield the sites of one rule."""
        runs = join_neighbours(places)
        edited_line, ages = self._edited_line, self._lessons.instances[rule.key]
        below = [run for run in runs if run.end > edited_line or run.start >= edited_line]
        above = runs[: len(runs) - len(below)][::-1]
        lines = [self._edits[age].line for age in ages]
        first, last = min(lines), max(lines)
        skipped = sum(first < run.start < last for run in runs)
        others = self._lessons.rewrites[rule.kind, rule.source_pattern] - 1 if rule.source_pattern else 0
        for side in (below, above):
            for rank, run in enumerate(side):
                if near is None or rank < near or self._is_at_cursor(run):
                    yield Site(
                        run,
                        [(rule, age)],
                        below=len(below),
                        above=len(above),
                        rank=rank,
                        support=len(ages),
                        streak=_streak(ages),
                        skipped=skipped,
                        contradicted=others,
                    )

    def _is_at_cursor(self, proposal: Proposal) -> bool:
        """Return whether the cursor's line is next to the proposal; another document is read from its start."""
        state = self._situation.state
        is_here = self._index.snapshot.uri == state.document.uri
        line = state.document.line_at(state.cursor) if is_here else 0
        return proposal.start - 1 <= line <= max(proposal.end, proposal.start + 1)


def _taught(
    edits: Sequence[PastEdit | None], state: EditorState
) -> tuple[list[tuple[Rule, int]], dict[str, list[int]]]:
    """Return each rule with the age of the newest edit that teaches it, and by key the ages of all such edits.

    Args:
        edits: The past edits, newest first; None for one that teaches nothing.
        state: The state.
    """
    taught: list[tuple[Rule, int]] = []
    instances: dict[str, list[int]] = defaultdict(list)
    for age, edit in enumerate(edits):
        if edit is None:
            continue
        snapshot = state.snapshot(edit.uri)
        for rule in induce_rules_from_edit(edit, snapshot.lines if snapshot else None):
            ages = instances[rule.key]
            if not ages:
                taught.append((rule, age))
            ages.append(age)  # once for each line of the edit that teaches it
    return taught, instances


def _proposals(
    rule: Rule, proposals: Iterable[Proposal], index: DocumentIndex, names: RenameCache, edit: PastEdit
) -> Iterator[Proposal]:
    """Yield the rule's proposals, without the places where a renamed name means something else."""
    renamed = names.get(*rule.renames, edit) if rule.renames else None
    if renamed is None:
        for proposal in proposals if rule.kind != _SIBLINGS else ():
            if not rule.renames or not means_other(rule.renames, index, proposal.start, edit):
                yield proposal
        return
    for proposal in proposals:
        if rule.kind in _EXACT_RENAMES and proposal.end - proposal.start == 1:
            yield from _exact_rename(rule.kind, renamed, proposal, index)
        elif not renamed.has_foreign_occurrence(proposal.start) and not (
            rule.kind in _RESPELLED and changes_another_name(renamed, proposal)
        ):
            yield proposal


def _exact_rename(
    kind: str, renamed: RenamedName, proposal: Proposal, index: DocumentIndex
) -> Iterator[Proposal]:
    """Yield the rename of the names of one line that mean what a rule of this kind renames."""
    body = index.bodies[proposal.start]
    if kind == _SIBLINGS:
        new = renamed.rename_foreign(body, proposal.start)
    else:
        new = renamed.rename_same(body, proposal.start, strictly=kind == "rename-bound")
    if new != body:
        yield index.rewrite(proposal.start, new)


def _without_renames(
    proposals: list[Proposal], renames: Collection[tuple[str, str]], index: DocumentIndex
) -> list[Proposal]:
    """Return the proposals that put no new name for an old one, whatever rule makes them."""
    return [
        proposal
        for proposal in proposals
        if not any(_renames(proposal, old, new, index) for old, new in renames)
    ]


def _renames(proposal: Proposal, old: str, new: str, index: DocumentIndex) -> bool:
    """Return whether a proposal puts a new name for an old one."""
    before, after = index.bodies[proposal.start : proposal.end], proposal.lines
    return _count(new, after) > _count(new, before) and _count(old, after) < _count(old, before)


def _count(name: str, lines: Sequence[str]) -> int:
    return sum(len(whole_word(name).findall(line)) for line in lines)


def _is_rename_of_definition(rule: Rule, names: RenameCache, edit: PastEdit) -> bool:
    """Return whether the rule renames what the edit defines."""
    renamed = names.get(*rule.renames, edit) if rule.renames else None
    return renamed is not None and renamed.new_occurrence is not None and renamed.new_occurrence.defines


def _streak(ages: Sequence[int]) -> int:
    """Return how many of the ages 0, 1, 2, .. occur without a gap."""
    distinct = sorted(set(ages))
    return next((count for count, age in enumerate(distinct) if age != count), len(distinct))


def _combine(found: dict[Proposal, Site], index: DocumentIndex) -> None:
    """Add, for each line that several rules change in part, the edit that makes all these changes."""
    at: dict[int, dict[str, tuple[Rule, int, Site]]] = defaultdict(dict)
    for proposal, site in found.items():
        if proposal.end - proposal.start == 1 == len(proposal.lines):
            for rule, age in site.rules:
                if rule.kind in _COMBINED:
                    at[proposal.start].setdefault(rule.key, (rule, age, site))
    for line, rules in at.items():
        combined = _combined(line, list(rules.values()), index)
        if combined is not None:
            found.setdefault(combined.proposal, combined)


def _combined(line: int, rules: Sequence[tuple[Rule, int, Site]], index: DocumentIndex) -> Site | None:
    """Return the site of the rules, each with its age and its site, that change a line one after the other."""
    body = index.bodies[line]
    used: list[tuple[Rule, int]] = []
    basis: list[Site] = []
    for rule, age, site in sorted(rules, key=lambda entry: (entry[1], -len(entry[0].source))):
        new = rule.rewrite(body) if isinstance(rule, Substitution | Rename | WordRename) else body
        if new != body:
            body = new
            used.append((rule, age))
            basis.append(site)
    if len(used) < 2:
        return None
    best = min(basis, key=lambda s: s.below + s.above)
    return Site(
        index.rewrite(line, body),
        used,
        below=best.below,
        above=best.above,
        rank=best.rank,
        support=max(s.support for s in basis),
        streak=max(s.streak for s in basis),
        skipped=best.skipped,
        contradicted=min(s.contradicted for s in basis),
        combined=True,
    )
