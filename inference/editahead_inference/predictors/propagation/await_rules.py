"""A function that became asynchronous: its calls are awaited, where that is possible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from editahead_prompts.text.snapshot import line_end

from .document_index import DocumentIndex
from .line_transforms import COMMENT
from .rule import Proposal, Rule

_ASYNC = re.compile(
    r"\basync\s+(?:def\s+|function\s*\*?\s*)?(?P<name>[^\W\d]\w*)\s*(?:<[^>]*>)?\("
    r"|\b(?P<bound>[^\W\d]\w*)\s*[=:]\s*async\b"
)
_FUNCTION = re.compile(r"\b(?:def|function)\b|=>\s*\{\s*\Z|\)\s*(?::[^{]+)?\{\s*\Z")
_CONTROL = re.compile(r"\s*(?:\}\s*)?(?:if|for|while|switch|catch|else|with|elif|try|match)\b")


@dataclass(frozen=True)
class AwaitCalls(Rule):
    """In the bodies of asynchronous functions, the calls of `source` are awaited."""

    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        call = re.compile(rf"(?<![\w.])(?:[^\W\d]\w*\.)*{re.escape(self.source)}\(")
        for line in index.lines_with(self.source):
            body = index.bodies[line]
            if COMMENT.match(body):
                continue
            made = call.sub(lambda match: match[0] if _is_settled(match) else "await " + match[0], body)
            if made != body and _is_in_async(index, line):
                yield Proposal(line, line + 1, (made + line_end(index.snapshot.lines[line]),))


def _is_settled(match: re.Match[str]) -> bool:
    """Whether it is awaited already, is no call but the definition, or belongs to a function of its own on the line."""
    before = match.string[: match.start()]
    return bool(re.search(r"\b(?:await|async|def|function|yield|from)\s+\Z|=>|\blambda\b|//|#", before))


def _is_in_async(index: DocumentIndex, line: int) -> bool:
    """Whether the innermost function around the line is asynchronous, as far as its first line says."""
    while (line := index.block(line)) >= 0:
        body = index.bodies[line]
        if _FUNCTION.search(body) and not _CONTROL.match(body):
            return bool(re.search(r"\basync\b", body))
    return False


def learn_await_rules(old: str, new: str) -> list[Rule]:
    """From one line's change (bodies)."""
    made = _ASYNC.search(new)
    if made is None or _ASYNC.search(old):
        return []
    name = made["name"] or made["bound"]
    if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", old):
        return []
    return [AwaitCalls("await-calls", f"await:{name}", f"await {name}()", old.strip(), name)]
