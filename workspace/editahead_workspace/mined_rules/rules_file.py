"""The file with the mined rules of a repository: TOML that a person can read, edit, and switch off rule by rule."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from editahead_inference.mined_rules.co_changes import CoChange, Consequence, Trigger
from editahead_inference.mined_rules.rewrites import Rewrite
from editahead_inference.mined_rules.rules import MAX_EXAMPLES, MAX_RULES, MinedRule
from editahead_workspace.errors import ChangeError
from editahead_workspace.private_files import create_private_file, make_private_folder
from editahead_workspace.user_secret import load_or_create_user_secret

FOLDER_NAME = "rules"
_SLOT = re.compile(r"\$\d")
MAX_BYTES = 2_000_000
"""Bytes of a file that is read."""
_HEAD = """\
# Rules that were mined from the history of {root}.
# Set `off = true` to switch a rule off; edit one, and it stays as you wrote it when the history is mined again.
# A co-change: where a name is added to `where` as in `when`, a line like `then` is added to `path`.
# A rewrite: in files with this extension, `old` became `new`; $1, $2... stand for what stays.
"""


def rules_path(root: Path, state: Path) -> Path:
    """Return the file of a repository's rules.

    Args:
        root: The root of the repository.
        state: The folder of the user's state.
    """
    secret = load_or_create_user_secret(state)
    name = blake2b(os.fsencode(os.path.realpath(root)), key=secret, digest_size=16).hexdigest()
    return state / FOLDER_NAME / f"{name}.toml"


def load_rules(path: Path) -> list[MinedRule]:
    """Return the rules of a file; none where there is no file.

    Raises:
        ChangeError: The file cannot be read, or is no such file.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ChangeError(f"the rules cannot be read: {path}: {error.strerror}") from None
    try:
        if len(data) > MAX_BYTES:
            raise ValueError(f"more than {MAX_BYTES} bytes")
        entries = tomllib.loads(data.decode()).get("rule", [])
        if not isinstance(entries, list) or len(entries) > 2 * MAX_RULES:
            raise ValueError(f"`rule` must be a list of at most {2 * MAX_RULES} tables")
        return [_rule(number, entry) for number, entry in enumerate(entries, 1)]
    except (ValueError, RecursionError) as error:
        raise ChangeError(f"the rules cannot be read: {path}: {error}") from None


def save_rules(path: Path, root: Path, rules: Sequence[MinedRule]) -> None:
    """Write the rules of a repository, all or none of them.

    Args:
        path: The file.
        root: The root of the repository.
        rules: The rules.

    Raises:
        ChangeError: The file cannot be written.
    """
    text = "\n".join((_HEAD.format(root=_comment(str(root))), *("\n".join(_lines(rule)) for rule in rules)))
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        make_private_folder(path.parent)
        create_private_file(beside)
        beside.write_text(text, "utf-8", newline="\n")
        beside.replace(path)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise ChangeError(f"the rules cannot be written: {path}: {error.strerror}") from None


def _lines(rule: MinedRule) -> Iterator[str]:
    what = rule.what
    yield "[[rule]]"
    yield f"id = {_quote(rule.id)}"
    yield f"off = {'true' if rule.is_off else 'false'}"
    if isinstance(what, Rewrite):
        fields = {"extension": what.extension, "old": what.old, "new": what.new}
        counts = {"support": what.support, "relapses": what.relapses}
    else:
        trigger, then = what.trigger, what.consequence
        fields = {"where": trigger.where, "when": trigger.context, "path": then.path, "then": then.template}
        counts = {"support": what.support, "chances": what.chances}
    yield from (f"{name} = {_quote(value)}" for name, value in fields.items())
    yield from (f"{name} = {value}" for name, value in counts.items())
    yield f"confidence = {what.confidence:.2f}"
    yield f"examples = [{', '.join(_quote(id[:12]) for id in what.examples[:MAX_EXAMPLES])}]"
    yield ""


def _rule(number: int, entry: Any) -> MinedRule:
    """Return the rule of an entry.

    Raises:
        ValueError: It is none; the message names it.
    """
    if not isinstance(entry, dict):
        raise ValueError(f"rule {number} is no table")
    texts = {name: value for name, value in entry.items() if isinstance(value, str)}
    numbers = {name: value for name, value in entry.items() if type(value) is int and value >= 0}
    found = entry.get("examples", [])
    examples = tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()
    what: CoChange | Rewrite
    try:
        if "old" in entry:
            what = Rewrite(
                texts["extension"],
                texts["old"],
                texts["new"],
                numbers["support"],
                numbers["relapses"],
                examples,
            )
            if not what.old.strip():
                raise ValueError(f"rule {number}: `old` is empty")
            unknown = set(_SLOT.findall(what.new)) - set(_SLOT.findall(what.old))
            if unknown:
                raise ValueError(f"rule {number}: `old` has no {min(unknown)}")
        else:
            what = CoChange(
                Trigger(texts["where"], texts["when"]),
                Consequence(texts["path"], texts["then"]),
                numbers["support"],
                max(numbers["chances"], numbers["support"]),
                examples,
            )
        return MinedRule(what, entry.get("off") is True, texts["id"])
    except KeyError as error:
        raise ValueError(f"rule {number}: `{error.args[0]}` is missing or has a wrong value") from None


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(text: str) -> str:
    return text.encode("unicode_escape").decode() if not text.isprintable() else text
