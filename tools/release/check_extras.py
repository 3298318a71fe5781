"""Resolve each extra of the package, for all platforms. It asks the package index.

python tools/release/check_extras.py
"""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UV = ROOT / "tools" / "environment" / "uv"
RESOLVE = (
    UV,
    "pip",
    "compile",
    "--quiet",
    "--universal",
    "--python-version",
    "3.11",
    "--no-header",
    "--no-annotate",
    "-",
)


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for extra in project["optional-dependencies"]:
        wanted = (
            f"{project['name']}[{extra}] @ {ROOT.as_uri()}\n"  # the laboratory needs Editahead, which is here
        )
        done = subprocess.run(RESOLVE, input=wanted, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
        print(f"{extra}: {len(done.stdout.splitlines()) - 1} packages")
