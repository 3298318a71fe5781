"""Check the pages of a built site with axe-core in Chromium: contrast, names, roles, headings, and the width on a phone.

PYTHONPATH=tests/support .venv/bin/python tools/docs/check_accessibility.py build/site [PICTURES]

Every page is checked wide, in the light and in the dark colours; narrow, only that it is not wider than its window. PICTURES
is a folder for pictures of the first page, wide and narrow. axe-core comes with npm and stays in the cache.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from chromium import Chromium, Page

AXE = "4.13.0"
CACHED = Path(__file__).resolve().parents[1] / "environment" / "cached"
WIDE, NARROW = (1280, 900), (390, 844)
THEMES_OWN = {"landmark-unique", "scrollable-region-focusable"}
"""Rules that only the theme breaks: the bars with its buttons to copy code have no names, and its script makes wide code
focusable only when that comes into sight."""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
_LOADED = "new Promise(done => document.readyState === 'complete' ? done(1) : addEventListener('load', () => done(1)))"
_OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def fetch_axe() -> Path:
    """Return axe-core's script, from the cache or with npm."""
    install = ["npm", "install", "--silent", "--ignore-scripts", f"axe-core@{AXE}", "--prefix"]
    done = subprocess.run(
        [CACHED, f"axe-core-{AXE}", *install], check=True, stdout=subprocess.PIPE, text=True
    )
    return Path(done.stdout.strip(), "node_modules", "axe-core", "axe.min.js")


def show(page: Page, file: Path, size: tuple[int, int], scheme: str) -> None:
    """Show a file of the site in a window of a size, in a colour scheme."""
    page.ask(
        "Emulation.setDeviceMetricsOverride",
        width=size[0],
        height=size[1],
        deviceScaleFactor=1,
        mobile=size == NARROW,
    )
    page.go(file.resolve().as_uri())
    page.evaluate(_LOADED)
    # Without transitions, in which a colour is neither the old nor the new one. On a short page the foot would be where the
    # side bar cuts off its entries, and be taken for what is behind them.
    style = "* { transition: none !important } .md-main__inner { min-height: 200vh }"
    page.evaluate(f"document.head.insertAdjacentHTML('beforeend', '<style>{style}</style>')")
    page.evaluate(f"document.body.setAttribute('data-md-color-scheme', '{scheme}')")


def find_violations(page: Page, axe: str) -> Iterator[str]:
    """Yield a line for each violation on the page that is shown."""
    page.evaluate(f"{axe};1")
    options = json.dumps({"runOnly": RULES, "resultTypes": ["violations"]})
    for found in page.evaluate(f"axe.run(document, {options}).then(found => found.violations)"):
        for node in found["nodes"] if found["id"] not in THEMES_OWN else ():
            yield f"{found['id']}: {found['help']}: {' '.join(node['html'].split())[:160]}"


def check(site: Path, axe: str, pictures: Path | None) -> list[str]:
    """Return the problems of all pages, each once with the pages that have it."""
    problems: dict[str, list[str]] = {}
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        contextlib.closing(Chromium(Path(profile), {}, WIDE)) as browser,
    ):
        page = browser.open_page()
        for file in sorted(site.rglob("*.html")):
            if file.name == "404.html":  # its addresses begin at the host's root: a file has no styles
                continue
            for size, scheme in ((WIDE, "default"), (WIDE, "slate"), (NARROW, "default")):
                show(page, file, size, scheme)
                name = f"{file.relative_to(site).as_posix()} ({size[0]} pixels, {scheme})"
                for problem in find_violations(page, axe) if size == WIDE else ():
                    problems.setdefault(problem, []).append(name)
                if page.evaluate(_OVERFLOW) > 0:
                    problems.setdefault("the page is wider than its window", []).append(name)
                if pictures is not None and file.parent == site:
                    pictures.mkdir(parents=True, exist_ok=True)
                    (pictures / f"{file.stem}-{size[0]}-{scheme}.png").write_bytes(page.picture())
    return [f"{problem}\n  on {len(names)}: {', '.join(names[:4])}" for problem, names in problems.items()]


if __name__ == "__main__":
    found = check(
        Path(sys.argv[1]),
        fetch_axe().read_text("utf-8"),
        Path(sys.argv[2]) if len(sys.argv) > 2 else None,
    )
    raise SystemExit("\n".join([*found, f"{len(found)} problems"]) if found else 0)
