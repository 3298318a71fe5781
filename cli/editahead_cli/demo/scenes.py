"""The scenes of the demo: the sample's session, or the commits of a repository."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any

from editahead_cli.errors import SessionMismatchError
from editahead_prompts.syntax.languages import language_of
from editahead_prompts.text.affixes import common_affixes

if TYPE_CHECKING:
    from editahead_evals.data.edit_records import Record


@dataclass(frozen=True, slots=True)
class FileChange:
    """The planned change of one file. `path` is relative, with slashes."""

    path: str
    language: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Scene:
    """A piece of work: a title, the user's goal in a sentence, and the changes in their order.

    `changes` may name files that stay as they are and are merely open beside the others.
    """

    title: str
    wish: str
    changes: tuple[FileChange, ...]


def sample_scenes() -> list[Scene]:
    """Return the scenes of the shipped session on the shipped project."""
    sample = files("editahead_cli") / "demo" / "sample"
    session = tomllib.loads((sample / "session.toml").read_text(encoding="utf-8"))
    paths = {edit["file"]: None for scene in session["scene"] for edit in scene["edits"]}
    return load_scenes(session, {path: (sample / path).read_text(encoding="utf-8") for path in paths})


def load_scenes(session: Mapping[str, Any], project: Mapping[str, str]) -> list[Scene]:
    """Return the scenes of a session. Each begins with the final texts of the one before.

    Raises:
        SessionMismatchError: An edit does not fit its file.
    """
    texts = dict(project)
    scenes = []
    for scene in session["scene"]:
        before = dict(texts)
        for edit in scene["edits"]:
            texts[edit["file"]] = _apply_edit(texts[edit["file"]], edit)
        first = dict.fromkeys(edit["file"] for edit in scene["edits"])
        changes = tuple(
            FileChange(
                path,
                language_of(path),
                before[path],
                texts[path],
            )
            for path in [*first, *(path for path in texts if path not in first)]
        )
        scenes.append(Scene(scene["title"], scene["wish"], changes))
    return scenes


def _apply_edit(text: str, edit: Mapping[str, str]) -> str:
    anchor = edit["before"] if "insert" in edit else edit["old"]
    if text.count(anchor) != 1:
        raise SessionMismatchError(
            f"{anchor!r} occurs {text.count(anchor)} times in {edit['file']}, not once"
        )
    at = text.index(anchor)
    if "insert" in edit:
        start = text.rfind("\n", 0, at) + 1
        return f"{text[:start]}{edit['insert']}\n{text[start:]}"
    return text[:at] + edit["new"] + text[at + len(anchor) :]


def commit_scenes(records: Iterable[Record], limit: int, max_typed: int) -> list[Scene]:
    """Return a scene for each of the newest commits, the oldest of them first.

    Args:
        records: One for each file of a commit, the newest commit first.
        limit: Most commits.
        max_typed: Most keys of them all. A commit with more than are left is passed over.
    """
    scenes: list[Scene] = []
    left = max_typed
    for commit, group in groupby(records, lambda record: record.commit):
        changed = tuple(group)
        typed = sum(count_keystrokes(record.before, record.after) for record in changed)
        if len(scenes) == limit:
            break
        if typed > left:
            continue
        left -= typed
        changes = tuple(FileChange(r.path, r.language, r.before, r.after) for r in changed)
        scenes.append(Scene(f"Commit {commit[:10]}", changed[0].subject, changes))
    return scenes[::-1]


def count_keystrokes(before: str, after: str) -> int:
    """Return how many keys turn one text into the other: one for each character typed, one for each span deleted.

    Cursor movement does not count, nor does the indentation of new lines, which editors make, so that the savings are not
    overstated.
    """
    from editahead_evals.metrics.judge import changes

    count = 0
    for change in changes(tuple(before.split("\n")), tuple(after.split("\n"))):
        pairs = (
            zip(change.old, change.new, strict=True)
            if len(change.old) == len(change.new)
            else [("\n".join(map(str.lstrip, change.old)), "\n".join(map(str.lstrip, change.new)))]
        )
        for old, new in pairs:
            head, tail = common_affixes(old, new)
            count += len(new) - head - tail + (len(old) > head + tail)
        if not change.old:
            count += 1
    return count
