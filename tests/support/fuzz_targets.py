"""Targets of the fuzzing campaign: from random, structured input to a property that must hold.

Each target is a function that hypothesis calls with drawn data. A target raises for a divergence, and for nothing else.
"""

from __future__ import annotations

import difflib
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import strategies as st

from editahead_inference.apply.merge.merge import merge
from editahead_lsp.protocol.custom_messages import Position, Range, TextDocumentContentChange
from editahead_lsp.session.documents import Document
from editahead_lsp.transport.message_framing import MessageFramer
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.errors import PromptTooLongError, SketchError
from editahead_prompts.formats.base import PromptPaths, parse_answer
from editahead_prompts.formats.registry import FORMATS
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.diff import diff
from editahead_prompts.text.snapshot import Snapshot, split_lines
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_workspace import uris
from editahead_workspace.positions import offset_at, position_at
from editahead_workspace.settings import load_settings
from fuzz_stored_targets import damage_indexes, keep_indexes, read_stored_states, save_states, walk_workspaces

Target = Callable[[st.DataObject], None]

_LINE = st.sampled_from(
    [
        "def f(user):",
        "    return user",
        "class A:",
        "x = 1",
        "}",
        "",
        "\t",
        "# ... existing code ...",
        "@@ -1,2 +1,3 @@",
        "--- a/x.py",
        "+++ b/x.py",
        "+x",
        "-x",
        " x",
        "```python",
        "```",
        "<<<<<<< SEARCH",
        "=======",
        ">>>>>>> REPLACE",
        "*** Begin Patch",
        "*** Update File: x.py",
        "*** End Patch",
        "diff --git a/x b/x",
        "\\ No newline at end of file",
    ]
)
_CODE = st.sampled_from(
    ["def f(user):", "    return user", "class A:", "x = 1", "}", "", "\ty", "-x", "+x", " z"]
)
_ODD = st.text(st.sampled_from("ab\u0301é😀\r\n\f\u2028\x85\x1c\t\0 \ufeff{}()[]\"'`#*?!\\"), max_size=12)
_TEXT = st.lists(st.one_of(_LINE, _LINE, _ODD), max_size=14).map("\n".join)
_ENCODING = st.sampled_from(["utf-8", "utf-16", "utf-32"])


def frame_messages(data: st.DataObject) -> None:
    """Check that messages arrive whole, in any chunks and between header lines of any kind."""
    bodies = data.draw(st.lists(st.binary(max_size=40), max_size=6))
    noise = data.draw(
        st.lists(st.sampled_from([b"", b"X: y\r\n", b"content-type: a\n", b"\xff\r\n"]), min_size=1)
    )
    stream = b"".join(
        noise[at % len(noise)] + b"Content-Length: %d\r\n\r\n" % len(body) + body
        for at, body in enumerate(bodies)
    )
    framer, found, at = MessageFramer(), list[bytes](), 0
    while at < len(stream):
        size = data.draw(st.integers(1, 30))
        found += framer.feed(stream[at : at + size])
        at += size
    assert found == bodies
    assert framer.buffered_bytes == 0


def frame_noise(data: st.DataObject) -> None:
    """Check that no bytes make the framer fail."""
    list(MessageFramer().feed(data.draw(st.binary(max_size=200))))


def convert_positions(data: st.DataObject) -> None:
    """Check that every offset survives the way to a position and back, but inside a line end."""
    snapshot, encoding = Snapshot.from_text(data.draw(_TEXT)), data.draw(_ENCODING)
    offset = data.draw(st.integers(0, snapshot.length))
    back = offset_at(snapshot, *position_at(snapshot, offset, encoding), encoding)
    inside = snapshot.text[offset - 1 : offset + 1] == "\r\n"
    assert back == offset - inside


