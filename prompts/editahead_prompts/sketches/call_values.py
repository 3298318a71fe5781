"""The calls of edit tools in values of JSON: which file, and which texts, lines or patch.

A call is known by its fields, whose names differ between tools in nothing but case and signs: `old_string`, `oldString`.
What an API wraps around calls is looked through.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .call_commands import patch_of_command, strings_of
from .paths import tagged_path

_PATH = ("filepath", "path", "targetfile", "filename", "absolutepath", "relativepath", "file")
_OLD = ("oldstring", "oldstr", "oldtext", "search", "targetcontent", "old", "before")
_NEW = ("newstring", "newstr", "newtext", "replace", "inserttext", "replacementcontent", "new", "after")
_WHOLE = ("filetext", "content", "contents", "filecontent", "codecontent")
_CODE = ("codeedit", "code", "changes")
_PATCH = ("input", "patch", "diff", "patchtext")
_COMMAND = ("command", "cmd")
_NAMES = ("name", "recipientname", "toolname", "tool")
_EVERYWHERE = ("replaceall", "allowmultiple", "changeall")
_COUNTS = ("expectedreplacements",)
_WRAPPERS = (
    *(
        "edits",
        "replacements",
        "replacementchunks",
        "operations",
        "operation",
        "toolcalls",
        "tooluses",
        "calls",
        "content",
    ),
    *(
        "parts",
        "files",
        "input",
        "args",
        "arguments",
        "parameters",
        "function",
        "functioncall",
        "toolcall",
        "tooluse",
        "output",
    ),
    *("choices", "candidates", "message", "messages", "item", "payload", "action", "file"),
)
"""Fields that hold calls."""
_ENCODED = frozenset(["arguments", "input", "args", "parameters", "edits", "replacements", "operations"])
"""Fields whose value may be JSON as a string."""
_ARGUMENTS = frozenset(["input", "args", "arguments", "parameters"])
"""Fields beside the name of a tool in the call of it."""
_ADDED = re.compile(r"\+.*")
_NO_HEADER = re.compile(r"(?!\*\*\* ).*|\*\*\* End of File\s*")
_OPERATIONS = {
    "update_file": ("Update", _NO_HEADER),
    "create_file": ("Add", _ADDED),
    "delete_file": ("Delete", _NO_HEADER),
}
"""Operations of OpenAI's apply_patch tool: their word in a patch, and the pattern of the lines of their diff."""
_DELETES = frozenset(["deletefile"])
_APPENDS = frozenset(["fsappend", "append"])
_WRITES = frozenset(["fswrite"])
_RANGES = frozenset(["startline", "endline", "start", "end", "linerange"])
_HARMLESS = re.compile(
    r"(?:read|view|list|ls|glob|grep|search|find|fetch|web|todo|think|attempt|ask|update_?plan|open|cat|final)"
    r"(?!\w*(?:replac|edit|writ|insert|creat|delet|remov|mov|patch))\w*",
    re.IGNORECASE,
)
"""Pattern of the names of tools that change no file."""
_PATCHED = re.compile(r"^(?:\*\*\* Begin Patch|@@|--- |diff --git |[<-]{5,9} ?SEARCH)", re.MULTILINE)
_HEADED = re.compile(
    r"\s*(?:--- |diff --git |\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File:)|[<-]{5,9} ?SEARCH)"
)
_MAX_DEPTH = 24
MAX_CALLS = 500


@dataclass(frozen=True, slots=True)
class Call:
    """One call.

    Attributes:
        old: The text to be found; "" where the call only adds.
        new: The text in its place, or all of a file.
        occurrences: How often the text occurs: all of them change; 0 = however often.
        line: The line after which the text is added.
        at_end: The text is added at the end of the file.
        creates: The file is new, or all of it changes.
        says_whole: The new text is said to be all of the file.
        inner: The call holds a patch or code with markers instead.
    """

    path: str | None
    old: str = ""
    new: str = ""
    occurrences: int = 1
    line: int | None = None
    at_end: bool = False
    creates: bool = False
    says_whole: bool = False
    inner: str = ""


