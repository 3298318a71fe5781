"""`editahead engine --print` with a stub of vLLM: the printed command, and the errors."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stub_nginx
import stub_vllm
from command_line import CommandLine
from editahead_cli.main import main
from editahead_serving import hardware, nginx_router, vllm_probe
from editahead_serving.vllm_probe import PROPOSER
from printed_command import Printed, option, printer

pytestmark = pytest.mark.slow


Use = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return stub_vllm.write_model_folder(tmp_path / "models" / "coder-30b")


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("EDITAHEAD_BACKEND", "EDITAHEAD_MODEL", "VLLM_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setattr(vllm_probe, "BUNDLED_VLLM", tmp_path / "nowhere" / "vllm")


@pytest.fixture
def use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Use:
    """Return a function that puts a stub of vLLM on PATH."""

    def use(folder: str = "engine", **options: Any) -> Path:
        program = stub_vllm.install(tmp_path / folder, **options)
        monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}/usr/bin{os.pathsep}/bin")
        return program

    return use


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    return printer(capsys)


def test_the_command_that_would_be_started(use: Use, folder: Path, printed: Printed) -> None:
    program = use()
    environment, command = printed(folder, "--port", "0")
    assert command[:3] == [str(program.with_name("python")), "-m", "vllm.entrypoints.openai.api_server"]
    assert option(command, "--model") == str(folder)
    assert option(command, "--served-model-name") == "coder-30b"
    assert option(command, "--host") == "127.0.0.1" and int(option(command, "--port")) > 0
    for flag in ("--enable-prefix-caching", "--enable-prompt-tokens-details"):
        assert flag in command
    assert option(command, "--per-request-spec-decode-metrics") == "summary"
    drafts = json.loads(option(command, "--speculative-config"))
    assert drafts == {"method": "custom_class", "model": PROPOSER, "num_speculative_tokens": 64}
    assert int(option(command, "--max-model-len")) == 32_768 + 64
    requests, batched = (int(option(command, f"--max-num-{name}")) for name in ("seqs", "batched-tokens"))
    assert batched >= requests * 65, "else drafts are cut"
    assert environment["VLLM_USE_V2_MODEL_RUNNER"] == "0"
    assert len(environment["VLLM_API_KEY"]) >= 32
    assert environment["VLLM_API_KEY"] not in command, "others on this machine see commands"
    assert printed(folder)[0]["VLLM_API_KEY"] != environment["VLLM_API_KEY"]


def test_a_key_that_is_set_is_taken(
    use: Use, folder: Path, printed: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    use()
    monkeypatch.setenv("VLLM_API_KEY", "mine")
    assert printed(folder)[0]["VLLM_API_KEY"] == "mine"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"custom": False, "version": "0.19.1"}, "vLLM 0.19.1 takes no proposer"),
        ({"proposer": False}, "not installed beside this vLLM"),
    ],
)
def test_drafts_without_our_proposer(
    options: dict[str, Any], says: str, use: Use, folder: Path, editahead: CommandLine
) -> None:
    use(**options)
    out, err = editahead("engine", "--print", folder)
    assert says in err
    drafts = json.loads(option(shlex.split(out), "--speculative-config"))
    assert drafts.pop("method") == "ngram"
    assert drafts == {"num_speculative_tokens": 64, "prompt_lookup_min": 3, "prompt_lookup_max": 16}


def test_on_a_cpu(use: Use, folder: Path, printed: Printed) -> None:
    use(version="0.33.0+cpu")
    (folder / "config.json").write_text(
        json.dumps(stub_vllm.CONFIG | {"max_position_embeddings": 4096, "torch_dtype": "float32"})
    )
    environment, command = printed(folder)
    assert option(command, "--dtype") == "float32"
    assert "--enforce-eager" in command and option(command, "--block-size") == "32"
    assert "--max-model-len" not in command, "all that the model has"
    assert 1 <= int(environment["VLLM_CPU_KVCACHE_SPACE"]) <= 4


def test_the_model_is_the_named_else_the_settings(
    use: Use, folder: Path, printed: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    use()
    assert main(["engine", "--print"]) == 1, "no model is named"
    monkeypatch.setenv("EDITAHEAD_MODEL", str(folder))
    assert main(["engine", "--print"]) == 1, "it is the model of another backend"
    monkeypatch.setenv("EDITAHEAD_BACKEND", "engine")
    assert option(printed()[1], "--model") == str(folder)


HYBRID = stub_vllm.CONFIG | {"linear_num_value_heads": 32}
MLA = stub_vllm.CONFIG | {"kv_lora_rank": 512, "qk_rope_head_dim": 64}


@pytest.mark.parametrize(
    ("version", "config", "says"),
    [
        ("0.33.0", HYBRID, "recurrent layers"),
        ("0.33.0+cpu", HYBRID, "recurrent layers"),
        ("0.33.0+cpu", MLA, "(MLA)"),
    ],
)
def test_what_must_not_be_used_with_drafts(
    version: str,
    config: dict[str, Any],
    says: str,
    use: Use,
    folder: Path,
    printed: Printed,
    editahead: CommandLine,
) -> None:
    use(version=version)
    (folder / "config.json").write_text(json.dumps(config))
    said = editahead.error("engine", "--print", folder)
    assert "coder-30b cannot be used with drafts" in said and says in said and "--no-drafts" in said
    command = printed(folder, "--no-drafts")[1]
    assert "--speculative-config" not in command and "--per-request-spec-decode-metrics" not in command


def test_such_attention_is_fine_on_a_gpu(use: Use, folder: Path, printed: Printed) -> None:
    use()
    (folder / "config.json").write_text(json.dumps(MLA))
    assert "--speculative-config" in printed(folder)[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "Name a model"),
        (["FOLDER", "--replicas", "0"], "--replicas must be 1 or more, not 0"),
        (["FOLDER", "--replicas", "2"], "Each replica needs a GPU of its own, and there are 1 for 2"),
        (["FOLDER", "--host", "192.168.1.7"], "--host must be one of"),
        (["FOLDER", "--port", "70000"], "--port must be 0 to 65535, not 70000"),
        (["./missing"], "There is no folder ./missing"),
        (["missing"], "There is no folder missing"),
        (["EMPTY"], "config.json cannot be read"),
    ],
)
def test_what_cannot_be(
    arguments: list[str],
    says: str,
    use: Use,
    folder: Path,
    editahead: CommandLine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-1")
    named = {"FOLDER": str(folder), "EMPTY": str(folder.parent)}
    said = editahead.error("engine", "--print", *(named.get(word, word) for word in arguments))
    assert said.startswith("editahead: ") and says in said and said.count("\n") == 1


def replicas(out: str) -> tuple[list[dict[str, str]], list[list[str]], str]:
    """Return the printed environments and commands, and the text after them."""
    lines = out.splitlines(keepends=True)
    commands = [shlex.split(line) for line in lines if line.startswith("env ")]
    settings = [[word for word in command[1:] if word.split("=")[0].isupper()] for command in commands]
    environments = [dict(word.split("=", 1) for word in words) for words in settings]
    rest = [command[1 + len(words) :] for command, words in zip(commands, settings, strict=True)]
    return environments, rest, "".join(lines[len(commands) :])


def test_replicas(
    use: Use, folder: Path, editahead: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use()
    nginx = stub_nginx.install(tmp_path / "nginx")
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}{os.pathsep}{nginx.parent}")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-7, 3,5")
    out, err = editahead("engine", "--print", folder, "--replicas", "2", "--host", "0.0.0.0")
    environments, commands, router = replicas(out)
    assert [environment["CUDA_VISIBLE_DEVICES"] for environment in environments] == ["GPU-7", "3"]
    assert len({environment["VLLM_API_KEY"] for environment in environments}) == 1
    assert {option(command, "--host") for command in commands} == {"127.0.0.1"}, "only the router is open"
    assert err.count("plain http") == 1
    ports = [option(command, "--port") for command in commands]
    for port in ports:
        assert f"server 127.0.0.1:{port} max_fails=1" in router
    (listens,) = re.findall(r"listen 0\.0\.0\.0:(\d+);", router)
    assert len({*ports, listens}) == 3
    assert environments[0]["VLLM_API_KEY"] not in router
    assert router.endswith(
        f"\n{nginx} -p {tmp_path}/state/editahead/router -c {tmp_path}/state/editahead/router/nginx.conf\n"
    )


def test_replicas_on_a_cpu(
    use: Use, folder: Path, editahead: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(version="0.33.0+cpu")
    monkeypatch.setattr(hardware, "physical_cores", lambda: (0, 2, 4, 6, 8))
    monkeypatch.setattr(nginx_router, "find_nginx", lambda environment: Path("/opt/nginx"))
    environments, _, _ = replicas(editahead("engine", "--print", folder, "--replicas", "2").out)
    assert [environment["VLLM_CPU_OMP_THREADS_BIND"] for environment in environments] == ["0,2", "4,6"]


def test_replicas_without_a_router(
    use: Use, folder: Path, editahead: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are not started without; what is printed may be for another machine."""
    use()
    monkeypatch.setattr(nginx_router, "_SYSTEM_FOLDERS", ())
    monkeypatch.setattr(nginx_router, "BUNDLED_NGINX", Path("/nowhere/nginx"))
    monkeypatch.setenv("PATH", str(use(folder="more").parent))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    assert (
        editahead.error("engine", folder, "--replicas", "2") == f"editahead: {nginx_router.MISSING_NGINX}\n"
    )
    out, err = editahead("engine", "--print", folder, "--replicas", "2")
    assert nginx_router.MISSING_NGINX in err and "\nnginx -p " in out


