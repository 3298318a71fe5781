"""Language servers as witnesses of `finish`: a scripted one, and the real ones where they are installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import scripted_language_server
from editahead_inference.finish.finisher import Finisher
from editahead_inference.finish.report import ChangedFile, FinishReport
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace.finish import language_servers as language_servers_module
from editahead_workspace.finish.language_servers import LanguageServerWitness
from editahead_workspace.uris import path_to_uri
from language_servers import BASEDPYRIGHT, FOLDER, TYPESCRIPT, needs_server

FRUIT = "class Apple:\n    def weigh(self):\n        return 1\n"
USES = "def bill(things):\n    return [one.weigh() for one in things]  # weigh\n\n\nx = 1\n"


class House:
    """A folder with a change: texts before and after, of files of one language."""

    def __init__(self, folder: Path, language: str = "python") -> None:
        self.folder, self.language = folder, language
        self.change: list[ChangedFile] = []
        self.others: list[Snapshot] = []

    def add(self, name: str, before: str, after: str | None = None) -> None:
        path = self.folder / name
        path.write_text(before if after is None else after)
        old, new = (
            Snapshot.from_text(text, uri=path_to_uri(path), language=self.language)
            for text in (before, before if after is None else after)
        )
        if after is None:
            self.others.append(new)
        else:
            self.change.append(ChangedFile(old, new))

    def witness(self, timeout_s: float = 60.0) -> LanguageServerWitness:
        texts = {one.uri: one for one in self.others}
        return LanguageServerWitness(self.folder, self.change, texts.get, timeout_s=timeout_s)

    def finish(self, witness: LanguageServerWitness) -> FinishReport:
        return Finisher(witness=witness).find(self.change, self.others)

    def places(self, report: FinishReport) -> list[tuple[str, int]]:
        return sorted((one.uri.rpartition("/")[2], one.line) for one in report.likely)


@pytest.fixture
def house(tmp_path: Path) -> House:
    folder = tmp_path / "house"
    folder.mkdir()
    return House(folder)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Puts the scripted server in PATH, in the place of basedpyright; `HOW` says how it answers."""
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "basedpyright-langserver"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{scripted_language_server.__file__}" "$HOW"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setenv("HOW", "")
    yield


