"""What grows with its input: each parser and each rule as a function of a text, and of a number of things.

A target gets an input and a `check` that it hands on where the code takes one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.planner import plan_changes
from editahead_inference.errors import ApplyRefusedError
from editahead_inference.finish.finisher import Finisher
from editahead_inference.mined_rules.commits import MinedCommit, make_hunk
from editahead_inference.mined_rules.rules import mine
from editahead_inference.pipeline import Pipeline
from editahead_inference.speculation.drafter import Drafter, DraftLengths
from editahead_lsp.apply.embedded_sketch import sketch_in_comment
from editahead_lsp.session.documents import Document
from editahead_prompts.composition.tokenizers import ESTIMATE
from editahead_prompts.errors import PromptTooLongError, SketchError
from editahead_prompts.formats.base import PromptPaths, parse_answer
from editahead_prompts.formats.registry import FORMATS
from editahead_prompts.secrets.masking import mask_text
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.state import Diagnostic, EditorState, MovedFile, PastEdit
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.control_characters import escape_text
from editahead_prompts.text.diff import diff
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.identifiers import changed_spans, tokenize
from editahead_prompts.text.snapshot import Snapshot
from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.index.content import analyze
from editahead_retrieval.search.question import read_question
from editahead_workspace.changes.patch_change import read_patch_change
from editahead_workspace.changes.workspace_change import WorkspaceTexts
from editahead_workspace.positions import offset_at, position_at
from state_builder import Person

Check = Callable[[], None]
Target = Callable[[str, Check], Any]

CODE = "old_name = 1\n\n\ndef show(old_name):\n    return old_name + 1\n\n\nprint(old_name)\n"
OTHER = "file:///b.py"
_LANGUAGES = ("python", "javascript", "typescriptreact", "go", "rust", "java", "c", "cpp")
_ENDINGS = {
    "python": "py",
    "javascript": "js",
    "typescriptreact": "tsx",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "c": "c",
    "cpp": "cpp",
    "plaintext": "txt",
    "json": "json",
    "yaml": "yaml",
    "toml": "toml",
    "markdown": "md",
    "shellscript": "sh",
    "xml": "xml",
}


class _Files:
    """One file, for a plan."""

    def __init__(self, text: str, language: str = "python") -> None:
        name = f"x.{_ENDINGS[language]}"
        self.file = Snapshot.from_text(text, uri=f"file:///w/{name}", language=language)

    def resolve(self, path: str | None) -> Snapshot | None:
        return self.file if path in (None, self.file.uri.rpartition("/")[2]) else None

    def create(self, path: str) -> Snapshot:
        return Snapshot.from_text("", uri=f"file:///w/{path}", language="python")


def _predict(person: Person, check: Check, **more: Any) -> None:
    Pipeline().predict(person.state(**more), check=check)


def _in_language(language: str) -> Iterator[tuple[str, Target]]:
    """Yield the targets of predictions in a language."""

    def rename_around(text: str, check: Check) -> None:
        """Change a name before the text, on its own line; it is used below, too."""
        person = Person(f"old_name {text}\nold_name {text}\nx = old_name\n", language=language)
        _predict(person.replace("old_name", "new_name"), check)

    def rename_beside(text: str, check: Check) -> None:
        person = Person(CODE + text, language=language)
        _predict(person.replace("old_name", "new_name").replace("old_name", "new_name"), check)

    def insert(text: str, check: Check) -> None:
        """Paste the text."""
        person = Person(CODE, language=language)
        _predict(person.insert(text, before="print"), check)

    def delete(text: str, check: Check) -> None:
        person = Person(f"{CODE}{text}\n{text}\n", language=language)
        _predict(person.make(Edit.replace(len(CODE), len(CODE) + len(text) + 1, "")), check)

    def change_middle(text: str, check: Check) -> None:
        """Exchange a word in the middle."""
        person = Person(f"{text}\n{CODE}", language=language)
        word = re.compile(r"\w+").search(text, len(text) // 2)
        start, end = word.span() if word else (len(text) // 2,) * 2
        _predict(person.make(Edit.replace(start, end, "new")), check)

    def wrap(text: str, check: Check) -> None:
        """Make the text an argument."""
        person = Person(f"x = {text}\ny = {text}\n", language=language)
        line = person.snapshot.lines[0]
        _predict(person.make(Edit.replace(4, len(line) - 1, f"wrap({line[4:-1]})")), check)

    def type_behind(text: str, check: Check) -> None:
        """Type a word behind the text, key by key."""
        person = Person(f"{CODE}{text}\n", language=language)
        _predict(person.type(" old", after=text), check)

    def change_elsewhere(text: str, check: Check) -> None:
        """Change a name beside another document, which holds the text."""
        person = Person(f"{CODE}{text}\nold_name\n", uri=OTHER, language=language)
        person.open(CODE, uri="file:///a.py", language=language)
        _predict(person.replace("old_name", "new_name"), check)

    def add_argument(text: str, check: Check) -> None:
        person = Person(f"call(a, b)\ncall(c, {text})\ncall(d, e)\n", language=language)
        _predict(person.replace("call(a, b)", "call(a, b, more)"), check)

    def change_parameter(text: str, check: Check) -> None:
        code = f"def show(a, {text}):\n    return a\n\n\nshow(1, {text})\nshow(2, 3)\n"
        person = Person(code, language=language)
        _predict(person.replace("def show(a, ", "def show(a, more, "), check)

    for target in (
        rename_around,
        rename_beside,
        insert,
        delete,
        change_middle,
        wrap,
        type_behind,
        change_elsewhere,
        add_argument,
        change_parameter,
    ):
        yield f"{target.__name__} ({language})", target


def _diagnose(text: str, check: Check) -> None:
    person = Person(f"{CODE}{text}\n").replace("old_name", "new_name")
    at = person.text.rindex("old_name")
    found = (
        Diagnostic(at, at + 8, f"Undefined name `old_name` {text}", "F821"),
        Diagnostic(at, at + 8, text, "F821"),
        Diagnostic(len(CODE), person.snapshot.length, "Undefined name `old_name`"),
    )
    _predict(person, check, diagnostics=found)


def _move_file(text: str, check: Check) -> None:
    person = Person(f"import a.b\n{text}\nfrom a import b\n").replace("import a.b", "import a.c")
    _predict(person, check, moved_files=(MovedFile("file:///a/b.py", "file:///a/c.py"),))


def _sketches(language: str) -> Iterator[tuple[str, Target]]:
    path = f"x.{_ENDINGS[language]}"

    def plan(sketch: str, file: str, check: Check) -> None:
        with suppress(SketchError, ApplyRefusedError):
            parsed = parse_sketch(sketch, language=language, path=path, check=check)
            plan_changes(parsed, _Files(file, language), merge, check=check)

    def apply_to_itself(text: str, check: Check) -> None:
        plan(text, f"{text}\n", check)

    def apply_to_code(text: str, check: Check) -> None:
        plan(text, CODE, check)

    def apply_more(text: str, check: Check) -> None:
        """Add a line to a file that begins with the text."""
        plan(f"{text}\nmore()\n", f"{text}\nx = 1\n", check)

    def apply_marked(text: str, check: Check) -> None:
        sketch = f"# ... existing code ...\n{text}\nmore()\n# ... existing code ...\n"
        plan(sketch, f"{CODE}{text}\nx = 1\n{CODE}", check)

    def apply_code(text: str, check: Check) -> None:
        """Change ordinary code in a file that holds the text, too."""
        plan(f"{CODE}more()\n# ... existing code ...\n", f"{CODE}{text}\n", check)

    def apply_diff(text: str, check: Check) -> None:
        old = [*text.split("\n"), "x = 1"]
        body = "\n".join([*(f" {line}" for line in old[:-1]), "-x = 1", "+x = 2"])
        plan(f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n{body}\n", "\n".join(old) + "\n", check)

    def apply_block(text: str, check: Check) -> None:
        block = f"<<<<<<< SEARCH\n{text}\n=======\n{text}\nmore()\n>>>>>>> REPLACE\n"
        plan(f"{path}\n{block}", f"{CODE}{text}\n{CODE}", check)

    def apply_fenced(text: str, check: Check) -> None:
        plan(f"Here it is:\n\n````{language}\n{text}\nmore()\n````\n", f"{text}\n", check)

    for target in (
        apply_to_itself,
        apply_to_code,
        apply_more,
        apply_marked,
        apply_code,
        apply_diff,
        apply_block,
        apply_fenced,
    ):
        yield f"{target.__name__} ({language})", target


def _find_comment(text: str, check: Check) -> None:
    document = Snapshot.from_text(f"# apply:\n# {text}\n{text}\n", language="python")
    sketch_in_comment(document, 1, SyntaxTrees())


def _read_patch(text: str, check: Check) -> None:
    from editahead_workspace.errors import ChangeError

    with suppress(ChangeError):
        read_patch_change(text, _Texts({"x.py": "x = 1\ny = 2\n"}), check)


class _Texts(WorkspaceTexts):
    """Files in memory."""

    def __init__(self, files: dict[str, str]) -> None:
        root = Path("/nowhere")
        super().__init__(root, ExclusionRules([root], IgnorePatterns([])), 1_000_000)
        self._files = files

    def is_allowed(self, path: str) -> bool:
        return True

    def read(self, path: str) -> bytes | None:
        text = self._files.get(path)
        return None if text is None else text.encode()


def _finish(text: str, check: Check) -> None:
    before = Snapshot.from_text(CODE + text, uri="file:///w/a.py", language="python")
    after = replace(before, lines=Snapshot.from_text(before.text.replace("old_name", "new_name", 2)).lines)
    from editahead_inference.finish.report import ChangedFile

    other = Snapshot.from_text(CODE + text, uri="file:///w/b.py", language="python")
    Finisher().find([ChangedFile(before, after)], [other], check=check)


def _finish_text(text: str, check: Check) -> None:
    """Add the text, and remove it."""
    from editahead_inference.finish.report import ChangedFile

    before = Snapshot.from_text(CODE, uri="file:///w/a.py", language="python")
    after = Snapshot.from_text(CODE + text, uri="file:///w/a.py", language="python")
    Finisher().find([ChangedFile(before, after), ChangedFile(after, before)], [before], check=check)


def _analyze(language: str) -> Target:
    def analyze_file(text: str, check: Check) -> None:
        analyze(f"x.{_ENDINGS[language]}", text.encode("utf-8", "replace"), b"")

    return analyze_file


def _diff_middle(text: str, check: Check) -> None:
    half = len(text) // 2
    diff(text, f"a{text[:half]}new{text[half + 1 :]}b")


def _diff_turned(text: str, check: Check) -> None:
    diff(text, "".join(reversed(text.splitlines(True))))


def _changed_spans(text: str, check: Check) -> None:
    tokens = tokenize(text)
    changed_spans(tokens, tokens[::-1])


def _mask(text: str, check: Check) -> None:
    mask_text(text)


def _question(text: str, check: Check) -> None:
    read_question(text)


def _patterns(text: str, check: Check) -> None:
    patterns = IgnorePatterns.from_text(text)
    for path in ("a/b/c.py", text[:4_000].replace("\n", "/").strip("/") or "a"):
        patterns.decide(path, is_folder=False, check=check)


def _positions(text: str, check: Check) -> None:
    snapshot = Snapshot.from_text(text)
    position_at(snapshot, snapshot.length, "utf-16")
    offset_at(snapshot, len(snapshot.lines) - 1, 1 << 30, "utf-16")


def _document(text: str, check: Check) -> None:
    document = Document("file:///a.py", "python", 1, text, "utf-16")
    from editahead_lsp.protocol.custom_messages import Position, Range, TextDocumentContentChange

    for version in range(2, 6):
        at = Position(version, 1)
        document.change(version, [TextDocumentContentChange("x", Range(at, at))])


def _escape(text: str, check: Check) -> None:
    escape_text(text)


def _draft(text: str, check: Check) -> None:
    ids = list(map(ord, text))
    drafter = Drafter([ids], DraftLengths())
    for at in range(0, len(ids), 8):
        drafter.commit(ids[at : at + 8])
        drafter.draft(16)


def _mine(text: str, check: Check) -> None:
    lines = text.splitlines(True)
    hunk = make_hunk("a.py", lines, [line.replace("a", "b") for line in lines])
    mine([MinedCommit(str(number), 0, (hunk,)) for number in range(3)])


def _prompt(name: str) -> Target:
    def build(text: str, check: Check) -> None:
        document = Snapshot.from_text(text, uri="file:///w/a.py", language="python")
        past = PastEdit(document.uri, 0, (), document.lines[:1], open=True)
        other = Snapshot.from_text(text, uri="file:///w/b.py", language="python")
        state = EditorState(document, len(text) // 2, (past,), (other,))
        made = FORMATS[name]
        with suppress(PromptTooLongError):
            request = made.build(state, ESTIMATE, paths=PromptPaths(("file:///w/",)), budget=4_000)
            parse_answer(made, request, text)

    return build


def _targets() -> Iterator[tuple[str, Target]]:
    for language in ("python", "javascript", "rust", "plaintext"):
        yield from _in_language(language)
    yield "diagnose", _diagnose
    yield "move_file", _move_file
    for language in ("python", "javascript", "json", "yaml", "markdown", "shellscript", "plaintext"):
        yield from _sketches(language)
    yield "find_comment", _find_comment
    yield "read_patch", _read_patch
    yield "finish", _finish
    yield "finish_text", _finish_text
    for language in (*_LANGUAGES, "plaintext"):
        yield f"analyze ({language})", _analyze(language)
    yield "diff_middle", _diff_middle
    yield "diff_turned", _diff_turned
    yield "changed_spans", _changed_spans
    yield "mask", _mask
    yield "question", _question
    yield "patterns", _patterns
    yield "positions", _positions
    yield "document", _document
    yield "escape", _escape
    yield "draft", _draft
    yield "mine", _mine
    for name in sorted(FORMATS):
        yield f"prompt ({name})", _prompt(name)


TARGETS: dict[str, Target] = dict(_targets())
