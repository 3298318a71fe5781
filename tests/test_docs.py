"""The documents, compared with the code."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
from dataclasses import fields
from pathlib import Path
from urllib.parse import unquote

import jsonschema
import pytest

from editahead_lsp.protocol import custom_messages
from editahead_lsp.protocol.converter import PARAMS_BY_METHOD
from editahead_workspace import settings
from source_parts import PARTS

ROOT = Path(__file__).parent.parent
DOCUMENTS = [
    path
    for pattern in ("*.md", "changes/*.md", "docs/**/*.md", "editors/*.md", "editors/*/*.md", "tests/**/*.md")
    for path in sorted(ROOT.glob(pattern))
]
SCHEMAS = sorted((ROOT / "docs" / "schema").glob("*.json"))
OF_LSP = {
    method
    for method in PARAMS_BY_METHOD
    if re.match(
        r"initialize|\$/|textDocument/did(Open|Change|Close|Save)|notebookDocument/|workspace/", method
    )
}
"""Whose shapes LSP defines alone."""

MACHINE = re.compile(
    r"(?<![\w.~])/(?:work|root|home/\w+|Users/\w+)/|\.\./shared/(?!data/edits/dev\.jsonl\.zst)"
)
"""Paths of somebody's own machine."""


def table(document: str, heading: str) -> list[list[str]]:
    """Return the cells of the first table whose head begins with a text, by row."""
    lines = (ROOT / document).read_text("utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(heading))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows


def shown(default: object) -> str:
    if default is None:
        return "none"
    value = list(default) if isinstance(default, tuple) else default
    return f"`{json.dumps(value)}`"


def defaults() -> list[tuple[str, str]]:
    values = settings.Settings()
    return [(f"`{field.name}`", shown(getattr(values, field.name))) for field in fields(values)]


def test_the_settings_are_those_of_the_code() -> None:
    rows = table("docs/settings.md", "| name | default | allowed |")
    assert [(name, default) for name, default, *_ in rows] == defaults()


def test_each_setting_is_listed_once() -> None:
    text = (ROOT / "docs" / "settings.md").read_text("utf-8")
    assert [name for name, _ in defaults() if text.count(f"\n| {name} |") != 1] == []


def test_what_a_setting_may_be_is_what_is_checked() -> None:
    rows = table("docs/settings.md", "| name | default | allowed |")
    allowed = {name.strip("`"): may for name, _, may, *_ in rows}
    assert allowed == {name: kind.allowed for name, kind in settings.VALUE_TYPES.items()}
    assert {name.strip("`") for name, _, _, workspace, _ in rows if workspace == "no"} == settings.USER_ONLY


def test_schemas_and_examples_are_those_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    tools = ROOT / "tools" / "docs"
    monkeypatch.syspath_prepend(tools)
    made = dict(runpy.run_path(str(tools / "make_schema.py"))["files"]())
    there = {
        path: (ROOT / "docs" / path).read_text("utf-8") for path in made if (ROOT / "docs" / path).exists()
    }
    assert there == made, "run `make docs`"
    assert {f"schema/{path.name}" for path in SCHEMAS} == made.keys() - {"protocol-examples.md"}


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.stem)
def test_examples_are_as_the_schemas_say(path: Path) -> None:
    schema = json.loads(path.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    for example in schema["examples"]:
        jsonschema.Draft202012Validator(schema).validate(example)


def test_every_message_and_command_has_a_schema() -> None:
    titles = {json.loads(path.read_text("utf-8"))["title"] for path in SCHEMAS}
    wanted = {*custom_messages.COMMANDS, *PARAMS_BY_METHOD} - OF_LSP
    assert wanted <= titles


def test_every_message_and_command_is_documented() -> None:
    text = (ROOT / "docs" / "protocol.md").read_text("utf-8")
    own = [
        value for name, value in vars(custom_messages).items() if name.isupper() and isinstance(value, str)
    ]
    assert len(own) > 10
    assert [name for name in own if f"`{name}`" not in text] == []


def test_seeds_loads_and_intervals_lie_in_the_measurements() -> None:
    notes = re.compile(r"\bseed \d|\bload (?:of )?\d|\bbootstrap\b|\(95%|\btrain-\d")
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    assert {page.name: found for page in pages if (found := notes.findall(page.read_text("utf-8")))} == {}


def prose(path: Path) -> str:
    return re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)


def anchors(path: Path) -> set[str]:
    """Return the anchors that GitHub gives the headings of a document."""
    headings = re.findall(r"^#+ (.*)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_files_and_headings(path: Path) -> None:
    targets = [target for target in re.findall(r"\]\(([^)\s]+)\)", prose(path)) if "://" not in target]
    missing = []
    for target in targets:
        name, _, anchor = target.partition("#")
        file = path.parent / unquote(name) if name else path
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            missing.append(target)
    assert missing == []


def test_the_architecture_lists_every_package() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    replaced = runpy.run_path(str(ROOT / "tools" / "docs" / "list_packages.py"))["replace_table"](text)
    assert replaced == text, "run `make docs`"


def test_tables_of_figures_are_those_of_the_results() -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "docs" / "make_figures.py"))
    for page in sorted((ROOT / "docs").rglob("*.md")):
        text = page.read_text("utf-8")
        assert tool["replace_tables"](text, ROOT / "docs" / "results") == text, f"{page}: run `make docs`"


def test_every_kind_of_result_has_its_table() -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "docs" / "make_figures.py"))
    pages = "".join(page.read_text("utf-8") for page in (ROOT / "docs").rglob("*.md"))
    assert {file.stem for file in (ROOT / "docs" / "results").glob("*.json")} == set(tool["TABLES"])
    assert all(f"<!-- figures: {name} -->" in pages for name in tool["TABLES"])


def test_the_architecture_names_modules_that_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    named = set(re.findall(r"`([\w./]+\.py)`", text))
    there = {
        path.relative_to(ROOT).as_posix()
        for part in (*PARTS, "docs", "tests")
        for path in (ROOT / part).rglob("*.py")
    }
    assert len(named) > 20
    assert [name for name in sorted(named) if not any(matches(path, name) for path in there)] == []


def matches(path: str, name: str) -> bool:
    """Return whether a document's name of a file may mean this path: its end, or its ends around `...`."""
    first, dots, last = name.partition("/.../")
    return (
        path.startswith(f"{first}/") and path.endswith(f"/{last}")
        if dots
        else f"/{path}".endswith(f"/{name}")
    )


def test_the_picture_asks_no_web_server() -> None:
    picture = (ROOT / "docs" / "demo.svg").read_text("utf-8")
    assert "url(http" not in picture.replace('"', "")
    assert "@font-face" not in picture


def tracked() -> list[Path]:
    """Return the files under version control; none in an unpacked source archive."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z"]
    try:
        names = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.slow
def test_no_file_names_somebodys_machine() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in tracked()
        if path != Path(__file__)
        for match in MACHINE.finditer(path.read_bytes().decode("utf-8", "replace"))
    ]
    assert found == []


@pytest.mark.parametrize(("document", "lines"), [("CONTRIBUTING.md", 100), ("RELEASING.md", 30)])
def test_what_everyone_reads_first_is_short(document: str, lines: int) -> None:
    assert len((ROOT / document).read_text("utf-8").splitlines()) < lines
