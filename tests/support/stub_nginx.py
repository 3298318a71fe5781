"""A stub of nginx: reads a configuration of ours, and passes each connection on to the first replica that accepts.

Run `python stub_nginx.py -p FOLDER -c FILE`. With STUB_NGINX_ENDS, the stub prints its value and ends.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from contextlib import suppress
from pathlib import Path


def install(folder: Path) -> Path:
    """Write an executable `nginx` into a new folder."""
    folder.mkdir()
    program = folder / "nginx"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{__file__}" "$@"\n', "utf-8")
    program.chmod(0o755)
    return program


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await source.read(65536):
            target.write(data)
            await target.drain()
    target.close()


async def serve(configuration: str) -> None:
    found = re.findall(r"^ +(listen|server) ([\d.]+):(\d+)", configuration, re.MULTILINE)
    places = {kind: [(host, int(port)) for named, host, port in found if named == kind] for kind, *_ in found}

    async def passed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for place in places["server"]:
            with suppress(ConnectionError):
                answers, asks = await asyncio.open_connection(*place)
                await asyncio.gather(_copy(reader, asks), _copy(answers, writer))
                break
        writer.close()

    ((host, port),) = places["listen"]
    async with await asyncio.start_server(passed, host, port) as server:
        print("2026/11/22 10:00:00 [notice] 7#7: start worker processes", file=sys.stderr, flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    if "STUB_NGINX_ENDS" in os.environ:
        sys.exit(os.environ["STUB_NGINX_ENDS"])
    asyncio.run(serve(Path(sys.argv[sys.argv.index("-c") + 1]).read_text("utf-8")))
