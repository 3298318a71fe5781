"""The checks of `.ci/run`: sections that share two cores, each with its output in one piece.

`.ci/run` runs all of them; `.ci/run WORD...` those whose name contains a word.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ".venv/bin/python"
PYTEST = ("-m", "pytest", "--durations=10", "-o", "faulthandler_exit_on_timeout=true")
UV = "tools/environment/uv"
EDITS = Path("../shared/data/edits/dev.jsonl.zst")
CORES = 2
SECTION_TIMEOUT_S = 2400.0
"""Seconds of a section. One that takes longer has hung: its processes print where they are, and it fails."""
NEWER_PYTHONS = ("3.12", "3.13", "3.14")
"""Supported versions of CPython beside 3.11, which runs all other sections."""
UNIT_TESTS = (
    "tests/cli",
    "tests/serving",
    "tests/lsp",
    "tests/workspace",
    "tests/retrieval",
    "tests/prompts",
    "tests/programs",
    "tests/e2e/test_session.py",
)
"""Tests that the newest version of CPython runs."""
VERSION_TESTS = (
    "tests/cli/test_main.py",
    "tests/serving/test_supervisor.py",
    "tests/lsp/prediction",
    "tests/lsp/protocol",
    "tests/lsp/transport",
    "tests/lsp/test_misbehaving_clients.py",
    "tests/workspace/test_settings.py",
    "tests/inference/test_worker_thread.py",
    "tests/e2e/test_session.py",
)
"""Tests that the versions between run, of what differs between versions: servers over stdio and TCP, processes, threads,
asyncio, the command line, and conversions that read annotations."""


class SkippedError(Exception):
    """A section that this machine cannot run. The message says why."""


class FailedError(Exception):
    """A command of a section that failed."""


class Log:
    """The output of one section, and a way to run its commands."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.running: subprocess.Popen[bytes] | None = None
        self.stopped = False
        self.deadline = time.monotonic() + SECTION_TIMEOUT_S

    def status(self, *command: str | Path, **environment: str) -> int:
        """Run a command and return its exit status.

        Raises:
            FailedError: The section was stopped, or takes too long.
        """
        if self.stopped:
            raise FailedError("stopped")
        self.running = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=self.file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            return self.running.wait(max(self.deadline - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            self.stop()
            raise FailedError(
                f"{' '.join(map(str, command))}: not done after {SECTION_TIMEOUT_S:.0f} s"
            ) from None

    def run(self, *command: str | Path, **environment: str) -> None:
        """Run a command.

        Raises:
            FailedError: The command failed.
        """
        if status := self.status(*command, **environment):
            raise FailedError(f"{' '.join(map(str, command))}: exit status {status}")

    def stop(self) -> None:
        """End what runs. Python's processes print their stacks at SIGABRT, where pytest has asked for it."""
        self.stopped = True
        if self.running and self.running.poll() is None:
            for number in (signal.SIGABRT, signal.SIGKILL):
                with suppress(ProcessLookupError):
                    os.killpg(self.running.pid, number)
                time.sleep(1)

    def output(self) -> str:
        """Return what the section has printed so far."""
        self.file.seek(0)
        return self.file.read().decode(errors="replace")


@dataclass(frozen=True)
class Section:
    name: str
    check: Callable[[Log], None]
    cores: int = 1
    """How many cores the section keeps busy."""


def require(condition: object, reason: str) -> None:
    if not condition:
        raise SkippedError(reason)


def pytest(log: Log, *arguments: str | Path) -> None:
    log.run(PYTHON, *PYTEST, *arguments)


def lint(log: Log) -> None:
    log.run("make", "lint")


def tests(log: Log) -> None:
    if on_linux_x86_64():
        log.run(".venv/bin/nvim", "--version")  # without it the tests with Neovim would be left out
    log.run(
        PYTHON, "tests/support/real_postgres.py"
    )  # why the tests of a team's index are left out, if they are
    log.run("make", "test", "ALL=1")


def fuzz(log: Log) -> None:
    log.run(PYTHON, *PYTEST, "tests", "-m", "fuzz", EDITAHEAD_FUZZ_SECONDS="20")


def extension(log: Log) -> None:
    """Build the extension for VS Code, check its types and run its tests that need no editor."""
    require(shutil.which("npm"), "the extension is built with npm")
    log.run("make", "extension")
    log.run("npm", "--prefix", "editors/vscode", "run", "--silent", "check")
    log.run("npm", "--prefix", "editors/vscode", "run", "--silent", "test")


def packages(log: Log) -> None:
    """Build and check what a release publishes, and the site."""
    log.run("make", "packages")
    log.run("make", "site")
    if shutil.which("npm") and (shutil.which("chromium") or (ROOT / ".venv/editors/chromium").exists()):
        check = "tools/docs/check_accessibility.py"
        log.run(PYTHON, check, "build/site", "build/pictures", PYTHONPATH="tests/support")


def editors(log: Log) -> None:
    """Press keys in real editors, which come from Debian and npm."""
    require(shutil.which("apt-get") and on_linux_x86_64(), "the editors come as Debian packages for x86-64")
    get = "tools/environment/get-debian-tool.sh"
    status = log.status(get, ".venv/editors/neovim", "sid", "neovim", "nvim")
    require(status != 3, "there is no Debian mirror")
    if status:
        raise FailedError(f"{get}: exit status {status}")
    log.run(get, ".venv/editors/helix", "sid", "hx", "hx")
    log.run(get, ".venv/editors/emacs", "bookworm", "emacs-nox,elpa-eglot", "emacs-nox")
    log.run(get, ".venv/editors/lsp-mode", "sid", "emacs-nox,elpa-lsp-mode", "emacs-nox")
    log.run(get, ".venv/editors/vim", "sid", "vim,vim-ale,vim-runtime", "vim.basic")
    log.run("tools/environment/get-language-servers.sh", ".venv/editors/language-servers")
    if shutil.which("npm"):
        log.run("tools/environment/get-code-server.sh", ".venv/editors/code-server")
        if not shutil.which("chromium"):
            log.run(get, ".venv/editors/chromium", "bookworm", "chromium,fonts-dejavu-core", "chromium")
    chosen = ("-m", "editors", "tests/editors")
    if log.status(PYTHON, *PYTEST, "-n", "2", *chosen):
        # On busy cores an editor may take a key late. What fails alone too is broken; the first failures stay in the output.
        pytest(log, "--last-failed", *chosen)


def engine(log: Log) -> None:
    require(on_linux_x86_64(), "vLLM's CPU build is for Linux on x86-64")
    folder = Path(".venv", "engine")
    log.run("tools/environment/get-vllm.sh", folder)
    log.status("tools/environment/get-debian-tool.sh", ".venv/nginx", "sid", "nginx", "nginx")  # or no Debian
    path = f"{ROOT / '.venv/nginx/bin'}:{os.environ['PATH']}"
    log.run(folder / "bin" / "python", *PYTEST, "tests/engine", PATH=path)


def llama_cpp(log: Log) -> None:
    status = log.status("tools/environment/get-llama-cpp.sh", ".venv/llama-cpp", "--cached")
    require(
        status == 0,
        "llama.cpp is not built; tools/environment/get-llama-cpp.sh builds it, and the cache keeps it",
    )
    pytest(log, "-m", "llama_cpp", "tests/llama_cpp")


def benchmarks(log: Log) -> None:
    log.run("make", "bench", EDITAHEAD_BENCHMARK_SHORT="1")


def evaluation(log: Log) -> None:
    require(EDITS.exists(), f"there is no {EDITS}")
    log.run(".venv/bin/editahead", "eval", "--edits", EDITS, "--files", "10", "--seed", "7")


def ratchet(log: Log) -> None:
    require(EDITS.exists(), f"there is no {EDITS}")
    pytest(log, "-m", "ratchet", "tests/test_baseline.py")


def advisories(log: Log) -> None:
    """Look for published weaknesses in all dependencies."""
    status = log.status(
        *(UV, "run", "--frozen", "--quiet", "--only-group", "audit", "python", "tools/ci/advisories.py"),
        UV_PROJECT_ENVIRONMENT=".venv/audit",
    )
    require(status != 3, "the databases of published weaknesses could not be asked about all dependencies")
    if status:
        raise FailedError("there are published weaknesses")


def newer_python(version: str) -> Callable[[Log], None]:
    def check(log: Log) -> None:
        folder = Path(".venv", f"python{version}")
        python = find_python(version, log)
        log.run(UV, "sync", "--frozen", "--quiet", PYTHON=python, UV_PROJECT_ENVIRONMENT=str(folder))
        chosen = UNIT_TESTS if version == NEWER_PYTHONS[-1] else VERSION_TESTS
        log.run(folder / "bin" / "python", *PYTEST, *chosen)

    return check


def find_python(version: str, log: Log) -> str:
    """Return a CPython of this version: this machine's, pyenv's or Debian's.

    Raises:
        SkippedError: There is none.
    """
    name = f"python{version}"
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    for program in [shutil.which(name), *sorted(pyenv.glob(f"{version}.*/bin/{name}"))]:
        if program and subprocess.run([program, "-c", ""], capture_output=True, check=False).returncode == 0:
            return str(program)
    require(shutil.which("apt-get") and on_linux_x86_64(), f"there is no {name}")
    folder = ROOT / ".venv" / "interpreters" / version
    get = "tools/environment/get-debian-tool.sh"
    status = log.status(get, folder, "sid", f"{name}-minimal,{name},{name}-venv,libstdc++6", name)
    require(status == 0, f"there is no {name}, in Debian neither")
    return str((folder / "bin" / name).resolve())


def on_linux_x86_64() -> bool:
    return (platform.system(), platform.machine()) == ("Linux", "x86_64")


SECTIONS = (
    Section("lint: ruff, mypy, layers, wording", lint),
    Section("VS Code: the extension", extension),
    Section("tests", tests, CORES),
    Section("editors", editors, CORES),
    Section("engine: real vLLM on the CPU", engine),
    Section("llama.cpp, where it is built", llama_cpp),
    Section("quality on real edits, against the baseline", ratchet),
    Section("fuzz, each test for 20 s", fuzz),
    *(Section(f"CPython {version}", newer_python(version)) for version in reversed(NEWER_PYTHONS)),
    Section("packages and site", packages),
    Section("benchmarks, in short", benchmarks),
    Section("evaluation on 10 files", evaluation),
    Section("advisories: published weaknesses of dependencies", advisories),
)
"""In the order of their start. Behind those that keep all cores busy come those for one core, the longest first."""


class Run:
    """One run of sections: starts them as cores become free, and prints the output of each when it ends."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self.waiting = list(sections)
        self.logs: dict[str, Log] = {}
        self.threads: list[threading.Thread] = []
        self.outcomes: list[str] = []
        self.failed: list[str] = []
        self.failed_tests: list[str] = []
        self.changed = threading.Condition()
        self.free = CORES
        self.began = time.monotonic()

    def run(self) -> int:
        """Run all sections and return the exit status."""
        while self.waiting:
            with self.changed:
                self.changed.wait_for(lambda: self.free >= self.waiting[0].cores)
                section = self.waiting.pop(0)
                self.free -= section.cores
            print(f"=== {section.name}: started", flush=True)
            self.threads.append(threading.Thread(target=self._check, args=(section,)))
            self.threads[-1].start()
        for thread in self.threads:
            thread.join()
        return self.report()

    def _check(self, section: Section) -> None:
        began = time.monotonic()
        with tempfile.TemporaryFile() as file:
            log = self.logs[section.name] = Log(file)
            try:
                section.check(log)
                outcome = "passed"
            except SkippedError as reason:
                outcome = f"skipped: {reason}"
            except Exception as error:
                outcome = f"FAILED: {error}"
            outcome = f"{section.name} ({time.monotonic() - began:.0f} s): {outcome}"
            with self.changed:
                del self.logs[section.name]
                self.outcomes.append(outcome)
                if "): FAILED: " in outcome:
                    self.failed.append(section.name)
                output = log.output()
                self.failed_tests += re.findall(r"^(?:FAILED|ERROR) .*", output, re.MULTILINE)
                print(f"\n=== {section.name}\n{output}=== {outcome}\n", flush=True)
                self.free += section.cores
                self.changed.notify()

    def report(self) -> int:
        """Print each section's outcome and return the exit status."""
        print("\n".join(["", *self.failed_tests, *self.outcomes]))
        seconds = f"{time.monotonic() - self.began:.0f} s"
        if self.failed:
            print(f"FAILED after {seconds}: {', '.join(self.failed)}", flush=True)
            return 1
        print(f"all checks passed in {seconds}", flush=True)
        return 0

    def kill(self, number: int, _frame: object) -> None:
        """Stop all sections, which print what they have, and end this process."""
        running = ", ".join(self.logs) or "set-up"
        for log in list(self.logs.values()):
            log.stop()
        for thread in self.threads:
            thread.join(5)
        print(
            "\n".join(["", *self.outcomes, f"FAILED: {signal.Signals(number).name} during {running}"]),
            flush=True,
        )
        os._exit(128 + number)


def main(words: Sequence[str]) -> int:
    os.chdir(ROOT)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each start of a server would compile all modules
    chosen = [section for section in SECTIONS if not words or any(word in section.name for word in words)]
    run = Run(chosen)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, run.kill)
    subprocess.run([UV, "sync", "--frozen", "--quiet"], stdin=subprocess.DEVNULL, check=True)
    return run.run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
