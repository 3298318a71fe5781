"""The tools of the site. `make site` builds the site itself."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

TOOLS = Path(__file__).parent.parent / "tools" / "docs"
REPOSITORY = "https://example.org/repository"


@pytest.mark.parametrize(
    ("folder", "link", "wanted"),
    [
        ("", "docs/editors.md#helix", "editors.md#helix"),
        ("", "docs/demo.svg", "demo.svg"),
        ("", "CHANGELOG.md", f"{REPOSITORY}/blob/main/CHANGELOG.md"),
        ("", "editors/neovim", f"{REPOSITORY}/tree/main/editors/neovim"),
        ("docs", "editors.md", "editors.md"),
        ("docs", "../README.md#install", "index.md#install"),
        ("docs", "schema", f"{REPOSITORY}/tree/main/docs/schema"),
        ("docs", "../SECURITY.md", f"{REPOSITORY}/blob/main/SECURITY.md"),
        ("docs", "#notes", "#notes"),
        ("docs", "measurements/training.md", "measurements/training.md"),
        ("docs/measurements", "training.md#the-gate", "training.md#the-gate"),
        ("docs/measurements", "../apply.md#choices", "../apply.md#choices"),
        ("docs/measurements", "../../README.md", "../index.md"),
        ("docs/measurements", "../../CONTRIBUTING.md", f"{REPOSITORY}/blob/main/CONTRIBUTING.md"),
        ("docs", "https://example.org/x", "https://example.org/x"),
    ],
)
def test_links_lead_to_pages_of_the_site_or_to_the_repository(folder: str, link: str, wanted: str) -> None:
    rewrite_links = runpy.run_path(str(TOOLS / "site_hooks.py"))["rewrite_links"]
    assert rewrite_links(f"[a]({link})", folder, REPOSITORY) == f"[a]({wanted})"


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('<h1 id="a">A</h1><h2>B</h2><a href="../">up</a><a href="#a">here</a><img src="x.svg" alt="x">', ""),
        ('<h1>A</h1><a href="../none/">none</a>', "page/index.html: ../none/ leads nowhere"),
        ('<h1>A</h1><a href="../#none">none</a>', "page/index.html: ../#none leads to no heading"),
        ("<h1>A</h1><h3>B</h3>", "page/index.html: a heading of level 3 follows one of level 1"),
        ("<h2>A</h2>", "page/index.html: not one heading of the first level, at the top: [2]"),
        ('<h1>A</h1><img src="x.svg">', "page/index.html: 1 images without a text"),
        (
            '<h1>A</h1><script src="https://example.org/x.js"></script>',
            "page/index.html: https://example.org/x.js comes from another host",
        ),
    ],
)
def test_what_is_wrong_with_a_page_is_found(tmp_path: Path, body: str, problem: str) -> None:
    (tmp_path / "page").mkdir()
    (tmp_path / "page" / "x.svg").touch()
    (tmp_path / "index.html").write_text("<article><h1>Home</h1></article>", "utf-8")
    (tmp_path / "page" / "index.html").write_text(f"<article>{body}</article>", "utf-8")
    found = list(runpy.run_path(str(TOOLS / "check_site.py"))["find_problems"](tmp_path))
    assert found == [problem] * bool(problem)
