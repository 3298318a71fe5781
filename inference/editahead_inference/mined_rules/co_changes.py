"""Co-changes: where a name is added in one place, a line with the name is added in another."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .commits import MinedCommit
from .templates import Words, context_of, fill_slot, folder_pattern, has_slot, names_in, path_template

MAX_LINES_OF_NAME = 40
"""Added lines of a commit with one name, and files. A name in more is not added: it is used everywhere."""
COMMON = 0.15
"""The share of commits that add a name from which it is a common word."""
MIN_COMMON = 15
"""Commits that may always add a name."""
MAX_TRIGGERS = 3
"""Rules that lead to the same line of the same file."""
NEW_FILE = "new file"
"""The context of a name that a new file has."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """Where a name is added: a path or a pattern of paths, and the context of the name there."""

    where: str
    context: str


@dataclass(frozen=True, slots=True)
class Consequence:
    """What is added then: the path of a file, and the template of a line."""

    path: str
    template: str


@dataclass(frozen=True, slots=True)
class AddedName:
    """A name that a commit adds.

    Attributes:
        words: Its words in lower case.
        spellings: Its spellings by slot.
        triggers: Where it is added.
        consequences: The lines that have it.
    """

    words: Words
    spellings: Mapping[str, str]
    triggers: frozenset[Trigger]
    consequences: frozenset[Consequence]


@dataclass(frozen=True)
class CoChange:
    """A co-change that recurs.

    Attributes:
        trigger: Where a name is added.
        consequence: What is added then.
        support: In how many commits both were.
        chances: How often the name was added there.
        examples: Ids of commits with both.
    """

    trigger: Trigger
    consequence: Consequence
    support: int
    chances: int
    examples: tuple[str, ...]

    @property
    def confidence(self) -> float:
        """How often the line followed, with one miss added, so that few commits promise less."""
        return self.support / (self.chances + 1)


def added_names(
    commit: MinedCommit, is_common: Callable[[Words], bool] = lambda words: False, min_lines: int = 1
) -> Iterator[AddedName]:
    """Yield the names that a commit adds.

    Args:
        commit: The commit.
        is_common: Returns whether a name is a common word.
        min_lines: In how many lines, or names of files, a name must be.
    """
    removed = {words for hunk in commit.hunks for line in hunk.old for words, _, _ in names_in(line)}
    lines: defaultdict[Words, dict[tuple[str, str], None]] = defaultdict(dict)
    for hunk in commit.hunks:
        for line in hunk.new:
            for words, _, _ in names_in(line):
                if words and words not in removed:
                    lines[words][hunk.path, line] = None
    for path in commit.new_files:
        for words, _, _ in names_in(path.rpartition("/")[2].partition(".")[0]):
            lines[words]["", path] = None
    for words, found in lines.items():
        if min_lines <= len(found) <= MAX_LINES_OF_NAME and not is_common(words):
            yield _added_name(words, found)


def _added_name(words: Words, lines: Mapping[tuple[str, str], None]) -> AddedName:
    spellings: dict[str, str] = {}
    triggers: set[Trigger] = set()
    consequences: set[Consequence] = set()
    for path, line in lines:
        if not path:
            template, own = path_template(line, words)
            spellings |= own
            if own:
                triggers.add(Trigger(template, NEW_FILE))
            continue
        template, own = fill_slot(line, words)
        spellings |= own
        if has_slot(template):
            consequences.add(Consequence(path, template))
        for other, spelling, start in names_in(line):
            context = context_of(line, spelling, start) if other == words else None
            if context is not None and "{other}" not in context:
                triggers.update((Trigger(path, context), Trigger(folder_pattern(path), context)))
                break
    return AddedName(words, spellings, frozenset(triggers), frozenset(consequences))


def mine_co_changes(
    commits: Sequence[MinedCommit], min_support: int, min_confidence: float
) -> list[CoChange]:
    """Return the co-changes that recur. Each name counts where it was added first.

    Args:
        commits: The commits, in any order.
        min_support: In how many commits, with as many names, one must be.
        min_confidence: How often the line must follow.
    """
    names = _new_names(commits)
    in_commits: defaultdict[Consequence, set[str]] = defaultdict(set)
    for commit, name in names:
        for consequence in name.consequences:
            in_commits[consequence].add(commit)
    chances: Counter[Trigger] = Counter()
    both: defaultdict[tuple[Trigger, Consequence], list[tuple[str, Words]]] = defaultdict(list)
    for commit, name in names:
        chances.update(name.triggers)
        for consequence in name.consequences:
            if len(in_commits[consequence]) >= min_support:
                for trigger in name.triggers:
                    if not _is_same(trigger, consequence):
                        both[trigger, consequence].append((commit, name.words))
    found: defaultdict[Consequence, list[CoChange]] = defaultdict(list)
    for (trigger, consequence), instances in both.items():
        ids = sorted({commit for commit, _ in instances})
        support = min(len(ids), len({words for _, words in instances}))
        rule = CoChange(trigger, consequence, support, max(chances[trigger], support), tuple(ids))
        if support >= min_support and rule.confidence >= min_confidence:
            found[consequence].append(rule)
    return sorted((rule for rules in found.values() for rule in _best(rules)), key=_rank)


def _best(rules: Sequence[CoChange]) -> list[CoChange]:
    """Return the surest rules for one line, without patterns of files that say no more than one of the files."""
    kept: dict[tuple[object, ...], CoChange] = {}
    for rule in sorted(rules, key=_rank):
        trigger = rule.trigger
        kept.setdefault((folder_pattern(trigger.where), trigger.context, rule.examples), rule)
    return list(kept.values())[:MAX_TRIGGERS]


def _new_names(commits: Sequence[MinedCommit]) -> list[tuple[str, AddedName]]:
    """Return the names that commits add, each with the id of the commit: those that no earlier one has."""
    often: Counter[Words] = Counter()
    first: dict[Words, float] = {}
    for commit in commits:
        lines = (line for hunk in commit.hunks for line in hunk.new)
        for words in {words for line in lines for words, _, _ in names_in(line)}:
            often[words] += 1
            first[words] = min(commit.date, first.get(words, commit.date))
    limit = max(MIN_COMMON, COMMON * len(commits))
    return [
        (commit.id, name)
        for commit in commits
        for name in added_names(commit, lambda words: often[words] > limit, 2)
        if first.get(name.words, commit.date) == commit.date
    ]


def _is_same(trigger: Trigger, consequence: Consequence) -> bool:
    """Return whether a trigger is in the file of the consequence: then the line may be the trigger itself."""
    return trigger.where in (consequence.path, folder_pattern(consequence.path))


def _rank(rule: CoChange) -> tuple[object, ...]:
    trigger, then = rule.trigger, rule.consequence
    return (
        -rule.confidence,
        -rule.support,
        then.path,
        then.template,
        trigger.context != NEW_FILE,
        trigger.where.count("*"),
        trigger.where,
        trigger.context,
    )
