"""The router between replicas: an nginx that sends all requests about a document to the same one, and to another when that
one is gone.

vLLM's own router (`vllm-router` 0.1.17, run) would do it, too, but whoever reaches it, a page in a browser included, may add
a replica without a key; it is then sent prompts and keys.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .launch_plan import ListenAddress
from .vllm_probe import EngineUnavailableError

READY = "start worker processes"
"""What nginx says when it listens."""
BESIDE = Path(sys.executable).with_name("nginx")
_SYSTEM = ("/usr/local/sbin", "/usr/sbin", "/sbin", "/opt/homebrew/bin")
"""Where it is installed, and people's PATH does not always lead."""
MISSING = (
    "There is no nginx here, which keeps documents on their replicas: `sudo apt install nginx` installs it, "
    "or dnf, brew or conda under the same name."
)

_ROUTES = """\
upstream replicas {
    hash $http_x_session_id consistent;
%(servers)s
}

server {
    listen %(listen)s;
    client_max_body_size 16m;
    client_body_buffer_size 1m;

    proxy_http_version 1.1;
    proxy_set_header Connection close;
    proxy_set_header Host $host;
    proxy_buffering off;
    proxy_connect_timeout 1s;
    proxy_read_timeout 600s;
    proxy_next_upstream error timeout http_502 http_503 non_idempotent;
    proxy_next_upstream_tries 2;

    location /v1/ { proxy_pass http://replicas; }
    location = /version { proxy_pass http://replicas; }
    location = /health { proxy_pass http://replicas; }
    location / { return 404; }
}
"""
_WHOLE = """\
daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr notice;
%(user)sevents { worker_connections 1024; }
http {
access_log off;
client_body_temp_path body;
proxy_temp_path proxy;
fastcgi_temp_path fastcgi;
uwsgi_temp_path uwsgi;
scgi_temp_path scgi;

%(routes)s}
"""


@dataclass(frozen=True, slots=True)
class NginxRouter:
    """folder: its own, for its configuration and what it keeps for a moment."""

    command: tuple[str, ...]
    configuration: str
    folder: Path
    url: str

    def write(self) -> None:
        """OSError."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.folder / "nginx.conf").write_text(self.configuration, "utf-8")

    def pasteable(self) -> str:
        """As one writes it in a shell."""
        folder = shlex.quote(str(self.folder))
        return f"mkdir -p {folder}\ncat >{folder}/nginx.conf <<'END'\n{self.configuration}END\n{shlex.join(self.command)}"


def find_nginx(environment: Mapping[str, str]) -> Path:
    """The `nginx` beside this interpreter, else the first on PATH, else the system's. `NoEngine`."""
    if BESIDE.is_file():
        return BESIDE
    path = os.pathsep.join([environment.get("PATH", ""), *_SYSTEM])
    found = shutil.which("nginx", path=path)
    if found is None:
        raise EngineUnavailableError(MISSING)
    return Path(found)


def make_nginx_router(
    program: Path, place: ListenAddress, replicas: Sequence[ListenAddress], folder: Path
) -> NginxRouter:
    host = f"[{place.host}]" if ":" in place.host else place.host
    servers = [f"{replica.host}:{replica.port}" for replica in replicas]
    values = {"user": _user(), "routes": render_nginx_routes(f"{host}:{place.port}", servers)}
    command = (str(program), "-p", str(folder), "-c", str(folder / "nginx.conf"))
    return NginxRouter(command, _WHOLE % values, folder, place.url)


def render_nginx_routes(listen: str, servers: Sequence[str]) -> str:
    """What the router does, for within `http { }`. A request goes to another replica where the first has not begun to
    answer it, or cannot be connected to; that one is then not tried for 2 s."""
    lines = [f"    server {server} max_fails=1 fail_timeout=2s;" for server in servers]
    return _ROUTES % {"listen": listen, "servers": "\n".join(lines)}


def _user() -> str:
    """Where root starts it, its process would else become somebody's to whom the folder is closed."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return ""
    import grp
    import pwd

    root = pwd.getpwuid(0)
    return f"user {root.pw_name} {grp.getgrgid(root.pw_gid).gr_name};\n"
