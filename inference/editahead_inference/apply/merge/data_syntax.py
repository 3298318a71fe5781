"""The syntax of files without a grammar: JSON and TOML in full, some of YAML, Dockerfiles and tables of Markdown."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping

from editahead_prompts.text.indentation import indentation_length
from editahead_prompts.text.snapshot import Snapshot

_YAML_ITEM = re.compile(r"-(?:\s|$)")
_YAML_VALUE = re.compile(r"[\w.\"'/-]+:\s+[^\s#&!|>]")
_DOCKER_INSTRUCTION = re.compile(
    r"(?:ADD|ARG|CMD|COPY|ENTRYPOINT|ENV|EXPOSE|FROM|HEALTHCHECK|LABEL|MAINTAINER|ONBUILD|RUN|SHELL|STOPSIGNAL|USER|VOLUME|"
    r"WORKDIR)\s",
    re.IGNORECASE,
)

_MARKDOWN_ROW = re.compile(r"\|.*\|$")
_MARKDOWN_RULE = re.compile(r"\|[\s:|-]*-[\s:|-]*\|$")
_MARKDOWN_BLOCK = re.compile(r"#|>|<|[-*+]\s|```|~~~|\d+[.)]\s")
"""The beginning of a line that ends a table above it."""


def breaks_data(original: Snapshot, guess: str) -> bool:
    """Return whether a file can be read before a change, and not after it."""
    is_readable = _reader(original.uri.rsplit("/", 1)[-1].lower())
    return is_readable is not None and not is_readable(guess) and is_readable(original.text)


def _reader(name: str) -> Callable[[str], bool] | None:
    """Return what checks the text of a file with this name."""
    if "dockerfile" in name or name == "containerfile":
        return _is_dockerfile
    return _READERS.get(name.rsplit(".", 1)[-1])


def _loads(load: Callable[[str], object]) -> Callable[[str], bool]:
    def is_readable(text: str) -> bool:
        try:
            load(text)
        except (ValueError, RecursionError):
            return False
        return True

    return is_readable


def _is_yaml(text: str) -> bool:
    """Return whether no item of a list follows a key with a value at the same indentation."""
    above: list[tuple[int, bool]] = []
    for line in text.splitlines():
        key = line.strip()
        if not key or key.startswith("#"):
            continue
        width = indentation_length(line)
        while above and above[-1][0] > width:
            above.pop()
        if _YAML_ITEM.match(key) and above and above[-1] == (width, True):
            return False
        if above and above[-1][0] == width:
            above.pop()
        above.append((width, _YAML_VALUE.match(key) is not None))
    return True


def _is_dockerfile(text: str) -> bool:
    """Return whether each instruction begins with its name, and the last one is complete."""
    return all(map(_DOCKER_INSTRUCTION.match, _instructions(text))) and "<<" not in text


def _instructions(text: str) -> Iterator[str]:
    """Yield the first line of each instruction; one that is not complete, as a whole."""
    goes_on = False
    for line in text.splitlines():
        key = line.strip()
        if not key or key.startswith("#"):
            continue
        if not goes_on:
            yield f"{key} "
        goes_on = key.endswith("\\")
    if goes_on:
        yield "\\"


def _is_markdown(text: str) -> bool:
    """Return whether all rows are below the rule of a table, and no text follows a row without a blank line."""
    rows: list[str] = []
    is_fenced = False
    for line in [*text.splitlines(), ""]:
        key = line.strip()
        is_fence = key.startswith(("```", "~~~"))
        if not is_fenced and _MARKDOWN_ROW.match(key):
            rows.append(key)
            continue
        if rows and (
            (key and not _MARKDOWN_BLOCK.match(key)) or not any(map(_MARKDOWN_RULE.match, rows[:2]))
        ):
            return False
        rows = []
        is_fenced ^= is_fence
    return True


_READERS: Mapping[str, Callable[[str], bool]] = {
    "json": _loads(json.loads),
    "markdown": _is_markdown,
    "md": _is_markdown,
    "toml": _loads(tomllib.loads),
    "yaml": _is_yaml,
    "yml": _is_yaml,
}
