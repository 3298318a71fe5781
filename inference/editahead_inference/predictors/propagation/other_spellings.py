"""Other spellings of a renamed name, such as `name` and `get_name` beside `Name`: which of them are names of their own.

Those of a local stay within its scope. Those of a member may be other members of its type, or of a type that the text does
not show, but neither members of other types nor variables.
"""

from __future__ import annotations

from collections.abc import Iterator

from editahead_prompts.syntax.member_owners import HINT
from editahead_prompts.syntax.name_occurrences import Occurrence
from editahead_prompts.text.identifiers import tokenize
from editahead_prompts.text.snapshot import line_body

from .bindings import RenamedName
from .named_places import MAX_WIDTH, MODULE
from .proposal import Proposal


def changes_another_name(renamed: RenamedName, proposal: Proposal) -> bool:
    """Return whether a proposal changes another spelling of a renamed name that is a name of its own.

    Args:
        renamed: The renamed name, of the document.
        proposal: A change of names in one line.
    """
    return any(_is_another(site, renamed) for site in _spellings(renamed, proposal))


def _spellings(renamed: RenamedName, proposal: Proposal) -> Iterator[Occurrence]:
    """Yield the occurrences of other spellings that a proposal changes."""
    index = renamed.index
    body = index.bodies[proposal.start]
    if max(len(body), len(proposal.lines[0])) > MAX_WIDTH:
        return
    old, new = tokenize(body), tokenize(line_body(proposal.lines[0]))
    at = index.snapshot.starts[proposal.start]
    for before, after in zip(old, new, strict=False):
        if before not in (after, renamed.old):
            yield renamed.trees.occurrence(index.snapshot, at, at + len(before))
        at += len(before)


def _is_another(site: Occurrence, renamed: RenamedName) -> bool:
    made = renamed.new_occurrence
    if made is None or site.role == "unknown":
        return False
    if made.role == "plain":
        binding = renamed.binding(made)
        return binding not in (MODULE, site.binder, *site.scopes)
    if made.role != "member" or not made.owner or made.owner.startswith(HINT):
        return False
    if site.role != "member":
        return site.role == "plain"
    return not (not site.owner or site.owner.startswith(HINT) or renamed.is_of_kin(site.owner))
