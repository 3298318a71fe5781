"""Hooks of MkDocs: README.md is the first page of the site, and links out of docs/ lead to the repository."""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import dirname, normpath, relpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
_NAMED_BLOCK = re.compile(r"^(`{3,}\w+) \w+$", re.MULTILINE)
"""A code block that a test finds by the word behind its language. MkDocs takes the language only."""
_EMPTY_HEADING = re.compile(r"<th([^>]*)></th>")
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the first page and return the files."""
    from mkdocs.structure.files import File

    text = rewrite_links((ROOT / "README.md").read_text("utf-8"), "", config.repo_url or "")
    first = File.generated(config, "index.md", content=text)
    first.edit_uri = None
    files.append(first)
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return a page with links to the repository in place of those that lead out of docs/, and code blocks for MkDocs."""
    folder = normpath(f"docs/{dirname(page.file.src_uri)}")
    text = markdown if page.is_homepage else rewrite_links(markdown, folder, config.repo_url or "")
    return _NAMED_BLOCK.sub(r"\1", text)


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return a page whose tables have no heading without a text."""
    return _EMPTY_HEADING.sub(r"<td\1></td>", html)


def rewrite_links(text: str, folder: str, repository: str) -> str:
    """Return a document of the repository with links for the site.

    Args:
        text: The document.
        folder: The document's folder in the repository; "" for the top.
        repository: The address of the repository.
    """

    def target(link: re.Match[str]) -> str:
        path = normpath(f"{folder}/{link[1]}".lstrip("/"))
        path = "docs/index.md" if path == "README.md" else path
        if (ROOT / path).is_dir():
            return f"{repository}/tree/main/{path}"
        if path.startswith("docs/"):
            return relpath(path, folder or "docs")
        return f"{repository}/blob/main/{path}"

    return _LINK.sub(target, text)
