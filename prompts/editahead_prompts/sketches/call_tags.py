"""The calls of edit tools as tags, turned into the values that calls in JSON have.

<write_to_file><path>a.py</path><content>...</content></write_to_file>        Cline's and Roo's, also with CDATA
<invoke name="Edit"><parameter name="file_path">a.py</parameter>...           Claude's
<function=edit><parameter=path>a.py</parameter>...                            Qwen's
<file path="a.py">...</file>, <boltAction type="file" filePath="a.py">...     a whole file, as builders of apps write it
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

_FIELDS = (
    "path|file_path|filePath|target_file|content|file_text|diff|old_text|old_string|old_str|new_text|new_string|new_str"
    "|search|replace|old|new|code_edit|line|insert_line|command|use_regex|replace_all"
)
_TAG = re.compile(
    rf"<(?P<end>/)?(?:\w+:)?(?:parameter(?: name=\"(?P<named>\w+)\"|=(?P<bare>\w+))|(?P<field>{_FIELDS})|"
    r"(?P<tool>[\w-]+)(?:[ =]\"?(?:name=\")?(?P<called>[\w.]+)\"?)?)(?: [^<>\n]{0,200})?>"
)
_FIELD = re.compile(rf"<(?:\w+:)?(?:{_FIELDS}|parameter)\b")
_NEUTRAL = frozenset(["edit", "edits", "args", "file", "replacement", "replacements", "parameter"])
"""Tags between the fields of one call."""
_DIFFS = frozenset(["diff"])
_SHORT = re.compile(r"[^<\n]{0,400}</(\w+)>")
"""Pattern of what follows the tag of a field that says nothing about the edit."""
_NAMED = re.compile(r" (?:path|file_?path)=\"([^\"<>\n]+)\"", re.IGNORECASE)
"""Pattern of a path as an attribute of the tool's tag."""
_CDATA = re.compile(r"\s*<!\[CDATA\[\n?(.*)\]\]>\s*", re.DOTALL)
_HELD = re.compile(r"\s*<content>\n?(.*)</content>(?:\s*<start_line>\d*</start_line>)?\s*", re.DOTALL)
_FENCED = re.compile(r"\s*(?P<ticks>`{3,})(?P<word>[^`\n]*)\n(?P<text>.*\n)?(?P=ticks)\s*", re.DOTALL)
_DOCUMENTS = (".md", ".markdown", ".mdx")


@dataclass(frozen=True, slots=True)
class TaggedCalls:
    """The calls that are tags of a text.

    Attributes:
        calls: The name of the tool, and the fields, of each call.
        left: The text beside tags and fields.
        is_cut_off: A field of a call has no end.
    """

    calls: list[tuple[str, dict[str, Any]]]
    left: str
    is_cut_off: bool


def read_tags(text: str, *, may_be_files: bool = True) -> TaggedCalls:
    """Return the calls that are tags of a text.

    Args:
        text: The text.
        may_be_files: Whether a tag with a path and text in it is a whole file. A text for a file of markup has such tags.
    """
    reader = _TagReader(text, may_be_files)
    while (found := _TAG.search(text, reader.at)) is not None:
        reader.read(found)
    reader.left.append(text[reader.at :])
    reader.end_call()
    calls = [(name, _settled(held)) for name, held in reader.calls]
    return TaggedCalls(calls, "".join(reader.left), reader.is_cut_off)


