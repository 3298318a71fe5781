"""Follow-ups of a moved or renamed file or folder: the imports that name it by its old path, and its own relative imports.

An import is followed only where its path leads to the moved file: from the document's folder, or from a root folder that the
old and the new path share. It is written again as the document wrote it: relative or from the root, with or without the
extension.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from editahead_prompts.state import MovedFile, PastEdit
from editahead_prompts.text.snapshot import Snapshot
from editahead_prompts.text.word_patterns import WordPattern

from .follow_up import FollowUp, Situation
from .named_places import MAX_WIDTH
from .other_modules import path_of

_CONFIDENCE = 0.9
"""It is chosen: the import is broken without. Of 12 commits that moved a file of code (commits/train), 5 made 7 of the 12
edits proposed in other files; in the other 5 the same lines were changed in more places."""
_MAX_MOVED = 3
"""Moved files that are followed, the last ones."""
_MAX_LINES = 200
"""Lines with the name of a moved file. On more lines it is a common word."""
_WEB = frozenset({"javascript", "javascriptreact", "typescript", "typescriptreact", "vue"})
_C = frozenset({"c", "cpp"})
_COMPILED = frozenset({".js", ".jsx", ".mjs", ".cjs"})
"""Extensions that imports of TypeScript files have."""
_OF_FOLDERS = frozenset({"__init__", "index", "mod"})
"""Names of files by which a whole folder is imported."""
_SPECIFIERS = {
    "web": r"(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\(\s*)(?P<quote>[\"'])(?P<path>\.[^\"']*)(?P=quote)",
    "python": r"^\s*(?:from(?=.*\bimport\b)|import(?=\s+[\w.]+\s+as\b))\s+(?P<path>\.*[\w.]+|\.+)",
    "go": r"\"(?P<path>[\w.~/-]+)\"\s*$",
    "java": r"^\s*import\s+(?:static\s+)?(?P<path>[\w.]+)\s*;",
    "rust": r"\b(?P<path>crate(?:::\w+)+)",
    "c": r"^\s*#\s*include\s*\"(?P<path>[^\"]+)\"",
}
_PATTERNS = {name: WordPattern(pattern) for name, pattern in _SPECIFIERS.items()}
_ALL_NAMES = WordPattern(r"^\s*from\s+(?P<path>\.*[\w.]*)\s+import\s+\(?\s*(?P<name>\w+)\s*\)?\s*(?:#.*)?$")
"""An import of one name, which may be a module."""
_SIBLINGS = WordPattern(r"^\s*from\s+(?P<path>\.+)\s+import\s+\(?\s*(?P<names>\w+\s*,[\w\s,]*)")
"""An import of several names, which may be modules."""
_MODULE = WordPattern(r"^(?P<head>\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+)(?P<name>\w+)(?P<tail>\s*;)")


def follow_moved_files(situation: Situation) -> Iterator[FollowUp]:
    """Yield the lines of the searched document that import a moved file by its old path."""
    index = situation.index
    for moved in situation.state.moved_files[: -_MAX_MOVED - 1 : -1]:
        follower = _Follower(index.snapshot.uri, index.snapshot.language, moved, situation.state.moved_files)
        lines = range(len(index.bodies)) if follower.is_moved_itself else index.lines_with(follower.name)
        if len(lines) > _MAX_LINES and not follower.is_moved_itself:
            continue
        written = (
            lines_written(situation.state.history, index.snapshot, moved.old)
            if follower.is_moved_itself
            else frozenset()
        )
        for line in lines:
            body = index.bodies[line]
            if len(body) > MAX_WIDTH or line in written:
                continue
            made = follower.rewritten(body)
            if made != body:
                label = f"import from {posixpath.basename(follower.new)}"
                key = f"moved:{moved.old}:{moved.new}"
                yield FollowUp(index.rewrite(line, made), "moved-file", key, label, _CONFIDENCE)


def lines_written(edits: Sequence[PastEdit], document: Snapshot, old: str) -> frozenset[int]:
    """Return the 0-based lines of a moved document that edits wrote. Their paths start at its new place already.

    Args:
        edits: The edits, of which some may have been made at the old place.
        document: The document.
        old: Its URI before the move.
    """
    here = {
        line
        for edit in edits
        if edit.uri == document.uri
        for line in range(edit.line, edit.line + len(edit.new))
    }
    before = {line for edit in edits if edit.uri == old for line in edit.new}
    return frozenset(here.union(n for n, line in enumerate(document.lines) if before and line in before))


def module_name(moved: MovedFile) -> str:
    """Return the word that each import of a moved file has: the name of its module, file or folder."""
    stem, _ = posixpath.splitext(path_of(moved.old))
    folder, name = posixpath.split(stem)
    return posixpath.basename(folder) if name in _OF_FOLDERS else name


def imports_moved_file(uri: str, language: str, lines: Sequence[str], moved: MovedFile) -> bool:
    """Return whether some lines of a document import a moved file by its old path.

    Args:
        uri: The document.
        language: Its LSP language id.
        lines: Its lines.
        moved: The moved file.
    """
    follower = _Follower(uri, language, moved)
    return any(
        follower.name in line and len(line) <= MAX_WIDTH and follower.rewritten(line) != line
        for line in lines
    )


class _Follower:
    """The rewriting of one document's imports after one move.

    Args:
        uri: The document.
        language: Its LSP language id.
        moved: The move.
        moves: All moves: what a moved document imports may have gone with it.
    """

    def __init__(self, uri: str, language: str, moved: MovedFile, moves: Sequence[MovedFile] = ()) -> None:
        self.old, self.new = path_of(moved.old), path_of(moved.new)
        self.name = module_name(moved)
        here = path_of(uri)
        self._language = "web" if language in _WEB else "c" if language in _C else language
        before = self.old + here[len(self.new) :] if f"{here}/".startswith(f"{self.new}/") else here
        self.is_moved_itself = before != here and self._language in ("web", "python")
        self._folder = posixpath.dirname(here)
        self._folder_before = posixpath.dirname(before) if self.is_moved_itself else self._folder
        is_elsewhere = self._folder != self._folder_before
        self._moves = [(self.old, self.new)]
        if is_elsewhere:
            self._moves += [(path_of(other.old), path_of(other.new)) for other in moves if other != moved]

    def rewritten(self, body: str) -> str:
        """Return a line with the moved file's new path; the line itself where it does not import the file."""
        pattern = _PATTERNS.get(self._language)
        if pattern is None:
            return body
        if self._language == "python" and (made := self._rewritten_member(body)) is not None:
            return made
        if self._language == "rust" and (made := self._rewritten_module(body)) is not None:
            return made
        for match in reversed(list(pattern.finditer(body))):
            new = self._specifier(match["path"])
            if new is not None:
                body = body[: match.start("path")] + new + body[match.end("path") :]
        return body

    def _specifier(self, text: str) -> str | None:
        if self._language == "web":
            return self._relative(text)
        if self._language == "python":
            return self._relative_module(text) if text.startswith(".") else self._dotted(text, ".")
        if self._language == "c":
            return self._included(text)
        if self._language == "go":
            return self._package(text)
        if self._language == "rust":
            return self._cratepath_of(text)
        return self._dotted(text, ".")

    def _target(self, path: str, here: str) -> str | None:
        """Return where a path leads that an import names; None if the import need not change.

        Args:
            path: The path as it was before all moves.
            here: The path to which the same import leads now.
        """
        bare, ending = posixpath.splitext(path)
        for old, new in self._moves:
            target = _moved(path, old, new)
            if target is None and ending in _COMPILED and (stem := _moved(bare, old, new)) is not None:
                target = stem + ending
            if target is not None:
                return None if target == here else target
        return path if self._folder != self._folder_before and path != here else None

    def _relative(self, text: str) -> str | None:
        before, now = (posixpath.join(folder, text) for folder in (self._folder_before, self._folder))
        target = self._target(posixpath.normpath(before), posixpath.normpath(now))
        if target is None:
            return None
        found = posixpath.relpath(target, self._folder)
        return found if found.startswith(".") else f"./{found}"

    def _relative_module(self, text: str) -> str | None:
        parts = text.lstrip(".")
        ups = len(text) - len(parts)
        before, now = (
            posixpath.normpath(posixpath.join(folder, *[".."] * (ups - 1), *filter(None, parts.split("."))))
            for folder in (self._folder_before, self._folder)
        )
        target = self._target(before, now)
        return None if target is None else self._dots(target)

    def _dots(self, target: str) -> str:
        """Return a module as Python imports it from the document's folder."""
        found = posixpath.relpath(target, self._folder)
        ups = 1
        while found.startswith("../"):
            found, ups = found[3:], ups + 1
        if found == "..":
            return "." * (ups + 1)
        return "." * ups + ("" if found == "." else found.replace("/", "."))

    def _dotted(self, text: str, mark: str) -> str | None:
        """Return a path from a root, such as Python's and Java's, after the move."""
        parts = text.split(mark)
        for count in range(len(parts), 0, -1):
            for known, now in self._names():
                root = self._root(known, parts[:count])
                if root is None or not now.startswith(f"{root}/"):
                    continue
                is_file = f"{known}/" not in self.old and known != self.old
                if is_file and count < len(parts) - (self._language == "java"):
                    continue
                if count == 1 and not self._folder.startswith(root):
                    continue
                return mark.join((*now[len(root) + 1 :].split("/"), *parts[count:]))
        return None

    def _names(self) -> Iterator[tuple[str, str]]:
        """Yield the moved file's paths without extension, before and after, as a module and as a package."""
        old, new = posixpath.splitext(self.old)[0], posixpath.splitext(self.new)[0]
        if posixpath.basename(old) in _OF_FOLDERS:
            old = posixpath.dirname(old)
            new = posixpath.dirname(new) if posixpath.basename(new) in _OF_FOLDERS else new
        yield old, new

    @staticmethod
    def _root(path: str, parts: Sequence[str]) -> str | None:
        """Return the folder from which some parts lead to a path; None if they do not."""
        tail = "/" + "/".join(parts)
        return path[: -len(tail)] if parts and all(parts) and path.endswith(tail) else None

    def _cratepath_of(self, text: str) -> str | None:
        parts = text.split("::")[1:]
        for known, now in self._names():
            root, found, rest = known.rpartition("/src/")
            own = rest.split("/")
            if found and parts[: len(own)] == own and now.startswith(f"{root}/src/"):
                moved = now[len(root) + 5 :].split("/")
                return "::".join(("crate", *moved, *parts[len(own) :]))
        return None

    def _included(self, text: str) -> str | None:
        path = posixpath.normpath(posixpath.join(self._folder, text))
        if path == self.old:
            return posixpath.relpath(self.new, self._folder)
        root = self._root(self.old, text.split("/"))
        if root is None or not self.new.startswith(f"{root}/") or "/" not in text:
            return None
        return self.new[len(root) + 1 :]

    def _package(self, text: str) -> str | None:
        """Return a Go package's path after its folder moved. A file that moves alone stays importable by none."""
        if self.old.endswith(".go"):
            return None
        parts = text.split("/")
        for start in range(1, len(parts)):
            for end in range(len(parts), start, -1):
                root = self._root(self.old, parts[start:end])
                if root is not None and self.new.startswith(f"{root}/") and self._folder.startswith(root):
                    return "/".join((*parts[:start], self.new[len(root) + 1 :], *parts[end:]))
        return None

    def _rewritten_member(self, body: str) -> str | None:
        """Return a Python line that imports the moved module by its name from a package; None for another line."""
        if self._names_moved_siblings(body):
            return body
        match = _ALL_NAMES.match(body)
        if match is None or (match["name"] != self.name and not self._names_siblings(match["path"])):
            return None
        mark = match["path"]
        whole = f"{mark}{match['name']}" if mark.endswith(".") else f"{mark}.{match['name']}"
        new = self._specifier(whole)
        if new is None:
            return body if self._names_siblings(mark) else None
        package, _, name = new.rpartition(".")
        if name != match["name"]:
            return body  # the name would change wherever it is used
        package = package + "." if not package.strip(".") and new.startswith(".") else package
        return body[: match.start("path")] + package + body[match.end("path") :] if package else None

    def _names_moved_siblings(self, body: str) -> bool:
        """Return whether one line of the moved document imports several modules of its package, and some moved with it."""
        match = _SIBLINGS.match(body) if self.is_moved_itself else None
        if match is None:
            return False
        ups = [".."] * (len(match["path"]) - 1)
        paths = [
            posixpath.normpath(posixpath.join(self._folder_before, *ups, name.strip()))
            for name in match["names"].split(",")
        ]
        return any(_moved(path, old, new) is not None for path in paths for old, new in self._moves)

    def _names_siblings(self, path: str) -> bool:
        """Return whether an import of the moved document names modules of its package, which may have moved with it."""
        return self.is_moved_itself and not path.strip(".")

    def _rewritten_module(self, body: str) -> str | None:
        """Return Rust's declaration of a module whose file got another name in its folder; None for another line."""
        match = _MODULE.match(body)
        if match is None or match["name"] != self.name:
            return None
        folder = posixpath.dirname(self.old)
        if folder != posixpath.dirname(self.new) or self._folder not in (folder, posixpath.dirname(folder)):
            return body
        new = posixpath.splitext(posixpath.basename(self.new))[0]
        return f"{match['head']}{new}{match['tail']}{body[match.end() :]}"


def _moved(path: str, old: str, new: str) -> str | None:
    """Return where a path leads after a move, as it was given: with or without the extension; None if it stayed."""
    if path == old:
        return new
    stem, new_stem = posixpath.splitext(old)[0], posixpath.splitext(new)[0]
    if path == stem:
        return new_stem
    folder, name = posixpath.split(stem)
    if name in _OF_FOLDERS and path == folder:
        new_folder, new_name = posixpath.split(new_stem)
        return new_folder if new_name == name else new_stem
    return new + path[len(old) :] if path.startswith(f"{old}/") else None
