"""Secrets never reach a backend, in no format and from no place, and come back in its answers."""

from __future__ import annotations

import pytest

from editahead_inference.backends.base import CompletionRequest
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_inference.predictors.model.response import ResponseProgress
from editahead_prompts.formats.apply.base import ApplyInput
from editahead_prompts.formats.registry import APPLY_FORMATS, FORMATS
from editahead_prompts.state import Diagnostic, EditorState, PastEdit, RelatedCode
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot, split_lines
from scripted_backend import ScriptedBackend, ScriptedReply, in_order
from secret_corpus import PlacedSecret, placed_secrets

CORPUS = list(placed_secrets(seed=11))
PIECE = 8
SECRET = "Zk3mQ9vT2xLw8RbN4cHs7YpD1fGj6A0uEo5i"
LINE = f'client = Client("ghp_{SECRET}", retry)\n'
URI = "file:///project/a.py"


def leaked(queries: list[CompletionRequest], secrets: list[str]) -> list[str]:
    """Return the pieces of secrets that requests hold in any field."""
    shown = "\n".join(map(repr, queries))
    pieces = (secret[at : at + PIECE] for secret in secrets for at in range(len(secret) - PIECE + 1))
    return [piece for piece in pieces if piece in shown]


def corpus_states() -> list[tuple[EditorState, list[str]]]:
    """Return states that hold the corpus in the document, in the history, in other documents and in messages."""
    by_place: dict[str, list[PlacedSecret]] = {}
    for each in CORPUS:
        by_place.setdefault(each.place, []).append(each)
    states = []
    for place, inside in by_place.items():
        first, *rest = inside
        text = "one = 1\n" + first.text + ("" if first.text.endswith("\n") else "\n") + "two = one\n"
        document = Snapshot.from_text(text, uri=f"file:///project/{place}", language=first.language)
        others = tuple(
            Snapshot.from_text(each.text, uri=f"file:///project/{place}{i}", language=each.language)
            for i, each in enumerate(rest)
        )
        old, new = split_lines(rest[0].text if rest else first.text), split_lines(first.text)
        state = EditorState(
            document,
            len(text) - 1,
            (PastEdit(document.uri, 1, old, new), PastEdit(document.uri, 0, ("one = 0\n",), ("one = 1\n",))),
            others,
            undone=(PastEdit(document.uri, 1, new, old),),
            diagnostics=(Diagnostic(0, 3, f"expected something else than {first.secrets[0]}"),),
            proposed=(Edit.replace(8, 8, first.text.partition("\n")[0] + "\n"),),
            related_code=tuple(
                RelatedCode(f"{URI}{i}", 0, each.text, "similar", 1.0) for i, each in enumerate(inside)
            ),
        )
        states.append((state, [secret for each in inside for secret in each.secrets]))
    return states


@pytest.mark.slow
@pytest.mark.parametrize("format", sorted(FORMATS))
async def test_no_request_for_an_edit_holds_a_secret(format: str) -> None:
    for state, secrets in corpus_states():
        backend = ScriptedBackend(in_order(["two = one + 1\n"]))
        predictor = ModelPredictor(backend, format)
        await predictor.predict(state)
        assert backend.queries and not leaked(backend.queries, secrets), state.document.uri


@pytest.mark.parametrize("format", sorted(APPLY_FORMATS))
async def test_no_request_for_a_sketch_holds_a_secret(format: str) -> None:
    for state, secrets in corpus_states():
        backend = ScriptedBackend(in_order(["nothing"]))
        text = state.document.text
        question = ApplyInput(state.document, text, text + "more\n", text, (), text, text)
        await ModelPredictor(backend, format).apply([question])
        assert backend.queries and not leaked(list(backend.queries), secrets), state.document.uri


def state_with_secret() -> EditorState:
    text = "import a\n" + LINE + "total = 1\n"
    document = Snapshot.from_text(text, uri=URI, language="python")
    return EditorState(document, text.index("total"), (PastEdit(URI, 0, ("import b\n",), ("import a\n",)),))


async def test_secrets_are_restored_in_the_edit() -> None:
    state = state_with_secret()
    placeholder = ""

    def answer(query: CompletionRequest, sample: int) -> ScriptedReply:
        nonlocal placeholder
        placeholder = query.prompt.partition("ghp_")[2][: len(SECRET)]
        line = LINE.replace(SECRET, placeholder)
        return ScriptedReply(("import a\n" + line + line.replace("client", "other"), "total = 2\n"))

    response = await ModelPredictor(ScriptedBackend(answer), "zeta-2").predict(state)
    assert placeholder and placeholder != SECRET
    (rewrite,) = response.rewrites
    assert response.document is state.document
    wanted = "import a\n" + LINE + LINE.replace("client", "other") + "total = 2\n"
    assert rewrite.edit.apply(state.document.text) == wanted


async def test_lines_that_arrive_hold_the_secrets() -> None:
    state = state_with_secret()
    progress = ResponseProgress(state.document)

    def answer(query: CompletionRequest, sample: int) -> ScriptedReply:
        placeholder = query.prompt.partition("ghp_")[2][: len(SECRET)]
        return ScriptedReply(("import a\n" + LINE.replace(SECRET, placeholder), "total = 2\n"))

    await ModelPredictor(ScriptedBackend(answer), "zeta-2").predict(state, progress=progress)
    assert LINE.rstrip() in progress.lines


async def test_secrets_are_restored_in_a_sketchs_text_and_in_its_lines() -> None:
    document = state_with_secret().document
    seen: list[tuple[str, ...]] = []

    def answer(query: CompletionRequest, sample: int) -> ScriptedReply:
        placeholder = query.prompt.partition("ghp_")[2][: len(SECRET)]
        text = document.text.replace(SECRET, placeholder).replace("total = 1", "total = 3")
        return ScriptedReply((f"<updated-code>{text}</updated-code>",))

    question = ApplyInput(document, "total = 3", None, "total = 3")
    predictor = ModelPredictor(ScriptedBackend(answer), "fastapply")
    response = await predictor.apply([question], lines=lambda lines: seen.append(tuple(lines)))
    assert response.text == document.text.replace("total = 1", "total = 3")
    assert all(SECRET in lines[1] for lines in seen if len(lines) > 1) and seen
