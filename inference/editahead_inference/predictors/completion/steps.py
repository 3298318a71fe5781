"""From a place to the steps of a completion: the likeliest piece, the one after it, and so on to the end of the block.

A step may lead over the end of a line: the line end, the indentation and the next line's first piece are one step. Lines are
indented by one more level behind an opening bracket or colon, and by one less at a closing bracket. No step goes on behind
the bracket that closes the cursor's block, and none to a line with less indentation.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from editahead_prompts.syntax.languages import find_language
from editahead_prompts.text.identifiers import is_name, is_word
from editahead_prompts.text.indentation import indent_unit_near, indentation

from .arguments import Expected
from .next_piece import NextPieceModel, Ranking
from .pieces import END, START
from .place import Place
from .region import REGIONS
from .taken_names import find_taken_names

MAX_STEPS = 40
"""Pieces of one completion."""
MAX_CHARS = 240
"""Characters after which a completion gets no further piece."""
MAX_NEW_LINES = 8
"""Line ends in one completion."""
_LINE_ORDER = 3
"""The length of the context of a line's first piece: the ends of the line above, and `START`."""
_ORDERS = range(5)
"""Lengths of contexts whose evidence is weighed."""
_OPENERS, _CLOSERS = frozenset("([{"), frozenset(")]}")
_ENDS = frozenset(")]}\"'`,;:")
"""Characters behind the cursor before which an expression may go on: editors insert most of them ahead of the person."""
_BEFORE = {token: float(n) for n, token in enumerate([START, *".(,=[{:\"'><*&@#/|+-!)]};"], 1)}
"""A number for each token that a piece may follow; 0 for a name."""


@dataclass(frozen=True, slots=True)
class Step:
    """One more piece of a completion.

    Attributes:
        text: The text that the piece adds.
        features: The values from which the probability of the step follows, given that the steps before are right.
    """

    text: str
    features: dict[str, float]


@dataclass(frozen=True, slots=True)
class _Guess:
    """The likeliest piece at a place.

    Attributes:
        piece: The piece, with what is typed of it.
        text: What is not typed of it.
        share: The model's belief in it.
        runner_up: The model's belief in the best of the others of its kind.
        whole: The model's belief that the half-typed word is whole already.
        follows_word: Whether it follows that word, instead of completing it.
        choices: The number of pieces that complete the word.
        ranking: Where it is from.
        expected: What the call at the place expects.
        line_end: The model's belief that the line ends before it; 0 of a piece of the same line.
    """

    piece: str
    text: str
    share: float
    runner_up: float
    whole: float
    follows_word: bool
    choices: int
    ranking: Ranking
    expected: Expected
    line_end: float = 0.0


@dataclass(slots=True)
class _Progress:
    """How far a completion has come.

    Attributes:
        context: The tokens before the next piece.
        partial: What is typed of the next piece.
        code: The tokens from the line that opens the brackets around the cursor.
        tokens: The tokens of the line and how often it has them.
        line: The line, with its indentation.
        depth: The brackets that were opened on the cursor's line and later, and not closed.
        steps: The number of pieces so far.
        length: The number of characters so far.
        new_lines: The number of line ends so far.
        at_end: Whether the bracket that closes the cursor's block was the last piece.
    """

    context: tuple[str, ...]
    partial: str
    code: tuple[str, ...]
    tokens: Counter[str]
    line: str
    depth: int
    steps: int = 0
    length: int = 0
    new_lines: int = 0
    at_end: bool = False

    def advance(self, guess: _Guess, text: str) -> None:
        """Take a piece as typed, with the text that leads to it."""
        token = guess.piece.lstrip()
        if guess.line_end:
            last = (self.partial.lstrip(),) if guess.follows_word else ()
            self.code = (*self.code, *last)
            self.context = _below((*self.context, *last))
            self.tokens, self.line = Counter(), ""
            self.new_lines += 1
            between: tuple[str, ...] = ()
        else:
            between = (self.partial.lstrip(),) if guess.follows_word else ()
        self.context, self.partial = (*self.context, *between, token), ""
        self.code = (*self.code, *between, token)
        self.line += text.lstrip("\r\n")
        self.tokens.update((*between, token))
        self.at_end = bool(guess.line_end) and token in _CLOSERS and self.depth <= 0
        self.depth += (token in _OPENERS) - (token in _CLOSERS)
        self.steps += 1
        self.length += len(text)


