"""Git commands in a repository that is not trusted: nothing that it names is run, and nothing is written.

No other module runs git. A repository's files may be anyone's: an archive with a `.git`, a folder of a neighbour. Its
configuration counts, apart from what starts other programs: monitors, hooks, filters, external diffs, checks of signatures,
and the fetching of objects that a partial clone lacks.
"""

from __future__ import annotations

import os
import secrets
import subprocess
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from .child_process import ChildLimits, ChildProcess, run_child, stream_child, wait_for_child
from .child_python import OWN_FOLDER
from .errors import ChildError, ChildOutputError, ChildTimeoutError, GitCommandError
from .program_search import find_program, safe_path

TIMEOUT_S = 60.0
"""Seconds of one command. On a cold disk, a look at all files of a large repository takes many."""
MAX_OUTPUT_BYTES = 128_000_000
"""Bytes of an answer. A change of this size is more than anyone reads."""
LIMITS = ChildLimits(memory_mb=600, cpu_s=120, can_write=False)
"""What one git may use. A repository may name files without an end, such as `objects/info/alternates` to `/dev/zero`."""
_PLACES_TIMEOUT_S = 5.0
"""Seconds in which git has to say where it was built to look."""
KEPT_VARIABLES = (
    *("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LANG"),
    *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"),
    "SUDO_UID",
)
"""Environment variables that git gets: where the user's own configuration is, and who the user is."""
_SETTINGS = (
    ("core.fsmonitor", ""),  # a program that is asked for changed files; some gits take "false" for its name
    ("core.hooksPath", os.devnull),
    ("core.sshCommand", "false"),
    ("core.askPass", ""),
    ("core.bigFileThreshold", "16m"),  # starts nothing: no diff of larger texts, which would take all memory
    ("core.alternateRefsCommand", "false"),
    ("credential.helper", ""),  # empties the list
    ("diff.external", ""),
    ("diff.ignoreSubmodules", "all"),  # a look into a submodule is a git of its own, with filters of its own
    ("fetch.recurseSubmodules", "false"),
    ("gc.auto", "0"),
    ("log.showSignature", "false"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
    ("submodule.recurse", "false"),
    ("core.quotePath", "false"),  # starts nothing: names of files as they are
)
"""Settings that start programs, and what switches them off."""
_NAMED_SETTINGS = {
    "filter": (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")),
    "hook": (("command", ""), ("enabled", "false")),
    "protocol": (("allow", "never"),),
}
"""Sections that start a program for each name that a repository chooses, and what switches one off."""
MAX_NAMES = 100
"""Names in one such section. People have a few; git's time grows with the square of their number."""
_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "archive": ("--format=tar",),
    "cat-file": (),
    "check-attr": (),
    "config": (),
    "diff-index": ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all"),
    "hash-object": ("--no-filters",),
    "log": ("--no-ext-diff", "--no-textconv", "--no-show-signature", "--submodule=short"),
    "ls-files": (),
    "ls-tree": (),
    "merge-base": (),
    "rev-list": (),
    "rev-parse": (),
    "status": ("--ignore-submodules=all", "--untracked-files=no"),
}
"""The commands that may be run, all of which only read, and the options that each gets before all others."""
_OPTIONS = ("--no-pager", "--no-optional-locks", "--literal-pathspecs")


class GitCommand:
    """The git executable, for one repository.

    The repository must be the user's, as git defines it: another user's counts only where the user's own configuration names
    its folder (`safe.directory`).

    Args:
        root: The root of the working tree, or a repository without one.
        check: Raises to cancel; called several times a second.
        environment: The environment variables of this process. Of git's own, only `GIT_INDEX_FILE` counts, which tells a
            hook what is about to be committed, and those that name the user's own configuration.

    Raises:
        GitCommandError: There is no git or no repository, or it is another user's. A subclass may name another class of
            errors.
    """

    error: ClassVar[type[Exception]] = GitCommandError
    missing: ClassVar[str] = "git is not installed"

    def __init__(
        self,
        root: Path,
        check: Callable[[], None] = lambda: None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        program = find_program("git", [root], environment)
        if program is None:
            raise self.error(self.missing)
        self.root, self._check = root, check
        self._environment = make_environment(root, environment)
        self._command = [program, *_OPTIONS]
        for key, value in _SETTINGS:
            self._command += ["-c", f"{key}={value}"]
        folder = self._find_folder()
        self._command += [f"--work-tree={root}", f"--git-dir={folder}"]
        self.filters = self._switch_off_named()["filter"]
        """The names of the filters that are configured. They are switched off."""

    def run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Return what a command prints.

        Raises:
            GitCommandError: The command failed, took too long or printed too much; the message is git's first line.
        """
        code, out, error = self._run(arguments, stdin)
        if code:
            lines = error.decode(errors="replace").strip().splitlines()
            raise self.error(f"git: {lines[0].removeprefix('fatal: ') if lines else 'failed'}")
        return out

    def stream(self, *arguments: str, stdin: bytes = b"") -> Generator[bytes, None, None]:
        """Yield what a command prints, piece by piece: it may be more than memory holds. Close it to end the command.

        Raises:
            GitCommandError: The command failed or took too long; the message is git's first line.
        """
        self._check()
        process = self.start(*arguments)
        try:
            yield from stream_child(process, timeout_s=TIMEOUT_S, stdin=stdin, check=self._check)
        except ChildTimeoutError:
            raise self.error(f"git took longer than {TIMEOUT_S:.0f} s") from None
        except ChildError as error:
            raise self.error(f"git: {str(error).removeprefix('fatal: ') or 'failed'}") from None

    def try_run(self, *arguments: str) -> str | None:
        """Return the first line that a command prints; None if the command fails.

        Raises:
            GitCommandError: The command took too long or printed too much.
        """
        code, out, _ = self._run(arguments, b"")
        return None if code else out.decode(errors="replace").partition("\n")[0]

    def start(self, *arguments: str) -> ChildProcess[bytes]:
        """Start a command that is talked to while it runs.

        Raises:
            GitCommandError: The command does not start.
        """
        command, *rest = arguments
        try:
            return ChildProcess(
                [*self._command, command, *_COMMANDS[command], *rest],
                cwd=self.root,
                env=self._environment,
                limits=LIMITS,
                has_input=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            raise self.error(f"git does not start: {error.strerror or error}") from error

    def _find_folder(self) -> str:
        """Return the folder of the repository, whose owner git has checked.

        Git checks only where it finds a repository itself, not where it is given one (`--git-dir`).
        """
        pointer = self.root / ".git"
        expected = os.fsencode(self.root)
        if os.path.lexists(pointer):
            _, expected, _ = self._run(("rev-parse", "--resolve-git-dir", str(pointer)), b"")
        code, found, error = self._run(("rev-parse", "--absolute-git-dir"), b"")
        if code and b"safe.directory" in error:
            raise self.error(
                f"the repository {self.root} is another user's; if you trust its owner, run "
                f"`git config --global --add safe.directory {self.root}`"
            )
        folder = self._real_path(found)
        if code or folder != self._real_path(expected):
            raise self.error(f"git: not a git repository: {self.root}")
        return folder

    def _real_path(self, printed: bytes) -> str:
        return os.path.realpath(self.root / os.fsdecode(printed.rstrip(b"\r\n")))

    def _switch_off_named(self) -> dict[str, tuple[str, ...]]:
        """Switch off the settings with chosen names, and return the names by section."""
        pattern = f"^({'|'.join(_NAMED_SETTINGS)})\\."
        _, out, _ = self._run(("config", "-z", "--name-only", "--get-regexp", pattern), b"")
        keys = [key for key in out.decode("utf-8", "surrogateescape").split("\0") if key]
        found: dict[str, tuple[str, ...]] = {}
        for section, settings in _NAMED_SETTINGS.items():
            ours = (key.partition(".")[2] for key in keys if key.startswith(f"{section}."))
            names = tuple(dict.fromkeys(key.rpartition(".")[0] for key in ours))
            if len(names) > MAX_NAMES:
                raise self.error(f"git: the configuration has more than {MAX_NAMES} names of a {section}")
            if any("=" in name for name in names):
                raise self.error(f"git: the configuration names a {section} that cannot be switched off")
            for name in names:
                for key, value in settings:
                    self._command += ["-c", f"{section}.{name}.{key}={value}"]
            found[section] = names
        return found

    def _run(self, arguments: Sequence[str], stdin: bytes) -> tuple[int, bytes, bytes]:
        self._check()
        try:
            done = wait_for_child(
                self.start(*arguments),
                timeout_s=TIMEOUT_S,
                max_bytes=MAX_OUTPUT_BYTES,
                stdin=stdin,
                check=self._check,
            )
        except ChildTimeoutError:
            raise self.error(f"git took longer than {TIMEOUT_S:.0f} s") from None
        except ChildOutputError:
            raise self.error(
                f"git printed more than {MAX_OUTPUT_BYTES} bytes; the change is too large"
            ) from None
        return done.code, done.out, done.error


@dataclass(frozen=True)
class ConfigurationPlaces:
    """Where git was built to look.

    Attributes:
        prefix: What `%(prefix)` is in a path of its configuration; "" if that is unknown.
        files: The files with what it takes for the user's and the system's settings about ignored files.
    """

    prefix: str = ""
    files: tuple[Path, ...] = ()


def find_configuration(root: Path, environment: Mapping[str, str] = os.environ) -> ConfigurationPlaces:
    """Return what git says of its own places. It is asked outside of all repositories, and once in a while only.

    Args:
        root: A folder in which no program is looked for.
        environment: The environment variables.
    """
    program = find_program("git", [root], environment)
    if program is None:
        return ConfigurationPlaces()
    kept = {name: environment[name] for name in KEPT_VARIABLES if name in environment}
    return _ask_places(
        program, tuple({**kept, "PATH": safe_path([root], environment), "LC_ALL": "C"}.items())
    )


@lru_cache(maxsize=16)
def _ask_places(program: str, environment: tuple[tuple[str, str], ...]) -> ConfigurationPlaces:
    command = [program, "-c", "editahead.prefix=%(prefix)/", "config", "-z", "--show-origin", "--type=path"]
    try:
        done = run_child(
            [
                *command,
                "--get-regexp",
                r"^(editahead\.prefix|core\.excludesfile|include\.path|includeif\..*\.path)$",
            ],
            cwd=OWN_FOLDER,
            env={**dict(environment), "GIT_DIR": os.devnull},  # so that no repository is looked for
            limits=LIMITS,
            timeout_s=_PLACES_TIMEOUT_S,
            max_bytes=1_000_000,
        )
    except (OSError, ChildError):
        return ConfigurationPlaces()
    origins = os.fsdecode(done.out).split("\0")[::2]
    values = os.fsdecode(done.out).split("\0")[1::2]
    named = {value.partition("\n")[0]: value.partition("\n")[2] for value in values}
    files = {Path(origin.removeprefix("file:")): None for origin in origins if origin.startswith("file:")}
    return ConfigurationPlaces(
        named.get("editahead.prefix", ""), tuple(file for file in files if file.is_absolute())
    )


def find_root(folder: Path) -> Path | None:
    """Return the root of the working tree that holds a folder; None without one. The folder may be the root."""
    return next((place for place in (folder, *folder.parents) if os.path.lexists(place / ".git")), None)


def make_environment(root: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of git.

    Where protocols are allowed by name, no other one is. A repository chooses names, the empty one included (`url = ::x`).
    So the only name that is allowed is one that no repository can know.
    """
    out = {name: environment[name] for name in KEPT_VARIABLES if name in environment}
    if "GIT_INDEX_FILE" in environment:
        out["GIT_INDEX_FILE"] = str(Path(environment["GIT_INDEX_FILE"]).absolute())
    return {
        **out,
        "PATH": safe_path([root], environment),
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": secrets.token_hex(16),
    }