@dataclass
class _TagReader:
    """A reader of tags, one after the other.

    Attributes:
        at: Where the next tag is looked for.
        name: The name of the tool whose fields are read.
        fields: The fields of its call so far.
        left: The text beside tags and fields.
        unclosed: Closing tags that do not come any more.
    """

    text: str
    may_be_files: bool
    at: int = 0
    name: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    unclosed: set[str] = field(default_factory=set)
    is_cut_off: bool = False

    def read(self, tag: re.Match[str]) -> None:
        """Read a tag, with what belongs to it."""
        self.left.append(self.text[self.at : tag.start()])
        self.at = tag.end()
        if tag["tool"] is None:
            if not tag["end"]:
                self._read_field(tag)
            return
        short = None if tag["end"] else _SHORT.match(self.text, self.at)
        if short is not None and short[1] == tag["tool"]:
            self.at = short.end()
        elif tag["tool"] not in _NEUTRAL or (self.may_be_files and _NAMED.search(tag[0])):
            self.end_call()
            self.name = tag["called"] or tag["tool"]
            self.fields, self.at = _named_fields(self.text, tag, self.at, self.may_be_files)

    def end_call(self) -> None:
        """Add the call that has been read so far, if it has fields."""
        if self.fields:
            self.calls.append((self.name, self.fields))

    def _read_field(self, tag: re.Match[str]) -> None:
        """Read a field up to its end."""
        close = f"</{tag['field'] or 'parameter'}>"
        end = -1 if close in self.unclosed else _end_of(self.text, self.at, close)
        if end < 0:
            self.unclosed.add(close)
            self.is_cut_off |= bool(self.fields)
            return
        value = self.text[self.at : end]
        self.at = self.text.index(">", end) + 1
        if not tag["named"]:
            value = value.removeprefix("\n")
        if tag["bare"]:
            value = value.removesuffix("\n")
        self._add_field(tag["named"] or tag["bare"] or tag["field"], value)

    def _add_field(self, key: str, value: str) -> None:
        """Add a field, as that of a further call where this one has it already."""
        plain = key.replace("_", "").lower()
        if plain in self.fields:
            self.end_call()
            is_path = plain.endswith(("path", "file"))
            self.fields = {} if is_path else _paths_of(self.fields)
        self.fields = {**self.fields, plain: value}


def _paths_of(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that say which file."""
    return {key: value for key, value in fields.items() if key.endswith(("path", "file"))}


def _named_fields(text: str, tag: re.Match[str], at: int, may_be_file: bool) -> tuple[dict[str, Any], int]:
    """Return the fields that the tag of a tool itself gives, and where what follows begins.

    They are its path, and all lines up to its end as the content, where no tag of a field is in them.
    """
    named = _NAMED.search(tag[0])
    fields = {} if named is None else {"path": named[1]}
    if named is None or not may_be_file:
        return fields, at
    end = text.find(f"\n</{tag['tool']}>", at)
    body = text[at : end + 1].removeprefix("\n")
    if end < 0 or not body.strip() or _FIELD.search(body):
        return fields, at
    return {**fields, "content": body}, text.index(">", end) + 1


def _end_of(text: str, at: int, close: str) -> int:
    """Return where a field ends, whose closing tag may have a prefix; -1 without an end."""
    end = text.find(close, at)
    prefixed = re.compile(rf"</\w+:{close[2:]}").search(text, at, end if end >= 0 else len(text))
    return end if prefixed is None else prefixed.start()


def _settled(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields without what is around their texts, and numbers as such."""
    out = dict(fields)
    path = next((str(out[key]) for key in ("path", "filepath", "targetfile") if key in out), "").strip()
    for key, value in fields.items():
        if key in ("path", "filepath", "targetfile", "command", "useregex", "replaceall"):
            out[key] = value.strip()
        elif key in ("line", "insertline"):
            number = value.strip()
            out[key] = int(number) if re.fullmatch(r"\d{1,9}", number) else None
        else:
            out[key] = _bare(value, path, key)
    return out


def _bare(value: str, path: str, key: str) -> str:
    """Return a text without the section of CDATA, the tag or the fence around it."""
    if key in _DIFFS and (held := _HELD.fullmatch(value)):
        value = held[1]
    if data := _CDATA.fullmatch(value):
        value = data[1]
    if key not in ("content", "filetext", *_DIFFS) or not (fenced := _FENCED.fullmatch(value)):
        return value
    is_text = path.lower().endswith(_DOCUMENTS) and fenced["word"].strip().lower() not in ("md", "markdown")
    return value if is_text else fenced["text"] or ""
