"""Uses of a renamed definition in files that are not open, for somebody of whom nothing is known yet."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from editahead_inference.candidates import CLOSED, Prediction
from editahead_inference.pipeline import Pipeline
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.syntax.languages import language_of
from editahead_prompts.text.snapshot import Snapshot
from memory_codebase import MemoryCodebase

ROOT = "file:///w"


class Files(MemoryCodebase):
    """A codebase of several languages."""

    def snapshot(self, uri: str) -> Snapshot | None:
        text = self.files.get(uri)
        return None if text is None else Snapshot.from_text(text, uri=uri, language=language_of(uri))


def predict(path: str, before: str, after: str, files: Mapping[str, str], *later: PastEdit) -> Prediction:
    """Return the prediction after the first line in which the texts differ was changed by hand, in a fresh session.

    `later`: edits after that.
    """
    uri = f"{ROOT}/{path}"
    document = Snapshot.from_text(after, uri=uri, language=language_of(path))
    old = Snapshot.from_text(before, uri=uri, language=language_of(path)).lines
    line = next(n for n, (a, b) in enumerate(zip(old, document.lines, strict=True)) if a != b)
    edit = PastEdit(uri, line, (old[line],), (document.lines[line],))
    state = EditorState(document, document.starts[line], (edit, *later), index_version=1)
    pipeline = Pipeline(codebase=Files({f"{ROOT}/{name}": text for name, text in files.items()}))
    found = pipeline.predict(state)
    if found.is_partial:
        pipeline.search_on(state)
        found = pipeline.predict(state)
    return found


def closed_lines(found: Prediction) -> set[tuple[str, int]]:
    """Return the closed places that are shown: file, and 1-based line."""
    places = set()
    for decision in found.shown:
        snapshot = found.state.snapshot(decision.candidate.uri)
        assert snapshot is not None
        if CLOSED in decision.candidate.features:
            line = snapshot.line_at(decision.candidate.target_offset) + 1
            places.add((decision.candidate.uri.removeprefix(f"{ROOT}/"), line))
    return places


GO = "package cors\n\nfunc normalize(values []string) []string {\n\treturn values\n}\n\nvar first = normalize(nil)\n"
GO_METHOD = "package srv\n\ntype Server struct{}\n\nfunc (s *Server) Start() error {\n\treturn nil\n}\n"
SIGNER = (
    "class Signer:\n    def validate(self, value):\n        return self.key == value\n\n"
    "    def both(self, a):\n        return self.validate(a)\n"
)
CHECKER = SIGNER.replace("validate", "check_it")
SHOP = "package shop;\n\npublic class Shop {\n    public int total() {\n        return 1;\n    }\n}\n"
STORE = "export function useStore(id: string) {\n  return make(id)\n}\n"
SLUG = "pub fn slug(title: &str) -> String {\n    title.to_lowercase()\n}\n"
HEADER = "int text_width(const char *text);\n"

USES = {
    "the same package in Go, with a use left here": (
        "utils.go", GO, GO.replace("func normalize", "func clean"),
        {"config.go": "package cors\n\nfunc build(c Config) *cors {\n\treturn &cors{allow: normalize(c.Allow)}\n}\n"},
        {("config.go", 4)},
    ),
    "a test of the same package in Go": (
        "utils.go", GO, GO.replace("func normalize", "func clean"),
        {"utils_test.go": 'package cors\n\nimport "testing"\n\nfunc TestIt(t *testing.T) {\n\t_ = normalize(nil)\n}\n'},
        {("utils_test.go", 6)},
    ),
    "a receiver of the type in Go": (
        "server.go", GO_METHOD, GO_METHOD.replace("Start", "Listen"),
        {"main.go": "package srv\n\nfunc run(server *Server) error {\n\treturn server.Start()\n}\n"},
        {("main.go", 4)},
    ),
    "an override in Python": (
        "src/signer.py", SIGNER, SIGNER.replace("def validate", "def is_valid"),
        {"src/at.py": "from .signer import Signer\n\n\nclass Timed(Signer):\n    def validate(self):\n        pass\n"},
        {("src/at.py", 5)},
    ),
    "a receiver called like the class in Python": (
        "src/signer.py", SIGNER, SIGNER.replace("def validate", "def is_valid"),
        {"tests/test_it.py": "from src.signer import Signer\n\n\ndef f():\n    signer = Signer()\n    signer.validate()\n"},
        {("tests/test_it.py", 6)},
    ),
    "a parameter of the type in Java": (
        "src/Shop.java", SHOP, SHOP.replace("total", "sum"),
        {"src/Desk.java": "package shop;\n\nclass Desk {\n  int pay(Shop shop) {\n    return shop.total();\n  }\n}\n"},
        {("src/Desk.java", 5)},
    ),
    "an import in TypeScript": (
        "src/store.ts", STORE, STORE.replace("useStore", "openStore"),
        {"src/app.ts": "import { useStore } from './store'\n\nexport const s = useStore('a')\n"},
        {("src/app.ts", 1), ("src/app.ts", 3)},
    ),
    "a use declaration in Rust": (
        "src/text.rs", SLUG, SLUG.replace("fn slug", "fn segment"),
        {"src/main.rs": 'mod text;\nuse text::slug;\n\nfn main() {\n    println!("{}", slug("A"));\n}\n'},
        {("src/main.rs", 2), ("src/main.rs", 5)},
    ),
    "an included header in C": (
        "src/text.h", HEADER, HEADER.replace("text_width", "width_of_text"),
        {"src/main.c": '#include "text.h"\n\nint main(void)\n{\n    return text_width("a");\n}\n'},
        {("src/main.c", 5)},
    ),
}  # fmt: skip  # a table


@pytest.mark.parametrize("name", USES)
def test_a_use_needs_no_history(name: str) -> None:
    path, before, after, files, wanted = USES[name]
    assert closed_lines(predict(path, before, after, files)) == wanted


def test_a_use_is_found_from_wherever_the_person_has_followed_the_rename_to() -> None:
    override = PastEdit(
        f"{ROOT}/lib/timed.py",
        4,
        ("    def validate(self):\n",),
        ("    def is_valid(self):\n",),
        origin="accepted",
    )
    test = "from src.signer import Signer\n\n\ndef f():\n    signer = Signer()\n    signer.validate()\n"
    renamed = SIGNER.replace("def validate", "def is_valid")
    found = predict("src/signer.py", SIGNER, renamed, {"tests/test_it.py": test}, override)
    assert closed_lines(found) == {("tests/test_it.py", 6)}


FOREIGN = {
    "a receiver without a type in another folder that imports nothing of it": (
        "src/signer.py", CHECKER, CHECKER.replace("def check", "def is"),
        {"web/form.py": "def save(signer):\n    signer.check_it()\n"},
    ),
    "another type's method in Go": (
        "server.go", GO_METHOD, GO_METHOD.replace("Start", "Listen"),
        {"t.go": "package srv\n\ntype Timer struct{}\n\nfunc (t *Timer) Start() {}\n\nfunc use(t *Timer) { t.Start() }\n"},
    ),
    "another package in Go": (
        "text/utils.go", GO, GO.replace("func normalize", "func clean"),
        {"web/page.go": "package web\n\nfunc normalize(v int) int {\n\treturn v\n}\n\nvar x = normalize(1)\n"},
    ),
    "another class in Python": (
        "src/signer.py", SIGNER, SIGNER.replace("def validate", "def is_valid"),
        {"src/form.py": "class Form:\n    def validate(self):\n        pass\n\n    def a(self):\n        self.validate()\n"},
    ),
    "another class in Java": (
        "src/Shop.java", SHOP, SHOP.replace("total", "sum"),
        {"src/Cart.java": "package shop;\n\nclass Cart {\n    int total() {\n        return 2;\n    }\n}\n"},
    ),
    "a function of its own in TypeScript": (
        "src/store.ts", STORE, STORE.replace("useStore", "openStore"),
        {"src/other.ts": "function useStore() {}\nuseStore()\n"},
    ),
    "a static function of its own in C": (
        "src/text.h", HEADER, HEADER.replace("text_width", "width_of_text"),
        {"src/other.c": "static int text_width(int n)\n{\n  return n;\n}\n\nint f(void)\n{\n  return text_width(1);\n}\n"},
    ),
}  # fmt: skip  # a table


@pytest.mark.parametrize("name", FOREIGN)
def test_what_another_file_calls_the_same_stays(name: str) -> None:
    assert closed_lines(predict(*FOREIGN[name])) == set()
