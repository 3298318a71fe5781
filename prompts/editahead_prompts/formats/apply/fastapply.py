"""The formats of models made for Apply: tags around the file and the sketch, tags around the whole new file.

Sources, read 2026-11: `FASTAPPLY`: how Kortix/FastApply-1.5B and -7B (Apache-2.0) are asked by their authors, and in
aiXapply's evaluation; `AIXAPPLY`: the prompts that aiXcoder/aiXapply-4B (Apache-2.0) was trained and measured with. Both are
chats. The prompts below are verbatim, because the models know no others. Two rules are Editahead's own: a large file is
shown in part, and text that holds the tags of an answer is escaped. aiXapply leaves its tags empty if a sketch is unclear.

User message of FastApply:

    Merge all changes from the <update> snippet into the <code> below.
    - Preserve the code's structure, order, comments, and indentation exactly.
    - Output only the updated code, enclosed within <updated-code> and </updated-code> tags.
    - Do not include any additional text, explanations, placeholders, ellipses, or code fences.

    <code>def total(items):
        return sum(items)
    </code>

    <update>def total(items, tax):
        # ... existing code ...
        return sum(items) * tax
    </update>

    Provide the complete updated code.

Answer:

    <updated-code>def total(items, tax):
        return sum(items) * tax
    </updated-code>
"""

from __future__ import annotations

from dataclasses import dataclass

from editahead_prompts.composition.parts import Text
from editahead_prompts.composition.tokenizers import Tokenizer
from editahead_prompts.formats.answer_reader import AnswerMarkers
from editahead_prompts.formats.base import NO_ROOTS, EditableRegion, PromptPaths, PromptRequest
from editahead_prompts.formats.escaping import escape
from editahead_prompts.formats.excerpts import excerpt
from editahead_prompts.formats.special_tokens import QWEN

from .base import ApplyInput, candidate_regions, fit_request, line_bodies, part_texts
from .block_reader import BlockReader

_FASTAPPLY_SYSTEM = """\
You are a coding assistant that helps merge code updates, ensuring every modification is fully \
integrated."""
_FASTAPPLY_TASK = """\
Merge all changes from the <update> snippet into the <code> below.
- Preserve the code's structure, order, comments, and indentation exactly.
- Output only the updated code, enclosed within <updated-code> and </updated-code> tags.
- Do not include any additional text, explanations, placeholders, ellipses, or code fences.

"""
_AIXAPPLY_SYSTEM = """\
You are a deterministic Code Patching Engine. Your task is to synthesize a "Updated File" by applying a partial "Update \
Snippet" to the provided "Source File".

### Algorithm
1. **Context Matching**: Analyze the `Update Snippet` to identify the context anchors (the lines of code surrounding the \
changes). Locate the exact corresponding block in the `Source File`. The match must be unique.
2. **Code Merging**: Replace the matched block in the `Source File` with the logic from the `Update Snippet`.
3. **Expansion**: The `Update Snippet` contains omission markers (e.g., `// ... existing code ...`). You MUST replace these \
markers with the original, unchanged lines from the `Source File`.
4. **Output Generation**: Output the FULL content of the resulting file.

### Constraints
- **NO Laziness**: Never output comments like `// ... rest of code ...` in the final output. You must write out every \
single line of the final code.
- **Strict Fidelity**: Preserve the original indentation style (spaces/tabs) and comments of the Source File for all \
unchanged parts.
- **Safety**: If the context in the snippet is ambiguous or cannot be found, output nothing inside the tags.

### Output Format
<update_file>[Your final code here]</update_file>"""


@dataclass(frozen=True, slots=True)
class TaggedApplyFormat:
    """A tag-based format for Apply; see the module.

    Attributes:
        task: The text before the file; {language} is replaced by the file's language id.
        file: The tag around the file, without brackets.
        sketch: The tag around the sketch, without brackets.
        answer: The tag around the answer, without brackets.
        closing: The last line of the message.
    """

    name: str
    system: str
    task: str
    file: str
    sketch: str
    answer: str
    closing: str
    context: int

    @property
    def special_tokens(self) -> tuple[str, ...]:
        return (*QWEN, f"<{self.answer}>", f"</{self.answer}>")

    def build(
        self,
        question: ApplyInput,
        tokenizer: Tokenizer,
        *,
        budget: int | None = None,
        paths: PromptPaths = NO_ROOTS,
        again: PromptRequest | None = None,
    ) -> PromptRequest | None:
        original, special = question.original, self.special_tokens
        code = escape("".join(f"{line}\n" for line in line_bodies(question.code)), special)
        language = escape(original.language, special)

        def parts(region: EditableRegion) -> tuple[Text, ...]:
            return (
                Text(f"{self.task.replace('{language}', language)}<{self.file}>", name="task"),
                Text(excerpt(original, region.first, region.end, special), name="region"),
                Text(f"</{self.file}>\n\n<{self.sketch}>", name="sketch start"),
                Text(code, name="sketch"),
                Text(f"</{self.sketch}>\n\n{self.closing}", name="answer"),
            )

        choices = list(candidate_regions(question, tokenizer, again))
        room = budget or self.context
        return fit_request(question, tokenizer, room, self.system, choices, parts, (f"</{self.answer}>",))

    def drafts(self, request: PromptRequest) -> tuple[str, ...]:
        return tuple(
            f"<{self.answer}>{text}</{self.answer}>" for text in part_texts(request, "region", "sketch")
        )

    def make_reader(self, request: PromptRequest) -> BlockReader:
        end = f"</{self.answer}>"
        return BlockReader(
            request, AnswerMarkers((end,), (f"<{self.answer}>", *QWEN), nothing=()), f"<{self.answer}>"
        )


FASTAPPLY = TaggedApplyFormat(
    "fastapply",
    _FASTAPPLY_SYSTEM,
    _FASTAPPLY_TASK,
    "code",
    "update",
    "updated-code",
    "Provide the complete updated code.",
    32_768,
)
AIXAPPLY = TaggedApplyFormat(
    "aixapply",
    _AIXAPPLY_SYSTEM,
    "<language>{language}</language>\n\n",
    "source_file",
    "update_snippet",
    "update_file",
    "Please generate the full updated code strictly following the instructions.",
    32_768,
)
