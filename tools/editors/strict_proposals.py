"""`python strict_proposals.py FOLDER`: has the code-server in FOLDER check which extensions may use proposed API.

code-server is built with that check off, so that an extension that uses proposed API without being allowed to works there,
and in no VS Code on a desktop. What is right already stays as it is.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ANYBODY = re.compile(
    r"\((\w),(\w)\)\{return!0\}(?=function [\w$]+\(\w,\w\)\{if\(![\w$]+\(\w,\w\)\)throw new Error\(`Extension)"
)
"""The function that says whether an extension may use a proposal, before the one that throws where it may not."""
LISTED = r"(\1,\2){return!!(\1.enabledApiProposals&&\1.enabledApiProposals.includes(\2))}"
FOR_ALL, FOR_NONE = "_envEnablesProposedApiForAll=!0", "_envEnablesProposedApiForAll=!1"


def main(folder: Path) -> None:
    code = folder / "server" / "node_modules" / "code-server" / "lib" / "vscode" / "out"
    strict = 0
    for file in code.rglob("*.js"):
        text = file.read_bytes().decode("utf-8", "surrogateescape")
        if "CANNOT use API proposal" not in text:
            continue
        checked = ANYBODY.sub(LISTED, text).replace(FOR_ALL, FOR_NONE)
        if checked != text:
            file.write_bytes(checked.encode("utf-8", "surrogateescape"))
        strict += ".enabledApiProposals.includes(" in checked and FOR_ALL not in checked
    if not strict:
        raise SystemExit(f"{code}: this code-server's check of proposed API is not known")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
