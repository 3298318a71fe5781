"""`editahead models use` with the real client and a local hub: a broken connection, an interrupt."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


COMMIT = "a" * 40
REPOSITORY = "zed-industries/zeta-2.1"
WEIGHTS = bytes(range(256)) * 100_000
"""More than two of the pieces that the client writes, of 10 MiB."""
FILES = {"config.json": b"{}", "model.safetensors": WEIGHTS}
HALF = 15_000_000


class Hub(ThreadingHTTPServer):
    """A local model hub.

    Attributes:
        breaks: Ends the next connection in the middle of the weights.
        holds: Stops sending there, and sets `held`.
        is_missing: Whether the hub has no files.
        sent: The first byte that was sent of each requested file.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.breaks = self.holds = self.is_missing = False
        self.held, self.over = threading.Event(), threading.Event()
        self.sent: list[tuple[str, int]] = []


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Hub

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        name = self.path.rpartition("/")[2]
        if self.server.is_missing or not self.path.startswith(
            (f"/api/models/{REPOSITORY}/", f"/{REPOSITORY}/")
        ):
            self._head(404, b"", {"X-Error-Code": "RepoNotFound"})
        elif "/revision/" in self.path:
            self._said(json.dumps({"id": REPOSITORY, "sha": COMMIT, "siblings": []}).encode(), body)
        elif "/tree/" in self.path:
            tree = [
                {"type": "file", "path": name, "size": len(data), "oid": "b" * 40}
                for name, data in FILES.items()
            ]
            self._said(json.dumps(tree).encode(), body)
        else:
            self._send(name, FILES[name], body)

    def _send(self, name: str, data: bytes, body: bool) -> None:
        start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
        headers = {
            "ETag": f'"{hashlib.sha1(data).hexdigest()}"',
            "X-Repo-Commit": COMMIT,
            "Accept-Ranges": "bytes",
            "Content-Range": f"bytes {start}-{len(data) - 1}/{len(data)}",
        }
        self._head(206 if start else 200, data[start:], headers)
        if not body:
            return
        self.server.sent.append((name, start))
        if data is not WEIGHTS or start or not (self.server.breaks or self.server.holds):
            self.wfile.write(data[start:])
            return
        self.wfile.write(data[:HALF])
        self.wfile.flush()
        self.close_connection = True
        if self.server.holds:
            self.server.held.set()
            self.server.over.wait()

    def _said(self, data: bytes, body: bool) -> None:
        self._head(200, data, {"Content-Type": "application/json"})
        if body:
            self.wfile.write(data)

    def _head(self, status: int, data: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()


@pytest.fixture
def hub() -> Iterator[Hub]:
    hub = Hub()
    thread = threading.Thread(target=hub.serve_forever, args=[0.01])
    thread.start()
    yield hub
    hub.over.set()
    hub.shutdown()
    thread.join()
    hub.server_close()


class Person:
    """A user who runs the command, with folders of their own."""

    def __init__(self, hub: Hub, folder: Path) -> None:
        self.cache = folder / "hf" / "hub" / f"models--{REPOSITORY.replace('/', '--')}"
        self.settings = folder / "config" / "editahead" / "editahead.toml"
        self._environment = os.environ | {
            "HF_ENDPOINT": f"http://127.0.0.1:{hub.server_port}",
            "HF_HOME": str(folder / "hf"),
            "HF_HUB_OFFLINE": "0",
            "XDG_CONFIG_HOME": str(folder / "config"),
            "NO_PROXY": "*",
        }

    def fetches(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "editahead_cli", "models", "use", "zeta-2.1"]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=self._environment, stdout=pipe, stderr=pipe, text=True)

    def unfinished(self) -> list[Path]:
        return list(self.cache.glob("blobs/*.incomplete"))

    def weights(self) -> bytes:
        return (self.cache / "snapshots" / COMMIT / "model.safetensors").read_bytes()


@pytest.fixture
def person(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    pytest.importorskip("huggingface_hub")
    from editahead_serving.hardware import free_disk_bytes
    from editahead_serving.model_catalog import find_model

    model = find_model("zeta-2.1")
    assert model is not None
    if free_disk_bytes(tmp_path) < model.weight_bytes:
        pytest.skip("there is not the room on this disk that the command wants")
    return Person(hub, tmp_path)


def test_a_broken_connection_is_resumed(hub: Hub, person: Person) -> None:
    hub.breaks = True
    process = person.fetches()
    out, error = process.communicate()
    assert process.returncode == 0, error
    assert "is now your default" in out and REPOSITORY in person.settings.read_text()
    first, second = (start for name, start in hub.sent if name == "model.safetensors")
    assert first == 0 < second <= HALF
    assert person.weights() == WEIGHTS and not person.unfinished()


def test_who_stops_it_goes_on_with_the_files_that_are_missing(hub: Hub, person: Person) -> None:
    hub.holds = True
    process = person.fetches()
    assert hub.held.wait(60)
    while not any((person.cache / "snapshots" / COMMIT).glob("config.json")):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate()
    assert process.returncode == 130 and "the same command downloads the others" in out, error
    assert not person.settings.exists() and not person.unfinished()

    hub.holds = False
    hub.sent.clear()
    left = person.cache / "blobs" / "killed.0a1b2c3d.incomplete"
    left.touch()
    os.utime(left, (0, 0))
    process = person.fetches()
    out, error = process.communicate()
    assert process.returncode == 0, error
    assert hub.sent == [("model.safetensors", 0)]
    assert person.weights() == WEIGHTS and not person.unfinished()


def test_a_deleted_model(hub: Hub, person: Person) -> None:
    hub.is_missing = True
    process = person.fetches()
    _, error = process.communicate()
    assert process.returncode == 1 and "is gone, or its owner wants" in error
    assert "Traceback" not in error and not person.settings.exists()
