"""A real language server and a real `editahead engine`, with a stub of vLLM."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

import stub_vllm
from editahead_inference.backends.engine import ABSENT
from engine_process import Person, engine, group
from server_process import REAL, spawned

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc"), pytest.mark.slow]


async def test_the_engine_is_used_whenever_there_is_one(
    server_environment: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "zeta-2"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(stub_vllm.CONFIG))
    program = stub_vllm.install(tmp_path / "engine")
    environment = server_environment | {
        "EDITAHEAD_BACKEND": "engine",
        "STUB_FOLDER": str(tmp_path),
        "PATH": f"{program.parent}{os.pathsep}{server_environment['PATH']}",
    }
    async with spawned(REAL, environment) as client, asyncio.timeout(60):
        person = Person(client)
        await person.start()
        while (known := (await person.status())["backend"])["state"] == "starting":
            await person.next_edit()
        assert known == {"name": "engine", "state": "gone", "detail": ABSENT}
        async with engine(folder, environment) as running:
            await running.hears("Ready after")
            known = await person.until_asked()
            assert known["model"] == "zeta-2" and known["backend"]["state"] == "ready"
            first = running.server()
            os.kill(first, signal.SIGKILL)
            await running.hears("Ready after")
            assert group(first) == []
            known = await person.until_asked()
            assert known["model"] == "zeta-2" and known["backend"]["state"] == "ready"
            second = running.server()
            await running.ends()
            assert group(second) == []
        assert (await person.until_alone())["detail"] == ABSENT
        assert not (tmp_path / "state" / "editahead" / "engine.json").exists()
