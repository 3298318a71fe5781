"""The places of one document where the rules behind the last edits apply."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache

from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import line_end

from .argument_rules import ArgumentChange
from .bindings import RenameCache
from .changed_arguments import ChangedArguments
from .changed_parameters import changes_parameters
from .document_index import DocumentIndex
from .doubts import Applied, Doubts
from .introduced_names import IntroducedNames
from .literal_places import means_other
from .named_places import other_indexes, whole_word
from .other_spellings import changes_another_name
from .proposal import Proposal
from .rule import Rule
from .rule_induction import induce_rules_from_edit
from .rule_runs import join_neighbours
from .single_examples import renames_local_only
from .site_features import IndexLookup, Site, extract_features
from .substitution_rules import Rename, Substitution, WordRename
from .unfinished_edits import Typing, may_be_whole

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


def find_sites(
    state: EditorState,
    index: DocumentIndex,
    home: IndexLookup,
    trees: SyntaxTrees,
    lessons: Lessons,
    typing: Typing | None,
    check: Callable[[], None],
    kinds: Collection[str] | None = None,
    near: int | None = NEAR_SITES,
) -> list[tuple[Site, dict[str, float]]]:
    """Return the places in the index's document where a recent edit may be repeated, with their features.

    Args:
        state: The state.
        index: The index of the document that is searched.
        home: Returns the index of an open document by its uri.
        trees: The syntax trees of all documents.
        lessons: The rules that may apply.
        typing: The edit at the cursor, if the user is still in its lines.
        check: Raises `Cancelled` if the result is no longer wanted.
        kinds: Kinds of rules one of which each wanted site has; None if all sites are wanted.
        near: Sites of one rule that are wanted on each side of the last edit, besides those at the cursor; None for all.
    """
    taught, instances_of = lessons.taught, lessons.instances
    if not taught:
        return []
    if kinds is not None and not _may_apply(kinds, lessons, index, check):
        return []
    edits = list(reversed(state.history[-_MAX_EDITS:]))
    uri = index.snapshot.uri
    cursor_line = state.document.line_at(state.cursor) if uri == state.document.uri else 0
    newest = edits[0]
    edited_line = newest.line + max(len(newest.new) - 1, 0) if newest.uri == uri else 0
    names = RenameCache(index, home, trees, other_indexes(state, index, home))
    found: dict[Proposal, Site] = {}
    # One edit may teach thousands of rules.
    renames_local = cache(lambda age: renames_local_only(edits[age], home(edits[age].uri), trees))
    changes_signature = cache(lambda age: changes_parameters(edits[age], home(edits[age].uri), trees))
    introduced = cache(lambda age: IntroducedNames(edits[age], home(edits[age].uri), trees))
    binders: dict[str, frozenset[int]] = {}

    def teacher_of(rule: Rule) -> PastEdit:
        return _teacher(rule, [edits[age] for age in dict.fromkeys(instances_of[rule.key])], names)

    arguments = ChangedArguments(edits, index, home, trees)
    doubts = Doubts(edits, instances_of, index, home, trees, introduced)
    blocked = _blocked_renames(lessons, edits, names, index, check)
    applied: Applied = []
    for rule, age in taught:
        check()
        places = rule.proposals(index) if kinds is None else rule.kept_proposals(index)
        if places == ():
            continue
        instances = instances_of[rule.key]
        is_single = len(instances) < 2
        if (
            is_single
            and rule.renames is None
            and (renames_local(age) or (isinstance(rule, Substitution) and changes_signature(age)))
        ):
            continue
        teacher = teacher_of(rule)
        if isinstance(rule, ArgumentChange) and _declares_callee(rule, teacher, home, trees):
            continue
        if is_single and rule.renames and _chooses_other_local(rule.renames, names, teacher):
            continue
        if typing is not None and age == 0 and rule.renames and rule.renames[1] == typing.word:
            is_whole = may_be_whole(*rule.renames, index)
            if not is_whole and _is_rename_of_definition(rule, names, teacher):
                continue
        fitting = arguments.fitting(rule, instances, tuple(_proposals(rule, places, index, names, teacher)))
        proposals = _without_renames(_outside(fitting, edits[age], uri), blocked, index)
        if is_single and proposals:
            proposals = doubts.without_doubtful(rule, age, proposals)
        if proposals:
            applied.append((rule, age, proposals))
    for rule, age, places in doubts.within_functions(
        applied, lambda rule, age: _is_rename_of_definition(rule, names, teacher_of(rule))
    ):
        check()
        instances = instances_of[rule.key]
        if not places or len(places) > _MAX_PROPOSALS:
            continue
        proposals = [p for p in places if introduced(age).are_bound(p, index, binders)]
        if not proposals:
            continue
        runs = join_neighbours(proposals)
        below = [run for run in runs if run.end > edited_line or run.start >= edited_line]
        above = runs[: len(runs) - len(below)][::-1]
        lines = [edits[age].line for age in instances]
        first, last = min(lines), max(lines)
        skipped = sum(first < run.start < last for run in runs)
        for side in (below, above):
            for rank, proposal in enumerate(side):
                if near is not None and rank >= near and not _near(proposal, cursor_line):
                    continue
                site = found.setdefault(proposal, Site(proposal))
                site.rules.append((rule, age))
                if len(runs) < site.below + site.above:
                    site.below, site.above, site.rank = len(below), len(above), rank
                site.support = max(site.support, len(instances))
                site.streak = max(site.streak, _streak(instances))
                site.skipped = max(site.skipped, skipped)
                others = lessons.rewrites[rule.kind, rule.source_pattern] - 1 if rule.source_pattern else 0
                site.contradicted = min(site.contradicted, others)
    _combine(found, index)
    return extract_features(list(found.values()), index, home, names, edits, edited_line, typing)


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


def _may_apply(
    kinds: Collection[str], lessons: Lessons, index: DocumentIndex, check: Callable[[], None]
) -> bool:
    """Return whether a rule of these kinds has a place in the document, whatever the names there mean."""
    for rule, _ in lessons.taught:
        check()
        if rule.kind in kinds and rule.kept_proposals(index):
            return True
    return False


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
            body = index.bodies[proposal.start]
            if rule.kind == _SIBLINGS:
                new = renamed.rename_foreign(body, proposal.start)
            else:
                new = renamed.rename_same(body, proposal.start, strictly=rule.kind == "rename-bound")
            if new != body:
                end = line_end(index.snapshot.lines[proposal.start])
                yield Proposal(proposal.start, proposal.end, (new + end,))
        elif not renamed.has_foreign_occurrence(proposal.start) and not (
            rule.kind in _RESPELLED and changes_another_name(renamed, proposal, index, names.trees)
        ):
            yield proposal


def _blocked_renames(
    lessons: Lessons,
    edits: Sequence[PastEdit],
    names: RenameCache,
    index: DocumentIndex,
    check: Callable[[], None],
) -> frozenset[tuple[str, str]]:
    """Return the renames, old and new, that are not repeated: to a keyword, or of another module's name."""
    blocked = set()
    for rule, _ in lessons.taught:
        if rule.renames is None or not index.lines_with(rule.renames[0]):
            continue
        check()
        found = (names.get(*rule.renames, edits[age]) for age in lessons.instances[rule.key])
        if any(one is not None and (one.is_of_other_module or one.is_unfinished) for one in found):
            blocked.add(rule.renames)
    return frozenset(blocked)


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