@dataclass
class CallReader:
    """A reader of values, one after the other.

    Attributes:
        calls: The calls so far.
        problems: Why some values are no calls, or calls that cannot be done, as parts of sentences.
    """

    calls: list[Call] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def read(self, value: Any, path: str | None = None, name: str = "", depth: int = 0) -> None:
        """Read the calls in a value.

        Args:
            value: The value, as JSON has it.
            path: The path of the object around it.
            name: The name of the tool.
            depth: The number of values around it.
        """
        if depth > _MAX_DEPTH:
            self._refuse("calls of tools that are nested too deeply")
        elif isinstance(value, list) and (patch := patch_of_command(value, "")) is not None:
            self.calls.append(Call(None, inner=patch))
        elif isinstance(value, list):
            if len(value) > MAX_CALLS:
                self._refuse(f"more than {MAX_CALLS} calls of tools")
            for each in value[:MAX_CALLS]:
                self.read(each, path, name, depth + 1)
        elif isinstance(value, dict):
            self._read_object({_plain(key): held for key, held in value.items()}, path, name, depth)

    def _refuse(self, problem: str) -> None:
        self.problems.append(problem)

    def _read_object(self, fields: Mapping[str, Any], path: str | None, name: str, depth: int) -> None:
        own = self._own_path(fields)
        path, before = own or path, len(self.calls) + len(self.problems)
        called = _string(fields, _NAMES) or ""
        title = "" if _ARGUMENTS.isdisjoint(fields) else called
        name = title or name or called
        call = self._call(fields, path, _plain(_last_name(name)), own)
        if call is not None:
            self.calls.append(call)
            return
        self._read_wrapped(fields, path, name, depth)
        if before == len(self.calls) + len(self.problems):
            self._refuse_tool(title or (_string(fields, ("command", "type")) if own else None))

    def _own_path(self, fields: Mapping[str, Any]) -> str | None:
        """Return the path that an object itself has."""
        named = _string(fields, _PATH)
        own = tagged_path(named) if named and named.isprintable() else None
        if named and own is None:
            self._refuse("a call of a tool with a path that names no file")
        return own

    def _read_wrapped(self, fields: Mapping[str, Any], path: str | None, name: str, depth: int) -> None:
        """Read the calls in the fields of an object."""
        for key in _WRAPPERS:
            held = fields.get(key)
            if isinstance(held, str) and key in _ENCODED and held.lstrip()[:1] in ("{", "["):
                held = decode(held)
            if isinstance(held, (dict, list)):
                self.read(held, path, name, depth + 1)

    def _refuse_tool(self, title: str | None) -> None:
        """Refuse the tool with a name, unless it is known to change no file."""
        if title and not _HARMLESS.fullmatch(_last_name(title)):
            self._refuse(
                f"a call that is not understood: its tool is not known, or a field lacks: {title[:80]}"
            )

    def _call(self, fields: Mapping[str, Any], path: str | None, name: str, own: str | None) -> Call | None:
        """Return the call that an object is by itself; `own` is the path that it has itself."""
        if fields.get("useregex") in (True, "true"):
            self._refuse("a call that replaces what a regular expression matches")
            return None
        kind = _string(fields, ("type",))
        if own is not None and kind in _OPERATIONS:
            return self._operation(fields, kind, own)
        patch = self._patch(fields)
        if patch is not None:
            return Call(path if own or not patch.lstrip().startswith("***") else None, inner=patch)
        added = None if own is None else _addition(fields, own, name)
        return added or self._replacement(fields, path, name, own)

    def _replacement(
        self, fields: Mapping[str, Any], path: str | None, name: str, own: str | None
    ) -> Call | None:
        """Return the call that replaces a text, or a file."""
        old, new = _string(fields, _OLD), _string(fields, _NEW)
        if old is None and new is None:
            return None if own is None else self._of_file(fields, own, name)
        if new is None and fields.get("command") == "str_replace":
            new = ""
        if old is None or new is None:
            self._refuse("a call of a tool with a text to be found or a new text, and not both")
            return None
        return Call(path, old, new, _occurrences(fields), creates=not old)

    def _of_file(self, fields: Mapping[str, Any], path: str, name: str) -> Call | None:
        """Return the call that is about a file as a whole, or about a piece of it that is shown."""
        whole, code = _string(fields, _WHOLE), _string(fields, _CODE)
        if whole is not None:
            if not _RANGES.isdisjoint(fields):
                self._refuse("a call that replaces lines by their numbers")
                return None
            if "line" in fields:
                return self._insertion(fields["line"], path, whole)
        if code is not None:
            return Call(path, inner=code)
        if whole is None and name in _WRITES:
            whole = _string(fields, ("text",))
        if whole is not None:
            return Call(path, new=whole, creates=True, says_whole=True)
        if name in _DELETES:
            return Call(None, inner=_begin_patch("Delete", path, []))
        if "text" in fields:
            self._refuse("a call with a text of which only the name of its tool would say where it belongs")
        return None

    def _insertion(self, line: Any, path: str, text: str) -> Call | None:
        """Return Roo's call that inserts before a line, counted from 1, or at the end where that is 0."""
        if not isinstance(line, int) or line < 0:
            self._refuse("a call that adds text at a line without a number")
            return None
        return Call(path, new=text, line=line - 1 if line else None, at_end=not line)

    def _patch(self, fields: Mapping[str, Any]) -> str | None:
        patch = _string(fields, _PATCH)
        blocks = strings_of(fields.get("diffs"))
        if patch is None and blocks is not None:
            patch = "\n".join(blocks)
        if patch is not None and _PATCHED.search(patch):
            return patch
        for key in _COMMAND:
            found = patch_of_command(fields.get(key), _string(fields, ("workdir", "cwd")) or "")
            if found is not None:
                return found
            if isinstance(fields.get(key), list):
                self._refuse("a command of a shell that does more or less than apply a patch")
        return None

    def _operation(self, fields: Mapping[str, Any], kind: str, path: str) -> Call | None:
        """Return an operation of OpenAI's apply_patch tool, whose diff has no headers."""
        action, line = _OPERATIONS[kind]
        diff, target = fields.get("diff") or "", fields.get("moveto")
        if not isinstance(diff, str) or (action == "Update" and not (diff.strip() or target)):
            self._refuse(f"an operation {kind} without a diff")
            return None
        if action == "Update" and _HEADED.match(diff):
            return Call(path, inner=diff)
        lines = diff.removesuffix("\n").split("\n") if diff else []
        if not all(map(line.fullmatch, lines)):
            self._refuse(f"an operation {kind} with a line that is none of its diff")
            return None
        return Call(None, inner=_begin_patch(action, path, lines, target))


