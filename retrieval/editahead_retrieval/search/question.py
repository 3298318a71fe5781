"""A question to the code: its words with their forms, its names, and its literal pieces."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from editahead_prompts.text.identifiers import WORD, search_words
from editahead_prompts.text.scripts import is_unspaced, letter_cases, unspaced_runs
from editahead_prompts.text.word_patterns import WordPattern

from .word_forms import EXACT, word_forms

MAX_WORDS = 100
"""Words of a question that are looked up, the first ones."""
MAX_SENTENCE = 16
"""Words of a sentence. A question of more is code, whose words have no other forms."""
MAX_NAMES = 32
"""Names of a question whose definitions are looked up."""
MIN_LITERAL = 3
"""Characters of a literal piece. The index knows nothing shorter."""
_STOP_WORDS = frozenset(
    WORD.findall(
        """
    a about above all also an and any are as at be been being but by can could did do does doing
    done each every for from given had has have how i if in inside into is it its just me my no not
    of off on one only onto or our out over own please should so some such than that the their them
    then there these they this those through to too under up us very was we were what when where
    many much whether which while who whose why will with within without would you your
    """
    )
)
_WEAK_WORDS = frozenset(
    WORD.findall(
        """
    code class function method module file line place thing way use used using work works part
    happen happens get gets take takes taken taking choose chosen called go goes come comes kept put
    """
    )
)
"""Words that tell little where a question has others."""
WEAK = 0.3
"""What a weak word counts, beside others."""
_QUOTED = WordPattern(r"""(?<!\w)(?:"([^"\n]{3,200})"|`([^`\n]{3,200})`|'([^'\n]{3,200})')(?!\w)""")
_NAME_LIKE = re.compile(r"[ld]U|_|UU|^Ul+U|d")
"""A name, in the kinds of its letters."""
_COMPOUND = re.compile(r"[ld]U|._.")
"""A name of several words, which no sentence has, in the kinds of its letters."""
_PIECE_LIKE = WordPattern(r"\w[^\w\s'’,;!?-]+\w|\w[(=\[{]|[@#$]\w|--?\w+-|^--\w|\w-\w+-\w")
_CODE_LIKE = re.compile(r"[(){}\[\]=<>]|->|::")
"""Characters that no sentence has: the whole question is a piece of code."""
MAX_LITERAL = 200
"""Characters of a literal piece."""


@dataclass(frozen=True)
class QuestionWord:
    """A word of a question.

    Attributes:
        text: The word as search compares it: in lower case.
        forms: Its forms, each with what it counts.
        weight: What the word counts beside the others.
    """

    text: str
    forms: dict[str, float]
    weight: float = 1.0


_OF_TESTS = frozenset({"test", "tested", "tests", "testing", "fixture", "fixtures", "mock"})
_OF_EXPLANATIONS = frozenset(
    {"changelog", "doc", "docs", "document", "documented", "documentation", "documents", "example", "examples", "explained",
     "guide", "readme", "tutorial"}
)  # fmt: skip  # a table
_QUESTION_WORDS = frozenset({"how", "what", "when", "where", "which", "who", "why"})
"""Words of which one is the first or the second of a question to the code."""
_OF_AUTOMATION = frozenset(
    {"action", "actions", "ci", "deploy", "deployed", "github", "gitlab", "job", "jobs", "pipeline", "pipelines", "publish",
     "published", "release", "released", "releases", "runner", "runs", "workflow", "workflows"}
)  # fmt: skip  # a table


