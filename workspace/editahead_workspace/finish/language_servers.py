"""Language servers as witnesses of `finish`: they tell the uses of what a change took away, as these were before the change.

They start only where a person asks for them: a language server may run code of the repository, such as plugins.
Each is shown the files of the change as they were, so that the old names still mean something to it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editahead_inference.finish.deleted_names import DeletedName
from editahead_inference.finish.report import ChangedFile
from editahead_inference.finish.witness import NamedUses, Place, key_of
from editahead_programs.errors import ChildError, ChildTimeoutError
from editahead_programs.language_server import LanguageServer
from editahead_programs.program_search import find_program, safe_path
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.snapshot import Snapshot, line_body
from editahead_workspace import uris
from editahead_workspace.positions import code_unit_length, column_from_units

TIMEOUT_S = 60.0
"""Seconds that one server has for all questions."""
MAX_OPEN = 100
"""Files with the names that a server is shown besides those of the change: it knows them whatever it reads of the folder."""
MAX_NAMES = 30
"""Names that one server is asked about."""
_MAX_TRIES = 5
"""Times that the first question is asked, until two answers are equal: a server that has not read its folder yet, such as
basedpyright, answers from the one file."""
MAX_PLACES = 2000
"""Uses of one name. More are not read: the name counts as not asked about."""


@dataclass(frozen=True, slots=True)
class ServerKind:
    """A language server that may be installed.

    Attributes:
        name: Its name for people.
        command: The program and its arguments.
        languages: The LSP language ids of its files.
    """

    name: str
    command: tuple[str, ...]
    languages: frozenset[str]


KINDS = (
    ServerKind("basedpyright", ("basedpyright-langserver", "--stdio"), frozenset({"python"})),
    ServerKind("gopls", ("gopls",), frozenset({"go"})),
    ServerKind("rust-analyzer", ("rust-analyzer",), frozenset({"rust"})),
    ServerKind(
        "typescript-language-server",
        ("typescript-language-server", "--stdio"),
        frozenset({"typescript", "typescriptreact", "javascript", "javascriptreact"}),
    ),
)


class LanguageServerWitness:
    """What the installed language servers know of the uses of deleted names.

    Args:
        root: The workspace folder.
        change: The files of the change.
        read: Returns the text of a file of the workspace; None without one.
        check: Raises to cancel.
        timeout_s: Seconds for each server.

    Attributes:
        asked: The names of the servers that have answered.
        problems: Why others have not, as one sentence each.
    """

    def __init__(
        self,
        root: Path,
        change: Sequence[ChangedFile],
        read: Callable[[str], Snapshot | None],
        check: Callable[[], None] = lambda: None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._root, self._read, self._check, self._timeout_s = root, read, check, timeout_s
        self._before = {file.before.uri: file.before for file in change if file.before is not None}
        self._after = {
            file.before.uri: file.after
            for file in change
            if file.before is not None and file.after is not None
        }
        self._documents: Sequence[Snapshot] = ()
        self._others: dict[str, Snapshot | None] = {}
        """The files that places were in and that the change leaves as they are, by URI."""
        self._hunks: dict[str, Sequence[tuple[int, int, int, int]]] = {}
        """The changed lines of the files of the change that places were in, by the URI before."""
        self.asked: list[str] = []
        self.problems: list[str] = []

    def __call__(self, deleted: Sequence[DeletedName], documents: Sequence[Snapshot]) -> NamedUses:
        """Return the uses of the names that servers know, in the texts as they are now."""
        self._documents = documents[:MAX_OPEN]
        found: dict[tuple[str, int, int], frozenset[Place]] = {}
        for kind in KINDS:
            wanted = [one for one in deleted if one.origin.language in kind.languages and not one.old.imports]
            if not wanted:
                continue
            self._check()
            program = find_program(kind.command[0], [self._root])
            if program is None:
                self.problems.append(f"{kind.name} is not installed.")
                continue
            try:
                found.update(self._ask(kind, program, wanted[:MAX_NAMES]))
                self.asked.append(kind.name)
            except ChildTimeoutError:
                self.problems.append(f"{kind.name} did not answer within {self._timeout_s:.0f} s.")
            except (ChildError, OSError):
                self.problems.append(f"{kind.name} does not run.")
        return found

    def _ask(
        self, kind: ServerKind, program: str, wanted: Sequence[DeletedName]
    ) -> Mapping[tuple[str, int, int], frozenset[Place]]:
        command = (program, *kind.command[1:])
        # Many servers are scripts whose interpreter is found by PATH, which may name folders of the repository.
        environment = {**os.environ, "PATH": safe_path([self._root])}
        with closing(
            LanguageServer(
                command, cwd=self._root, env=environment, timeout_s=self._timeout_s, check=self._check
            )
        ) as server:
            self._open(server, kind)
            found: dict[tuple[str, int, int], frozenset[Place]] = {}
            for one in wanted:
                self._check()
                origin = self._origin(one)
                if origin is not None:
                    ask = self._uses if found else self._settled_uses
                    places = ask(server, origin, one)
                    if places is not None:
                        found[key_of(one)] = places
            return found

    def _origin(self, one: DeletedName) -> Snapshot | None:
        """Return the file of a deleted name as it was."""
        return next(
            (before for uri, before in self._before.items() if self._now(uri) == one.origin.uri), None
        )

    def _now(self, uri: str) -> str:
        after = self._after.get(uri)
        return uri if after is None else after.uri

    def _open(self, server: LanguageServer, kind: ServerKind) -> None:
        folder = uris.path_to_uri(self._root)
        server.request(
            "initialize",
            {
                "processId": None,
                "rootUri": folder,
                "workspaceFolders": [{"uri": folder, "name": self._root.name}],
                "capabilities": {"workspace": {"configuration": True, "workspaceFolders": True}},
            },
        )
        server.notify("initialized", {})
        new = {after.uri for after in self._after.values()}
        others = (one for one in self._documents if one.uri not in new and one.uri not in self._before)
        for one in (*self._before.values(), *others):
            if one.language in kind.languages:
                document = {"uri": one.uri, "languageId": one.language, "version": 1, "text": one.text}
                server.notify("textDocument/didOpen", {"textDocument": document})

    def _settled_uses(
        self, server: LanguageServer, origin: Snapshot, one: DeletedName
    ) -> frozenset[Place] | None:
        """Return the uses of the name that is asked about first, once the server has read its folder."""
        found = self._uses(server, origin, one)
        for _ in range(_MAX_TRIES):
            before, found = found, self._uses(server, origin, one)
            if before == found:
                break
        return found

    def _uses(self, server: LanguageServer, origin: Snapshot, one: DeletedName) -> frozenset[Place] | None:
        """Return the uses of a name as they are now; None where the server does not know the name."""
        body = line_body(origin.lines[one.old.line])
        position = {
            "line": one.old.line,
            "character": code_unit_length(body[: one.old.column], "utf-16"),
        }
        answer = server.request(
            "textDocument/references",
            {
                "textDocument": {"uri": origin.uri},
                "position": position,
                "context": {"includeDeclaration": True},
            },
        )
        if not isinstance(answer, list) or not 0 < len(answer) <= MAX_PLACES:
            return None
        return frozenset(place for location in answer for place in self._place(location))

    def _place(self, location: Any) -> Iterator[Place]:
        """Yield where a location is now; nothing for one in a line that the change rewrote, or that is none."""
        try:
            uri = str(location["uri"])
            line, character = (int(location["range"]["start"][name]) for name in ("line", "character"))
        except (KeyError, TypeError, ValueError, OverflowError):
            return
        path = uris.uri_to_path(uri)
        uri = uri if path is None else uris.path_to_uri(path)
        before = self._text_before(uri)
        if before is None or not 0 <= line < len(before.lines):
            return
        column = column_from_units(line_body(before.lines[line]), character, "utf-16")
        now = _moved(self._changed_lines(uri), line)
        if now is not None:
            yield self._now(uri), now, column

    def _text_before(self, uri: str) -> Snapshot | None:
        """Return a file as it was before the change; None without one. It is read once."""
        if uri in self._before:
            return self._before[uri]
        if uri not in self._others:
            self._others[uri] = self._read(uri)
        return self._others[uri]

    def _changed_lines(self, uri: str) -> Sequence[tuple[int, int, int, int]]:
        """Return the changed lines of a file, before and after. They are found once."""
        after = self._after.get(uri)
        if after is None:
            return ()
        if uri not in self._hunks:
            self._hunks[uri] = list(diff_lines(self._before[uri].lines, after.lines))
        return self._hunks[uri]


def _moved(hunks: Sequence[tuple[int, int, int, int]], line: int) -> int | None:
    """Return a line's number after changes; None for a line that they rewrote."""
    shift = 0
    for i1, i2, j1, j2 in hunks:
        if line < i1:
            break
        if line < i2:
            return None
        shift += (j2 - j1) - (i2 - i1)
    return line + shift