def test_without_vllm(folder: Path, editahead: CommandLine) -> None:
    assert "vLLM is not installed: install it" in editahead.error("engine", folder)


def test_the_command_for_another_machine(folder: Path, printed: Printed, editahead: CommandLine) -> None:
    out, err = editahead("engine", "--print", folder)
    assert "vLLM is not installed here: this is the command for" in err
    assert json.loads(option(shlex.split(out), "--speculative-config"))["method"] == "custom_class"
    command = printed("zed-industries/zeta-2.1")[1]
    assert command[:3] == ["python", "-m", "vllm.entrypoints.openai.api_server"]
    assert option(command, "--served-model-name") == "zeta-2.1"


def test_a_model_of_the_hub(use: Use, printed: Printed, editahead: CommandLine, tmp_path: Path) -> None:
    """The stub has no library that fetches, so that only what the catalogue has is known."""
    use()
    assert option(printed("zed-industries/zeta-2.1")[1], "--model") == "zed-industries/zeta-2.1"
    assert "'somebody/something' is not a folder" in editahead.error(
        "engine", "--print", "somebody/something"
    )
    packages = tmp_path / "engine" / "packages"
    (tmp_path / "fetched.json").write_text(json.dumps(HYBRID))
    (packages / "huggingface_hub.py").write_text(
        f"def hf_hub_download(repository, name): return {str(tmp_path / 'fetched.json')!r}\n"
    )
    assert "something cannot be used with drafts" in editahead.error(
        "engine", "--print", "somebody/something"
    )


@pytest.mark.parametrize("config", [[], {}, {"text_config": 1}])
def test_what_is_no_language_model(config: Any, use: Use, folder: Path, editahead: CommandLine) -> None:
    use()
    (folder / "config.json").write_text(json.dumps(config))
    assert "cannot be served: its config.json is not that of a language model." in editahead.error(
        "engine", folder
    )


def test_a_vllm_that_is_broken(use: Use, folder: Path, editahead: CommandLine) -> None:
    program = use()
    (program.parent / "python").write_text("#!/bin/sh\necho no such library >&2\nexit 1\n")
    assert f"{program} cannot be used: no such library." in editahead.error("engine", folder)


def test_listening_on_all_interfaces_is_reported(use: Use, folder: Path, editahead: CommandLine) -> None:
    use()
    out, err = editahead("engine", "--print", folder, "--host", "0.0.0.0")
    assert option(shlex.split(out), "--host") == "0.0.0.0" and "plain http" in err