def _begin_patch(action: str, path: str, lines: list[str], target: Any = None) -> str:
    """Return a patch of one file as OpenAI's models write it; `target` is the path that the file gets, if any."""
    is_moved = isinstance(target, str) and target.isprintable()
    move = [f"*** Move to: {target}"] if is_moved else []
    return "\n".join(["*** Begin Patch", f"*** {action} File: {path}", *move, *lines, "*** End Patch"])


def _addition(fields: Mapping[str, Any], path: str | None, name: str) -> Call | None:
    """Return the call that adds a text at the end of its file, or after a line."""
    text = _string(fields, ("text", *_NEW, *_WHOLE))
    if text is not None and (name in _APPENDS or "append" in (fields.get("command"), fields.get("mode"))):
        return Call(path, new=text, at_end=True)
    new, line = _string(fields, _NEW), fields.get("insertline")
    return Call(path, new=new, line=max(0, line)) if new is not None and isinstance(line, int) else None


def _occurrences(fields: Mapping[str, Any]) -> int:
    if any(fields.get(key) in (True, "true") for key in _EVERYWHERE):
        return 0
    count = next((fields[key] for key in _COUNTS if key in fields), 1)
    return max(1, count) if isinstance(count, int) and not isinstance(count, bool) else 1


def decode(text: str) -> Any:
    """Return the value of a JSON text, in which strings may have line ends; None if it is none."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _plain(name: str) -> str:
    return re.sub(r"[_-]", "", name).lower() if len(name) <= 40 else name


def _last_name(name: str) -> str:
    """Return the name of a tool without its server: `functions.edit`, `mcp__files__edit`."""
    return re.split(r"\.|__", name)[-1]


def _string(fields: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((found for name in names if isinstance(found := fields.get(name), str)), None)
