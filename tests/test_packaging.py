"""The manifests for registries, and what the editors' registries read."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import struct
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from source_parts import PARTS

ROOT = Path(__file__).parent.parent
PACKAGING = ROOT / "packaging"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
REPOSITORY = PROJECT["urls"]["Repository"]
EXTENSION = json.loads((ROOT / "editors" / "vscode" / "package.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def manifests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The manifests, filled in for an archive of this test."""
    folder = tmp_path_factory.mktemp("manifests")
    (folder / "editahead.tar.gz").write_bytes(b"archive")
    command = [
        sys.executable,
        ROOT / "tools" / "release" / "fill_manifests.py",
        folder / "editahead.tar.gz",
        folder,
    ]
    subprocess.run(command, check=True)
    return folder


@pytest.mark.slow
def test_every_manifest_is_filled_in(manifests: Path) -> None:
    made = {path.relative_to(manifests) for path in manifests.rglob("*") if path.is_file()}
    there = {path.relative_to(PACKAGING) for path in PACKAGING.glob("*/**/*") if path.is_file()}
    there -= {
        path for path in there if path.suffix == ".pyc" or path.parts[0] == "editahead-coder"
    }  # a package
    assert made - {Path("editahead.tar.gz")} == there != set()
    for path in made:
        assert not re.search(r"@[A-Z0-9]+@", (manifests / path).read_bytes().decode()), path
    formula = (manifests / "homebrew" / "editahead.rb").read_text("utf-8")
    assert hashlib.sha256(b"archive").hexdigest() in formula
    assert f"{REPOSITORY}/releases/download/v{PROJECT['version']}/" in formula
    assert ':repo "editahead/editahead"' in (manifests / "melpa" / "editahead").read_text("utf-8")
    package = (manifests / "mason" / "editahead" / "package.yaml").read_text("utf-8")
    assert f"id: pkg:pypi/editahead@{PROJECT['version']}\n" in package


def test_the_manifests_parse(manifests: Path) -> None:
    subprocess.run(["bash", "-n", manifests / "aur" / "PKGBUILD"], check=True)
    assert tomllib.loads((manifests / "helix" / "languages.toml").read_text("utf-8"))["language-server"] == {
        "editahead": {"command": "editahead", "args": ["lsp"]}
    }


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("nvim", path=str(Path(sys.executable).parent)) is None, reason="there is no Neovim"
)
def test_neovim_reads_the_lua_files(manifests: Path, tmp_path: Path) -> None:
    rockspec = ROOT / "editors" / "neovim" / "editahead.nvim-scm-1.rockspec"
    config = manifests / "nvim-lspconfig" / "editahead.lua"
    script = tmp_path / "read.lua"
    script.write_text(
        "local rock = {}\n"
        f"assert(loadfile({json.dumps(str(rockspec))}, 't', rock))()\n"
        f"local config = dofile({json.dumps(str(config))})\n"
        "print(vim.json.encode({ rock.package, rock.version, rock.build.type, config.cmd }))\n",
        "utf-8",
    )
    command = [Path(sys.executable).with_name("nvim"), "--clean", "-l", script]
    said = subprocess.run(command, check=True, capture_output=True, text=True)
    assert json.loads(said.stdout + said.stderr) == [
        "editahead.nvim",
        "scm-1",
        "builtin",
        ["editahead", "lsp"],
    ]


def test_all_addresses_are_those_of_one_repository() -> None:
    assert EXTENSION["repository"]["url"] == f"{REPOSITORY}.git"
    assert EXTENSION["homepage"] == REPOSITORY
    texts = [path.read_text("utf-8") for path in (ROOT / "editors" / "neovim").glob("*.*")]
    found = {address for text in texts for address in re.findall(r"https://[\w./-]+", text)}
    assert {address.removesuffix(".git") for address in found} == {REPOSITORY, f"{REPOSITORY}.nvim"}


def test_the_extension_says_what_its_registries_show() -> None:
    assert EXTENSION["publisher"] == "editahead"
    assert EXTENSION["version"] == PROJECT["version"]
    emacs = (ROOT / "editors" / "emacs" / "editahead.el").read_text("utf-8")
    assert f"\n;; Version: {PROJECT['version']}\n" in emacs
    assert EXTENSION["license"] == PROJECT["license"]
    untrusted = EXTENSION["capabilities"]["untrustedWorkspaces"]
    assert untrusted["supported"] == "limited" and "no git, no index and no model" in untrusted["description"]
    assert re.fullmatch("#[0-9a-f]{6}", EXTENSION["galleryBanner"]["color"])
    assert 0 < len(EXTENSION["keywords"]) <= 30, "the Marketplace takes 30"
    icon = (ROOT / "editors" / "vscode" / EXTENSION["icon"]).read_bytes()
    assert icon.startswith(b"\x89PNG") and min(struct.unpack(">II", icon[16:24])) >= 128


def test_the_extras_that_messages_name_are_there() -> None:
    named = set()
    for part in PARTS:
        for path in (ROOT / part).rglob("*.py"):
            named |= set(re.findall(r"editahead\[(\w+)\]", path.read_text("utf-8")))
    assert {"local", "engine"} <= named <= PROJECT["optional-dependencies"].keys()


@pytest.mark.slow
def test_the_neovim_plugin_becomes_a_repository_of_its_own(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        command = [
            "git",
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.org",
            "-C",
            str(tmp_path),
            *arguments,
        ]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    git("init", "-q", "-b", "main")
    for name in ("LICENSE", "README.md", "editors/neovim/plugin/editahead.lua", "editors/emacs/editahead.el"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, "utf-8")
        git("add", "-A")
        git("commit", "-q", "-m", f"Add {name}")
    git("config", "user.name", "A")
    git("config", "user.email", "a@example.org")
    subprocess.run(
        [ROOT / "tools" / "release" / "split_neovim.sh", "plugin"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    assert git("ls-tree", "-r", "--name-only", "plugin").split() == ["LICENSE", "plugin/editahead.lua"]
    assert git("log", "--format=%s", "plugin").splitlines() == [
        "Add the licence",
        "Add editors/neovim/plugin/editahead.lua",
    ]
    assert git("status", "--porcelain") == ""