def find_steps(model: NextPieceModel, place: Place) -> Iterator[Step]:
    """Yield the steps of the likeliest completion, as far as one is known."""
    tokens = Counter(place.typed.tokens)
    depth = sum(tokens[token] for token in _OPENERS) - sum(tokens[token] for token in _CLOSERS)
    code = (*place.before, *place.typed.tokens[1:])
    progress = _Progress(place.context, place.typed.partial, code, tokens, place.body, depth)
    while progress.steps < MAX_STEPS and progress.length <= MAX_CHARS and not progress.at_end:
        found = _next_guess(model, place, progress)
        if found is None:
            return
        guess, text = found
        if _ends_before(guess, place, progress):
            return
        yield Step(text, _features(model, place, progress, guess))
        progress.advance(guess, text)


def _next_guess(model: NextPieceModel, place: Place, progress: _Progress) -> tuple[_Guess, str] | None:
    """Return the likeliest next piece, and its text with what is before it; None if none is known."""
    guess = _best_piece(model, place, progress)
    if guess is None or guess.piece != END:
        return None if guess is None else (guess, guess.text)
    below = _first_of_next_line(model, place, progress, guess)
    indent = None if below is None else _next_indent(place, progress, below)
    if below is None or indent is None:
        return None
    return below, place.document.eol + indent + below.text


def _ends_before(guess: _Guess, place: Place, progress: _Progress) -> bool:
    """Return whether the completion ends before a piece."""
    new = guess.text.lstrip()
    if new and place.tail.startswith(new):
        return True  # it is there already, behind the cursor
    finishes_word = not progress.steps and not guess.follows_word and bool(progress.partial.strip())
    if place.tail and place.tail[0] not in _ENDS and not finishes_word:
        return True  # the line goes on with something else
    is_unopened = progress.depth <= 0 and new in _CLOSERS
    return is_unopened and progress.steps > 0 and not guess.line_end


def _best_piece(model: NextPieceModel, place: Place, progress: _Progress) -> _Guess | None:
    context, partial = progress.context, progress.partial
    expected = place.arguments.expected(progress.code, begins_line=context[-1] == START)
    ranking = model.rank(context, partial, expected.weights)
    word = partial.lstrip()
    whole = ranking.scores.get(partial, 0.0) if word else 0.0
    taken = find_taken_names(progress.code, place.tail_tokens)
    ordered = [
        piece for piece in ranking.ordered if piece.strip() not in taken and (not word or piece != partial)
    ]
    shares = [ranking.scores[piece] for piece in ordered[:2]] + [0.0, 0.0]
    if whole > shares[0]:
        behind = place.arguments.expected((*progress.code, word))
        following = model.rank((*context, word), "", behind.weights)
        scores = [whole * following.scores[piece] for piece in following.ordered[:2]] + [0.0, 0.0]
        if scores[0] > shares[0]:
            piece = following.ordered[0]
            return _Guess(piece, piece, scores[0], scores[1], whole, True, len(ordered), following, behind)
    if not ordered:
        return None
    text = ordered[0][len(partial) :]
    return _Guess(ordered[0], text, shares[0], shares[1], whole, False, len(ordered), ranking, expected)


def _first_of_next_line(
    model: NextPieceModel, place: Place, progress: _Progress, end: _Guess
) -> _Guess | None:
    """Return the likeliest first piece of the line below, after a guess that the line ends; None if no line may follow."""
    if place.tail or progress.new_lines >= MAX_NEW_LINES or place.region == "prose":
        return None
    word = (progress.partial.lstrip(),) if end.follows_word else ()
    context = _below((*progress.context, *word))
    expected = place.arguments.expected((*progress.code, *word), begins_line=True)
    ranking = model.rank(context, "", expected.weights)
    known = ranking.by_order.get(_LINE_ORDER)
    pieces = [piece for piece in ranking.ordered if piece != END]
    if not pieces or known is None or pieces[0] not in known.weights:
        return None  # nothing has followed a line with these ends
    shares = [ranking.scores[piece] for piece in pieces[:2]] + [0.0]
    return _Guess(
        pieces[0],
        pieces[0],
        end.share * shares[0],
        end.share * shares[1],
        end.whole,
        end.follows_word,
        len(pieces),
        ranking,
        expected,
        end.share,
    )