def change_document(data: st.DataObject) -> None:
    """Check that the mirror is the text that its edits say, whatever ranges a client sends."""
    document = Document("untitled:1", "python", 1, data.draw(_TEXT), data.draw(_ENCODING))
    number = st.integers(-2, 20)
    for version in range(data.draw(st.integers(1, 5))):
        before = document.snapshot
        place = Range(*(Position(data.draw(number), data.draw(number)) for _ in range(2)))
        change = TextDocumentContentChange(data.draw(_TEXT), place if data.draw(st.booleans()) else None)
        applied = document.change(version, [change])
        assert applied.edit.apply(before.text) == document.snapshot.text
        assert split_lines(document.snapshot.text) == document.snapshot.lines
        assert document.edit_since(before) is not None


def make_diffs(data: st.DataObject) -> None:
    """Check that a diff leads to the new text."""
    old, new = data.draw(_TEXT), data.draw(_TEXT)
    assert diff(old, new).apply(old) == new


def read_sketches(data: st.DataObject) -> None:
    """Check that any text is a sketch, or an error that says why not."""
    try:
        parse_sketch(data.draw(_TEXT), language=data.draw(st.sampled_from([None, "python", "go", "diff"])))
    except SketchError:
        return


def merge_sketches(data: st.DataObject) -> None:
    """Check that a merge gives another text or a refusal, and leaves the file alone."""
    document = Snapshot.from_text(data.draw(_TEXT), uri="file:///w/x.py", language="python")
    before = document.text
    try:
        sketch = parse_sketch(data.draw(_TEXT), language="python", path="x.py")
    except SketchError:
        return
    for part in sketch.files:
        made = merge(sketch, part, document)
        assert made.edit.apply(before) == made.guess
    assert document.text == before


_READINGS = {
    "json": '{"jobs": {"a": 1, "b": [1, 2]}, "on": "push"}',
    "yaml": "on: push\njobs:\n  a:\n    steps:\n      - run: one\n      - run: two\n  b:\n    steps: []\n",
    "toml": '[tool]\nname = "a"\n\n[tool.x]\nsize = 1\n\n[[bin]]\nname = "b"\n',
    "shellscript": 'case "$1" in\n  start)\n    run\n    ;;\n  stop)\n    halt\n    ;;\nesac\n',
    "java": "class A {\n    int one() {\n        return 1;\n    }\n\n    int two() {\n        return 2;\n    }\n}\n",
    "notebook": '{"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": ["x = 1\\n", "y = 2"]}], '
    '"metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n',
}
"""Files whose sketches are read as excerpts, by their keys, by the arms of `case`, or cell by cell."""
_ENDINGS = {"shellscript": "sh", "notebook": "ipynb"}


def merge_excerpts(data: st.DataObject) -> None:
    """Check that lines of a file of data, a notebook or a class, with marks or without, give the edit to what they say."""
    kind, before = data.draw(st.sampled_from(sorted(_READINGS.items())))
    lines = [
        *before.splitlines(),
        "# ...",
        "// ... existing code ...",
        "  three: 3",
        "x = 3",
        "        return 3;",
    ]
    chosen = sorted(data.draw(st.sets(st.integers(0, len(lines) - 1), min_size=1, max_size=12)))
    shown = [
        lines[number]
        for number in (data.draw(st.permutations(chosen)) if data.draw(st.booleans()) else chosen)
    ]
    path = f"x.{_ENDINGS.get(kind, kind)}"
    language = "json" if kind == "notebook" else kind
    document = Snapshot.from_text(before, uri=f"file:///{path}", language=language)
    try:
        sketch = parse_sketch("\n".join([*shown, data.draw(_TEXT)]), language=language, path=path)
    except SketchError:
        return
    for part in sketch.files:
        made = merge(sketch, part, document)
        assert made.edit.apply(before) == made.guess
        assert all(reading.edit.apply(before) for reading in made.readings)


def apply_patches(data: st.DataObject) -> None:
    """Check that a patch as `diff -u` makes it gives the new text, or a doubt."""
    old, new = ("".join(f"{line}\n" for line in data.draw(st.lists(_CODE, max_size=12))) for _ in range(2))
    patch = "".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "a/x.py", "b/x.py"))
    document = Snapshot.from_text(old, uri="file:///w/x.py", language="python")
    try:
        sketch = parse_sketch(patch)
    except SketchError:
        return
    [part] = sketch.files
    made = merge(sketch, part, document)
    assert made.refusal is not None or made.guess == new


