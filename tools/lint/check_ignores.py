"""Report the comments that silence a tool and do not say why, behind it on their line.

python tools/lint/check_ignores.py

mypy does not read the tests, so that a comment for it silences nothing there.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LISTING = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"]
NAMES = subprocess.run(LISTING, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
FILES = [path for name in NAMES if (path := ROOT / name).exists()]

_SILENCING = re.compile(
    r"#\s*(?:noqa|ruff:|type:\s*ignore|mypy:|fmt:\s*(?:skip|off)|pragma:|pylint:|isort:|nosec|pyright:)"
)
_WITH_REASON = re.compile(r"# (?:noqa: [A-Z0-9, ]+|type: ignore\[[a-z, -]+\]|fmt: skip)(?:  # | - | \()\w.*")


def without_reason(path: Path) -> list[str]:
    """Return the comments of a file that silence a tool and do not say why."""
    if not _SILENCING.search(path.read_text("utf-8")):
        return []
    with tokenize.open(path) as file:
        comments = [
            token for token in tokenize.generate_tokens(file.readline) if token.type == tokenize.COMMENT
        ]
    found = [
        one for one in comments if _SILENCING.match(one.string) and not _WITH_REASON.fullmatch(one.string)
    ]
    return [f"{path}:{one.start[0]}: {one.string}" for one in found]


if __name__ == "__main__":
    if hits := [line for path in FILES for line in without_reason(path)]:
        sys.exit(
            "\n".join([*hits, "Give the reason, such as `# noqa: F401  # loads it`; mypy reads no tests."])
        )
