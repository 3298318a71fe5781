"""The flags of a hunk: rules that are often broken by mistake, each with a sentence for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from .function_signature import FunctionSignature
from .hunk_syntax import Condition, HunkSyntax, SyntaxToken

FlagKind = Literal["guard", "await", "raise", "condition", "constant", "signature", "model", "runs"]

_RAISES = frozenset(
    {
        ("raise", "raise_statement"),
        ("throw", "throw_statement"),
        ("throw", "throw_expression"),
        ("?", "try_expression"),
        *((name, "macro_invocation") for name in ("panic", "unreachable", "todo", "unimplemented", "bail")),
        *((name, "call_expression") for name in ("panic", "abort", "exit", "terminate")),
    }
)
"""Tokens, with their parent nodes, that raise an error or end the process."""
_AWAITS = frozenset({("await", "await"), ("await", "await_expression"), ("co_await", "co_await_expression")})
_COMPARING = frozenset(
    {"<", "<=", ">", ">=", "==", "!=", "===", "!==", "and", "or", "not", "&&", "||", "!", "in", "is"}
    | {"not in", "is not"}
)
_MAX_QUOTED_CHARS = 60
"""Characters of code quoted in a sentence."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag with a sentence about the hunk, for a person."""

    kind: FlagKind
    sentence: str


MODEL_WRITTEN = Flag("model", "A model wrote this: the sketch can be read in another way, too.")


class CallFinder(Protocol):
    """The calls and declarations in the code after an edit."""

    def count_unchanged_calls(self, name: str) -> int:
        """Return the number of known calls of a name that the edit does not touch."""

    def declares(self, name: str) -> bool:
        """Return whether a changed file has a function of this name."""


def find_flags(
    old: HunkSyntax,
    new: HunkSyntax,
    differing: Sequence[tuple[list[SyntaxToken], list[SyntaxToken]]],
    uses: CallFinder,
) -> tuple[Flag, ...]:
    """Return the flags of a hunk, at most one of each kind.

    Args:
        old: The syntax of the lines before.
        new: The syntax of the lines after.
        differing: The runs of code tokens that differ.
        uses: The calls and declarations after the edit.
    """
    before, after = old.code, new.code
    found = [
        *_guards(old.conditions, new.conditions),
        *_removed_tokens("await", _AWAITS, before, after, "Removes an `await`."),
        *_removed_tokens("raise", _RAISES, before, after, "Removes a place that raises an error."),
        *_conditions(old.conditions, new.conditions, differing),
        *_constants(differing),
        *_signatures(old.functions, new.functions, uses),
    ]
    first = {flag.kind: flag for flag in reversed(found)}
    return tuple(flag for flag in found if first[flag.kind] is flag)


def _guards(old: Sequence[Condition], new: Sequence[Condition]) -> Iterator[Flag]:
    for kind, what in (("assertion", "assertion"), ("if", "check")):
        before, after = ([c.text for c in side if c.kind == kind] for side in (old, new))
        deleted = list((Counter(before) - Counter(after)).elements())
        if len(before) > len(after) and deleted:
            yield Flag("guard", f"Removes the {what} {_quoted(deleted[0])}{_more(deleted)}.")


def _conditions(
    old: Sequence[Condition],
    new: Sequence[Condition],
    differing: Sequence[tuple[list[SyntaxToken], list[SyntaxToken]]],
) -> Iterator[Flag]:
    for kind in ("if", "assertion", "other"):
        before, after = ([c.text for c in side if c.kind == kind] for side in (old, new))
        deleted = list((Counter(before) - Counter(after)).elements())
        inserted = list((Counter(after) - Counter(before)).elements())
        if deleted and inserted:
            yield Flag(
                "condition",
                f"Changes the condition {_quoted(deleted[0])} to {_quoted(inserted[0])}{_more(deleted)}.",
            )
        elif deleted and kind == "other":
            yield Flag("condition", f"Removes the condition {_quoted(deleted[0])}{_more(deleted)}.")
    for before_atoms, after_atoms in differing:
        was, now = ([a.text for a in side if _compares(a)] for side in (before_atoms, after_atoms))
        if was != now and (was and now):
            yield Flag(
                "condition", f"Changes a comparison: {_quoted(' '.join(was))} to {_quoted(' '.join(now))}."
            )
        elif was != now and _only_negates([*before_atoms, *after_atoms]):
            yield Flag("condition", "Negates a condition." if now else "No longer negates a condition.")


def _compares(atom: SyntaxToken) -> bool:
    return atom.text in _COMPARING and atom.compares


def _only_negates(atoms: Sequence[SyntaxToken]) -> bool:
    """Return whether one side only adds a negation. The rest may then be one level deeper."""
    texts = Counter(a.text for a in atoms if a.text not in ("(", ")"))
    odd = [text for text, count in texts.items() if count % 2]
    return len(odd) == 1 and odd[0] in ("not", "!")


def _constants(differing: Sequence[tuple[list[SyntaxToken], list[SyntaxToken]]]) -> Iterator[Flag]:
    for before, after in differing:
        if not before or not after or all(a.imports for a in (*before, *after)):
            continue
        was, now = ([a.text for a in side if a.kind == "literal"] for side in (before, after))
        if len(was) == len(now) and was != now:
            a, b = next((a, b) for a, b in zip(was, now, strict=True) if a != b)
            yield Flag("constant", f"Changes the constant {_quoted(a)} to {_quoted(b)}.")
        elif len(before) == len(after) and was and not now:
            yield Flag("constant", f"Replaces the constant {_quoted(was[0])}.")
        elif any(a.constant for a in before) and any(a.constant for a in after):
            yield Flag("constant", "Changes the value of a constant.")


def _removed_tokens(
    kind: FlagKind,
    tokens: frozenset[tuple[str, str]],
    before: Sequence[SyntaxToken],
    after: Sequence[SyntaxToken],
    sentence: str,
) -> Iterator[Flag]:
    old, new = (sum((a.text, a.place.partition(" ")[2]) in tokens for a in side) for side in (before, after))
    if old > new:
        yield Flag(kind, sentence)


def _signatures(
    old: Sequence[FunctionSignature], new: Sequence[FunctionSignature], uses: CallFinder
) -> Iterator[Flag]:
    now = {function.path: function for function in new}
    for function in old:
        after = now.get(function.path)
        if after is None and uses.declares(function.name):
            continue  # The declaration has moved.
        if after is not None and after.accepts_calls_of(function):
            continue
        count = uses.count_unchanged_calls(function.name)
        calls = f"{count} call{'s' if count > 1 else ''} of it did not change"
        if after is None:
            if count:
                yield Flag("signature", f"`{function.name}` is no longer declared here; {calls}.")
        elif count:
            yield Flag("signature", f"Changes the signature of `{function.name}`; {calls}.")
        elif function.public:
            yield Flag(
                "signature", f"Changes the signature of `{function.name}`, which other files may call."
            )


def _quoted(code: str) -> str:
    code = " ".join(code.split())
    short = code if len(code) <= _MAX_QUOTED_CHARS else code[: _MAX_QUOTED_CHARS - 3] + "..."
    return f"`{short}`"


def _more(items: Sequence[str]) -> str:
    return f" ({len(items) - 1} more)" if len(items) > 1 else ""
