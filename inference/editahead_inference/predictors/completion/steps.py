"""From a place to the steps of a completion: the likeliest piece, the one after it, and so on to the end of the line."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from editahead_prompts.text.identifiers import is_name, is_word

from .next_piece import NextPieceModel, Ranking
from .pieces import END, START
from .place import Place
from .region import REGIONS

MAX_STEPS = 12
"""Pieces of one completion."""
MAX_CHARS = 60
"""Characters after which a completion gets no further piece."""
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
    """

    piece: str
    text: str
    share: float
    runner_up: float
    whole: float
    follows_word: bool
    choices: int
    ranking: Ranking


@dataclass(slots=True)
class _Progress:
    """How far a completion has come.

    Attributes:
        context: The tokens before the next piece.
        partial: What is typed of the next piece.
        tokens: The tokens of the line and how often it has them.
        depth: The brackets that the line has opened and not closed.
        steps: The number of pieces so far.
        length: The number of characters so far.
    """

    context: tuple[str, ...]
    partial: str
    tokens: Counter[str]
    depth: int
    steps: int = 0
    length: int = 0

    def advance(self, guess: _Guess) -> None:
        """Take a piece as typed."""
        token = guess.piece.lstrip()
        between = (self.partial.lstrip(),) if guess.follows_word else ()
        self.context, self.partial = (*self.context, *between, token), ""
        self.tokens.update((*between, token))
        self.depth += (token in _OPENERS) - (token in _CLOSERS)
        self.steps += 1
        self.length += len(guess.text)


def find_steps(model: NextPieceModel, place: Place) -> Iterator[Step]:
    """Yield the steps of the likeliest completion, as far as one is known."""
    tokens = Counter(place.typed.tokens)
    depth = sum(tokens[token] for token in _OPENERS) - sum(tokens[token] for token in _CLOSERS)
    progress = _Progress(place.context, place.typed.partial, tokens, depth)
    while progress.steps < MAX_STEPS and progress.length <= MAX_CHARS:
        guess = _best_piece(model, progress.context, progress.partial)
        if guess is None or guess.piece == END:
            return
        new = guess.text.lstrip()
        if new and place.tail.startswith(new):
            return  # it is there already, behind the cursor
        finishes_word = not progress.steps and not guess.follows_word and bool(progress.partial.strip())
        if place.tail and place.tail[0] not in _ENDS and not finishes_word:
            return  # the line goes on with something else
        if progress.steps and progress.depth <= 0 and new in _CLOSERS:
            return  # nothing on this line is open
        yield Step(guess.text, _features(model, place, progress, guess))
        progress.advance(guess)


def _best_piece(model: NextPieceModel, context: tuple[str, ...], partial: str) -> _Guess | None:
    ranking = model.rank(context, partial)
    word = partial.lstrip()
    whole = ranking.scores.get(partial, 0.0) if word else 0.0
    ordered = [piece for piece in ranking.ordered if not word or piece != partial]
    shares = [ranking.scores[piece] for piece in ordered[:2]] + [0.0, 0.0]
    if whole > shares[0]:
        following = model.rank((*context, word), "")
        scores = [whole * following.scores[piece] for piece in following.ordered[:2]] + [0.0, 0.0]
        if scores[0] > shares[0]:
            piece = following.ordered[0]
            return _Guess(piece, piece, scores[0], scores[1], whole, True, len(ordered), following)
    if not ordered:
        return None
    text = ordered[0][len(partial) :]
    return _Guess(ordered[0], text, shares[0], shares[1], whole, False, len(ordered), ranking)


def _features(model: NextPieceModel, place: Place, progress: _Progress, guess: _Guess) -> dict[str, float]:
    token, word = guess.piece.lstrip(), progress.partial.lstrip()
    own, others = model.word_count(token)
    typed_own, typed_others = model.word_count(word) if word else (0, 0)
    before = word if guess.follows_word else progress.context[-1]
    context = (*progress.context, word) if guess.follows_word else progress.context
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
    }
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
