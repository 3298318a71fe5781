"""What a call goes on with, by the parameters of the function that is called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from editahead_prompts.text.identifiers import is_word, split_words
from editahead_prompts.text.snapshot import Snapshot

from .parameters import Parameter, Parameters, find_parameters

_SAME, _MEMBER, _ALIKE, _SEPARATOR = 4.0, 2.0, 1.0, 2.5
"""What the name of the parameter, a member of that name, a name like it, and the comma or bracket behind weigh, beside the
occurrences of what follows the longest context."""
_MAX_ALIKE = 2
_OWNERS = ("self", "this")
_DEFINING = [(word,) for word in ("def", "function", "func", "fn", "class")]
_OPENERS, _CLOSERS = frozenset("([{"), frozenset(")]}")


@dataclass(frozen=True, slots=True)
class Expected:
    """What may come next in an argument.

    Attributes:
        weights: The weights of pieces.
        kinds: Why each of them is expected: 1 the parameter's name, 2 a member of that name, 3 a name like it, 4 what ends
            the argument.
        left: The number of parameters from this one on.
    """

    weights: dict[str, float] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)
    left: int = 0


NOTHING = Expected()


@dataclass(frozen=True, slots=True)
class _Call:
    """An unfinished call: the name of the function, and the tokens of its arguments."""

    name: str
    arguments: list[list[str]]


class Arguments:
    """What calls at one moment expect.

    Args:
        documents: The open documents, that of the cursor first.
        scope: How often the names in scope occur.
    """

    def __init__(self, documents: Sequence[Snapshot], scope: Counter[str]) -> None:
        self._documents, self._scope = documents, scope
        self._known: dict[str, Parameters | None] = {}

    def expected(self, tokens: tuple[str, ...], *, begins_line: bool = False) -> Expected:
        """Return what may come after some tokens of code, if they end in a call of a known function.

        Args:
            tokens: The tokens, from the line that opens the call on.
            begins_line: Whether what comes is the first of its line.
        """
        call = _last_call(tokens)
        if call is None:
            return NOTHING
        if call.name not in self._known:
            self._known[call.name] = find_parameters(call.name, self._documents)
        parameters = self._known[call.name]
        if parameters is None:
            return NOTHING
        place, typed = len(call.arguments) - 1, tuple(call.arguments[-1])
        expected = Expected(left=len(parameters) - place)
        if not parameters[place:]:
            if not typed and not place:
                _expect(expected, ")", _SEPARATOR, 4)
            return expected
        for wanted, weight, kind in self._wanted(parameters, place, call):
            if wanted[: len(typed)] != typed:
                continue
            if len(typed) < len(wanted):
                space = " " if place and not typed and not begins_line else ""
                _expect(expected, space + wanted[len(typed)], weight, kind)
            elif not parameters[place + 1 :]:
                _expect(expected, ")", _SEPARATOR, 4)
            elif not parameters[place + 1].optional and not parameters[place + 1].by_name:
                _expect(expected, ",", _SEPARATOR, 4)
        return expected

    def _wanted(
        self, parameters: Parameters, place: int, call: _Call
    ) -> Iterator[tuple[tuple[str, ...], float, int]]:
        """Yield the arguments that a parameter suggests, as tokens, with their weights and kinds."""
        done = [argument for argument in call.arguments[:-1] if argument[1:2] != ["="]]
        passed = [argument[0] for argument in call.arguments[:-1] if argument[1:2] == ["="]]
        by_name = bool(passed) or parameters[place].by_name or call.arguments[-1][1:2] == ["="]
        if not by_name:
            yield from self._values(parameters[place])
            return
        for parameter in parameters[len(done) :]:
            if parameter.name not in passed:
                for value, weight, kind in self._values(parameter):
                    yield (parameter.name, "=", *value), weight, kind

    def _values(self, parameter: Parameter) -> Iterator[tuple[tuple[str, ...], float, int]]:
        name, scope = parameter.name, self._scope
        if not name:
            return
        if scope[name]:
            yield (name,), _SAME, 1
            return
        text = self._documents[0].text
        for owner in _OWNERS:
            if f"{owner}.{name}" in text:
                yield (owner, ".", name), _MEMBER, 2
        words = split_words(name)
        alike = [
            known
            for known in scope
            if known != name and (_ends(split_words(known), words) or _ends(words, split_words(known)))
        ]
        for known in sorted(alike, key=lambda known: -scope[known])[:_MAX_ALIKE]:
            yield (known,), _ALIKE, 3


def _ends(words: tuple[str, ...], end: tuple[str, ...]) -> bool:
    return bool(end) and len(words) > len(end) and words[-len(end) :] == end


def _expect(expected: Expected, piece: str, weight: float, kind: int) -> None:
    if weight > expected.weights.get(piece, 0.0):
        expected.weights[piece], expected.kinds[piece] = weight, kind


def _last_call(tokens: tuple[str, ...]) -> _Call | None:
    """Return the innermost call that the tokens leave open; None if another bracket is the innermost open one."""
    depth = 0
    reverse: list[list[str]] = [[]]
    for at in range(len(tokens) - 1, 0, -1):
        token = tokens[at]
        if token in _CLOSERS:
            depth += 1
        elif token in _OPENERS and depth:
            depth -= 1
        elif token in _OPENERS:
            if token != "(" or not is_word(tokens[at - 1]) or tokens[at - 2 : at - 1] in _DEFINING:
                return None
            return _Call(tokens[at - 1], [argument[::-1] for argument in reversed(reverse)])
        elif token == "," and not depth:
            reverse.append([])
            continue
        reverse[-1].append(token)
    return None
