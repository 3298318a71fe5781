"""Ask a model of the catalogue on a server of this machine what this repository's code says, and write its row.

    make live-models MODEL=qwen-coder-0.5b URL=http://127.0.0.1:8080

A model for completion gets files with the rest of one line cut off, one for next edits a member that was renamed at one
place, and one for Apply a sketch of that. An answer is right if it is exactly what the code says. The result replaces the
model's row in `serving/editahead_serving/model_runs.json`, which `editahead models` and docs/engine.md show.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from editahead_inference.backends.base import Backend, CompletionRequest, TextChunk
from editahead_inference.backends.openai.backend import OpenAIBackend
from editahead_inference.backends.openai.http_transport import Timeouts
from editahead_inference.errors import BackendError
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.formats.apply.base import ApplyInput
from editahead_prompts.formats.registry import select_format
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot, line_body
from editahead_serving.model_catalog import CATALOGUE, OWN_MODEL, CatalogModel, Purpose, find_model
from editahead_serving.model_runs import ModelRun, describe_run, write_run

ROOT = Path(__file__).resolve().parents[2]
CODE = "prompts/editahead_prompts"
"""The folder whose files are asked about."""
PAGE = ROOT / "docs" / "engine.md"
SEED = 1
MIN_CUT, LINE_TOKENS = 4, 48
"""Characters of a line that are at least cut off, and the most tokens of an answer."""
PROMPT_TOKENS = 1024
"""Tokens of a prompt for completion: what a CPU reads in a few seconds."""
AROUND = 3
"""Lines of a sketch above and below the changed one."""
PATIENT = Timeouts(connect=20, first=300, between=120, total=600)
QUESTION: dict[Purpose, str] = {
    "completion": "lines completed exactly",
    "next edits": "renames continued rightly",
    "Apply": "sketches applied exactly",
}
_MEMBER = re.compile(r"self\.(_?[a-z]\w{3,})\b")


class Cut(NamedTuple):
    """A file with the rest of a line cut off, and this rest."""

    state: EditorState
    rest: str


class Rename(NamedTuple):
    """A file in which a member was renamed at one place, and the text with all of its places renamed."""

    state: EditorState
    before: str
    wanted: str


def cuts(number: int, root: Path = ROOT) -> list[Cut]:
    """Return cut lines of this repository's code, the same ones each time for the same code."""
    dice = random.Random(SEED)
    found: list[Cut] = []
    for path in _shuffled(dice, root):
        document = Snapshot.from_text(path.read_text("utf-8"), uri=path.as_uri(), language="python")
        lines = [n for n, line in enumerate(document.lines) if len(line.strip()) > 2 * MIN_CUT and n > AROUND]
        if not lines or len(found) == number:
            continue
        line = dice.choice(lines)
        body = line_body(document.lines[line])
        indentation = len(body) - len(body.lstrip())
        at = dice.randrange(indentation, len(body.rstrip()) - MIN_CUT + 1)
        start = document.starts[line]
        text = document.text[: start + at] + document.text[start + len(body) :]
        left = Snapshot.from_text(text, uri=document.uri, language="python")
        found.append(Cut(EditorState(left, start + at), body[at:]))
    return found


def renames(number: int, root: Path = ROOT) -> list[Rename]:
    """Return renamed members of this repository's code, each with two places or more that are still to come."""
    found: list[Rename] = []
    for path in _shuffled(random.Random(SEED), root):
        text = path.read_text("utf-8")
        member = next((name for name in _MEMBER.findall(text) if text.count(f"self.{name}") > 2), None)
        if member is None or len(found) == number:
            continue
        old = re.compile(rf"\bself\.{member}\b")
        first = next(old.finditer(text))
        edit = Edit.replace(first.start(), first.end(), f"self.new_{member.lstrip('_')}")
        wanted = old.sub(f"self.new_{member.lstrip('_')}", text)
        before = Snapshot.from_text(text, uri=path.as_uri(), language="python", version=1)
        after = Snapshot.from_text(edit.apply(text), uri=path.as_uri(), language="python", version=2)
        history = EditHistory()
        history.on_open(before)
        history.record_change(before, after, edit, at=1.0, cursor=None)
        found.append(Rename(EditorState(after, first.end() + edit.growth, history.edits), text, wanted))
    return found


def _shuffled(dice: random.Random, root: Path) -> Sequence[Path]:
    paths = sorted((root / CODE).rglob("*.py"))
    return dice.sample(paths, len(paths))


async def complete(backend: Backend, format: str, cut: Cut) -> bool:
    """Return whether a model for completion goes on with the rest of a cut line, up to its end."""
    request = select_format("", format).build(cut.state, ESTIMATE, budget=PROMPT_TOKENS)
    query = CompletionRequest(request.prompt.text, (*request.stop, "\n"), LINE_TOKENS)
    async with aclosing(backend.stream(query)) as answer:
        said = "".join([piece.text async for piece in answer if isinstance(piece, TextChunk)])
    return said.split("\n", 1)[0].rstrip() == cut.rest.rstrip()


