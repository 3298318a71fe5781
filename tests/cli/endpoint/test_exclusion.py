"""The files of prompts that are left alone, and what is taken out of prompts."""

from __future__ import annotations

import pytest

from editahead_cli.endpoint.completer import Completer
from editahead_cli.endpoint.exclusion import MAX_DEPTH, PathExclusion
from editahead_inference.backends.openai.backend import OpenAIBackend
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.base import PromptPaths
from editahead_prompts.formats.next_edit.zeta2 import ZETA_2
from editahead_prompts.formats.reading.base import uri_of
from editahead_prompts.formats.reading.fim import read_halves
from editahead_prompts.formats.reading.reader import read_prompt
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace.policy import anywhere
from editahead_workspace.settings import Settings
from fake_openai_server import CannedAnswer, FakeOpenAIServer

TYPED = ("def first_value(values):\n    return values[0]\n\nprint(first_", ")\n")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("my keys/", "my keys/a.py"),
        ("/shop/keys.py", "shop/keys.py"),
        ("/shop/keys.py", "project/shop/keys.py"),
        ("/shop/keys.py", "/srv/work/project/shop/keys.py"),
        ("größe.py", "src/größe.py"),
        ("keys/", "shop/../keys/a.py"),
        ("none", "/".join(["a"] * (MAX_DEPTH + 1))),
        ("none", "shop/.env"),
    ],
)
def test_a_path_that_is_excluded(pattern: str, path: str) -> None:
    assert PathExclusion((pattern,)).excludes(uri_of(path))


def test_a_path_that_is_not_excluded() -> None:
    for path in ("", "shop/cart.py", "shop/keys.pyi", "keys/shop"):
        assert not PathExclusion((".*", "/shop/keys.py", "keys.py/")).excludes(uri_of(path))


@pytest.mark.parametrize("glob", ["Payments/Keys/", "*.PY", "/srv/work/*/payments/", "*"])
def test_the_patterns_of_a_policy(glob: str) -> None:
    exclusion = PathExclusion(anywhere((glob,)))
    assert exclusion.excludes(uri_of("/srv/work/project/payments/keys/a.py"))


async def test_settings_that_leave_a_text_alone() -> None:
    prompt = read_halves(*TYPED, path="a.py")
    comment = read_halves(TYPED[0].replace("print", "# print"), TYPED[1], path="a.py")
    for settings, asked, is_answered in (
        (Settings(), prompt, True),
        (Settings(max_file_bytes=10), prompt, False),
        (Settings(comments=False), prompt, True),
        (Settings(comments=False), comment, False),
    ):
        completer = Completer(settings)
        assert bool(await completer.answer(asked)) == is_answered
        await completer.close()


@pytest.mark.slow
async def test_the_model_sees_no_excluded_file() -> None:
    document = Snapshot.from_text("import money\n\nmoney.pay()\n", uri=uri_of("cart.py"), language="python")
    others = tuple(
        Snapshot.from_text(f"name_{name}\n", uri=uri_of(name)) for name in ("a.py", "private/b.py")
    )
    edits = tuple(PastEdit(one.uri, 0, ("old\n",), one.lines[:1]) for one in others)
    request = ZETA_2.build(
        EditorState(document, 0, edits, others), ESTIMATE, paths=PromptPaths(("file:///",))
    )
    with FakeOpenAIServer("zeta-2", lambda _: [CannedAnswer("")]) as server:
        completer = Completer(Settings(exclude=("private/",)), ModelPredictor(OpenAIBackend(server.url)))
        prompt = read_prompt(request.prompt.text)
        await completer.answer(prompt)
        await completer.close()
        assert "name_a" in server.prompts[0]
        assert "name_private" not in server.prompts[0]
