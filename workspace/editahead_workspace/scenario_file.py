"""A scenario file of a person's last edits, which `editahead eval --scenarios` plays.

The texts before the edits are found by taking the edits back. Secrets become placeholders in all texts, before the steps are
made of these, so that no step holds a part of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from editahead_prompts.secrets.masking import SecretMasker
from editahead_prompts.state import PastEdit
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.snapshot import Snapshot, split_lines
from editahead_retrieval.files.file_identity import path_from_folder
from editahead_workspace.uris import uri_to_path

WINDOW_S = 60.0
"""Seconds before the last edit whose edits are in the file; the last two are in any case."""
MIN_EDITS = 2
MAX_DOCUMENTS = 8
"""Other open documents in the file, those with edits first."""
MAX_CHARS = 400_000
"""Characters of all documents together."""

_NO_END = "\\ No newline at end of file\n"
_UNSAFE = re.compile(r"(?m)^-(?=- .+ --$)|^=(?=== )|<(?=U\+)|[^\S\n\t ]|[\x00-\x08\x0b-\x1f\x7f]")
"""What a case file would take for something else: starts of sections and cases, escapes, unusual white space."""
_STEP_ESCAPES = {"\n": r"\n", "`": r"\u0060", "\\": r"\u005c"}


@dataclass(frozen=True)
class EditsBefore:
    """A person's edits, and the texts before them.

    Attributes:
        texts: The documents before all edits, by URI.
        edits: The edits, the oldest first; each line is that of the text at the time of the edit.
    """

    texts: Mapping[str, Snapshot]
    edits: tuple[PastEdit, ...]


@dataclass(frozen=True)
class Cursor:
    """A place in a document; line and column are 0-based, the column in code points."""

    uri: str
    line: int
    column: int


def take_back(documents: Iterable[Snapshot], history: Sequence[PastEdit]) -> EditsBefore:
    """Take back the last edits, as far as they are recent and the texts show them.

    Args:
        documents: The documents after the edits. Edits of other documents end what is taken back.
        history: The edits, the oldest first, with lines of the present texts.
    """
    lines = {document.uri: list(document.lines) for document in documents}
    snapshots = {document.uri: document for document in documents}
    older: list[PastEdit] = list(history)
    taken: list[PastEdit] = []
    while older:
        edit = older.pop()
        is_recent = len(taken) < MIN_EDITS or history[-1].at - edit.at <= WINDOW_S
        text, end = lines.get(edit.uri), edit.line + len(edit.new)
        if not is_recent or text is None or tuple(text[edit.line : end]) != edit.new:
            break
        text[edit.line : end] = edit.old
        taken[:0] = _by_line(edit)
        grown = len(edit.new) - len(edit.old)
        older = [
            replace(each, line=each.line - grown) if each.uri == edit.uri and each.line >= end else each
            for each in older
        ]
    texts = {uri: replace(snapshots[uri], lines=tuple(text)) for uri, text in lines.items()}
    return EditsBefore(texts, tuple(taken))


def _by_line(edit: PastEdit) -> list[PastEdit]:
    """Return an edit of several lines that keeps their number as one for each changed line, the uppermost first.

    The history joins the edits of neighbouring lines. Which of these came last is not known; people go down.
    """
    if len(edit.old) != len(edit.new):
        return [edit]
    pairs = enumerate(zip(edit.old, edit.new, strict=True))
    return [
        replace(edit, line=edit.line + number, old=(old,), new=(new,))
        for number, (old, new) in pairs
        if old != new
    ]


def write_scenario(
    before: EditsBefore, roots: Sequence[Path], *, about: str, cursor: Cursor | None = None
) -> str | None:
    """Return the text of a scenario file; None where the edits make none.

    Args:
        before: The edits. Without `cursor`, the last one is what is expected after the others.
        roots: The workspace folders; paths are relative to them.
        about: What the file is about, on one line.
        cursor: The place of the cursor after all edits, where nothing is expected.
    """
    steps = before.edits if cursor is not None else before.edits[:-1]
    if not steps:
        return None
    stages = _Stages(before)
    active = cursor.uri if cursor is not None else before.edits[-1].uri
    kept = _choose_documents(before, active)
    if kept is None:
        return None
    names = _names(kept, roots)
    first = steps[0].uri
    lines = [line for number, edit in enumerate(steps) for line in stages.step(number, edit, names)]
    if active != steps[-1].uri:
        lines.append(f"open {names[active]}")
    if cursor is not None:
        if stages.end != cursor:
            lines.append(f"cursor {cursor.line + 1} {cursor.column + 1}")
        expected = ["silent"]
    else:
        expected = stages.expectation(len(steps), before.edits[-1])
    language = before.texts[first].language
    eol = "eol: crlf\n" if "\r\n" in before.texts[first].text else ""
    parts = [
        f"# {about}\nlanguage: {language}\nfile: {names[first]}\n{eol}",
        _section("buffer", stages.first(first)),
    ]
    parts += [_section(f"other: {names[uri]}", stages.first(uri)) for uri in kept if uri != first]
    parts += [_section("steps", "\n".join([*lines, ""])), _section("expect", "\n".join([*expected, ""]))]
    return "".join(parts)


class _Stages:
    """The texts of the documents after each edit, without secrets, with line feeds as line ends."""

    def __init__(self, before: EditsBefore) -> None:
        texts = dict(before.texts)
        stages = [dict(texts)]
        for edit in before.edits:
            lines = list(texts[edit.uri].lines)
            lines[edit.line : edit.line + len(edit.old)] = edit.new
            texts[edit.uri] = replace(texts[edit.uri], lines=tuple(lines))
            stages.append(dict(texts))
        # A document is the same in the stages between two edits of it, and is masked once.
        distinct = {id(text): text for stage in stages for text in stage.values()}
        masks = SecretMasker().masks_for(distinct.values())
        masked = {key: _plain(masks.mask_snapshot(text).text) for key, text in distinct.items()}
        self._texts = [{uri: masked[id(text)] for uri, text in stage.items()} for stage in stages]
        self.end: Cursor | None = None
        """Where the last step leaves the cursor."""

    def first(self, uri: str) -> str:
        """Return the text of a document before all edits."""
        return self._texts[0][uri]

    def step(self, number: int, edit: PastEdit, names: Mapping[str, str]) -> list[str]:
        """Return the lines of one step."""
        old, new = self._texts[number][edit.uri], self._texts[number + 1][edit.uri]
        head, tail = common_affixes(old, new)
        is_elsewhere = self.end is not None and self.end.uri != edit.uri
        start, self.end = _place(edit.uri, old, head), _place(edit.uri, new, len(new) - tail)
        parts = [_in_step(text[head : len(text) - tail]) for text in (old, new)]
        step = f"edit {start.line + 1} {start.column + 1} `{parts[0]}` => `{parts[1]}`"
        return [f"open {names[edit.uri]}"] * is_elsewhere + [step] * (old != new)

    def expectation(self, number: int, edit: PastEdit) -> list[str]:
        """Return the lines of the expectation that an edit is shown."""
        old, new = (split_lines(self._texts[n][edit.uri]) for n in (number, number + 1))
        out = ["edit"]
        for i1, i2, j1, j2 in diff_lines(old, new):
            out.append(f"@ {i1 + 1}")
            out += ["-" + line.removesuffix("\n") for line in old[i1:i2]]
            out += ["+" + line.removesuffix("\n") for line in new[j1:j2]]
        return out


def _choose_documents(before: EditsBefore, active: str) -> list[str] | None:
    """Return the documents of the file, those of the edits first; None if these are too large."""
    needed = dict.fromkeys((*(edit.uri for edit in before.edits), active))
    left = MAX_CHARS - sum(before.texts[uri].length for uri in needed)
    if left < 0:
        return None
    kept = list(needed)
    for uri, text in before.texts.items():
        if uri not in needed and text.length <= left and len(kept) - len(needed) < MAX_DOCUMENTS:
            kept.append(uri)
            left -= text.length
    return kept


def _names(uris: Sequence[str], roots: Sequence[Path]) -> dict[str, str]:
    """Return a path for each document: within the workspace, or its name alone. No two are the same."""
    names: dict[str, str] = {}
    for uri in uris:
        path = uri_to_path(uri)
        inside = path and next(filter(None, (path_from_folder(path, root) for root in roots)), None)
        name = inside.as_posix() if inside else uri.rpartition("/")[2].rpartition(":")[2]
        name = re.sub(r"[\r\n`]", "_", name) or "untitled"
        names[uri] = name if name not in names.values() else f"{len(names)}/{name}"
    return names


def _place(uri: str, text: str, offset: int) -> Cursor:
    return Cursor(uri, text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _in_step(text: str) -> str:
    return "".join(_STEP_ESCAPES.get(character, character) for character in text)


def _section(title: str, text: str) -> str:
    """Return a section with the text of a document."""
    return f"-- {title} --\n{_UNSAFE.sub(_escape, text)}" + ("" if text.endswith("\n") else f"\n{_NO_END}")


def _escape(found: re.Match[str]) -> str:
    return f"<U+{ord(found[0]):04X}>"
