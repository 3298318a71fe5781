"""The replay of a commit over its workspace: one file is open and typed, and what is shown in closed files counts."""

from __future__ import annotations

import random
import re
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from editahead_evals.client.editor import Document, Editor
from editahead_evals.data.commit_replay import Hunk, ReplayMoment, diff, replay
from editahead_evals.errors import RunError
from editahead_evals.metrics.judge import judge
from editahead_evals.metrics.metrics import SERVER
from editahead_lab.commits.commit_records import CommitRecord, FileChange, Workspace
from editahead_lab.commits.commit_replay import CommitPlan
from editahead_lab.workspace.workspace_metrics import WorkspaceCounts, WorkspaceResult
from editahead_prompts.text.identifiers import WORD, changed_spans, tokenize

SETTINGS = {"debounce_ms": 0, "learning": False, "telemetry": "off"}
GREP = "grep for the replaced name"
"""The baseline that makes the last replacement of a name in the first closed file that has the name."""
MAX_REQUESTS = 25
"""Hunks of the open file after which a request follows."""
INDEX_WAIT_S = 60.0
"""Seconds until the index of a workspace must be whole."""
_POLL_S = 0.05


class WorkspacePlan(CommitPlan[WorkspaceResult]):
    """The replay of commits of several files with one file open."""

    def start(self) -> Callable[[Workspace], WorkspaceResult]:
        return replay_workspace


def replay_workspace(workspace: Workspace) -> WorkspaceResult:
    """Replay a commit with a server of its own, twice: with the other files as before, and as after the commit."""
    commit = workspace.commit
    first = random.Random(commit.id).choice(commit.modified_code)
    result = WorkspaceResult(
        commit.id,
        first.language or "",
        len(workspace.files),
        {SERVER: WorkspaceCounts(1), GREP: WorkspaceCounts(1)},
    )
    _Replay(first, dict(workspace.files), commit, result).run()
    final = dict(workspace.files)
    for file in commit.files:
        if file.after is None:
            final.pop(file.path, None)
        elif file is not first:
            final[file.path] = file.after
    _Replay(first, final, commit, result).run_to_the_end()
    return result


class _Replay:
    """The typing of one file in a workspace of closed files."""

    def __init__(
        self, first: FileChange, files: dict[str, str], commit: CommitRecord, result: WorkspaceResult
    ) -> None:
        self._first, self._files, self._commit, self._result = first, files, commit, result
        self._seen: dict[str, set[tuple[str, str]]] = {SERVER: set(), GREP: set()}

    def run(self) -> None:
        """Count what is shown after each hunk."""
        with self._editor() as editor:
            for hunk, moment in self._typed(editor):
                for name, shown in (
                    (SERVER, self._shown(editor, moment)),
                    (GREP, self._found(hunk)),
                ):
                    self._count(name, shown, moment)

    def run_to_the_end(self) -> None:
        """Count what is shown after the last hunk, where nothing remains to be done."""
        with self._editor() as editor:
            for hunk, moment in deque(self._typed(editor), maxlen=1):
                counts = self._result.counts
                counts[SERVER].false_ends += self._shown(editor, moment) is not None
                counts[GREP].false_ends += self._found(hunk) is not None

    @contextmanager
    def _editor(self) -> Iterator[Editor]:
        """Start a server in a folder with the files, and wait for its index."""
        with Editor(SETTINGS | {"index": "on"}) as editor:
            for path, text in self._files.items():
                file = editor.root / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, "utf-8", newline="")
            editor.open(
                editor.uri(self._first.path), self._first.language or "plaintext", self._first.before or ""
            )
            _wait_for_index(editor)
            yield editor

    def _typed(self, editor: Editor) -> Iterator[tuple[Hunk, ReplayMoment]]:
        uri = editor.uri(self._first.path)
        steps = replay(self._first.before or "", self._first.after or "")
        for number, step in enumerate(steps):
            for key in step.keystrokes:
                editor.type(uri, key)
            if number < MAX_REQUESTS:
                yield step.hunk, step.moment

    def _shown(self, editor: Editor, moment: ReplayMoment) -> tuple[str, str] | None:
        """Return the path and the text of the first edit shown if it is in a closed file."""
        response = editor.next_edit(editor.uri(self._first.path), moment.point)
        self._result.ms.append(response.ms)
        for prediction in response.result["predictions"][:1]:
            target = prediction["textDocument"]["uri"]
            path = target.removeprefix(f"{editor.root.as_uri()}/")
            if path == self._first.path or not prediction["edits"] or path not in self._files:
                return None
            return path, Document(target, "", 0, self._files[path]).edited(prediction["edits"])
        return None

    def _found(self, hunk: Hunk) -> tuple[str, str] | None:
        """Return what grep for the name that the hunk replaced leads to."""
        for old, new in _renames(hunk):
            pattern = re.compile(rf"\b{re.escape(old)}\b")
            for path in sorted(self._files):
                found = None if path == self._first.path else pattern.search(self._files[path])
                if found is not None:
                    text = self._files[path]
                    end = text.find("\n", found.start())
                    end = len(text) if end < 0 else end
                    line = pattern.sub(new.replace("\\", r"\\"), text[found.start() : end])
                    return path, text[: found.start()] + line + text[end:]
        return None

    def _count(self, name: str, shown: tuple[str, str] | None, moment: ReplayMoment) -> None:
        counts = self._result.counts[name]
        counts.requests += 1
        if shown is None:
            return
        path, after = shown
        lines = tuple(self._files[path].split("\n"))
        final = next((file.after for file in self._commit.files if file.path == path), None)
        remaining = () if final is None else diff(lines, tuple(final.split("\n")))
        place = ReplayMoment(lines, 0, moment.point, (), remaining)
        correct = judge(place, after).correct
        counts.shown += 1
        counts.correct += correct
        counts.met |= correct
        if shown not in self._seen[name]:
            self._seen[name].add(shown)
            counts.different += 1
            counts.different_correct += correct


def _wait_for_index(editor: Editor) -> None:
    """Wait until the index has read the workspace.

    Raises:
        RunError: The index does not get there.
    """
    give_up = time.monotonic() + INDEX_WAIT_S
    while time.monotonic() < give_up:
        indexes = editor.execute("editahead.status").result["index"]
        if indexes and all(index["state"] == "ready" for index in indexes):
            return
        time.sleep(_POLL_S)
    raise RunError("the index of a workspace was not whole in time")


def _renames(hunk: Hunk) -> Iterator[tuple[str, str]]:
    """Yield the names that a hunk replaced by others, one for one."""
    if len(hunk.old) != len(hunk.new):
        return
    for old, new in zip(hunk.old, hunk.new, strict=True):
        a, b = tokenize(old), tokenize(new)
        for first, last, start, end in changed_spans(a, b):
            before, after = "".join(a[first:last]), "".join(b[start:end])
            if WORD.fullmatch(before) and WORD.fullmatch(after):
                yield before, after
