"""The router between replicas: an nginx that sends all requests about a document to the same replica.

When that replica is gone, another one gets the requests.

vLLM's own router (`vllm-router` 0.1.17) was tried and is not used: any client that reaches it, even a page in a browser,
may add a replica without a key, and the router then sends prompts and keys to that replica.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from editahead_programs.program_search import find_program

from .errors import EngineUnavailableError
from .launch_plan import ListenAddress

READY_MESSAGE = "start worker processes"
"""Text of nginx's log when it listens."""
BUNDLED_NGINX = Path(sys.executable).with_name("nginx")
_SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin", "/opt/homebrew/bin")
"""Folders in which systems install nginx, and which many a PATH lacks."""
MISSING_NGINX = (
    "nginx is not installed, and replicas need it as their router: run `sudo apt install nginx`, "
    "or install the package of the same name with dnf, brew or conda."
)

_ROUTES_TEMPLATE = """\
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
_CONFIG_TEMPLATE = """\
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
    """A planned nginx. `folder` is its own, for the configuration and temporary files."""

    command: tuple[str, ...]
    configuration: str
    folder: Path
    url: str

    def write(self) -> None:
        """Write the configuration.

        Raises:
            OSError: The file cannot be written.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.folder / "nginx.conf").write_text(self.configuration, "utf-8")

    def shell_command(self) -> str:
        """Return commands for a shell that write the configuration and start nginx."""
        folder = shlex.quote(str(self.folder))
        return f"mkdir -p {folder}\ncat >{folder}/nginx.conf <<'END'\n{self.configuration}END\n{shlex.join(self.command)}"


def find_nginx(environment: Mapping[str, str]) -> Path:
    """Return the nginx beside this interpreter, else the first on PATH, else the system's.

    Raises:
        EngineUnavailableError: There is none.
    """
    if BUNDLED_NGINX.is_file():
        return BUNDLED_NGINX
    path = os.pathsep.join([environment.get("PATH", ""), *_SYSTEM_FOLDERS])
    found = find_program("nginx", [], {"PATH": path})
    if found is None:
        raise EngineUnavailableError(MISSING_NGINX)
    return Path(found)


def make_nginx_router(
    program: Path, address: ListenAddress, replicas: Sequence[ListenAddress], folder: Path
) -> NginxRouter:
    host = f"[{address.host}]" if ":" in address.host else address.host
    servers = [f"{replica.host}:{replica.port}" for replica in replicas]
    values = {"user": _user_directive(), "routes": render_nginx_routes(f"{host}:{address.port}", servers)}
    command = (str(program), "-p", str(folder), "-c", str(folder / "nginx.conf"))
    return NginxRouter(command, _CONFIG_TEMPLATE % values, folder, address.url)


def render_nginx_routes(listen: str, servers: Sequence[str]) -> str:
    """Return the routes, for use within `http { }`.

    A request goes to another replica when the first cannot be reached or has not begun to answer. nginx then does not try
    the first one for 2 s.
    """
    lines = [f"    server {server} max_fails=1 fail_timeout=2s;" for server in servers]
    return _ROUTES_TEMPLATE % {"listen": listen, "servers": "\n".join(lines)}


def _user_directive() -> str:
    """Return the directive `user root` where root starts nginx, else nothing.

    The worker process would otherwise run as a user who may not read the folder.
    """
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return ""
    import grp
    import pwd

    root = pwd.getpwuid(0)
    return f"user {root.pw_name} {grp.getgrgid(root.pw_gid).gr_name};\n"
