"""Rules that await the calls of a function that became asynchronous."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from editahead_prompts.text.word_patterns import WordPattern

from .document_index import DocumentIndex
from .line_transforms import COMMENT
from .proposal import Proposal
from .rule import Rule

_ASYNC = WordPattern(
    r"\basync\s+(?:def\s+|function\s*\*?\s*)?(?P<name>[^\W\d]\w*)\s*(?:<[^>]*>)?\("
    r"|\b(?P<bound>[^\W\d]\w*)\s*[=:]\s*async\b"
)
_FUNCTION = re.compile(r"\b(?:def|function)\b|=>\s*\{\s*\Z|\)\s*(?::[^{]+)?\{\s*\Z")
_CONTROL = re.compile(r"\s*(?:\}\s*)?(?:if|for|while|switch|catch|else|with|elif|try|match)\b")


@dataclass(frozen=True)
class AwaitCalls(Rule):
    """A rule that awaits the calls of `source` in the bodies of asynchronous functions."""

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        call = WordPattern(rf"(?<![\w.])(?:[^\W\d]\w*\.)*{re.escape(self.source)}\(")
        for line in index.lines_with(self.source):
            body = index.bodies[line]
            if COMMENT.match(body):
                continue
            made = call.sub(lambda match: match[0] if _is_settled(match) else "await " + match[0], body)
            if made != body and _is_in_async(index, line):
                yield index.rewrite(line, made)


def _is_settled(match: re.Match[str]) -> bool:
    """Return whether the match needs no `await`.

    A call that is already awaited needs none, nor does a definition, a comment, or a call in a lambda on the same line.
    """
    before = match.string[: match.start()]
    return bool(re.search(r"\b(?:await|async|def|function|yield|from)\s+\Z|=>|\blambda\b|//|#", before))


def _is_in_async(index: DocumentIndex, line: int) -> bool:
    """Return whether the first line of the innermost function around the line says `async`."""
    while (line := index.block(line)) >= 0:
        body = index.bodies[line]
        if _FUNCTION.search(body) and not _CONTROL.match(body):
            return bool(re.search(r"\basync\b", body))
    return False


def learn_await_rules(old: str, new: str) -> list[Rule]:
    """Learn a rule from a line in which an existing function became asynchronous.

    Args:
        old: The line's body before the edit.
        new: The line's body after the edit.
    """
    made = _ASYNC.search(new)
    if made is None or _ASYNC.search(old):
        return []
    name = made["name"] or made["bound"]
    if not WordPattern(rf"(?<!\w){re.escape(name)}(?!\w)").search(old):
        return []
    return [AwaitCalls("await-calls", f"await:{name}", f"await {name}()", old.strip(), name)]
