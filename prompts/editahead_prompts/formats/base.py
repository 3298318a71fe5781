"""What every prompt format is: from a state to a request, from an answer to an edit or a named refusal.

A format never sees what may not be sent: excluded, git-ignored and secret-looking files are kept out of every `State` by
whoever makes it (the server does), and a format puts into a prompt only what stands in the state it is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias
from urllib.parse import unquote, urlsplit

from editahead_prompts.composition.render import Prompt
from editahead_prompts.composition.tokenizers import Tokenizer
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot, line_body

AnswerRejectionReason: TypeAlias = Literal[
    "unchanged",  # the answer is the text that stands there already
    "no-edits",  # the model says so: NO_EDITS, None, an empty span
    "keep-previous",  # KEEP_PREVIOUS, which leaks from Zeta's training data
    "leaked-marker",  # one of the format's own tokens inside the answer
    "truncated",  # the server stopped at its token limit
    "repetition",  # the same lines over and over
    "malformed",  # not in the form that the format has
    "empty",  # nothing came
]

Finish: TypeAlias = Literal["stop", "length"]
"""Why a server ended its answer: at a stop string or the model's own end, or at the token limit."""


@dataclass(frozen=True, slots=True)
class AnswerRejection:
    """Why an answer is no edit."""

    reason: AnswerRejectionReason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ParsedEdit:
    """What a model wants: a minimal edit of the request's document, never empty. cursor: where it puts the cursor, as an
    offset in the text after the edit; None when it does not say."""

    edit: Edit
    cursor: int | None = None


@dataclass(frozen=True, slots=True)
class EditableRegion:
    """The lines `first` up to, not including, `end` of a document, as a model rewrites them."""

    first: int
    end: int

    def bodies(self, document: Snapshot) -> tuple[str, ...]:
        """Without line ends."""
        return tuple(map(line_body, document.lines[self.first : self.end]))


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """What is sent, and what is needed to read the answer.

    prompt: the text to complete, or, where `chat` is true, the one user message. system: the system message, if any.
    stop: strings at which the server is to stop. max_tokens: the most that a useful answer has. document: what the answer
    is an edit of. region: the lines that the answer rewrites (for fill-in-the-middle, those of the cursor). cursor: its
    offset. prefill: the beginning of the answer that is already in the prompt. marks: where a format numbers places in the
    region, their lines in it.
    """

    prompt: Prompt
    stop: tuple[str, ...]
    max_tokens: int
    document: Snapshot
    region: EditableRegion
    cursor: int
    prefill: str = ""
    system: str | None = None
    chat: bool = False
    marks: tuple[int, ...] = ()


class AnswerReader(Protocol):
    """Reads one answer as it comes."""

    def feed(self, chunk: str) -> tuple[str, ...]:
        """The lines of the new text, without line ends, that no later chunk changes. () after a refusal is certain."""
        ...

    @property
    def refusal(self) -> AnswerRejection | None:
        """Known before the end, so that the request can be cancelled."""
        ...

    @property
    def ended(self) -> bool:
        """Whether all that counts has come, because an end marker has."""
        ...

    def finish(self, reason: Finish = "stop") -> ParsedEdit | AnswerRejection:
        """What the whole answer comes to."""
        ...


@dataclass(frozen=True, slots=True)
class PromptPaths:
    """How documents are called in a prompt: their path under the first of `roots` (URIs) that holds them, else only the
    file's name, as the rest may tell a person's name."""

    roots: tuple[str, ...] = ()

    def for_document(self, uri: str) -> str:
        for root in self.roots:
            if uri.startswith(base := root.rstrip("/") + "/"):
                return _one_line(unquote(uri[len(base) :]))
        split = urlsplit(uri)
        return _one_line(unquote(split.path.rsplit("/", 1)[-1]))

    def workspace(self, uri: str) -> str:
        """The name of the folder among `roots` that holds a document; "workspace" where none does."""
        held = (root.rstrip("/") for root in self.roots if uri.startswith(root.rstrip("/") + "/"))
        return _one_line(unquote(urlsplit(next(held, "")).path.rsplit("/", 1)[-1])) or "workspace"


NO_ROOTS = PromptPaths()


def _one_line(path: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in path)


class AnswerParser(Protocol):
    """Whatever knows how answers are to be read."""

    def make_reader(self, request: PromptRequest) -> AnswerReader:
        """A new reader of the answer to `request`."""
        ...


class Format(AnswerParser, Protocol):
    """One model family's way of asking and answering.

    name: as in settings. dated: year and month that its source was read at. special: tokens and markers of the model; text
    from files never holds one unescaped. context: the budget in tokens that the model was made for.
    """

    @property
    def name(self) -> str: ...

    @property
    def source_date(self) -> str: ...

    @property
    def special_tokens(self) -> tuple[str, ...]: ...

    @property
    def context(self) -> int: ...

    def build(
        self,
        state: EditorState,
        tokenizer: Tokenizer,
        *,
        budget: int | None = None,
        paths: PromptPaths = NO_ROOTS,
    ) -> PromptRequest:
        """The request for a state, of at most `budget` tokens (default: `context`).

        composition.render.DoesNotFit when even the part around the cursor has more.
        """
        ...


def parse_answer(
    format: AnswerParser, request: PromptRequest, text: str, reason: Finish = "stop"
) -> ParsedEdit | AnswerRejection:
    """A whole answer at once."""
    reader = format.make_reader(request)
    reader.feed(text)
    return reader.finish(reason)
