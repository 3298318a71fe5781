"""Workspaces of several folders: each file has the rules of its own folder, and a rename stays with the folder it is of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editahead_inference.pipeline import Pipeline
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_workspace.model_config import ModelConfig
from machine_policy import write_policy
from scripted_backend import ScriptedBackend
from server_harness import ServerHarness

__all__ = ["write_policy"]

PRICES = "def net_total(lines, rate):\n    return sum(lines) * rate\n\n\nclass Price:\n    pass\n"
USE = "from {} import net_total\n\n\ndef show(order):\n    return net_total(order.lines, order.rate)\n"
SKETCH = "def net_total(lines, rate):\n    return sum(lines) * rate + 1\n"


@pytest.fixture
def harness() -> Any:
    harness = ServerHarness(Pipeline())
    yield harness
    harness.finish()


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        (folder / "shop").mkdir(parents=True)
        (folder / "shop" / "prices.py").write_text(PRICES, "utf-8")
    return one, two


def listed(*folders: Path) -> list[dict[str, str]]:
    return [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]


async def start(harness: ServerHarness, *folders: Path, **options: Any) -> None:
    options = {"eagerness": 1, "debounce_ms": 0, "index": "off", **options}
    await harness.request(
        "initialize",
        {
            "capabilities": {},
            "workspaceFolders": listed(*folders),
            "initializationOptions": {"editahead": options},
        },
    )


async def silence(harness: ServerHarness, path: Path) -> str | None:
    harness.open(path.as_uri(), "user = 1\n")
    answer = (await harness.next_edit(path.as_uri(), 1, 0, 0))["silence"]
    return None if answer is None or answer["reason"] == "no-history" else answer["reason"]


def change_folders(harness: ServerHarness, added: list[Any], removed: list[Any]) -> None:
    harness.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": added, "removed": removed}})


@pytest.mark.parametrize("module", [".prices", "shop.prices"])
async def test_a_rename_stays_in_its_folder_where_both_have_such_a_module(
    harness: ServerHarness, folders: tuple[Path, Path], module: str
) -> None:
    one, two = folders
    await start(harness, one, two)
    for folder in folders:
        harness.open((folder / "shop" / "orders.py").as_uri(), USE.format(module))
    harness.open((two / "shop" / "prices.py").as_uri(), PRICES)
    here = (one / "shop" / "prices.py").as_uri()
    harness.open(here, PRICES)
    harness.change(here, 2, (0, 4, 0, 13, "compute_total"))
    found = await harness.predictions(here, 2, 4, 0, trigger="manual")
    assert {one["textDocument"]["uri"] for one in found} == {(one / "shop" / "orders.py").as_uri()}


async def test_a_rename_goes_on_in_a_folder_that_imports_from_the_other(
    harness: ServerHarness, folders: tuple[Path, Path]
) -> None:
    one, two = folders
    (two / "shop" / "prices.py").unlink()
    await start(harness, one, two)
    user, here = (two / "app.py").as_uri(), (one / "shop" / "prices.py").as_uri()
    harness.open(user, USE.format("shop.prices"))
    harness.open(here, PRICES)
    harness.change(here, 2, (0, 4, 0, 13, "compute_total"))
    found = await harness.predictions(here, 2, 4, 0, trigger="manual")
    assert {one["textDocument"]["uri"] for one in found} == {user}


async def test_the_ignore_files_of_a_folder_are_for_this_folder(
    harness: ServerHarness, folders: tuple[Path, Path]
) -> None:
    one, two = folders
    for folder in folders:
        (folder / ".git").mkdir()
    (two / ".gitignore").write_text("made/\n", "utf-8")
    await start(harness, one, two)
    assert await silence(harness, two / "made" / "a.py") == "excluded"
    assert await silence(harness, one / "made" / "a.py") is None


async def test_what_one_folders_settings_exclude_another_cannot_take_back(
    harness: ServerHarness, folders: tuple[Path, Path]
) -> None:
    one, two = folders
    (one / "editahead.toml").write_text('exclude = ["!made/"]\n', "utf-8")
    (two / "editahead.toml").write_text('exclude = ["made/"]\n', "utf-8")
    await start(harness, one, two)
    assert await silence(harness, two / "made" / "a.py") == "excluded"


async def test_a_policy_holds_in_a_folder_that_is_added_later(
    harness: ServerHarness, folders: tuple[Path, Path], write_policy: Callable[[str], Path]
) -> None:
    write_policy('exclude = ["keys/"]')
    one, two = folders
    await start(harness, one)
    change_folders(harness, listed(two), [])
    assert harness.server.workspace_paths == (one, two)
    assert await silence(harness, two / "keys" / "a.py") == "excluded"


async def test_a_sketch_changes_files_of_the_present_folders_only(
    harness: ServerHarness, folders: tuple[Path, Path]
) -> None:
    one, two = folders
    await start(harness, one)

    async def made(folder: Path) -> bool:
        uri = (folder / "shop" / "prices.py").as_uri()
        argument = {"uri": uri, "sketch": SKETCH, "dryRun": True}
        params = {"command": "editahead.apply", "arguments": [argument]}
        reply = await harness.reply(harness.send("workspace/executeCommand", params))
        assert ("error" in reply) is ("result" not in reply)
        return "result" in reply

    assert await made(one) and not await made(two)
    change_folders(harness, listed(two), listed(one))
    assert await made(two) and not await made(one)


async def test_a_folder_that_is_added_does_not_load_the_model_again(folders: tuple[Path, Path]) -> None:
    made: list[ModelPredictor] = []

    def create_model(config: ModelConfig) -> ModelPredictor:
        made.append(config.wrap_backend(ScriptedBackend([])))
        return made[-1]

    one, two = folders
    harness = ServerHarness(Pipeline(), create_model=create_model)
    await start(harness, one)
    key = made[0].key
    change_folders(harness, listed(two), [])
    (model,) = made
    assert model.paths.roots == (one.as_uri(), two.as_uri()) and model.key != key
    assert model.paths.for_document((two / "shop" / "prices.py").as_uri()) == "shop/prices.py"
    harness.finish()
