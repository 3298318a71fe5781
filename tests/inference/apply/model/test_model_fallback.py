"""The model fallback: for any answer the result is the refusal, or an edit that agrees with the sketch."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.apply.file_change import FileChange
from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.model.model_fallback import MAX_ATTEMPTS, ModelFallback, PartialRewrite
from editahead_inference.apply.model.rewrite_check import check_rewrite
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.planner import plan_changes, review_changes
from editahead_inference.apply.results import MergeResult, Refusal
from editahead_inference.backends.base import Capabilities
from editahead_inference.errors import ApplyRefusedError, BackendError
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_inference.predictors.model.response import ApplyResponse
from editahead_lab.apply.sketch_generator import Case, cases
from editahead_prompts.errors import SketchError
from editahead_prompts.formats.apply.base import ApplyInput
from editahead_prompts.formats.base import Finish
from editahead_prompts.formats.registry import APPLY_FORMATS
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.edits import Replacement
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY
from scripted_backend import ScriptedBackend, ScriptedReply, in_order
from sketch_fixture import AMBIGUOUS, NEW, OLD, REPLACED, TEXT
from spoiled_text import spoiled
from synthetic_records import made_records

FORMATS = tuple(APPLY_FORMATS)
ENDS = {
    "editahead": "<|/region|>",
    "instruct": "```",
    "fastapply": "</updated-code>",
    "aixapply": "</update_file>",
}
BEGINS = {"editahead": "", "instruct": "```\n", "fastapply": "<updated-code>", "aixapply": "<update_file>"}


CASES = [case for case in cases(made_records(12), 24, 5) if len(case.files) == 1 and not case.only_refusal]
LARGE = Capabilities(context=32_768)


def answer(text: str, format: str) -> str:
    return f"{BEGINS[format]}{text}{ENDS[format]}"


@dataclass
class ScriptedMerge:
    """A merge with a model that gives these answers in order, and the partial rewrites reported meanwhile."""

    replies: Sequence[ScriptedReply | str]
    format: str = "instruct"
    capabilities: Capabilities = LARGE
    reported: list[PartialRewrite] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.backend = ScriptedBackend(in_order(self.replies), capabilities=self.capabilities)
        self.rewriting = ModelFallback(merge, self._ask, self.reported.append)

    def _ask(
        self,
        questions: Iterable[ApplyInput],
        again: ApplyResponse | None,
        lines: Callable[[Sequence[str]], None],
        check: Callable[[], None],
    ) -> ApplyResponse:
        model = ModelPredictor(self.backend, self.format)
        return asyncio.run(model.apply(questions, again, lines))

    def merged(self, text: str = TEXT, sketch: str = AMBIGUOUS, **more: Any) -> MergeResult:
        parsed = parse_sketch(sketch, language="python", path="a.py")
        original = Snapshot.from_text(text, uri="file:///project/a.py", language="python")
        return self.rewriting(parsed, parsed.files[0], original, **more)

    @property
    def hunks(self) -> list[Replacement]:
        """Return the reported hunks, without those of no effect."""
        last = self.reported[-1] if self.reported else None
        if last is None or last.edit is None:
            return []
        return [
            hunk.replacement for hunk in review_changes([last.change(last.edit)], (), SyntaxTrees())[0].hunks
        ]


def refused(text: str = TEXT, sketch: str = AMBIGUOUS) -> Refusal:
    parsed = parse_sketch(sketch, language="python", path="a.py")
    found = merge(
        parsed, parsed.files[0], Snapshot.from_text(text, uri="file:///project/a.py", language="python")
    )
    assert found.refusal is not None
    return found.refusal


def unsure(*arguments: Any, **more: Any) -> MergeResult:
    return replace(merge(*arguments, **more), refusal=Refusal("ambiguous", "It may be otherwise."))


@cache
def right(format: str) -> str:
    """Return a right answer for the file, or for the region that our own model sees."""
    if format != "editahead":
        return answer(REPLACED, format)
    asked = ScriptedMerge(["", ""], format)
    asked.merged()
    shown = asked.backend.queries[0].prompt.partition("<|region|>\n")[2].partition("<|/region|>")[0]
    return answer(shown.replace(OLD, NEW), format)


@pytest.mark.parametrize("format", FORMATS)
def test_its_text_is_taken_where_it_agrees(format: str) -> None:
    asked = ScriptedMerge([right(format)], format)
    made = asked.merged()
    assert (made.refusal, made.origin, made.guess) == (None, "model", REPLACED)
    assert made.edit.apply(TEXT) == REPLACED
    assert len(asked.rewriting.usages) == 1


def test_it_is_asked_once_more_with_what_the_merge_makes_of_it() -> None:
    asked = ScriptedMerge([answer(TEXT.replace("abs", "int"), "instruct"), answer(REPLACED, "instruct")])
    assert asked.merged().guess == REPLACED
    first, second = asked.backend.queries
    assert "merge_attempt|>" not in first.prompt and "<|merge_attempt|>" in second.prompt
    assert first.chat and first.temperature == 0 and first.long and not first.background


@pytest.mark.parametrize("format", ["fastapply", "aixapply"])
def test_what_would_be_said_again_is_not_asked_again(format: str) -> None:
    asked = ScriptedMerge([answer(TEXT.replace("abs", "int"), format)], format)
    assert asked.merged().refusal is not None
    assert len(asked.backend.queries) == 1


@pytest.mark.parametrize(
    ("replies", "why"),
    [
        ([ScriptedReply((answer(REPLACED, "instruct").removesuffix("```"),), "length")] * 2, "cut off"),
        ([answer(TEXT.replace("abs", "int"), "instruct")] * 2, "was rejected"),
        (["UNCLEAR"] * 2, "not clear"),
        ([""] * 2, "empty"),
        ([answer(TEXT, "instruct")] * 2, "change nothing"),
        ([ScriptedReply(error=BackendError("broken", "It is broken."))], "It is broken."),
        (
            [ScriptedReply(("```\nimport os\n",), error=BackendError("timeout", "Nothing came."))],
            "Nothing came.",
        ),
        (["UNCLEAR", ScriptedReply(error=BackendError("broken", "It is broken."))], "not clear"),
    ],
)
def test_the_refusal_stays_as_it_was_and_says_why(replies: list[ScriptedReply | str], why: str) -> None:
    asked = ScriptedMerge(replies)
    found = asked.merged().refusal
    assert found is not None and why in found.model
    assert replace(found, model="") == refused()
    assert len(asked.backend.queries) == len(replies) <= MAX_ATTEMPTS


def test_a_model_of_another_kind_is_not_asked() -> None:
    for format, why in (("zeta-2", "is not asked about sketches"), ("nobody", "no prompt format")):
        asked = ScriptedMerge([], format)
        found = asked.merged().refusal
        assert found is not None and why in found.model
        assert not asked.backend.queries


@pytest.mark.parametrize("format", FORMATS)
def test_what_does_not_fit_is_not_asked(format: str) -> None:
    asked = ScriptedMerge([], format, Capabilities(context=200))
    found = asked.merged().refusal
    assert found is not None and "does not fit" in found.model
    assert not asked.backend.queries


def test_of_a_file_that_is_too_large_the_declaration_is_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editahead_inference.apply.merge.merge.CERTAIN", 1.1)
    more = "".join(f"\n\ndef more_{n}(x):\n    y = x + {n}\n    return y * {n}\n" for n in range(400))
    text, wanted = TEXT + more, REPLACED + more
    start, end = text.index("def second"), text.index("\n\n\ndef third") + 1
    made = wanted[start : end + len(wanted) - len(text)]
    asked = ScriptedMerge([answer(made, "fastapply")], "fastapply", Capabilities(context=1200))
    assert asked.merged(text).guess == wanted
    (query,) = asked.backend.queries
    assert f"<code>{text[start:end]}</code>" in query.prompt
    assert query.max_tokens < 400


def test_hunks_are_reported_while_it_writes() -> None:
    more = "".join(f"\n\ndef more_{n}(x):\n    return x + {n}\n" for n in range(5))
    lines = (REPLACED + more).splitlines(keepends=True)
    asked = ScriptedMerge([ScriptedReply(("```\n", *lines, "```"))])
    made = asked.merged(TEXT + more)
    assert made.refusal is None
    (reported,) = asked.reported
    assert reported.edit is not None and reported.edit.apply(TEXT + more) == made.guess
    assert asked.backend.given == len(lines) + 2


def test_reported_hunks_of_a_rejected_answer_are_void() -> None:
    more = "".join(f"\n\ndef more_{n}(x):\n    return x + {n}\n" for n in range(5))
    wrong = REPLACED.replace("ValueError", "KeyError") + more
    asked = ScriptedMerge([answer(wrong, "instruct"), answer(REPLACED + more, "instruct")])
    assert asked.merged(TEXT + more).guess == REPLACED + more
    assert [partial.edit is None for partial in asked.reported] == [False, True, False]


def test_a_file_with_several_parts_is_reported_once_all_are_certain() -> None:
    sketch = (
        f"```python a.py\n{AMBIGUOUS}```\n\n```python a.py\n# ... existing code ...\ndef third(c):\n"
        "    return first(c + 1)\n```\n"
    )
    parsed = parse_sketch(sketch, language="python", path="a.py")
    original = Snapshot.from_text(TEXT, uri="file:///project/a.py", language="python")

    class Files:
        def resolve(self, path: str | None) -> Snapshot:
            return original

        def create(self, path: str) -> Snapshot:
            raise AssertionError

    asked = ScriptedMerge([answer(REPLACED, "instruct")])
    settled: list[FileChange] = []
    try:
        (change,) = plan_changes(parsed, Files(), asked.rewriting, on_settled=settled.append)
    except ApplyRefusedError:
        return  # that is as well; but then nothing was reported
    finally:
        assert len(parsed.files) == 2 and not asked.reported
    assert len(settled) == 1 and change.origin == "model"


WORDS = st.sampled_from(
    [
        *(*TEXT.splitlines(keepends=True), *REPLACED.splitlines(keepends=True), *BEGINS.values()),
        *(*ENDS.values(), "\n", "\r\n", "\u2060", "    # ... existing code ...\n", "<|guess|>", "<think>"),
    ]
)


def mangled(draw: Any, format: str) -> list[str]:
    """Return the right answer in pieces, with random insertions."""
    lines = right(format).splitlines(keepends=True)
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        at = draw(st.integers(0, len(lines)))
        lines[at : at + draw(st.integers(0, 3))] = draw(st.lists(WORDS | st.text(max_size=4), max_size=2))
    text = "".join(lines)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@st.composite
def replies(draw: Any) -> tuple[str, list[ScriptedReply]]:
    format = draw(st.sampled_from(FORMATS))
    made = []
    for _ in range(MAX_ATTEMPTS):
        chunks = draw(st.lists(WORDS | st.text(max_size=9), max_size=20))
        if draw(st.integers(0, 3)):
            chunks = mangled(draw, format)
        reason: Finish = draw(st.sampled_from(["stop", "stop", "stop", "length"]))
        failed = draw(st.integers(0, 9)) == 0
        made.append(
            ScriptedReply(
                tuple(chunks), reason, error=BackendError("broken", "It broke.") if failed else None
            )
        )
    return format, made


ENDINGS = st.sampled_from(["\n", "\r\n"])


@pytest.mark.slow
@PROPERTY
@given(replies(), ENDINGS, st.booleans())
def test_whatever_it_says_the_result_is_the_refusal_or_passes_the_checks(
    said: tuple[str, list[ScriptedReply]], end: str, unended: bool
) -> None:
    format, made = said
    text = (TEXT.removesuffix("\n") if unended else TEXT).replace("\n", end)
    asked = ScriptedMerge(made, format)
    found = asked.merged(text)
    if found.refusal is not None:
        assert replace(found.refusal, model="") == refused(text) and found.refusal.model
        assert asked.hunks == [], "reported hunks are void"
        return
    parsed = parse_sketch(AMBIGUOUS, language="python", path="a.py")
    target = Target(found.original, SyntaxTrees(), 0, len(found.original.lines), lambda: None)
    edit, doubt = check_rewrite(parsed, parsed.files[0], target, found.guess)
    assert doubt is None and found.origin == "model"
    after = found.edit.apply(text)
    assert after == found.guess == edit.apply(text)
    whole = review_changes(
        [replace(PartialRewrite(found.original, parsed.files[0], None).change(found.edit))], (), SyntaxTrees()
    )
    final = [hunk.replacement for hunk in whole[0].hunks]
    assert asked.hunks == final[: len(asked.hunks)], "reported hunks remain in the end"


@pytest.mark.slow
@PROPERTY
@given(st.data())
def test_reported_hunks_are_never_taken_back_by_an_accepted_answer(data: st.DataObject) -> None:
    """A sketch of the whole file, so that many texts agree with it."""
    block = st.sampled_from(["", "x = one(1)", "y = two(2)", "    z = x", "return x + y", "}", "log(x, y)"])
    old = data.draw(st.lists(block, min_size=1, max_size=20))
    new = data.draw(st.lists(block, min_size=1, max_size=20))
    end = data.draw(ENDINGS)
    before, after = (end.join([*lines, ""]) for lines in (old, new))
    original = Snapshot.from_text(before, uri="file:///project/a.txt", language="plaintext")
    try:
        parsed = parse_sketch(after, language="plaintext", path="a.txt")
    except SketchError:
        return
    part = parsed.files[0]

    asked = ScriptedMerge([ScriptedReply(tuple(answer(after, "fastapply")))] * 2, "fastapply")
    asked.rewriting.merge = unsure
    found = asked.rewriting(parsed, part, original)
    if found.refusal is None:
        whole = review_changes([PartialRewrite(original, part, None).change(found.edit)], (), SyntaxTrees())
        final = [hunk.replacement for hunk in whole[0].hunks]
        assert asked.hunks == final[: len(asked.hunks)]
    else:
        assert asked.hunks == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_real_changes_are_reported_as_they_are_finally_made(case: Case) -> None:
    """Some of the answers are right, some have a line more, less or changed."""
    (file,) = case.files
    original = Snapshot.from_text(file.before, uri=f"file:///project/{file.path}", language=file.language)
    parsed = parse_sketch(case.sketch, language=file.language, path=file.path)
    dice = random.Random(case.id)
    for wanted in (file.accepted[0], spoiled(file.before, file.accepted[0], dice)):
        asked = ScriptedMerge(
            [ScriptedReply(tuple(answer(wanted, "aixapply").splitlines(keepends=True)))], "aixapply"
        )
        asked.rewriting.merge = unsure
        found = asked.rewriting(parsed, parsed.files[0], original)
        if found.refusal is None:
            assert found.edit.apply(file.before) == found.guess
            (whole,) = (
                review_changes([asked.reported[0].change(found.edit)], (), SyntaxTrees())
                if asked.reported
                else [None]
            )
            final = [hunk.replacement for hunk in whole.hunks] if whole is not None else []
            assert asked.hunks == final[: len(asked.hunks)]
        else:
            assert asked.hunks == []
