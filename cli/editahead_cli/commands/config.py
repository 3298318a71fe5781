"""`editahead config`: print the effective settings and their sources, as a settings file."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from editahead_cli.console import print_note, print_output, print_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--show-origin", action="store_true", help="print the source of each value")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    from editahead_cli.json_output import ConfigOutput, SettingOutput
    from editahead_workspace import user_dirs
    from editahead_workspace.settings import SETTING_NAMES, load_settings

    resolved = load_settings(os.environ, None, [Path.cwd()], user_dirs.config_folder())
    values = {name: getattr(resolved.settings, name) for name in SETTING_NAMES}
    if args.json:
        known = {name: SettingOutput(value, resolved.origins[name]) for name, value in values.items()}
        policy = None if resolved.policy is None else resolved.policy.name
        print_output(ConfigOutput(known, list(resolved.messages), policy))
        return 0
    if args.show_origin and resolved.policy is not None:
        print_text(f"# within the policy {resolved.policy.name}: {resolved.policy.describe()}")
    for name, value in values.items():
        line = f"# {name} =" if value is None else f"{name} = {_to_toml(value)}"
        print_text(f"{line:<40} # {resolved.origins[name]}" if args.show_origin else line)
    for message in resolved.messages:
        print_note(f"editahead: {message}")
    return 0


def _to_toml(value: Any) -> str:
    """Return a value of a setting as TOML: JSON, but for tables."""
    if isinstance(value, Mapping):
        items = (f"{json.dumps(name)} = {_to_toml(item)}" for name, item in value.items())
        return f"{{ {', '.join(items)} }}" if value else "{}"
    text = json.dumps(list(value) if isinstance(value, tuple | frozenset) else value, ensure_ascii=False)
    return text.replace("\x7f", "\\u007f")  # the one character that JSON leaves as it is and TOML does not
