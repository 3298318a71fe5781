"""The format of general instruct models for Apply: an instruction, tags around the parts, a fenced answer.

Source: this project, 2026-11. A second request also shows the merge's guess, and why the guess is uncertain. The
user's instruction for the sketch, if it is known and fits, follows the sketch.

User message:

    <|file_path|>shop/cart.py
    <|code_to_edit|>
    def total(items):
        return sum(items)
    <|/code_to_edit|>
    <|edit_sketch|>
    def total(items, tax):
        # ... existing code ...
        return sum(items) * tax
    <|/edit_sketch|>
    Answer with the whole part as it is to be, between two lines of ```.

Answer:

    ```
    def total(items, tax):
        return sum(items) * tax
    ```
"""

from __future__ import annotations

from dataclasses import dataclass

from editahead_prompts.composition.parts import Text
from editahead_prompts.composition.tokenizers import Tokenizer
from editahead_prompts.formats.answer_reader import AnswerMarkers
from editahead_prompts.formats.base import NO_ROOTS, EditableRegion, PromptPaths, PromptRequest
from editahead_prompts.formats.escaping import escape
from editahead_prompts.formats.excerpts import excerpt
from editahead_prompts.formats.next_edit import mercury

from .base import ApplyInput, candidate_regions, fit_request, guess_for_region, line_bodies, part_texts
from .block_reader import BlockReader, fence_for

PATH, REGION, REGION_END = "<|file_path|>", "<|code_to_edit|>", "<|/code_to_edit|>"
SKETCH, SKETCH_END, ATTEMPT, ATTEMPT_END = (
    "<|edit_sketch|>",
    "<|/edit_sketch|>",
    "<|merge_attempt|>",
    "<|/merge_attempt|>",
)
INSTRUCTION, INSTRUCTION_END = "<|instruction|>", "<|/instruction|>"
ENDS = (REGION_END, SKETCH_END, ATTEMPT_END, INSTRUCTION_END)
SPECIAL = (*mercury.SPECIAL, PATH, SKETCH, SKETCH_END, ATTEMPT, ATTEMPT_END, INSTRUCTION, INSTRUCTION_END)
UNCLEAR = "UNCLEAR"

SYSTEM = f"""\
You merge a sketched change into a file. You are given a part of the file, between {REGION} and {REGION_END}, and a sketch \
of what is to be changed in it, between {SKETCH} and {SKETCH_END}. The sketch is code that leaves out what stays, a diff, \
or blocks to search and replace.

- What the sketch adds or changes, take over character by character. Only its indentation may have to be fitted to the file.
- What the sketch leaves out stays. Comments such as "... existing code ..." only say so: put the lines that they stand \
for, and never the comment itself.
- Take away only what the sketch shows to be gone: lines between two that it shows as neighbours, lines that it shows in \
another form, and what a diff marks.
- Keep every other line exactly as it is, with its comments, blank lines, indentation and mistakes. Improve nothing.
- An instruction, between {INSTRUCTION} and {INSTRUCTION_END}, is what the sketch was made for. Where it belongs may follow \
from it; what is to be written, only from the sketch.
- If it is not clear where the sketch belongs, or what it takes away, answer only: {UNCLEAR}

Answer with that whole part of the file, from its first line to its last, as one block of code, without the tags and \
without any explanation."""


@dataclass(frozen=True, slots=True)
class InstructApplyFormat:
    """The format of general instruct models for Apply; see the module."""

    name: str = "instruct"
    special_tokens: tuple[str, ...] = SPECIAL
    context: int = 32_768

    def build(
        self,
        question: ApplyInput,
        tokenizer: Tokenizer,
        *,
        budget: int | None = None,
        paths: PromptPaths = NO_ROOTS,
        again: PromptRequest | None = None,
    ) -> PromptRequest | None:
        original = question.original
        path = escape(paths.for_document(original.uri), SPECIAL)
        code = escape("".join(f"{line}\n" for line in line_bodies(question.code)), SPECIAL)
        asked = escape("".join(f"{line}\n" for line in line_bodies(question.instruction)), SPECIAL)
        instruction = Text(f"{INSTRUCTION}\n{asked}{INSTRUCTION_END}\n", 1, "instruction")

        def parts(region: EditableRegion) -> tuple[Text, ...]:
            shown = excerpt(original, region.first, region.end, SPECIAL)
            fence = fence_for(shown, code)
            return (
                Text(f"{PATH}{path}\n{REGION}\n", name="path"),
                Text(shown, name="region"),
                Text(f"{REGION_END}\n{SKETCH}\n", name="sketch start"),
                Text(code, name="sketch"),
                Text(f"{SKETCH_END}\n", name="sketch end"),
                *((instruction,) if asked.strip() else ()),
                *(() if again is None else self._attempt(question, region)),
                Text(
                    f"Answer with the whole part as it is to be, between two lines of {fence}.\n",
                    name="answer",
                ),
            )

        choices = list(candidate_regions(question, tokenizer, again))
        if again is not None and guess_for_region(question, again.region) is not None:
            choices.append(again.region)
        return fit_request(question, tokenizer, budget or self.context, SYSTEM, choices, parts)

    def _attempt(self, question: ApplyInput, region: EditableRegion) -> tuple[Text, ...]:
        """Return parts that show the merge's guess of the region, if any."""
        lines = guess_for_region(question, region)
        if lines is None:
            return ()
        text = escape("".join(f"{line}\n" for line in lines), SPECIAL)
        doubt = f" {escape(question.doubt, SPECIAL)}" if question.doubt else ""
        return (
            Text(f"A program would do it as follows, and is not sure.{doubt}\n{ATTEMPT}\n", name="doubt"),
            Text(text, name="guess"),
            Text(f"{ATTEMPT_END}\n", name="guess end"),
        )

    def drafts(self, request: PromptRequest) -> tuple[str, ...]:
        return tuple(f"```\n{text}```" for text in part_texts(request, "guess", "region", "sketch"))

    def make_reader(self, request: PromptRequest) -> BlockReader:
        return _Reader(request, AnswerMarkers((), SPECIAL, nothing=(UNCLEAR, *mercury.NOTHING)))


class _Reader(BlockReader):
    """A reader that skips the region's tags, which many models repeat."""

    def _line(self, line: str) -> None:
        if line.strip() not in (REGION, REGION_END):
            super()._line(line)


INSTRUCT_APPLY = InstructApplyFormat()
