"""Fill-in-the-middle: plain completion at the cursor, for models that know no edits.

Source: Zed's `edit_prediction/src/fim.rs`, read 2026-07, and the models' cards; recorded exchanges of Qwen3.5 from 2026-04.
The tokens and their order differ by family; the history is not shown. The answer goes in at the cursor. Where other
documents are open, they come first in the way that the family was trained on repositories, for the two that say how: Qwen
(Qwen2.5-Coder's card) and StarCoder 2 (arXiv 2402.19173, section 5). The others document none for this.

Prompt of the example state in the tests (the family of Qwen):

    <|fim_prefix|>import money

    def total(items, tax):<|fim_suffix|>
        price = sum(items)
        return money.euro(price)
    <|fim_middle|>

Answer:

        check(items)
"""

from __future__ import annotations

from dataclasses import dataclass

from editahead_prompts.composition.parts import Group, Part, Text
from editahead_prompts.composition.render import render
from editahead_prompts.composition.tokenizers import Tokenizer
from editahead_prompts.formats import special_tokens
from editahead_prompts.formats.answer_reader import AnswerMarkers, LineReader
from editahead_prompts.formats.base import (
    NO_ROOTS,
    AnswerRejection,
    EditableRegion,
    ParsedEdit,
    PromptPaths,
    PromptRequest,
)
from editahead_prompts.formats.escaping import escape, unescape
from editahead_prompts.formats.excerpts import other_document_parts, related_code_group, split_cursor_line
from editahead_prompts.formats.windows import parts_above, parts_below
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit

OTHERS_SHARE = 0.25
"""Share of the budget for other documents."""


@dataclass(frozen=True, slots=True)
class FimFormat:
    """A fill-in-the-middle format; see the module.

    Attributes:
        prefix: The token before the prefix.
        suffix: The token before the suffix.
        middle: The token before the answer; "" for none.
        others: Further special tokens of the model.
        suffix_first: Whether the suffix comes before the prefix.
        repository: The token before a repository's name; "" if other documents are not shown.
        file: The token before a file's path; "" if other documents are not shown.
        path_last: Whether the document's path comes after the prefix's token instead of before it.
    """

    name: str
    prefix: str
    suffix: str
    middle: str
    others: tuple[str, ...]
    suffix_first: bool = False
    repository: str = ""
    file: str = ""
    path_last: bool = False
    context: int = 4096
    max_tokens: int = 256

    @property
    def shows_related_code(self) -> bool:
        return bool(self.file)

    @property
    def special_tokens(self) -> tuple[str, ...]:
        return tuple(filter(None, (*self.stop, self.repository, self.file, *self.others)))

    @property
    def stop(self) -> tuple[str, ...]:
        return tuple(token for token in (self.prefix, self.suffix, self.middle) if token)

    def build(
        self,
        state: EditorState,
        tokenizer: Tokenizer,
        *,
        budget: int | None = None,
        paths: PromptPaths = NO_ROOTS,
    ) -> PromptRequest:
        document, cursor = state.document, state.cursor
        line = document.line_at(cursor)
        before, after = (escape(text, self.special_tokens) for text in split_cursor_line(document, cursor))
        room, count = budget or self.context, len(document.lines)
        after += "\n" * (line + 1 < count)
        prefix: tuple[Part, ...] = (
            Text(self.prefix, name="prefix token"),
            Group(parts_above(document, line, self.special_tokens, room), name="above"),
            Text(before, name="before the cursor"),
        )
        suffix: tuple[Part, ...] = (
            Text(self.suffix, name="suffix token"),
            Text(after, name="behind the cursor"),
            Group(
                parts_below(document, line + 1, count, self.special_tokens, room, ended=False), name="below"
            ),
        )
        stop = self.stop
        parts = (*suffix, *prefix) if self.suffix_first else (*prefix, *suffix)
        if self.file and (state.other_documents or state.related_code):
            path = Text(escape(paths.for_document(document.uri), self.special_tokens) + "\n", name="path")
            parts = (prefix[0], path, *parts[1:]) if self.path_last else (path, *parts)
            parts = (*self._repository(state, paths, room), *parts)
            stop = (*stop, self.file)
        prompt = render(Group((*parts, Text(self.middle, name="middle token"))), room, tokenizer)
        region = EditableRegion(line, line + 1)
        return PromptRequest(prompt, stop, self.max_tokens, document, region, cursor, prefill=before)

    def _repository(self, state: EditorState, paths: PromptPaths, room: int) -> tuple[Part, ...]:
        """Return the parts of other files, up to the token before the present document's path."""
        shape = self.file + "{path}\n{text}"
        name = escape(paths.workspace(state.document.uri), self.special_tokens)
        end = "" if self.path_last else "\n"
        return (
            Text(f"{self.repository}{name}{end}", name="repository"),
            Group(
                other_document_parts(state, paths, self.special_tokens, shape),
                name="files",
                budget=int(room * OTHERS_SHARE),
            ),
            related_code_group(state, paths, self.special_tokens, shape, room),
            Text(self.file, name="file token"),
        )

    def make_reader(self, request: PromptRequest) -> LineReader:
        return FimReader(request, AnswerMarkers(self.stop, self.special_tokens, nothing=()))


class FimReader(LineReader):
    """A reader of an answer between the two halves of the cursor's line."""

    def _rest(self, text: str) -> None:
        before, after = split_cursor_line(self._request.document, self._request.cursor)
        if text or (after and not before):
            # A final line end counts only if the answer adds a whole line before the cursor's line.
            self._take(text)

    def _answer(self) -> ParsedEdit | AnswerRejection:
        document, cursor = self._request.document, self._request.cursor
        text = document.eol.join(self._lines)[len(unescape(self._request.prefill)) :]
        if not text.strip():
            return AnswerRejection("empty")
        return ParsedEdit(Edit.replace(cursor, cursor, text), cursor + len(text))


QWEN = FimFormat(
    "fim-qwen",
    *("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"),
    special_tokens.QWEN,
    repository="<|repo_name|>",
    file="<|file_sep|>",
)
CODESTRAL = FimFormat(
    "fim-codestral",
    *("[PREFIX]", "[SUFFIX]", ""),
    ("[MIDDLE]", *special_tokens.MISTRAL),
    suffix_first=True,
)
DEEPSEEK = FimFormat(
    "fim-deepseek",
    *("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"),
    special_tokens.DEEPSEEK,
)
STARCODER = FimFormat(
    "fim-starcoder",
    *("<fim_prefix>", "<fim_suffix>", "<fim_middle>"),
    ("<fim_pad>", "<|endoftext|>"),
    repository="<repo_name>",
    file="<file_sep>",
    path_last=True,
)
MELLUM = FimFormat(
    "fim-mellum",
    *("<fim_prefix>", "<fim_suffix>", "<fim_middle>"),
    ("<fim_pad>", "<|endoftext|>", "<filename>", "<reponame>"),
    suffix_first=True,
)
SEED_CODER = FimFormat(
    "fim-seed-coder",
    *("<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>"),
    special_tokens.SEED_CODER,
    suffix_first=True,
)
