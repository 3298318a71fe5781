"""Git commands in a repository whose configuration is not trusted: nothing that it names is run, and nothing is written."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from editahead_lsp.apply.checker_process import find_program, safe_path
from editahead_lsp.errors import ChangeError

TIMEOUT_S = 60.0
"""Seconds of one command. On a cold disk, a look at all files of a large repository takes many."""
MAX_OUTPUT_BYTES = 128_000_000
"""Bytes of an answer. A change of this size is more than anyone reads."""
_POLL_S = 0.05
"""Seconds between two looks at whether the answer is still wanted."""
_KEPT_VARIABLES = ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LANG")
_SAFE = (
    *("-c", "core.fsmonitor="),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.quotePath=false"),
    *("-c", "submodule.recurse=false"),
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
)


class GitCommand:
    """The git executable, for one repository.

    The user's own configuration counts, and that of the repository, too, apart from what starts other programs: monitors,
    hooks, filters, external diffs, and the fetching of objects that a partial clone lacks.

    Args:
        root: The root of the working tree.
        check: Raises to cancel; called several times a second.
        environment: The environment variables of this process. Of git's own, only `GIT_INDEX_FILE` counts, which tells a
            hook what is about to be committed.

    Raises:
        ChangeError: There is no git.
    """

    def __init__(
        self,
        root: Path,
        check: Callable[[], None] = lambda: None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        program = find_program("git", [root], environment)
        if program is None:
            raise ChangeError("git is not installed; compare with a folder instead (`--base FOLDER`)")
        self.root, self._check = root, check
        self._environment = _make_environment(root, environment)
        self._command = [program, *_SAFE, f"--work-tree={root}", f"--git-dir={root / '.git'}"]
        self.filters = self._find_filters()
        """The names of the filters that are configured. They are switched off."""
        for name in self.filters:
            for key, value in (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")):
                self._command += ["-c", f"filter.{name}.{key}={value}"]

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Return what a command prints.

        Raises:
            ChangeError: The command failed, took too long or printed too much; the message is git's first line.
        """
        code, out, error = self._run(arguments, stdin)
        if code:
            lines = error.decode(errors="replace").strip().splitlines()
            raise ChangeError(f"git: {lines[0].removeprefix('fatal: ') if lines else 'failed'}")
        return out

    def try_run(self, *arguments: str) -> str | None:
        """Return the first line that a command prints; None if the command fails.

        Raises:
            ChangeError: The command took too long or printed too much.
        """
        code, out, _ = self._run(arguments, b"")
        return None if code else out.decode(errors="replace").partition("\n")[0]

    def _find_filters(self) -> tuple[str, ...]:
        _, out, _ = self._run(("config", "-z", "--name-only", "--get-regexp", r"^filter\."), b"")
        keys = out.decode("utf-8", "surrogateescape").split("\0")
        names = tuple(dict.fromkeys(key.partition(".")[2].rpartition(".")[0] for key in keys if key))
        if any("=" in name for name in names):
            raise ChangeError(
                "git: the repository's configuration names a filter that cannot be switched off"
            )
        return names

    def _run(self, arguments: Sequence[str], stdin: bytes) -> tuple[int, bytes, bytes]:
        self._check()
        deadline = time.monotonic() + TIMEOUT_S
        process = subprocess.Popen(
            [*self._command, *arguments],
            cwd=self.root,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        out = _PipeReader(process.stdout, MAX_OUTPUT_BYTES, process.kill)
        error = _PipeReader(process.stderr, 10_000, lambda: None)
        writer = _PipeWriter(process.stdin, stdin)
        try:
            while out.is_alive() or process.poll() is None:
                self._check()
                if time.monotonic() > deadline:
                    raise ChangeError(f"git took longer than {TIMEOUT_S:.0f} s")
                out.join(_POLL_S)
                if not out.is_alive():
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(_POLL_S)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
            for thread in (writer, out, error):
                thread.join()
        if out.is_full:
            raise ChangeError(f"git printed more than {MAX_OUTPUT_BYTES} bytes; the change is too large")
        return process.returncode, out.data, error.data


class _PipeReader(threading.Thread):
    """A reader of all that comes from a pipe, up to a number of bytes. The rest is read and dropped."""

    def __init__(self, pipe: object, max_bytes: int, on_full: Callable[[], None]) -> None:
        super().__init__(name="editahead-git", daemon=True)
        self._pipe, self._max_bytes, self._on_full = pipe, max_bytes, on_full
        self.data, self.is_full = b"", False
        self.start()

    def run(self) -> None:
        chunks: list[bytes] = []
        size = 0
        with self._pipe as pipe:  # type: ignore[attr-defined]
            while chunk := pipe.read1(1 << 16):
                if size + len(chunk) > self._max_bytes:
                    self.is_full = True
                    self._on_full()
                elif not self.is_full:
                    chunks.append(chunk)
                    size += len(chunk)
        self.data = b"".join(chunks)


class _PipeWriter(threading.Thread):
    """A writer of all of a process's input."""

    def __init__(self, pipe: object, data: bytes) -> None:
        super().__init__(name="editahead-git", daemon=True)
        self._pipe, self._data = pipe, data
        self.start()

    def run(self) -> None:
        with suppress(OSError), self._pipe as pipe:  # type: ignore[attr-defined]
            pipe.write(self._data)


def _make_environment(root: Path, environment: Mapping[str, str]) -> dict[str, str]:
    out = {name: environment[name] for name in _KEPT_VARIABLES if name in environment}
    if "GIT_INDEX_FILE" in environment:
        out["GIT_INDEX_FILE"] = str(Path(environment["GIT_INDEX_FILE"]).absolute())
    return {
        **out,
        "PATH": safe_path([root], environment),
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
    }
