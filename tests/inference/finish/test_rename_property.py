"""A rename in its definition's line alone: whatever is left of the name is edited or listed, and no namesake is touched.

The repositories are made from `rename_templates.txt`: `«N»` is the definition, `‹N›` a use, and a bare `N` a namesake in
another scope. A line that begins with `*` comes as often as the example says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.finish.finisher import Finisher
from finish_samples import changed, codebase

pytestmark = pytest.mark.slow


MARK = re.compile(r"[«‹](\w+)[»›]")
TEMPLATES: Mapping[str, Mapping[str, str]] = {
    kind.partition("\n")[0]: {
        path.partition("\n")[0]: path.partition("\n")[2] for path in kind.split("--- ")[1:]
    }
    for kind in Path(__file__).with_name("rename_templates.txt").read_text("utf-8").split("=== ")[1:]
}
NAMES = ("validate", "load", "total_amount", "readAllItems", "Weight", "Store_Name")


@dataclass(frozen=True)
class Repository:
    """The texts of a repository before the rename, with the path of the definition and the offsets by path."""

    texts: dict[str, str]
    home: str
    definition: int
    uses: set[tuple[str, int]]


def make(template: Mapping[str, str], name: str, copies: int) -> Repository:
    texts: dict[str, str] = {}
    uses: set[tuple[str, int]] = set()
    home, definition = "", 0
    for path, text in template.items():
        lines = [
            line[1:] if line.startswith("*") else line
            for line in text.splitlines(keepends=True)
            for _ in range(copies if line.startswith("*") else 1)
        ]
        marked, out = re.sub(r"\bN\b", name, "".join(lines)), ""
        at = 0
        for match in MARK.finditer(marked):
            out += marked[at : match.start()]
            if match[0][0] == "«":
                home, definition = path, len(out)
            else:
                uses.add((path, len(out)))
            out += match[1]
            at = match.end()
        texts[path] = out + marked[at:]
    return Repository(texts, home, definition, uses)


@pytest.mark.parametrize("kind", TEMPLATES)
@given(name=st.sampled_from(NAMES), copies=st.integers(1, 4), new=st.sampled_from(("is_new", "renamedThing")))
def test_nothing_is_left_unlisted_and_no_namesake_is_touched(
    kind: str, name: str, copies: int, new: str
) -> None:
    repository = make(TEMPLATES[kind], name, copies)
    before = repository.texts[repository.home]
    end = repository.definition + len(name)
    after = before[: repository.definition] + new + before[end:]
    shift = len(new) - len(name)
    uses = {
        (path, at + (shift if path == repository.home and at > repository.definition else 0))
        for path, at in repository.uses
    }
    texts = {**repository.texts, repository.home: after}
    report = Finisher(codebase(texts)).find([changed(repository.home, before, after)])
    paths = {
        snapshot.uri: next(p for p in texts if snapshot.uri.endswith("/" + p))
        for snapshot in report.snapshots
    }
    starts = {paths[snapshot.uri]: snapshot.starts for snapshot in report.snapshots}
    listed = {(paths[use.uri], starts[paths[use.uri]][use.line] + use.column) for use in report.uses}
    edited: set[tuple[str, int]] = set()
    for uri, edit in report.edits().items():
        path = paths[uri]
        for match in re.finditer(rf"\b{name}\b", texts[path]):
            if any(one.start <= match.end() and match.start() <= one.end for one in edit.replacements):
                edited.add((path, match.start()))
    assert uses <= listed | edited, sorted(uses - listed - edited)
    assert edited <= uses, sorted(edited - uses)
    assert report.is_complete == (not uses)
