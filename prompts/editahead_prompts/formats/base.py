"""The protocol of prompt formats: from a state to a request, and from an answer to an edit or a named rejection.

A format never receives what may not be sent: the server keeps excluded, git-ignored and secret-looking files out of every
`EditorState`, and a format puts only parts of its state into a prompt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias
from urllib.parse import unquote, urlsplit

from editahead_prompts.composition.render import Prompt
from editahead_prompts.composition.tokenizers import Tokenizer
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit, apply_to_lines
from editahead_prompts.text.snapshot import Snapshot, line_body

AnswerRejectionReason: TypeAlias = Literal[
    "unchanged",  # the answer equals the present text
    "no-edits",  # the model proposes none: NO_EDITS, None, an empty span
    "keep-previous",  # the answer holds KEEP_PREVIOUS, which leaks from Zeta's training data
    "leaked-marker",  # one of the format's own tokens inside the answer
    "truncated",  # the server stopped at its token limit
    "repetition",  # the answer repeats the same lines
    "malformed",  # the answer does not have the form of the format
    "empty",  # the answer has no text
]

Finish: TypeAlias = Literal["stop", "length"]
"""Reason for the end of an answer: a stop string or the model's end token, or the token limit."""


@dataclass(frozen=True, slots=True)
class AnswerRejection:
    """A reason why an answer is not an edit."""

    reason: AnswerRejectionReason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ParsedEdit:
    """An edit parsed from an answer.

    Attributes:
        edit: A minimal edit of the request's document, never empty.
        cursor: The model's cursor, as an offset in the text after the edit; None without one.
    """

    edit: Edit
    cursor: int | None = None


@dataclass(frozen=True, slots=True)
class EditableRegion:
    """A range of lines that a model rewrites, from `first` up to, not including, `end`."""

    first: int
    end: int

    def bodies(self, document: Snapshot) -> tuple[str, ...]:
        """Return the region's lines without line ends."""
        return tuple(map(line_body, document.lines[self.first : self.end]))

    def bodies_after(self, document: Snapshot, edit: Edit) -> tuple[str, ...] | None:
        """Return the region's lines after an edit of the document; None for an edit that reaches beyond the region."""
        start, end = edit.changed_span
        if not self.first <= document.line_at(start) <= document.line_at(end) < self.end:
            return None
        after = apply_to_lines(document, edit)
        grown = len(after) - len(document.lines)
        return tuple(map(line_body, after[self.first : self.end + grown]))


@dataclass(frozen=True, slots=True)
class PromptWindow:
    """The text around the cursor that a prompt shows, so that the next request can show the same.

    Attributes:
        first: The first line; None where the window begins within a line.
        before: The text up to the cursor, as in the prompt, in pieces that are tokenized apart.
        behind: The text behind the cursor, as in the prompt.
        edits: The edits that the prompt shows before this text.
        closed: The closed edits at the time when the window was cut, each as URI, old and new lines.
    """

    first: int | None
    before: tuple[str, ...]
    behind: str
    edits: str
    closed: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """A request to a model, with the data needed to parse its answer.

    Attributes:
        prompt: The text to complete, or the one user message if `chat` is true.
        stop: Strings at which the server stops.
        max_tokens: The most tokens of a useful answer.
        document: The document that the answer edits.
        region: The lines that the answer rewrites; for fill-in-the-middle, the cursor's line.
        cursor: The offset of the cursor in the document.
        prefill: The beginning of the answer, already part of the prompt.
        system: The system message, if any.
        chat: Whether the request is a chat instead of a plain completion.
        marks: Line indices in the region of the places that the format numbers.
        continues: Whether the answer goes on with the prompt's text, as far as the model is sure.
        window: The window of a format that keeps it from request to request.
        calibrated: Whether the probability that the model gives its whole answer tells how often it is right.
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
    continues: bool = False
    window: PromptWindow | None = None
    calibrated: bool = False


class AnswerReader(Protocol):
    """A streaming parser of one answer."""

    def feed(self, chunk: str) -> tuple[str, ...]:
        """Parse a chunk, and return the new lines, without line ends, that no later chunk changes; () after a rejection."""
        ...

    @property
    def refusal(self) -> AnswerRejection | None:
        """The rejection, known before the end of the answer so that the request can be cancelled."""
        ...

    @property
    def ended(self) -> bool:
        """Whether an end marker has arrived, so that the rest of the answer does not matter."""
        ...

    def finish(self, reason: Finish = "stop") -> ParsedEdit | AnswerRejection:
        """Return the result of the whole answer."""
        ...


@dataclass(frozen=True, slots=True)
class PromptPaths:
    """The names of documents in prompts.

    A name is the path under the first of `roots` (URIs) that holds the document, else only the file's name, because the
    rest of the path may reveal the user's name.
    """

    roots: tuple[str, ...] = ()

    def for_document(self, uri: str) -> str:
        for root in self.roots:
            if uri.startswith(base := root.rstrip("/") + "/"):
                return _one_line(unquote(uri[len(base) :]))
        split = urlsplit(uri)
        return _one_line(unquote(split.path.rsplit("/", 1)[-1]))

    def workspace(self, uri: str) -> str:
        """Return the name of the folder among `roots` that holds a document; "workspace" without one."""
        held = (root.rstrip("/") for root in self.roots if uri.startswith(root.rstrip("/") + "/"))
        return _one_line(unquote(urlsplit(next(held, "")).path.rsplit("/", 1)[-1])) or "workspace"


NO_ROOTS = PromptPaths()


def _one_line(path: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in path)


class AnswerParser(Protocol):
    """A protocol of objects that parse the answers to their requests."""

    def make_reader(self, request: PromptRequest) -> AnswerReader:
        """Return a new reader of the answer to `request`."""
        ...


class ModelFormat(AnswerParser, Protocol):
    """The prompts and answers of one model family.

    Attributes:
        name: The name in settings.
        special_tokens: Tokens and markers of the model. Text from files never holds one unescaped.
        context: The budget that the model was made for, in tokens.
    """

    @property
    def name(self) -> str: ...

    @property
    def special_tokens(self) -> tuple[str, ...]: ...

    @property
    def context(self) -> int: ...


class Format(ModelFormat, Protocol):
    """The prompts and answers of one model family for next edits. `context` is the budget of the prompt."""

    @property
    def shows_related_code(self) -> bool:
        """Whether prompts show `EditorState.related_code`: the family was trained with code of other files."""

    def build(
        self,
        state: EditorState,
        tokenizer: Tokenizer,
        *,
        budget: int | None = None,
        paths: PromptPaths = NO_ROOTS,
    ) -> PromptRequest:
        """Build the request for a state.

        Args:
            budget: The most tokens of the prompt. By default `context`.

        Raises:
            PromptTooLongError: The part around the cursor alone has more tokens.
        """
        ...


def parse_answer(
    format: AnswerParser, request: PromptRequest, text: str, reason: Finish = "stop"
) -> ParsedEdit | AnswerRejection:
    """Parse a complete answer."""
    reader = format.make_reader(request)
    reader.feed(text)
    return reader.finish(reason)