async def continue_rename(backend: Backend, format: str, rename: Rename) -> bool:
    """Return whether a model for next edits renames the member at one place or more, and changes nothing else.

    Raises:
        BackendError: The model could not be asked.
    """
    response = await ModelPredictor(backend, format).predict(rename.state)
    if response.problem is not None:
        raise BackendError("refused", response.problem)
    now = rename.state.document.text
    return bool(response.rewrites) and is_continued(rename, response.rewrites[0].edit.apply(now))


def is_continued(rename: Rename, after: str) -> bool:
    """Return whether a text has the member renamed at one more place or at several, and is the same otherwise."""
    now, there, wanted = (
        Snapshot.from_text(text, uri="", language="").lines
        for text in (rename.state.document.text, after, rename.wanted)
    )
    changed = [number for number, line in enumerate(there[: len(now)]) if line != now[number]]
    return len(there) == len(now) and bool(changed) and all(there[n] == wanted[n] for n in changed)


async def apply(backend: Backend, format: str, rename: Rename) -> bool:
    """Return whether a model for Apply makes the change of one line that a sketch shows, and no other."""
    text, state = rename.before, rename.state
    lines, line = state.document.lines, state.document.line_at(state.cursor)
    shown = "".join(lines[max(line - AROUND, 0) : line + AROUND + 1])
    sketch = f"# ... existing code ...\n{shown}# ... existing code ...\n"
    original = Snapshot.from_text(text, uri=state.document.uri, language="python")
    response = await ModelPredictor(backend, format).apply([ApplyInput(original, sketch, None, sketch)])
    return response.text == state.document.text


def write_row(name: str, page: Path = PAGE) -> None:
    """Write a model's last run into its row of the table in the documents. Editahead's own model has none."""
    text = page.read_text("utf-8")
    row = re.compile(rf"^(\| `{re.escape(name)}` \| .* \| )[^|]*( \|)$", re.MULTILINE)
    page.write_text(row.sub(lambda found: found[1] + describe_run(name) + found[2], text), "utf-8")


async def measure(model: CatalogModel, backend: Backend, number: int) -> ModelRun:
    """Ask a model, and return its run.

    Raises:
        BackendError: The server cannot be asked.
    """
    await backend.prepare()
    ask: Callable[[Backend, str, Any], Coroutine[Any, Any, bool]]
    questions: Sequence[Any]
    if model.purpose == "completion":
        ask, questions = complete, cuts(number)
    else:
        ask, questions = (continue_rename if model.purpose == "next edits" else apply), renames(number)
    right = 0
    async for done, is_right in _each(ask, backend, model.format, questions):
        right += is_right
        print(f"{right} of {done} {QUESTION[model.purpose]}", flush=True)
    server = backend.name.split()[0]
    today = datetime.now(UTC).date().isoformat()
    return ModelRun(
        today, right, len(questions), QUESTION[model.purpose], server, Path(backend.model or "").name
    )


async def _each(
    ask: Callable[[Backend, str, Any], Coroutine[Any, Any, bool]],
    backend: Backend,
    format: str,
    questions: Sequence[Any],
) -> AsyncIterator[tuple[int, bool]]:
    for done, question in enumerate(questions, 1):
        yield done, await ask(backend, format, question)


async def run(model: CatalogModel, url: str, key: str | None, number: int) -> ModelRun:
    backend = OpenAIBackend(url, key=key, waiting=PATIENT, patient=PATIENT)
    try:
        return await measure(model, backend, number)
    finally:
        await backend.close()


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make live-models")
    parser.add_argument("model", help="its name in `editahead models`")
    parser.add_argument("--url", default="http://127.0.0.1:8080", help="of the server, on this machine")
    parser.add_argument("--key", help="the server's key")
    parser.add_argument("--questions", type=int, default=40, help="that are asked (40)")
    args = parser.parse_args(argv)
    model = find_model(args.model)
    if model is None:
        names = ", ".join(known.name for known in (OWN_MODEL, *CATALOGUE))
        sys.stderr.write(f"There is no model {args.model!r} in the list; choose one of {names}.\n")
        return 2
    if urlsplit(args.url).hostname != "127.0.0.1":
        sys.stderr.write(f"{args.url} is not on 127.0.0.1. Start the model's server on this machine.\n")
        return 2
    try:
        found = asyncio.run(run(model, args.url, args.key, args.questions))
    except BackendError as error:
        sys.stderr.write(f"{model.name} was not run: {error.detail}\n")
        return 1
    write_run(model.name, found)
    write_row(model.name)
    print(f"{model.name}: {found.describe()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
