"""A real server whose workspace and documents are named by different sides of a symbolic link: a file is one document."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from editahead_evals.client.editor import Editor
from editahead_evals.client.lsp_client import LanguageClient, isolated_environment
from editahead_evals.errors import ResponseError
from editahead_workspace.uris import path_to_uri
from fault_session import SERVER
from git_repository import make_repository

pytestmark = [pytest.mark.skipif(os.name != "posix", reason="needs symbolic links"), pytest.mark.slow]

REPORT = "import csv\n\n\ndef head(rows):\n    return rows[0]\n"
UNSAVED = "# one\n# two\n" + REPORT
BILLS = "from prices import total\n\n\ndef bill(items):\n    return total(items)\n"
PRICES = "def total(items):\n    return sum(items)\n"
SEARCH = "report.py\n<<<<<<< SEARCH\n    return rows[0]\n=======\n    return rows[:1]\n>>>>>>> REPLACE\n"
MAX_WAIT_S = 180

Sides = Literal["linked workspace", "linked documents", "two links"]


class Workspace:
    """A repository, the name by which the workspace is open, and the one by which documents are."""

    def __init__(self, folder: Path, sides: Sides) -> None:
        files = {"report.py": REPORT, "bills.py": BILLS, "prices.py": PRICES, ".gitignore": "*.log\n"}
        real = make_repository(folder / "real", files)
        for name in ("link", "other"):
            (folder / name).symlink_to(real, target_is_directory=True)
        names = {
            "linked workspace": ("link", "real"),
            "linked documents": ("real", "link"),
            "two links": ("link", "other"),
        }
        self.root, self.documents = (folder / name for name in names[sides])

    def uri(self, name: str) -> str:
        return path_to_uri(self.documents / name)


@pytest.fixture(params=["linked workspace", "linked documents", "two links"])
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> Workspace:
    return Workspace(tmp_path, request.param)


@pytest.fixture
def editor(workspace: Workspace, tmp_path: Path) -> Iterator[Editor]:
    client = LanguageClient(SERVER, env=isolated_environment(tmp_path), cwd=tmp_path)
    with Editor({"debounce_ms": 0, "eagerness": 1}, root=workspace.root, client=client) as editor:
        yield editor


def open_file(editor: Editor, uri: str, text: str) -> None:
    editor.open(uri, "python", text)


def apply(editor: Editor, **argument: Any) -> Any:
    return editor.execute("editahead.apply", {"dryRun": True, **argument}).result


def changed(result: Any) -> list[tuple[str, int | None, int]]:
    """Return the URI, the version and the first line of each changed document."""
    return [
        (
            change["textDocument"]["uri"],
            change["textDocument"]["version"],
            change["edits"][0]["range"]["start"]["line"],
        )
        for change in result["edit"]["documentChanges"]
    ]


def test_a_sketch_changes_the_open_document(workspace: Workspace, editor: Editor) -> None:
    report, bills = workspace.uri("report.py"), workspace.uri("bills.py")
    open_file(editor, report, UNSAVED)
    open_file(editor, bills, BILLS)
    version = editor.documents[report].version
    for named in (
        SEARCH,
        SEARCH.replace("report.py", str(workspace.root / "report.py")),
        SEARCH.replace("report.py", str(workspace.documents / "report.py")),
    ):
        assert changed(apply(editor, sketch=named)) == [(report, version, 6)]
        assert changed(apply(editor, sketch=named, uri=bills)) == [(report, version, 6)]
    other = path_to_uri(workspace.root / "report.py")
    assert changed(apply(editor, sketch=SEARCH, uri=other)) == [(report, version, 6)]


def test_a_closed_file_is_edited_in_the_workspace(workspace: Workspace, editor: Editor) -> None:
    open_file(editor, workspace.uri("bills.py"), BILLS)
    ((uri, version, line),) = changed(apply(editor, sketch=SEARCH, uri=workspace.uri("bills.py")))
    assert (uri, version, line) == (path_to_uri(workspace.root / "report.py"), None, 4)


def test_excluded_and_outer_files_stay_refused(workspace: Workspace, editor: Editor) -> None:
    (workspace.root / "run.log").write_text("    return rows[0]\n")
    outside = workspace.root.parent / "outside.py"
    outside.write_text(REPORT)
    (workspace.root / "out.py").symlink_to(outside)
    for name in ("run.log", "out.py", str(outside), str(workspace.documents / "run.log")):
        with pytest.raises(ResponseError):
            apply(editor, sketch=SEARCH.replace("report.py", name))
    assert outside.read_text() == REPORT


def test_the_next_edit_is_in_the_open_document(workspace: Workspace, editor: Editor) -> None:
    end = time.monotonic() + MAX_WAIT_S
    while editor.execute("editahead.status").result["index"][0]["state"] != "ready":
        assert time.monotonic() < end
    prices, bills = workspace.uri("prices.py"), workspace.uri("bills.py")
    open_file(editor, prices, PRICES)
    open_file(editor, bills, BILLS)
    editor.replace(prices, 4, 9, "add_up")
    shown = editor.next_edit(prices, (0, 10), "manual").result["predictions"]
    named = {one["textDocument"]["uri"] for one in shown}
    assert named & {bills}
    assert named <= {prices, bills}


def test_finish_accepts_both_sides(workspace: Workspace, editor: Editor) -> None:
    prices, bills = workspace.uri("prices.py"), workspace.uri("bills.py")
    open_file(editor, prices, PRICES.replace("total", "add_up"))
    open_file(editor, bills, "# new\n" + BILLS)
    for meant in (prices, bills, path_to_uri(workspace.documents), path_to_uri(workspace.root), None):
        found = editor.execute("editahead.finish", {} if meant is None else {"uri": meant}).result
        places = [(place["uri"], place["version"]) for place in found["places"]]
        assert (bills, editor.documents[bills].version) in places
        assert {uri for uri, _ in places} <= {bills, prices}