@pytest.mark.slow
@pytest.mark.usefixtures("install")
@pytest.mark.parametrize("how", ["", "late"])
def test_what_it_names_is_left(house: House, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.setenv("HOW", how)
    house.add("fruit.py", FRUIT, "import os\n\n\n" + FRUIT.replace("weigh", "tare"))
    house.add("uses.py", USES)
    witness = house.witness()
    assert house.places(house.finish(witness)) == [("uses.py", 1)]
    assert witness.asked == ["basedpyright"]
    assert not witness.problems


@pytest.mark.slow
@pytest.mark.usefixtures("install")
def test_a_use_that_moved_with_the_change_is_found(house: House) -> None:
    house.add("fruit.py", FRUIT, FRUIT.replace("weigh", "tare"))
    house.add("uses.py", USES, "import os\n\n" + USES.replace("x = 1", "x = 2"))
    assert house.places(house.finish(house.witness())) == [("uses.py", 3)]


@pytest.mark.slow
@pytest.mark.usefixtures("install")
def test_each_file_with_places_is_read_and_compared_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.add(
        "fruit.py", FRUIT + "\n\nprint(Apple().weigh(), Apple().weigh())\n", FRUIT.replace("weigh", "tare")
    )
    house.add("uses.py", USES + "".join(f"y = x.weigh() + {number}\n" for number in range(5)))
    texts, looked = {one.uri: one for one in house.others}, []

    def read(uri: str) -> Snapshot | None:
        looked.append(uri)
        return texts.get(uri)

    def diff(before: Sequence[str], after: Sequence[str]) -> Sequence[tuple[int, int, int, int]]:
        looked.append("a comparison")
        return diff_lines(before, after)

    monkeypatch.setattr(language_servers_module, "diff_lines", diff)
    house.finish(LanguageServerWitness(house.folder, house.change, read))
    assert sorted(looked) == ["a comparison", *texts]


@pytest.mark.slow
@pytest.mark.usefixtures("install")
def test_no_program_of_the_folder_interprets_a_server(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.add("fruit.py", FRUIT, FRUIT.replace("weigh", "tare"))
    house.add("uses.py", USES)
    for folder in (house.folder, tmp_path / "bin"):
        interpreter = folder / "interpreter"
        interpreter.write_text(f'#!/bin/sh\ntouch "{folder}/ran"\nexec /bin/sh "$@"\n')
        interpreter.chmod(0o755)
    program = tmp_path / "bin" / "basedpyright-langserver"
    program.write_text(program.read_text().replace("#!/bin/sh", "#!/usr/bin/env interpreter"))
    monkeypatch.setenv("PATH", os.pathsep.join([".", str(house.folder), os.environ["PATH"]]))
    witness = house.witness()
    house.finish(witness)
    assert witness.asked == ["basedpyright"]
    assert (tmp_path / "bin" / "ran").exists() and not (house.folder / "ran").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("install")
@pytest.mark.parametrize(("how", "problem"), [("silent", "did not answer"), ("ends", "does not run")])
def test_one_that_fails_changes_nothing(
    house: House, monkeypatch: pytest.MonkeyPatch, how: str, problem: str
) -> None:
    house.add("fruit.py", FRUIT, FRUIT.replace("weigh", "tare"))
    house.add("uses.py", USES)
    without = Finisher().find(house.change, house.others)
    monkeypatch.setenv("HOW", how)
    witness = house.witness(timeout_s=0.5)
    assert house.finish(witness).places == without.places
    (said,) = witness.problems
    assert problem in said


def test_one_that_is_missing_is_named(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    house.add("fruit.py", FRUIT, FRUIT.replace("weigh", "tare"))
    house.add("uses.py", USES)
    witness = house.witness()
    house.finish(witness)
    assert witness.problems == ["basedpyright is not installed."]


@pytest.mark.slow
def test_nobody_is_asked_about_a_change_without_deleted_names(house: House) -> None:
    house.add("fruit.py", FRUIT, FRUIT.replace("return 1", "return 2"))
    witness = house.witness()
    house.finish(witness)
    assert not witness.asked
    assert not witness.problems


PEARS = "class Pear:\n    def weigh(self):\n        return 2\n"


def places_by_real_server(house: House, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Return what is left by a server that is installed for the tests."""
    monkeypatch.setenv("PATH", f"{FOLDER}{os.pathsep}{os.environ['PATH']}")
    witness = house.witness(timeout_s=200.0)
    report = house.finish(witness)
    assert not witness.problems
    return house.places(report)


@pytest.mark.slow
@needs_server(BASEDPYRIGHT)
def test_basedpyright(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    before = f"{FRUIT}\n\n{PEARS}"
    house.add("fruit.py", before, before.replace("weigh", "tare", 1))
    house.add(
        "uses.py",
        "from fruit import Apple, Pear\n\n\ndef bill(a: list[Apple], b: list[Pear]):\n"
        "    yield [one.weigh() for one in a]\n    yield [one.weigh() for one in b]\n",
    )
    places = places_by_real_server(house, monkeypatch)
    assert ("uses.py", 4) in places and ("uses.py", 5) not in places


@pytest.mark.slow
@needs_server(TYPESCRIPT)
def test_typescript_language_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "house"
    folder.mkdir()
    house = House(folder, "typescript")
    (folder / "tsconfig.json").write_text('{ "include": ["*.ts"] }')
    before = (
        "export class Apple {\n  weigh() { return 1 }\n}\nexport class Pear {\n  weigh() { return 2 }\n}\n"
    )
    house.add("fruit.ts", before, before.replace("weigh", "tare", 1))
    house.add(
        "uses.ts",
        "import { Apple, Pear } from './fruit'\n"
        "export const a = (all: Apple[]) => all.map((one) => one.weigh())\n"
        "export const b = (all: Pear[]) => all.map((one) => one.weigh())\n",
    )
    places = places_by_real_server(house, monkeypatch)
    assert ("uses.ts", 1) in places and ("uses.ts", 2) not in places
