"""The commands and files of the page on clusters, checked by vLLM's parser, a YAML parser and nginx. Nothing starts."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from editahead_serving import nginx_router
from editahead_serving.errors import EngineUnavailableError
from editahead_serving.launch_plan import ListenAddress, make_launch_plan
from editahead_serving.model_catalog import find_model
from editahead_serving.vllm_probe import assume_installation

DOCS = Path(__file__).parent.parent.parent / "docs"
TLS = "    ssl_certificate /etc/nginx/tls/cert.pem;\n    ssl_certificate_key /etc/nginx/tls/key.pem"
PARSER = """\
import json, sys
from vllm.entrypoints.launchers.cli_args import make_arg_parser, validate_parsed_serve_args
from vllm.utils.argparse_utils import FlexibleArgumentParser

for line in sys.stdin:
    parser = make_arg_parser(FlexibleArgumentParser())
    args = parser.parse_args(json.loads(line))
    validate_parsed_serve_args(args)
    defaults = vars(parser.parse_args([]))
    found = {name: value for name, value in vars(args).items() if value != defaults[name]}
    print("PARSED", json.dumps(found, default=str), flush=True)
"""
"""Prints of each command, a line of JSON, what differs from the defaults."""

Parse: TypeAlias = Callable[[list[str]], dict[str, Any]]


@pytest.fixture(scope="module")
def parse() -> Iterator[Parse]:
    """Yield vLLM's parser, in one process for all tests: its imports take ten seconds."""
    pytest.importorskip("vllm", reason="tools/environment/get-vllm.sh installs what this takes")
    settings = os.environ | {"VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-c", PARSER]
    with subprocess.Popen(
        command, env=settings, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None

        def parse(words: list[str]) -> dict[str, Any]:
            print(json.dumps(words), file=process.stdin, flush=True)
            line = next((line for line in process.stdout if line.startswith("PARSED ")), None)
            assert line is not None, "vLLM rejects the command; standard error says why"
            told: dict[str, Any] = json.loads(line.removeprefix("PARSED "))
            return told

        yield parse
        process.stdin.close()


@pytest.fixture
def compose() -> dict[str, Any]:
    yaml = pytest.importorskip("yaml")
    told: dict[str, Any] = yaml.safe_load((DOCS / "cluster" / "compose.yaml").read_text("utf-8"))
    return told


def test_the_replicas_are_started_as_the_engine_starts_them(compose: dict[str, Any], parse: Parse) -> None:
    model = find_model("Qwen/Qwen3-Coder-30B-A3B-Instruct")
    assert model is not None
    made = make_launch_plan(
        assume_installation(cpu=False),
        model.shape,
        model="Qwen/Qwen3-Coder-30B-A3B-Instruct",
        served="Qwen3-Coder-30B-A3B-Instruct",
        address=ListenAddress("0.0.0.0", 8000),
        key="k",
        free_bytes=0,
    )
    replicas = [service for name, service in compose["services"].items() if name.startswith("replica-")]
    ours = parse(list(made.command[3:]))
    for service in replicas:
        assert service["entrypoint"][1:] == list(made.command[1:3])
        theirs = parse(service["command"])
        assert theirs == ours and theirs["speculative_config"]["num_speculative_tokens"] == 64
        assert service["environment"].keys() == {*made.environment, *made.fixed, "HF_HOME"}
        assert made.environment.items() <= service["environment"].items()
    devices = [s["deploy"]["resources"]["reservations"]["devices"][0]["device_ids"] for s in replicas]
    assert devices == [["0"], ["1"]]


def test_the_router_knows_the_replicas(compose: dict[str, Any]) -> None:
    services = compose["services"]
    names = [name for name in services if name.startswith("replica-")]
    said = (DOCS / "cluster" / "nginx.conf").read_text("utf-8")
    assert said == nginx_router.render_nginx_routes(f"8443 ssl;\n{TLS}", [f"{name}:8000" for name in names])
    addresses = [services[name]["networks"]["engine"]["ipv4_address"] for name in names]
    expected = [f"{name}:{address}" for name, address in zip(names, addresses, strict=True)]
    assert services["router"]["extra_hosts"] == expected
    assert {source.split(":")[0] for source in services["router"]["volumes"]} == {"./nginx.conf", "./tls"}


def test_nginx_takes_it(tmp_path: Path) -> None:
    """With what the page adds for ranks."""
    try:
        nginx = nginx_router.find_nginx(os.environ)
    except EngineUnavailableError as error:
        pytest.skip(str(error))
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    command += ["-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem")]
    subprocess.run(command, check=True, capture_output=True)
    (ranks,) = re.findall(r"```nginx\n(.*?)```", (DOCS / "cluster.md").read_text("utf-8"), re.DOTALL)
    beside, within = ranks.splitlines()
    said = (DOCS / "cluster" / "nginx.conf").read_text("utf-8")
    said = said.replace("listen", f"{within}\n    listen", 1).replace("/etc/nginx/tls/", f"{tmp_path}/")
    said = re.sub(r"server replica-\d+", "server 127.0.0.1", said)
    folder = tmp_path / "nginx"
    made = nginx_router.make_nginx_router(nginx, ListenAddress("127.0.0.1", 1), [], folder)
    whole = made.configuration[: made.configuration.index("upstream")] + f"{beside}\n{said}}}\n"
    folder.mkdir()
    (folder / "nginx.conf").write_text(whole, "utf-8")
    done = subprocess.run([*made.command, "-t"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_flags_of_the_page(parse: Parse) -> None:
    said = (DOCS / "cluster.md").read_text("utf-8")
    commands = [shlex.split(line) for line in re.findall(r"^vllm serve .*", said, re.MULTILINE)]
    found = [parse(command[2:]) for command in commands]
    assert len(found) == 4
    assert {told.pop("model_tag") for told in found} == {"MODEL"}
    tensors, rank, ranks, offloading = found
    assert tensors == {"tensor_parallel_size": 2}
    parallel = {"enable_expert_parallel": True, "data_parallel_size": 4}
    assert ranks == parallel
    where = {"data_parallel_address": "10.0.0.1", "data_parallel_rpc_port": 13345}
    assert rank == parallel | where | {"data_parallel_rank": 0}
    assert offloading == {"kv_offloading_size": 64.0}, "native is what it does by default"
