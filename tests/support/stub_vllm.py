"""A stub of vLLM: a folder with `vllm`, its interpreter, and a package of that name.

As a server, the stub prints what vLLM prints at its start, writes its process ids into the folder STUB_FOLDER, starts a
child that would outlive it, and serves a model with one answer. Environment variables change it:

STUB_ENDS: print the value and end before being ready.
STUB_WAITS: never become ready.
STUB_STAYS: ignore the request to end.
STUB_KEY: require this key.
STUB_LATE: a folder with two named pipes. The stub listens only after something was written to "may", although it printed
that it has started, as vLLM does; then it writes to "does".
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

CONFIG = {
    "architectures": ["Qwen3MoeForCausalLM"],
    "num_hidden_layers": 48,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "head_dim": 128,
    "hidden_size": 2048,
    "max_position_embeddings": 262_144,
    "torch_dtype": "bfloat16",
}
"""The relevant part of the configuration of Qwen3-Coder-30B-A3B."""
SAYS = "fine"


def write_model_folder(folder: Path) -> Path:
    """Write the configuration of a model into `folder` and return the folder."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    return folder


def install(folder: Path, *, version: str = "0.33.0", custom: bool = True, proposer: bool = True) -> Path:
    """Write the `vllm` of an environment with a version of vLLM.

    Args:
        proposer: Whether Editahead is installed in the environment.
    """
    package, binaries = folder / "packages", folder / "bin"
    files = {
        "vllm/__init__.py": "raise RuntimeError('vllm is not to be imported')",
        "vllm/engine/arg_utils.py": '"--per-request-spec-decode-metrics"',
        "vllm/envs.py": "VLLM_USE_V2_MODEL_RUNNER = None",
        f"vllm-{version}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: vllm\nVersion: {version}\n",
    }
    if custom:
        files["vllm/v1/spec_decode/custom_class_proposer.py"] = ""
    if proposer:
        files["editahead_inference/__init__.py"] = ""
        files["editahead_inference/speculation/__init__.py"] = ""
        files["editahead_inference/speculation/vllm_proposer.py"] = ""
    for name, text in files.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, "utf-8")
    binaries.mkdir()
    python = (
        f'#!/bin/sh\nexport PYTHONPATH="{package}"\n'
        f'[ "$2" = vllm.entrypoints.openai.api_server ] && exec "{sys.executable}" "{__file__}" "$@"\n'
        f'exec "{sys.executable}" -S "$@"\n'
    )
    for name, text in {"python": python, "vllm": "#!/bin/sh\nexit 1\n"}.items():
        (binaries / name).write_text(text, "utf-8")
        (binaries / name).chmod(0o755)
    return binaries / "vllm"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model = ""

    def do_GET(self) -> None:
        if (
            self.headers.get("Authorization")
            != f"Bearer {os.environ.get('STUB_KEY', os.environ['VLLM_API_KEY'])}"
        ):
            self._answer(401, {"error": "Unauthorized"})
        elif self.path == "/v1/models":
            model = {"id": self.model, "owned_by": "vllm", "max_model_len": 32_832}
            self._answer(200, {"object": "list", "data": [model]})
        else:
            self._answer(200, {"version": "0.33.0"})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        choice = {"index": 0, "text": SAYS, "finish_reason": "stop"}
        said = {"choices": [choice], "usage": {"prompt_tokens": 5, "completion_tokens": 1}}
        body = f"data: {json.dumps(said)}\n\ndata: [DONE]\n\n".encode()
        self._answer(200, body, "text/event-stream")

    def _answer(self, status: int, body: Any, kind: str = "application/json") -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


def serve(arguments: list[str]) -> None:
    folder = Path(os.environ["STUB_FOLDER"])
    print("INFO [model_runner.py:1] Starting to load model ...", flush=True)
    if ends := os.environ.get("STUB_ENDS"):
        sys.exit(f"(EngineCore pid=7) ERROR 11-22 10:00:00 [core.py:1] {ends}")
    if "STUB_WAITS" in os.environ:
        signal.pause()
    if "STUB_STAYS" in os.environ:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Handler.model = arguments[arguments.index("--served-model-name") + 1]
    host, port = (arguments[arguments.index(name) + 1] for name in ("--host", "--port"))
    server = ThreadingHTTPServer((host, int(port)), Handler, bind_and_activate=False)
    server.server_bind()
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
    with (folder / "pids").open("a") as pids:
        pids.write(f"{os.getpid()} {child.pid}\n")
    (folder / "arguments.json").write_text(json.dumps(arguments))
    print("\rLoading safetensors checkpoint shards: 50%", flush=True)
    print("INFO:     Application startup complete.", flush=True)
    late = os.environ.get("STUB_LATE")
    if late is not None:
        Path(late, "may").read_bytes()
    server.server_activate()
    if late is not None:
        Path(late, "does").write_bytes(b"")
    server.serve_forever()


if __name__ == "__main__":
    serve(sys.argv[3:])
