"""`make live-models`: questions about this repository's code, what counts as right, and the rows that are written."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from editahead_inference.backends.base import CompletionRequest
from editahead_inference.errors import BackendError
from editahead_serving.model_catalog import find_model
from scripted_backend import ScriptedBackend, ScriptedReply, by_prompt

TOOL: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[1] / "tools" / "measure" / "live_model.py"))
ALL = 4


class Answering(ScriptedBackend):
    """A backend whose answer follows from the request."""

    def __init__(self, answer: Any) -> None:
        super().__init__(lambda query, sample: ScriptedReply((answer(query),)))


async def run_of(name: str, answer: Any) -> Any:
    model = find_model(name)
    assert model is not None
    return await TOOL["measure"](model, Answering(answer), ALL)


async def test_the_right_rest_of_a_line_is_right_and_all_else_is_not() -> None:
    rests = iter(cut.rest for cut in TOOL["cuts"](ALL))
    assert (await run_of("qwen-coder-0.5b", lambda query: next(rests))).right == ALL
    for wrong in ("", "pass  # nothing of this", "\n"):
        assert (await run_of("qwen-coder-0.5b", lambda query, wrong=wrong: wrong)).right == 0


async def test_a_cut_line_is_in_no_prompt() -> None:
    asked: list[CompletionRequest] = []

    def note(query: CompletionRequest) -> str:
        asked.append(query)
        return "x"

    await run_of("qwen-coder-0.5b", note)
    for query, cut in zip(asked, TOOL["cuts"](ALL), strict=True):
        before, behind = query.prompt.split("<|fim_suffix|>")
        assert before.endswith(cut.state.document.text[: cut.state.cursor].rsplit("\n", 1)[1])
        assert behind.startswith("\n") and "\n" in query.stop


def test_what_a_rename_is_worth() -> None:
    for rename in TOOL["renames"](ALL):
        now = rename.state.document.text
        one_more = re.sub(r"(?<=self\.)_?(?=" + member_of(rename) + r"\b)", "new_", now, count=1)
        assert rename.before != now != rename.wanted and one_more != now
        assert TOOL["is_continued"](rename, rename.wanted) and TOOL["is_continued"](rename, one_more)
        for wrong in (
            now,
            rename.before,
            rename.wanted + "x = 1\n",
            "# no\n" + rename.wanted.split("\n", 1)[1],
        ):
            assert not TOOL["is_continued"](rename, wrong)


def member_of(rename: Any) -> str:
    found = re.search(r"self\.new_(\w+)", rename.wanted)
    assert found is not None
    return found[1]


async def test_a_model_is_asked_to_go_on_with_a_rename() -> None:
    (rename,) = TOOL["renames"](1)

    def answer(query: CompletionRequest, sample: int) -> ScriptedReply:
        assert f"new_{member_of(rename)}" in query.prompt
        return ScriptedReply(("NO_EDITS\n",))

    assert not await TOOL["continue_rename"](ScriptedBackend(answer), "zeta-2", rename)


@pytest.mark.parametrize("spoilt", [False, True])
async def test_a_sketch_is_applied_exactly_or_not(spoilt: bool) -> None:
    (rename,) = TOOL["renames"](1)
    text = rename.state.document.text + "x = 1\n" * spoilt
    backend = ScriptedBackend(by_prompt({"": f"<updated-code>{text}</updated-code>"}))
    assert await TOOL["apply"](backend, "fastapply", rename) is not spoilt
    assert rename.before in backend.queries[0].prompt


async def test_a_server_that_is_off_ends_the_run() -> None:
    backend = ScriptedBackend(by_prompt({"": ScriptedReply((), error=BackendError("refused", "Off."))}))
    model = find_model("zeta-2")
    with pytest.raises(BackendError, match="Off"):
        await TOOL["measure"](model, backend, 1)


def test_the_row_of_the_documents(tmp_path: Path) -> None:
    page = tmp_path / "engine.md"
    page.write_text("| `zeta-2` | a/b | unknown | old |\n| `zeta-2-q8` | c/d | unknown | old |\n")
    TOOL["write_row"]("zeta-2", page)
    assert (
        page.read_text()
        == "| `zeta-2` | a/b | unknown | never run |\n| `zeta-2-q8` | c/d | unknown | old |\n"
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["no-such"], "choose one of"), (["zeta-2", "--url", "http://example.org"], "not on 127.0.0.1")],
)
def test_wrong_arguments(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert TOOL["main"](arguments) == 2
    assert says in capsys.readouterr().err
