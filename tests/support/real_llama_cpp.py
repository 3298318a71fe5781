"""A real server of llama.cpp with SmolLM2, as a process. tools/environment/get-llama-cpp.sh builds it."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from editahead_inference.backends.openai.http_transport import Timeouts
from editahead_serving.launch_plan import LaunchPlan, ListenAddress
from editahead_serving.llama_cpp_plan import make_llama_cpp_plan
from server_process import free_port

BUILT = Path(__file__).parents[2] / ".venv" / "llama-cpp"
"""The folder with `bin/llama-server` and `smollm2.gguf`."""
START_S = 120.0
"""Seconds until a start fails."""
ONE_THREAD = {"LLAMA_ARG_THREADS": "1"}
"""Two threads wait for each other, which takes long where other tests keep the cores busy."""
PATIENT = Timeouts(connect=60, first=300, between=300, total=900)


def make_plan(model: Path = BUILT / "smollm2.gguf", *, drafts: bool = True) -> LaunchPlan:
    return make_llama_cpp_plan(
        BUILT / "bin" / "llama-server",
        model,
        served=model.stem,
        address=ListenAddress("127.0.0.1", free_port()),
        key="llama-cpp-test-key",
        free_bytes=8 << 30,
        cpu=True,
        drafts=drafts,
    )


@contextmanager
def serving(plan: LaunchPlan, log: Path) -> Iterator[None]:
    """Run the server of a plan until the end of the block."""
    process = subprocess.Popen(
        plan.command,
        env={**os.environ, **plan.fixed, **ONE_THREAD},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    told = threading.Event()

    def follow() -> None:
        assert process.stdout is not None
        with log.open("wb") as file, process.stdout:
            for line in process.stdout:
                file.write(line)
                if plan.ready_message.encode() in line:
                    told.set()
        told.set()  # the process has ended

    thread = threading.Thread(target=follow)
    thread.start()
    try:
        told.wait(START_S)
        assert told.is_set() and process.poll() is None, log.read_text("utf-8", "replace")[-5000:]
        yield
    finally:
        process.kill()
        process.wait()
        thread.join()
