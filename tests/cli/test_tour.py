"""The steps of docs/tour.md on its own project, as far as commands play them, and the sketches of docs/apply.md there."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import CommandLine

DOCS = Path(__file__).parents[2] / "docs"
TOUR = (DOCS / "tour.md").read_text("utf-8")
Run = Callable[..., str]


def sketches(page: str) -> list[str]:
    text = (DOCS / page).read_text("utf-8")
    return re.findall(r"^````markdown\n(.*?)^````$", text, re.MULTILINE | re.DOTALL)


def commands(begin: str) -> str:
    """Return the only block of commands of the page that begins so."""
    (found,) = re.findall(rf"^```sh\n({begin}.*?)^```$", TOUR, re.MULTILINE | re.DOTALL)
    return str(found)


def bash(lines: str, folder: Path) -> str:
    return subprocess.run(
        ["bash", "-ec", lines], cwd=folder, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("GIT_INDEX_FILE", raising=False)
    bash(commands("mkdir"), tmp_path)
    monkeypatch.chdir(tmp_path / "editahead-tour")
    return tmp_path / "editahead-tour"


@pytest.fixture
def run(editahead: CommandLine) -> Run:
    def run(*arguments: str) -> str:
        return editahead(*arguments).out

    return run


def change(file: Path, line: int, old: str, new: str) -> None:
    lines = file.read_text().splitlines(keepends=True)
    assert lines[line - 1].count(old) == 1
    lines[line - 1] = lines[line - 1].replace(old, new)
    file.write_text("".join(lines))


def predicted(run: Run, file: Path, line: int, column: int) -> list[str]:
    """Return the lines that the edits write which follow what was changed in a file."""
    history = file.parent.parent / "history.diff"
    history.write_text(bash("git diff -U0", file.parent))
    out = run("predict", file.name, f"--line={line}", f"--column={column}", f"--history={history}")
    return re.findall(r"^    \+(.*)$", out, re.MULTILINE)


def test_a_field_is_renamed(project: Path, run: Run) -> None:
    change(project / "stay.py", 5, "self.ends", "self.leaves")
    assert predicted(run, project / "stay.py", 5, 20) == [
        "        return (self.leaves - self.begins).days",
        "        return self.begins <= day < self.leaves",
    ]


def test_a_parameter_is_added(project: Path, run: Run) -> None:
    desk = project / "desk.py"
    change(desk, 4, "text, amount", "text, amount, currency")
    change(desk, 11, "line(guest, total)", 'line(guest, total, currency="EUR")')
    assert predicted(run, desk, 11, 46) == [
        '    return line("offer", total, currency="EUR")',
        '    return line("deposit", total, currency="EUR")',
    ]


def test_a_sketch_is_applied(project: Path, run: Run) -> None:
    (project / "answer.md").write_text("".join(sketches("tour.md")))
    added = '        """Return whether the guest is here on this day."""\n'
    assert f"+{added}" in run("apply", "--sketch", "answer.md")
    assert added not in (project / "stay.py").read_text()
    run("apply", "--sketch", "answer.md", "--write")
    assert f"def covers(self, day):\n{added}" in (project / "stay.py").read_text()


def test_what_the_change_forgot(project: Path, run: Run) -> None:
    bash(commands("git checkout").replace("editahead finish\n", ""), project)
    assert "4 places left" in run("finish")
    run("finish", "--write")
    assert "price" not in (project / "desk.py").read_text()
    assert "Complete" in run("finish")


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0, {"stay.py": ["        if day is None:", "            return False"]}),
        (1, {"desk.py": ["    total = price(stay, 90) / 5"]}),
        (
            2,
            {
                "stay.py": ["        return max(0, (self.ends - self.begins).days)"],
                "desk.py": ["    total = price(stay, 85)"],
            },
        ),
    ],
)
def test_the_examples_of_apply(project: Path, run: Run, number: int, written: dict[str, list[str]]) -> None:
    examples = sketches("apply.md")
    assert len(examples) == 3
    (project / "answer.md").write_text(examples[number])
    run("apply", *(["stay.py"] if number == 0 else []), "--sketch", "answer.md", "--write")
    diffs = {file: bash(f"git diff -U0 {file}", project) for file in ("stay.py", "desk.py")}
    lines = {file: re.findall(r"^\+(?!\+)(.*)$", diff, re.MULTILINE) for file, diff in diffs.items()}
    assert {file: added for file, added in lines.items() if added} == written
