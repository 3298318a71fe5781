"""`editahead engine` with a real llama.cpp and a language server: start, kill, restart, end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from engine_process import Person, engine, group
from real_llama_cpp import ONE_THREAD
from server_process import REAL, spawned

LONGEST_S = 300


async def test_a_language_server_and_the_engine(built: Path, tmp_path: Path) -> None:
    known_variables = {name: value for name, value in os.environ.items() if not name.startswith("EDITAHEAD_")}
    environment = (
        known_variables
        | ONE_THREAD
        | {
            "XDG_CONFIG_HOME": str(tmp_path / "config"),
            "XDG_STATE_HOME": str(tmp_path / "state"),
            "EDITAHEAD_BACKEND": "engine",
            "EDITAHEAD_FORMAT": "editahead",
            "PATH": f"{built / 'bin'}{os.pathsep}{os.environ['PATH']}",
        }
    )
    async with (
        engine(built / "smollm2.gguf", environment) as running,
        spawned(REAL, environment) as client,
        asyncio.timeout(LONGEST_S),
    ):
        person = Person(client)
        await person.start()
        await running.hears("Ready after")
        assert "Starting llama.cpp with smollm2" in "".join(running.said)
        known = await person.until_asked()
        assert known["backend"]["name"].startswith("engine http://127.0.0.1:") and known["model"] == "smollm2"

        first = running.server()
        os.kill(first, signal.SIGKILL)
        again = asyncio.ensure_future(running.hears("Ready after"))
        await person.until_alone()
        while not again.done():
            await person.next_edit()
        await again
        assert any("llama.cpp has ended: SIGKILL" in said for said in running.said)
        known = await person.until_asked()
        assert (known["backend"]["state"], known["backend"]["detail"]) == ("ready", "")

        command = [sys.executable, "-m", "editahead_cli", "doctor", "--json"]
        done = await asyncio.to_thread(
            subprocess.run, command, env=environment, capture_output=True, check=False
        )
        checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
        assert checks["backend"]["good"], checks
        assert "serves 'smollm2' with a context of 8192 tokens" in checks["backend"]["detail"]

        second = running.server()
        await running.ends()
        assert group(second) == []
        await person.until_alone()
