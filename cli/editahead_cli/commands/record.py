"""`editahead record`: recordings of the user's own editing, on this machine, for `editahead eval --keys`."""

from __future__ import annotations

import argparse

from editahead_cli.console import fail, print_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=("on", "off", "clear"),
        help="record the sessions of servers that start from now on; stop that; delete all recordings. Without it: tell "
        "what is recorded",
    )


def run(args: argparse.Namespace) -> int:
    from editahead_lsp.session.session_recorder import FOLDER_NAME, SUFFIX
    from editahead_workspace import user_dirs

    folder = user_dirs.state_folder() / FOLDER_NAME
    files = sorted(folder.glob(f"*{SUFFIX}"))
    if args.action == "clear":
        try:
            for file in files:
                file.unlink(missing_ok=True)
        except OSError as error:
            return fail(f"{folder}: the recordings cannot be deleted: {error.strerror or error}.")
        print_text(f"{len(files)} recordings deleted from {folder}.")
        return 0
    if args.action is not None:
        return _switch(args.action)
    size = sum(file.stat().st_size for file in files)
    print_text(f"Recording is {_present_setting()}. {len(files)} recordings, {size:,} bytes, in {folder}.")
    if files:
        print_text(f"Measure on them: editahead eval --keys {folder}")
    reports = user_dirs.scenario_folder()
    if count := len(list(reports.glob("*.txt"))):
        print_text(f"{count} reports of predictions. Play them: editahead eval --scenarios {reports}")
    return 0


def _switch(value: str) -> int:
    """Write the setting into the user's file."""
    from editahead_serving.errors import SettingsWriteError
    from editahead_serving.settings_file import update_settings_file
    from editahead_workspace import user_dirs
    from editahead_workspace.policy import read_machine_policy
    from editahead_workspace.settings import FILE_NAME

    settings = user_dirs.config_folder() / FILE_NAME
    policy = read_machine_policy()
    if value == "on" and policy is not None and policy.limits.get("record") == "off":
        return fail(policy.refusal("recordings"))
    try:
        update_settings_file(settings, {"record": value})
    except (SettingsWriteError, OSError) as error:
        return fail(f'{settings} was not changed: {error}. Write into the file yourself: record = "{value}".')
    print_text(f"`record` is now {value}, in {settings}. Restart your editor's servers.")
    if value == "on":
        print_text("Recordings hold the code that you edit. They stay on this machine.")
    return 0


def _present_setting() -> str:
    import os

    from editahead_workspace import user_dirs
    from editahead_workspace.settings import load_settings

    return load_settings(os.environ, None, [], user_dirs.config_folder()).settings.record