@dataclass(frozen=True)
class Question:
    """A question to the code.

    Attributes:
        text: The question as it was asked.
        words: Its words without those that only make it a sentence.
        names: The identifiers in it in their exact spelling, those first that no sentence has.
        literals: Pieces of text that are wanted as they are: what is quoted, what looks like code, names that no
            sentence has, and runs of a script without spaces.
        is_code: Whether the question is several lines of code.
    """

    text: str
    words: tuple[QuestionWord, ...]
    names: tuple[str, ...]
    literals: tuple[str, ...]
    is_code: bool = False

    @property
    def about_tests(self) -> bool:
        """Whether the question is about tests."""
        return self._has(_OF_TESTS)

    @property
    def about_automation(self) -> bool:
        """Whether the question is about what a service does with the repository."""
        return self._has(_OF_AUTOMATION)

    @property
    def asks(self) -> bool:
        """Whether it asks where or how something is done, and is no task such as the subject of a commit."""
        return not _QUESTION_WORDS.isdisjoint(word.lower() for word in self.text.split()[:2])

    @property
    def wants_code(self) -> bool:
        """Whether it asks, and not for tests, documents or a service's settings."""
        return self.asks and not (self.about_tests or self.about_automation or self._has(_OF_EXPLANATIONS))

    def _has(self, words: frozenset[str]) -> bool:
        return any(word.text in words for word in self.words)


def read_question(text: str) -> Question:
    """Return what a question asks for. A question of stop words only keeps them."""
    names = list(dict.fromkeys(WORD.findall(text)))
    split = list(dict.fromkeys(word for name in names for word in search_words(name)))
    asked = list(filter(_is_asked, split)) or split
    runs = [run for name in names for run, is_run in unspaced_runs(name) if is_run]
    is_sentence = len(runs) + sum(not is_unspaced(word) for word in asked) <= MAX_SENTENCE
    names.sort(key=lambda name: not _has_form(_NAME_LIKE, name))
    exact = tuple(name for name in names if _has_form(_NAME_LIKE, name) or name.lower() not in _STOP_WORDS)
    literals = _literals(text) + (_literal_words(exact, runs) if is_sentence else ())
    words = _weighed(asked, word_forms if is_sentence else _own_form)
    is_code = "\n" in text.strip() and _CODE_LIKE.search(text) is not None
    return Question(text, words, exact[:MAX_NAMES], tuple(dict.fromkeys(literals)), is_code)


def _literal_words(exact: Sequence[str], runs: Sequence[str]) -> tuple[str, ...]:
    """Return the names of several words, and the runs of a script without spaces, which the code has as they are."""
    compounds = (name for name in exact if _has_form(_COMPOUND, name))
    return (*compounds, *(run for run in runs if MIN_LITERAL <= len(run) <= MAX_LITERAL))


def _is_asked(word: str) -> bool:
    """Return whether a word says something about the code that is looked for."""
    return word not in _STOP_WORDS and (len(word) > 1 or is_unspaced(word))


def _weighed(asked: Sequence[str], forms: Callable[[str], dict[str, float]]) -> tuple[QuestionWord, ...]:
    """Return the first words with their forms, of which weak ones count less beside others."""
    has_others = not _WEAK_WORDS.issuperset(asked)
    return tuple(
        QuestionWord(word, forms(word), WEAK if has_others and word in _WEAK_WORDS else 1.0)
        for word in asked[:MAX_WORDS]
    )


def _has_form(form: re.Pattern[str], name: str) -> bool:
    return form.search(letter_cases(name).replace("m", "")) is not None


def _own_form(word: str) -> dict[str, float]:
    return {word: EXACT}


def _literals(text: str) -> tuple[str, ...]:
    quoted = [next(filter(None, match.groups())) for match in _QUOTED.finditer(text)]
    rest = _QUOTED.sub(" ", text)
    pieces = [piece.strip("?.,;:!") for piece in rest.split() if _PIECE_LIKE.search(piece)]
    if len(rest.split()) > MAX_SENTENCE:
        return tuple(dict.fromkeys(quoted))[:1] if len(quoted) == 1 else ()
    if not quoted and _CODE_LIKE.search(text):
        pieces = [text.strip(), *pieces]
    found = (piece.strip() for piece in [*quoted, *pieces])
    return tuple(dict.fromkeys(piece for piece in found if MIN_LITERAL <= len(piece) <= MAX_LITERAL))
