"""Check a built site: links, anchors, headings, alternative texts, and that no page asks another host for anything.

python tools/docs/check_site.py build/site
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_SOURCES = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}
"""Attributes that make a browser load something."""
_RELATIONS = frozenset(["canonical", "next", "prev", "edit"])
"""Relations of `<link>` that a browser does not load."""


class Page(HTMLParser):
    """What the checks need of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.headings: list[int] = []
        self.without_text = 0
        self._in_article = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if given.get("id"):
            self.anchors.add(given["id"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in _SOURCES and given.get(_SOURCES[tag]) and given.get("rel") not in _RELATIONS:
            self.loaded.append(given[_SOURCES[tag]])
        if tag == "img" and not given.get("alt"):
            self.without_text += 1
        self._in_article += tag == "article"
        if self._in_article and len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self.headings.append(int(tag[1]))

    def handle_endtag(self, tag: str) -> None:
        self._in_article -= tag == "article"


def find_problems(site: Path) -> Iterator[str]:
    """Yield a line for each problem."""
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        if path.name == "404.html":
            continue
        for link in page.links + page.loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                yield f"{name}: {link} leads nowhere"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{name}: {link} leads to no heading"
        for source in page.loaded:
            if urlsplit(source).netloc:
                yield f"{name}: {source} comes from another host"
        if page.headings.count(1) != 1 or page.headings[0] != 1:
            yield f"{name}: not one heading of the first level, at the top: {page.headings[:4]}"
        for above, below in zip(page.headings, page.headings[1:], strict=False):
            if below > above + 1:
                yield f"{name}: a heading of level {below} follows one of level {above}"
        if page.without_text:
            yield f"{name}: {page.without_text} images without a text"


if __name__ == "__main__":
    if problems := list(find_problems(Path(sys.argv[1]).resolve())):
        sys.exit("\n".join(problems))