def match_patterns(data: st.DataObject) -> None:
    """Check that any lines are patterns, and a verdict on any path comes in few steps."""
    piece = st.sampled_from(
        ["*", "**", "a", "/", "?", "[a-c]", "[!", "]", "\\\\", " ", "!", "#", ".", "b", "*a", "é"]
    )
    text = "\n".join(
        "".join(data.draw(st.lists(piece, max_size=30))) for _ in range(data.draw(st.integers(0, 4)))
    )
    path = (
        "/".join("".join(data.draw(st.lists(piece, min_size=1, max_size=30))) for _ in range(2)).strip("/")
        or "a"
    )
    steps = 0

    def check() -> None:
        nonlocal steps
        steps += 1
        assert steps < 10_000

    IgnorePatterns.from_text(text).decide(path, is_folder=data.draw(st.booleans()), check=check)


def build_prompts(data: st.DataObject) -> None:
    """Check that each format builds a prompt of any state, and reads any answer, in one way for all chunks."""
    made = data.draw(st.sampled_from(sorted(FORMATS)).map(FORMATS.__getitem__))
    text = data.draw(_TEXT)
    document = Snapshot.from_text(text, uri="file:///w/a.py", language="python")
    old = split_lines(data.draw(_TEXT))
    past = PastEdit(document.uri, 0, old, document.lines[:1], open=data.draw(st.booleans()))
    other = Snapshot.from_text(data.draw(_TEXT), uri="file:///w/b.py", language="python")
    state = EditorState(document, data.draw(st.integers(0, len(text))), (past,), (other,))
    try:
        request = made.build(state, ESTIMATE, paths=PromptPaths(("file:///w/",)), budget=4_000)
    except PromptTooLongError:
        return
    special = st.sampled_from([*made.special_tokens, "\n", "x"])
    answer = "".join(data.draw(st.lists(st.one_of(_LINE, special, _ODD), max_size=10)))
    size, reader = data.draw(st.integers(1, 5)), made.make_reader(request)
    for at in range(0, len(answer), size):
        reader.feed(answer[at : at + size])
    assert reader.finish("stop") == parse_answer(made, request, answer)


def read_settings(data: st.DataObject) -> None:
    """Check that no file of settings and no options of a client make the server fail."""
    key = st.sampled_from(
        ["eagerness", "exclude", "debounce_ms", "languages.python", "a.b", "log_level", "url", "['"]
    )
    value = st.sampled_from(
        ["1", "1e999", "-1", '"x"', "[1, [2]]", "{a = 1}", "nan", "true", "9" * 400, "2020-01-01", "["]
    )
    lines = data.draw(st.lists(st.one_of(st.tuples(key, value).map(" = ".join), _ODD), max_size=8))
    options = data.draw(st.recursive(st.none() | st.floats() | st.text(max_size=5) | st.integers(), st.lists))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "editahead.toml").write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
        names = data.draw(st.lists(st.sampled_from(["eagerness", "exclude", "max_file_bytes", "languages"])))
        load_settings({}, dict.fromkeys(names, options) or options, [folder], folder / "none")


def read_uris(data: st.DataObject) -> None:
    """Check that any text is a URI or none, and its key is its own key."""
    head = data.draw(
        st.sampled_from(["file://", "file:///C:", "file:", "untitled:", "git:", "", "FILE://LOCALHOST/"])
    )
    uri = head + data.draw(st.one_of(_ODD, st.sampled_from(["/a%20b", "/%00", "/%ff", "/..%2f..", "//x"])))
    uris.uri_to_path(uri)
    assert uris.canonical_key(uri) == uris.canonical_key(uris.canonical_key(uri)) or "%" in uri


TARGETS: dict[str, Target] = {
    target.__name__: target
    for target in (
        frame_messages,
        frame_noise,
        convert_positions,
        change_document,
        make_diffs,
        read_sketches,
        merge_sketches,
        merge_excerpts,
        apply_patches,
        match_patterns,
        build_prompts,
        read_settings,
        read_uris,
        walk_workspaces,
        keep_indexes,
        damage_indexes,
        save_states,
        read_stored_states,
    )
}
