"""Look for published weaknesses in all pinned dependencies, of Python and of the extension for VS Code.

Exits with 1 if there are some, and with 3 if a database could not be asked about all of them.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "editors" / "vscode"
FOUND, UNKNOWN = 1, 3


def main() -> int:
    found: list[str] = []
    unknown: list[str] = []
    for lock in pinned_files():
        options = ("--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json")
        report = ask(sys.executable, "-m", "pip_audit", *options, "--requirement", str(lock))
        found += python_weaknesses(report)
        unknown += [f"{lock.name}: {reason}" for reason in python_unknown(report)]
        if unknown:  # the others would say the same, one package after the other
            break
    if shutil.which("npm"):
        report = ask("npm", "audit", "--json", "--package-lock-only", folder=EXTENSION)
        found += npm_weaknesses(report)
        unknown += [f"npm: {reason}" for reason in npm_unknown(report)]
    else:
        unknown.append("npm: there is no npm")
    print("\n".join([*sorted(set(found)), *unknown]) or "no known weaknesses")
    return FOUND if found else UNKNOWN if unknown else 0


def pinned_files() -> Iterator[Path]:
    """Yield files that pin packages of Python: uv.lock without the extras, and the files in requirements/."""
    with tempfile.TemporaryDirectory() as folder:
        exported = Path(folder, "uv.lock.txt")
        options = ("--quiet", "--frozen", "--all-groups", "--no-emit-project", "--output-file", str(exported))
        subprocess.run([ROOT / "tools" / "environment" / "uv", "export", *options], cwd=ROOT, check=True)
        yield exported
    # One names only what is left out.
    yield from (
        lock for lock in sorted(ROOT.glob("requirements/*.txt")) if "--hash=" in lock.read_text("utf-8")
    )


def ask(*command: str, folder: Path = ROOT) -> Any:
    """Return what an audit prints as JSON; None if it prints none."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        print(done.stderr[-2_000:], file=sys.stderr)
        return None


def python_weaknesses(report: Any) -> Iterator[str]:
    """Yield the weaknesses in a report of pip-audit."""
    for package in _dependencies(report):
        for weakness in package.get("vulns", ()):
            fixed = ", ".join(weakness.get("fix_versions", ())) or "no version yet"
            yield f"{package['name']} {package['version']}: {weakness['id']}, fixed in {fixed}"


def python_unknown(report: Any) -> Iterator[str]:
    """Yield why a report of pip-audit says too little. It calls packages that it could not ask about a success."""
    packages = _dependencies(report)
    skipped = [package for package in packages if "skip_reason" in package]
    if not packages:
        yield "pip-audit prints no report"
    if skipped:
        yield f"{len(skipped)} of {len(packages)} packages could not be asked about, {skipped[0]['skip_reason']}"


def npm_weaknesses(report: Any) -> Iterator[str]:
    """Yield the weaknesses in a report of `npm audit`, from moderate ones on."""
    for name, weakness in (report or {}).get("vulnerabilities", {}).items():
        if weakness["severity"] not in ("info", "low"):
            yield f"{name} {weakness['range']}: {weakness['severity']}"


def npm_unknown(report: Any) -> Iterator[str]:
    """Yield why a report of `npm audit` says too little."""
    if not report or "vulnerabilities" not in report:
        yield str((report or {}).get("message", "npm audit prints no report"))


def _dependencies(report: Any) -> Sequence[dict[str, Any]]:
    return [] if report is None else report["dependencies"]


if __name__ == "__main__":
    sys.exit(main())
