"""`editahead engine` with a real vLLM and a language server: start, kill, restart, end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from editahead_serving.launch_plan import NUM_SPECULATIVE_TOKENS
from engine_process import Person, engine, group
from server_process import REAL, spawned
from tiny_model import CONTEXT

LONGEST_S = 900
pytest.importorskip("vllm", reason="tools/environment/get-vllm.sh installs what this takes")


@pytest.fixture
def environment(engine_environment: dict[str, str]) -> dict[str, str]:
    return engine_environment | {"EDITAHEAD_FORMAT": "editahead"}


async def test_a_language_server_and_the_engine(model_folder: Path, environment: dict[str, str]) -> None:
    async with (
        engine(model_folder, environment) as running,
        spawned(REAL, environment) as client,
        asyncio.timeout(LONGEST_S),
    ):
        person = Person(client)
        await person.start()
        assert (await person.status())["backend"]["state"] in ("starting", "gone")
        await running.hears("Ready after")
        assert "Drafts come from the file and the sketch" in running.said[0]
        known = await person.until_asked()
        assert known["backend"]["name"].startswith("engine http://127.0.0.1:") and known["model"] == "tiny"

        first = running.server()
        os.kill(first, signal.SIGKILL)
        again = asyncio.ensure_future(running.hears("Ready after"))
        await person.until_alone()
        answers = 0
        while not again.done():
            await person.next_edit()
            answers += 1
        await again
        assert answers > 0 and any("has ended: SIGKILL" in said for said in running.said)
        assert group(first) == []
        second = running.server()
        known = await person.until_asked()
        assert (known["backend"]["state"], known["backend"]["detail"]) == ("ready", "")

        command = [sys.executable, "-m", "editahead_cli", "doctor", "--json"]
        done = await asyncio.to_thread(
            subprocess.run, command, env=environment, capture_output=True, check=False
        )
        checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
        assert checks["backend"]["good"], checks
        assert (
            f"serves 'tiny' with a context of {CONTEXT - NUM_SPECULATIVE_TOKENS} tokens"
            in checks["backend"]["detail"]
        )

        assert len(group(second)) > 1, "the engine's core is a process of its own"
        await running.ends()
        assert group(second) == []
        await person.until_alone()
