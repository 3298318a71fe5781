"""Sketches given to the real server, `editahead.apply` with `dryRun`, and what comes back compared with what is right."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit
from urllib.request import url2pathname

from editahead_evals.client.editor import Document, Editor
from editahead_evals.errors import ResponseError

from .sketch_generator import Case

REQUEST_FAILED = -32803
"""How the server refuses."""

Verdict = Literal["exact", "refused", "wrong"]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What became of a case. reason: of a refusal. ms: until the answer came, with writing and reading the messages; None
    for a refusal. got: the text of each file after the edit that was offered; empty for a refusal. by_model: offered to be
    confirmed, as a model wrote it; tokens, drafted: of its answer, and those of them that a draft had. first_ms: until the
    server had settled the first hunk."""

    case: Case
    verdict: Verdict
    reason: str = ""
    ms: float | None = None
    got: tuple[str, ...] = ()
    by_model: bool = False
    tokens: int = 0
    drafted: int = 0
    first_ms: float | None = None

    @property
    def lines(self) -> int:
        """Of all files before."""
        return sum(file.before.count("\n") for file in self.case.files)


def apply_all(cases: Iterable[Case], editor: Editor) -> Iterator[CaseResult]:
    """Each case with files of its own, one after the other. Raises `ClientError` when the server breaks down."""
    for case in cases:
        try:
            yield apply_one(editor, case)
        finally:
            for uri in list(editor.documents):
                editor.close(uri)
            _empty(editor.root)


def _empty(folder: Path) -> None:
    """The folder stays: the server runs in it, and libraries that it loads ask where they are."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def apply_one(editor: Editor, case: Case) -> CaseResult:
    """The files are on disk. A single one is also open, and the sketch is for it; of several none is, and the sketch has
    to name them."""
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
            raise
        return CaseResult(case, "refused", error.data["reason"])
    got = _after(editor, case, response.result["edit"])
    right = got is not None and all(text in file.accepted for text, file in zip(got, case.files, strict=True))
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


def _after(editor: Editor, case: Case, edit: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The text of each file after a workspace edit; None when it does anything else than edit these files."""
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