def _teacher(rule: Rule, examples: Sequence[PastEdit], names: RenameCache) -> PastEdit:
    """Return the example that defines the new name, which shows what is renamed; else the newest example."""
    return next((edit for edit in examples if _is_rename_of_definition(rule, names, edit)), examples[0])


def _declares_callee(rule: ArgumentChange, edit: PastEdit, home: IndexLookup, trees: SyntaxTrees) -> bool:
    """Return whether what looks like a call in an edit declares the function: its parameters are no arguments."""
    index = home(edit.uri)
    if index is None or rule.in_scope:
        return False
    for line in range(edit.line, min(edit.line + len(edit.new), len(index.bodies))):
        column = index.bodies[line].find(f"{rule.callee}(")
        at = index.snapshot.starts[line] + column
        if column >= 0 and trees.occurrence(index.snapshot, at, at + len(rule.callee)).defines:
            return True
    return False


def _chooses_other_local(renames: tuple[str, str], names: RenameCache, edit: PastEdit) -> bool:
    renamed = names.get(*renames, edit)
    return renamed is not None and renamed.chooses_other_local


def _is_rename_of_definition(rule: Rule, names: RenameCache, edit: PastEdit) -> bool:
    """Return whether the rule renames what the edit defines: bindings tell its places, not examples."""
    renamed = names.get(*rule.renames, edit) if rule.renames else None
    return renamed is not None and renamed.new_occurrence is not None and renamed.new_occurrence.defines


def _near(proposal: Proposal, line: int) -> bool:
    """Return whether the cursor's line is next to the proposal."""
    return proposal.start - 1 <= line <= max(proposal.end, proposal.start + 1)


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
        if len(rules) < 2:
            continue
        body = index.bodies[line]
        used: list[tuple[Rule, int]] = []
        basis: list[Site] = []
        for rule, age, site in sorted(rules.values(), key=lambda entry: (entry[1], -len(entry[0].source))):
            if isinstance(rule, Substitution | Rename | WordRename):
                new = rule.rewrite(body)
                if new != body:
                    body = new
                    used.append((rule, age))
                    basis.append(site)
        proposal = Proposal(line, line + 1, (body + line_end(index.snapshot.lines[line]),))
        if len(used) > 1 and proposal not in found:
            best = min(basis, key=lambda s: s.below + s.above)
            found[proposal] = Site(
                proposal,
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


def _outside(proposals: Iterable[Proposal], edit: PastEdit, uri: str) -> list[Proposal]:
    """Return the proposals that do not touch the lines of the edit that taught the rule."""
    out = []
    first, last = edit.line, edit.line + max(len(edit.new), 1)
    for proposal in proposals:
        if edit.uri != uri or proposal.start >= last or max(proposal.end, proposal.start + 1) <= first:
            out.append(proposal)
            if len(out) > _MAX_PROPOSALS:
                break
    return out
