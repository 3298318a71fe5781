"""A real vLLM on the CPU, as a process."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

START_S = 600.0
"""Seconds until a start fails. On two busy cores a start takes more than a minute."""
READY = b"Application startup complete"
KEY = "engine-test-key"
BLOCK = 32
"""Tokens of a block of vLLM's KV cache."""


@contextmanager
def serving(model: Path, log: Path, *options: str) -> Iterator[str]:
    """Start vLLM with a folder's model as "tiny", in float32, with priorities and a prefix cache, and yield the URL.

    Args:
        log: The file for the output.
        options: More options of vLLM.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [
        *(sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(model)),
        *("--served-model-name", "tiny", "--host", "127.0.0.1", "--port", str(port), "--dtype", "float32"),
        *("--enforce-eager", "--block-size", str(BLOCK), "--max-num-seqs", "8"),
        *("--enable-prompt-tokens-details", "--scheduling-policy", "priority"),
        *("--distributed-executor-backend", "uni"),  # saves a process
        *options,
    ]
    settings = {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
    settings |= {
        "VLLM_API_KEY": KEY,
        "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    }  # without the latter, "uni" is ignored
    process = subprocess.Popen(
        command,
        env=os.environ | settings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    told = threading.Event()

    def follow() -> None:
        assert process.stdout is not None
        with log.open("wb") as file, process.stdout:
            for line in process.stdout:
                file.write(line)
                if READY in line:
                    told.set()
        told.set()  # the process has ended

    thread = threading.Thread(target=follow)
    thread.start()
    try:
        told.wait(START_S)
        assert told.is_set() and process.poll() is None, log.read_text("utf-8", "replace")[-5000:]
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        thread.join()


async def metric(url: str, name: str) -> float:
    """Return the value of one of vLLM's metrics."""

    def read() -> str:
        with urlopen(f"{url}/metrics") as page:
            return str(page.read().decode())

    lines = (await asyncio.to_thread(read)).splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith((f"{name}{{", f"{name} ")))
