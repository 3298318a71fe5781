"""Two language servers on one connection, as Eglot needs it: `python language_server_multiplexer.py FIRST OTHER`.

Both are command lines in JSON. References and renames are for the other server, everything else is for the first one.
Answers of `initialize` have the capabilities of both.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import IO, Any

_LOCK = threading.Lock()
_FOR_OTHER = ("textDocument/references", "textDocument/rename")


def read(stream: IO[bytes]) -> Any:
    length = 0
    while (line := stream.readline()).strip():
        if line.lower().startswith(b"content-length"):
            length = int(line.rpartition(b":")[2])
    return json.loads(stream.read(length)) if line else None


def write(stream: IO[bytes], message: Any) -> None:
    body = json.dumps(message).encode()
    with _LOCK:
        stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        stream.flush()


def start(command: str) -> tuple[IO[bytes], IO[bytes]]:
    process = subprocess.Popen(json.loads(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin and process.stdout
    return process.stdin, process.stdout


def main() -> None:
    (to_first, from_first), (to_other, from_other) = (start(command) for command in sys.argv[1:3])
    client, initialize = sys.stdout.buffer, read(sys.stdin.buffer)
    write(to_first, initialize)
    write(to_other, initialize)
    while "capabilities" not in ((known := read(from_other)).get("result") or {}):
        pass
    while "capabilities" not in ((answer := read(from_first)).get("result") or {}):
        write(client, answer)
    answer["result"]["capabilities"] |= known["result"]["capabilities"]
    write(client, answer)

    def forward(stream: IO[bytes], *, is_first: bool) -> None:
        while (message := read(stream)) is not None:
            if is_first or "method" not in message:
                write(client, message)

    for stream, is_first in ((from_first, True), (from_other, False)):
        threading.Thread(target=forward, args=(stream,), kwargs={"is_first": is_first}, daemon=True).start()
    while (message := read(sys.stdin.buffer)) is not None:
        is_for_other = message.get("method") in _FOR_OTHER
        if not is_for_other:
            write(to_first, message)
        if is_for_other or "id" not in message:
            write(to_other, message)


if __name__ == "__main__":
    main()