def _below(context: tuple[str, ...]) -> tuple[str, ...]:
    """Return the context of the first piece of the line below one that ends a context."""
    start = len(context) - 1 - context[::-1].index(START)
    tokens = context[start + 1 :]
    return (tokens[0], tokens[-1], START) if tokens else (START,)


def _next_indent(place: Place, progress: _Progress, guess: _Guess) -> str | None:
    """Return the indentation of the next line, which begins with a guess; None if it is not one of the cursor's block."""
    indent = indentation(progress.line)
    unit = indent_unit_near(place.document, place.line, find_language(place.document.language).indent)
    last = progress.partial.lstrip() or progress.context[-1]
    opens = last in _OPENERS or last == ":"
    if guess.piece in _CLOSERS:
        if progress.depth <= 0 and place.below[:1] in _CLOSERS:
            return None  # the block is closed already
        if opens:
            return indent
        return indent.removesuffix(unit) if indent.endswith(unit) else None
    return indent + unit if opens else indent or None


def _features(model: NextPieceModel, place: Place, progress: _Progress, guess: _Guess) -> dict[str, float]:
    token, word = guess.piece.lstrip(), progress.partial.lstrip()
    own, others = model.word_count(token)
    typed_own, typed_others = model.word_count(word) if word else (0, 0)
    before = word if guess.follows_word else progress.context[-1]
    context = (*progress.context, word) if guess.follows_word else progress.context
    if guess.line_end:
        context = _below(context)
    language_order, language_share = model.language_share(context, guess.piece)
    features: dict[str, float] = {
        "step": progress.steps,
        "so-far": progress.length,
        "share": guess.share,
        "runner-up": guess.runner_up,
        "whole": guess.whole,
        "follows-word": guess.follows_word,
        "choices": guess.choices,
        "typed": len(word),
        "space": progress.partial != word,
        "length": len(guess.text),
        "own": math.log1p(own),
        "others": math.log1p(others),
        "typed-own": math.log1p(typed_own),
        "typed-others": math.log1p(typed_others),
        "recent": math.log1p(place.recent.get(token, 0)),
        "scope": math.log1p(place.scope[token]),
        "removed": token in place.removed,
        "on-line": progress.tokens[token],
        "position": progress.tokens.total(),
        "depth": progress.depth,
        "region": REGIONS.index(place.region),
        "tail": _kind(place.tail[:1]),
        "before": 0 if is_name(before) else _BEFORE.get(before, -1),
        "kind": _kind(token),
        "upper": token[:1].isupper(),
        "language-order": language_order,
        "language-share": language_share,
        "language-rate": math.log1p(model.language_rate(token)),
        "language-typed": math.log1p(model.language_rate(word)),
        "argument": guess.expected.kinds.get(guess.piece, 0),
        "arguments-left": guess.expected.left,
        "line-end": guess.line_end,
        "new-lines": progress.new_lines + bool(guess.line_end),
    }
    if features["new-lines"]:
        features["below"] = _kind(place.below[:1])
        features["below-deeper"] = (place.below_deeper > 0) - (place.below_deeper < 0)
        line = "" if guess.line_end else progress.line.strip()
        features["below-same"] = place.below.startswith(line + guess.text.lstrip())
    for order in _ORDERS:
        evidence = guess.ranking.by_order.get(order)
        if evidence is not None:
            features[f"total:{order}"] = math.log1p(evidence.total)
            features[f"share:{order}"] = evidence.weights.get(guess.piece, 0.0) / evidence.total
    # Rounded, because the exported thresholds are: sums in another order must not end on the other side of one.
    return {name: round(float(value), 6) for name, value in features.items()}


def _kind(token: str) -> int:
    if not token:
        return 0
    if is_name(token):
        return 1 if is_word(token) else 2
    return 3 if token in _OPENERS else 4 if token in _CLOSERS else 5
