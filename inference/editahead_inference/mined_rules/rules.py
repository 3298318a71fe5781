"""The rules of a repository: what was mined, with an id each, and which of them are switched off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from editahead_prompts.secrets.detection import find_secrets

from .co_changes import NEW_FILE, CoChange, mine_co_changes
from .commits import MinedCommit
from .rewrites import Rewrite, mine_rewrites

MIN_SUPPORT = 3
"""Commits from which something recurs. What two commits share is mostly chance."""
MIN_CONFIDENCE = 0.75
"""How often a rule must have held: with one miss added, in each of three commits."""
LIKELY_SUPPORT = 4
"""Commits from which a place is likely by a rule alone."""
LIKELY_CONFIDENCE = 0.75
"""How often a rule must have held for a place to be likely by it alone."""
MAX_RULES = 500
"""Rules of a repository, the surest ones."""
MAX_EXAMPLES = 5
"""Commits that are named as examples."""


@dataclass(frozen=True)
class MinedRule:
    """A rule of a repository.

    Attributes:
        what: The co-change or the rewrite.
        is_off: Whether a person has switched it off.
        id: A short name that tells whether a person changed the rule.
    """

    what: CoChange | Rewrite
    is_off: bool = False
    id: str = ""

    @property
    def own_id(self) -> str:
        """The id that belongs to what the rule says."""
        return content_id(self.what)

    @property
    def is_edited(self) -> bool:
        """Whether a person changed what the rule says."""
        return self.id != self.own_id

    @property
    def is_likely(self) -> bool:
        """Whether a place is likely by this rule alone."""
        return self.what.support >= LIKELY_SUPPORT and self.what.confidence >= LIKELY_CONFIDENCE


def content_id(what: CoChange | Rewrite) -> str:
    """Return a short name of what a rule says, whatever supports it."""
    parts: tuple[str, ...]
    if isinstance(what, Rewrite):
        parts = ("rewrite", what.extension, what.old, what.new)
    else:
        trigger, then = what.trigger, what.consequence
        parts = ("co-change", trigger.where, trigger.context, then.path, then.template)
    return blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=5).hexdigest()


def describe(what: CoChange | Rewrite) -> str:
    """Return a rule in words."""
    if isinstance(what, Rewrite):
        where = f"*{what.extension}: " if what.extension else ""
        return f"{where}{what.old} -> {what.new or '(nothing)'}"
    trigger, then = what.trigger, what.consequence
    added = "a new file" if trigger.context == NEW_FILE else f"`{trigger.context}`"
    return f"{added} in {trigger.where} -> `{then.template}` in {then.path}"


def mine(commits: Sequence[MinedCommit], min_support: int = MIN_SUPPORT) -> list[MinedRule]:
    """Return the rules of commits, the surest first.

    Args:
        commits: The commits, in any order.
        min_support: In how many commits something must be.
    """
    small = [commit for commit in commits if commit.is_small]
    found: list[CoChange | Rewrite] = [
        *mine_co_changes(small, min_support, MIN_CONFIDENCE),
        *mine_rewrites(small, min_support, MIN_CONFIDENCE),
    ]
    safe = [what for what in found if not find_secrets(describe(what))]
    safe.sort(key=lambda what: (-what.confidence, -what.support, content_id(what)))
    return [MinedRule(what, id=content_id(what)) for what in safe[:MAX_RULES]]


def keep_choices(mined: Sequence[MinedRule], known: Sequence[MinedRule]) -> list[MinedRule]:
    """Return newly mined rules with what a person chose before: those that are off stay off, edited ones stay."""
    off = {rule.id for rule in known if rule.is_off}
    edited = [rule for rule in known if rule.is_edited]
    replaced = {rule.id for rule in edited}
    kept = [MinedRule(rule.what, rule.id in off, rule.id) for rule in mined if rule.id not in replaced]
    return [*edited, *kept]
