"""Sketches given to the real server, `editahead.apply` with `dryRun`, and what comes back compared with what is right."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit
from urllib.request import url2pathname

from editahead_evals.client.editor import Document, Editor
from editahead_evals.errors import ClientError, ResponseError

from .sketch_generator import Case

REQUEST_FAILED = -32803
"""How the server refuses."""

SERVER_FAILED = "server failed"
"""The reason of a case to which the server gave neither an edit nor a refusal."""

Status = Literal["exact", "refused", "wrong"]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The result of one case.

    Attributes:
        reason: why the server refused, or `SERVER_FAILED`; "" if it did not.
        choices: the readings that the server offered beside a refusal.
        right_choice: the place of the right one among them, from 1; 0 if there is none.
        right_by_rules: its place by the likelihood of the rules, which a model does not change.
        ms: time until the answer arrived, with the messages written and read; None for a refusal.
        got: the text of each file after the offered edit; empty for a refusal.
        by_model: the edit is a model's and was offered for confirmation.
        tokens: tokens of the model's answer.
        drafted: those of `tokens` that a draft predicted.
        first_ms: time until the server had decided the first hunk.
    """

    case: Case
    status: Status
    reason: str = ""
    choices: int = 0
    right_choice: int = 0
    right_by_rules: int = 0
    ms: float | None = None
    got: tuple[str, ...] = ()
    by_model: bool = False
    tokens: int = 0
    drafted: int = 0
    first_ms: float | None = None

    @property
    def lines(self) -> int:
        """The lines of all files before the change."""
        return sum(file.before.count("\n") for file in self.case.files)


def apply_all(cases: Iterable[Case], start: Callable[[], Editor]) -> Iterator[CaseResult]:
    """Yield the result of each case in turn, each with files of its own.

    A case at which the connection to the server fails counts as refused, and the next has a new server.

    Args:
        cases: the cases.
        start: starts a server, and returns an editor that is connected to it.

    Raises:
        ClientError: the connection to the server failed at two cases in turn.
    """
    waiting = iter(cases)
    case, failures = next(waiting, None), 0
    while case is not None:
        try:
            with start() as editor:
                while case is not None:
                    yield apply_one(editor, case)
                    failures = 0
                    for uri in list(editor.documents):
                        editor.close(uri)
                    _empty(editor.root)
                    case = next(waiting, None)
        except ClientError:
            failures += 1
            if case is None or failures > 1:
                raise
            yield CaseResult(case, "refused", SERVER_FAILED)
            case = next(waiting, None)


def _empty(folder: Path) -> None:
    """Delete everything in the folder.

    The folder itself stays: the server runs in it, and its libraries read the current directory.
    """
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def apply_one(editor: Editor, case: Case) -> CaseResult:
    """Apply the sketch of one case to files on disk.

    A single file is also open, and the sketch is sent for it. Of several files none is open, and the sketch
    names them.
    """
    for file in case.files:
        path = editor.root / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.before, "utf-8", newline="")
    argument: dict[str, Any] = {"sketch": case.sketch, "dryRun": True}
    if len(case.files) == 1:
        (file,) = case.files
        argument["uri"] = editor.uri(file.path)
        editor.open(argument["uri"], file.language, file.before)
    try:
        response = editor.execute("editahead.apply", argument)
    except ResponseError as error:
        if error.code != REQUEST_FAILED:
            return CaseResult(case, "refused", SERVER_FAILED)
        choices = error.data.get("choices", ())
        ids = [choice["id"] for choice in choices]
        right = _right_choice(editor, case, argument, ids)
        by_rules = sorted(choices, key=lambda choice: -choice["likelihood"])
        places = [choice["id"] for choice in by_rules]
        return CaseResult(
            case,
            "refused",
            error.data["reason"],
            len(ids),
            right,
            places.index(ids[right - 1]) + 1 if right else 0,
        )
    got = _after(editor, case, response.result["edit"])
    right = _is_right(case, got)
    stats = response.result["stats"]
    return CaseResult(
        case,
        "exact" if right else "wrong",
        ms=response.ms,
        got=got or (),
        by_model=response.result["method"] == "model",
        tokens=stats["modelTokens"],
        drafted=stats["acceptedDraftTokens"],
        first_ms=stats["firstHunkMs"],
    )


def _right_choice(editor: Editor, case: Case, argument: Mapping[str, Any], ids: Sequence[str]) -> int:
    """Return the place of the first choice, from 1, that gives a right result; 0 if none does.

    A choice that the server refuses, though it offered it, is not right.
    """
    for number, choice in enumerate(ids, 1):
        try:
            response = editor.execute("editahead.apply", {**argument, "choice": choice})
        except ResponseError:
            continue
        if _is_right(case, _after(editor, case, response.result["edit"])):
            return number
    return 0


def _is_right(case: Case, got: Sequence[str] | None) -> bool:
    return got is not None and all(text in file.accepted for text, file in zip(got, case.files, strict=True))


def _after(editor: Editor, case: Case, edit: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the text of each file after a workspace edit; None if the edit does more than edit these files."""
    texts = {editor.root / file.path: file.before for file in case.files}
    for change in edit.get("documentChanges", []):
        path = _path(change["textDocument"]["uri"]) if "textDocument" in change else None
        if path not in texts:
            return None
        edits: Sequence[Mapping[str, Any]] = change["edits"]
        texts[path] = Document(path.as_uri(), "", 0, texts[path]).edited(edits)
    return tuple(texts.values())


def _path(uri: str) -> Path:
    return Path(url2pathname(urlsplit(uri).path))
